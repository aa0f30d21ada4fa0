"""What the body of a function that works on tensors calls.

The values are followed through the statements: parameters by their annotation, results by what
produced them. The body is read once from top to bottom; a name is what it was last given.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from indexer.extract.python import conditions
from indexer.extract.python.calls import CALL, OPERATOR
from indexer.extract.python.compound import TRY_STAR
from indexer.extract.python.entered import caught
from indexer.extract.python.known import SEQUENCES
from indexer.extract.python.local_names import Names
from indexer.extract.python.matching import Patterns, as_condition
from indexer.extract.python.operator_methods import BINARY
from indexer.extract.python.scope import dotted, one_of
from indexer.extract.python.value_texts import TENSOR, first_known

# Functions whose arguments are tensors that may override them: torch/overrides.py. The first
# two take an iterable of them, the others take them one by one.
_OVERRIDABLE = {
    "has_torch_function": True,
    "handle_torch_function": True,
    "has_torch_function_unary": False,
    "has_torch_function_variadic": False,
}
# What is false unless TorchScript compiles, a tracer records or an argument overrides torch's
# functions: torch/_jit_internal.py, torch/jit/_trace.py, torch/overrides.py.
_SPECIAL_MODES = frozenset(
    (
        "is_scripting", "is_tracing", "_get_tracing_state", "has_torch_function",
        "has_torch_function_unary", "has_torch_function_variadic",
    )
)  # fmt: skip


def _in_eager_mode(test: ast.expr) -> bool | None:
    """What a condition is in ordinary execution; None where that depends on something else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _in_eager_mode(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [_in_eager_mode(part) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive
    if isinstance(test, ast.Call) and dotted(test.func).rpartition(".")[2] in _SPECIAL_MODES:
        return False
    return None


_Names = dict[str, str | ast.expr | None]
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def _is_warning(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in ("warnings.warn", "warn")


class Flow(Patterns):
    """Reads one function; `returned` is then the target of the last value that it returns."""

    returned = ""
    # What statements of the block that is read have said of names, and what these were before.
    learned: dict[str, tuple[str, str | ast.expr | None]]

    def read(self, body: Iterable[ast.stmt]) -> None:
        """Add the calls of a function's statements, in order of evaluation as far as it matters, and set `returned`.

        Args:
            body: the statements.
        """
        body = list(body)
        self.learned = {}
        for node in body:
            self._find_overridable(node)
        self._statements(body)

    def _find_overridable(self, statement: ast.stmt) -> None:
        if not isinstance(statement, ast.If):
            return
        for node in ast.walk(statement.test):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else None
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if name not in _OVERRIDABLE:
                continue
            for argument in node.args:
                if isinstance(argument, ast.Tuple):
                    for element in argument.elts:
                        self._is_tensor(element, TENSOR)
                elif _OVERRIDABLE[name]:
                    self._is_tensor(argument, f"list({TENSOR})")
                else:
                    self._is_tensor(argument, TENSOR)

    def _is_tensor(self, node: ast.expr, target: str) -> None:
        if isinstance(node, ast.Starred):
            node, target = node.value, f"list({TENSOR})"
        if isinstance(node, ast.Name) and self.names.local(node.id) == "":
            self.names.names[node.id] = target

    def _statements(self, body: Iterable[ast.stmt]) -> None:
        for node in body:
            self._statement(node)

    def _block(self, body: Iterable[ast.stmt]) -> None:
        """Read statements that not everybody goes through: what is said of names among them holds to their end."""
        outer, self.learned = self.learned, {}
        self._statements(body)
        names = self.names.names
        for name, (now, before) in self.learned.items():
            if names.get(name) == now:
                names[name] = before
        self.learned = outer

    def _learn(self, said: dict[str, str]) -> None:
        """Take names for what is said of them, to the end of the block."""
        names = self.names.names
        for name, now in said.items():
            first = self.learned.get(name)
            self.learned[name] = (now, first[1] if first else names.get(name))
            names[name] = now

    def _statement(self, node: ast.stmt) -> None:
        reader = _READERS.get(type(node))
        if reader is not None:
            reader(self, node)

    def _expression(self, node: ast.Expr) -> None:
        with self._aside(_is_warning(node.value)):
            self.value(node.value)

    def _return(self, node: ast.Return) -> None:
        self.returned = self.value(node.value) or self.returned

    def _assignment(self, node: ast.Assign) -> None:
        value = self._assigned(node.value)
        for target in node.targets:
            self._assign(target, value, node.value)

    def _declaration(self, node: ast.AnnAssign) -> None:
        value = self._assigned(node.value) if node.value is not None else ""
        declared = self.names.scope.annotation(node.annotation)
        self._assign(node.target, first_known(value, declared), node.value)

    def _augmented(self, node: ast.AugAssign) -> None:
        left, right = self.value(node.target), self.value(node.value)
        operator = BINARY[type(node.op)]
        if left:
            self._add(f"{left}.__i{operator}__", OPERATOR, node)
        elif right:
            self._add(f"{right}.__r{operator}__", OPERATOR, node)
            self._assign(node.target, right, None)
        if isinstance(node.target, ast.Attribute) and (left or not right):
            self._set(self._peek(node.target.value), node.target)

    def _condition(self, node: ast.If | ast.While) -> None:
        happens = _in_eager_mode(node.test)
        with self._aside(happens is not None):
            self._test(node.test)
        before = dict(self.names.names)
        with self._narrowed(node.test):
            self._branch(node.body, happens is False)
        if isinstance(node, ast.If) and isinstance(node.body[-1], _LEAVING):
            said = self._said_by_going_on(node.test)
            # Of what nobody knows, what it is given there says more.
            self.names.names.update({name: was for name, was in before.items() if was})
            self._learn(said)
            before.update(said)
        elif isinstance(node, ast.If) and not node.orelse:
            self._join(before)
        if node.orelse:
            self._otherwise(node, happens is True, before)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        self._loop(node.target, node.iter)
        self._block(node.body)
        self._statements(node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            entered = self.value(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, entered, None)
        self._statements(node.body)

    def _try(self, node: ast.Try) -> None:
        self._statements(node.body)
        tried = self.names.names
        for handler in node.handlers:
            # What is given in place of what failed says less: `arg_constraints = {}`.
            self.names.names = dict(tried)
            if handler.name:
                kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
                self.names.names[handler.name] = caught(list(map(dotted, kinds)), self.names)
            self._block(handler.body)
            tried.update({n: now for n, now in self.names.names.items() if not tried.get(n)})
        self.names.names = tried
        self._statements(node.orelse)
        self._statements(node.finalbody)

    def _match(self, node: ast.Match) -> None:
        """Read each case by what was known of names before all of them.

        Behind them they are what the first of those that go on gave them.
        """
        value = self.value(node.subject)
        subject = node.subject.id if isinstance(node.subject, ast.Name) else ""
        before = self.names.names
        given: Names = {}
        for case in node.cases:
            self.names.names = names = dict(before)
            self._pattern(case.pattern, value)
            with contextlib.ExitStack() as said:
                if (asked := as_condition(case.pattern, subject)) is not None:
                    said.enter_context(self._narrowed(asked))
                if case.guard is not None:
                    self._test(case.guard)
                    said.enter_context(self._narrowed(case.guard))
                self._block(case.body)
            if isinstance(case.body[-1], _LEAVING):
                continue
            for name, now in names.items():
                was = before.get(name)
                if isinstance(was, ast.expr) and was is not now:
                    was = self.names.scope.annotation(was)
                if now != was or name not in before:
                    given[name] = given.get(name) or now
        before.update(given)
        self.names.names = before

    def _class(self, node: ast.ClassDef) -> None:
        self._decorated(node.decorator_list)
        self.names.names[node.name] = ""
        bases = (self.names.target(dotted(base)) for base in node.bases)
        outer, self.derived_from = self.derived_from, next(filter(None, bases), "")
        self._statements(node.body)
        self.derived_from = outer

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for binding in self.definitions.read_import(node, ""):
            path = binding.target.replace(":", ".")
            inside = self.names.scope.is_inside(path)
            self.names.names[binding.name] = path if inside else ""
            self.imported |= {} if inside else {binding.name: path}

    def _assertion(self, node: ast.Assert) -> None:
        with self._aside(True):
            self._test(node.test)
            self.value(node.msg)
        self._learn(self._said(node.test))

    def _raise(self, node: ast.Raise) -> None:
        with self._aside(True):
            for child in ast.iter_child_nodes(node):
                self.value(child if isinstance(child, ast.expr) else None)

    def _said_by_going_on(self, test: ast.expr) -> dict[str, str]:
        """What is known of names where a condition is not so: `if not isinstance(x, Tensor): return`."""
        parts = (
            test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
        )
        said: dict[str, str] = {}
        for part in parts:
            if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
                said |= self._said(part.operand)
        return said

    def _otherwise(self, node: ast.If | ast.While, aside: bool, before: Names) -> None:
        """Read what runs where a condition is not so, by what was known of names before it, also of what it denies.

        Behind it they are what either branch gave them.
        """
        given = self.names.names
        other = node.orelse[0]
        asked = conditions.asked(other.test) if isinstance(other, ast.If) else ()
        changed: Names = {}
        for name, was in before.items():
            now = given.get(name)
            is_told = isinstance(was, ast.expr)
            if isinstance(was, ast.expr) and was is not now:
                was = self.names.scope.annotation(was)
            # Of a value that the text does not tell, as `state.get("d")`, the other branch says more, unless it asks.
            says_more = name not in asked and not (
                was and (is_told or str(was).startswith((TENSOR, *SEQUENCES)))
            )
            if was != now and not says_more:
                changed[name] = now
                given[name] = was
        for name, now in given.items():
            if name not in before and isinstance(now, str) and "." not in name:
                changed[name] = now
        known = {name: given[name] for name in changed}
        with self._taken(self._said_by_going_on(node.test) if isinstance(node, ast.If) else {}):
            self._branch(node.orelse, aside)
        names = self.names.names
        goes_on = not isinstance(node.body[-1], _LEAVING)
        for name, given_there in changed.items():
            last = names.get(name)
            if last == known[name]:
                names[name] = given_there
            elif goes_on and last and isinstance(given_there, str) and isinstance(last, str):
                names[name] = one_of(last, given_there)

    def _join(self, before: Names) -> None:
        """Take names for what they were before a branch, too, that not everybody goes through."""
        names = self.names.names
        for name, now in names.items():
            was = before.get(name)
            if now is was or not (isinstance(now, str) and now and was):
                continue
            was = self.names.scope.annotation(was) if isinstance(was, ast.expr) else was
            names[name] = one_of(now, was)

    def _branch(self, body: list[ast.stmt], aside: bool) -> None:
        if not aside:
            self._block(body)
            return
        outer, returned = self.names.names, self.returned
        self.names.names = dict(outer)
        with self._aside(aside):
            self._statements(body)
        self.names.names, self.returned = outer, returned

    @contextlib.contextmanager
    def _aside(self, aside: bool) -> Iterator[None]:
        """Take what is called meanwhile as not on the function's way, if `aside`."""
        outer, self.is_aside = self.is_aside, self.is_aside or aside
        try:
            yield
        finally:
            self.is_aside = outer

    def _decorated(self, decorators: list[ast.expr]) -> None:
        """Read what a nested function or class is decorated with: that runs where the `def` does."""
        for decorator in decorators:
            value = self.value(decorator)
            if value and not isinstance(decorator, ast.Call):
                self._add(value, CALL, decorator)

    def _nested(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._decorated(node.decorator_list)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self._argument(default)
        outer, returned = self.names.names, self.returned
        outer[node.name] = ""
        self.names.names = dict(outer)
        for parameter in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            self.names.names[parameter.arg] = self.names.scope.annotation(parameter.annotation)
        self._statements(node.body)
        self.names.names, self.returned = outer, returned


_READERS: dict[type[ast.stmt], Callable[[Flow, Any], None]] = {
    ast.Expr: Flow._expression, ast.Return: Flow._return, ast.Assign: Flow._assignment,
    ast.AnnAssign: Flow._declaration, ast.AugAssign: Flow._augmented, ast.If: Flow._condition,
    ast.While: Flow._condition, ast.For: Flow._for, ast.AsyncFor: Flow._for, ast.With: Flow._with,
    ast.AsyncWith: Flow._with, ast.Try: Flow._try, TRY_STAR: Flow._try, ast.Match: Flow._match,
    ast.FunctionDef: Flow._nested,
    ast.AsyncFunctionDef: Flow._nested, ast.ClassDef: Flow._class, ast.Import: Flow._import,
    ast.ImportFrom: Flow._import, ast.Assert: Flow._assertion, ast.Raise: Flow._raise,
}  # fmt: skip
"""By the sort of a statement; what others are made of calls nothing, or is not followed."""
