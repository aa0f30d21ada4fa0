"""Follows a file as `registrations_eval` does, with what files of torch.compile do besides.

Tables of decompositions are merged with `{**a, **b}`, generators give what to register, names are
made from dictionaries of other modules, and a file's own registering function counts as the one
that other files import.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any, Protocol

from indexer.extract.python.compile.values import TablePart, TableValue, is_operator
from indexer.extract.python.registrations_eval import Interpreter
from indexer.extract.python.registrations_values import UNKNOWN, Function, Ref, Scope


class CompileCalls(Protocol):
    """What the interpreter tells of; see `registrations_eval.Calls`."""

    def call(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """The value of a call, UNKNOWN if it is none that matters: see `registrations_eval.Calls.call`.

        Args:
            callee: what is called, as a value of the file.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the outermost call that is followed.
        """

    def schema(self, operator: Ref) -> Any:
        """The schema of `operator`, if it was defined in this file; UNKNOWN for others."""

    def knows(self, path: str) -> bool:
        """Whether calls of the function at `path`, its dotted name, are to be told, not followed."""

    def assigned(self, name: str, value: Any, line: int) -> None:
        """A variable was set to a table, or to a list in which operators are.

        Args:
            name: within the module; of a function's variable `function.name`.
            value: that it was set to.
            line: 1-based, of the assignment.
        """

    def assume(self, field: str) -> None:
        """What follows holds for records without `field` only; with "" for all again."""

    def under(self, condition: str) -> None:
        """What follows stands under `condition`, the text of a module's `if`; with "" under none."""

    def returned(self, function: Function, value: Any) -> None:
        """The body of `function`, one of the file's and no generator, was followed and gave `value`."""


class CompileInterpreter(Interpreter):
    """See the module.

    Args:
        module: the dotted name of the file's module.
        calls: told of what happens.
        registers: whether lines (first, last) hold anything that could register.
    """

    def __init__(
        self, module: str, calls: CompileCalls, registers: Callable[[int, int], bool]
    ) -> None:
        super().__init__(module, calls, registers)
        self.told = calls
        self._yields: list[list[Any]] = []
        self._generators: dict[int, bool] = {}
        self._functions: list[str] = []
        self._condition = ""

    def apply(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Call a value; one of the file's functions that `calls` knows is told of, not followed.

        Args:
            callee: what is called.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.

        Returns:
            What it gives; UNKNOWN where nobody knows.
        """
        if isinstance(callee, Function):
            path = f"{self.module}.{callee.name}"
            if self.told.knows(path):
                self.called.add(id(callee.node))
                return self.told.call(Ref(path), arguments, keywords, self.site or line)
        return super().apply(callee, arguments, keywords, line)

    def invoke(
        self, function: Function, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Follow a function; a generator gives the list of what it yields.

        Args:
            function: one of the file's.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call; 0 where nothing calls it.

        Returns:
            What it returns; UNKNOWN where nobody knows.
        """
        self._functions.append(function.name)
        generator = self._is_generator(function)
        if generator:
            self._yields.append([])
        try:
            value = super().invoke(function, arguments, keywords, line)
        finally:
            self._functions.pop()
            found = self._yields.pop() if generator else []
        if generator:
            return found
        self.told.returned(function, value)
        return value

    def _is_generator(self, function: Function) -> bool:
        identity = id(function.node)
        if identity not in self._generators:
            self._generators[identity] = _yields(function.node)
        return self._generators[identity]

    def _yield(self, node: ast.Yield, scope: Scope) -> Any:
        value = self.value(node.value, scope) if node.value is not None else None
        if self._yields:
            self._yields[-1].append(value)
        return UNKNOWN

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope, prefix: str) -> None:
        # The keys of another module's dictionary stand for themselves until files are joined.
        items = self.value(node.iter, scope)
        if isinstance(items, Ref) and isinstance(node.target, ast.Name):
            scope.assign(node.target.id, placeholder(items.path))
            self.guarded(node.body, scope, prefix)
            return
        super()._for(node, scope, prefix)

    def attribute(self, owner: Any, name: str) -> Any:
        """The attribute `name` of `owner`, a value; of a record of another module's dictionary a placeholder.

        Returns:
            UNKNOWN where nobody knows.
        """
        if isinstance(owner, Ref) and owner.path.endswith("}]"):
            return placeholder(owner.path.partition("[")[0], name)
        return super().attribute(owner, name)

    def _if(self, node: ast.If, scope: Scope, prefix: str) -> None:
        field = self._absent_field(node.test, scope)
        if not field:
            if self.stack and _asks_for_attribute(node):
                # `if hasattr(prims, name):` of torch/_inductor/lowering.py (register_pointwise).
                follow = functools.partial(super()._if, node, scope, prefix)
                self._under(ast.unparse(node.test), follow)
            elif self.stack or self.truth(self.value(node.test, scope)) is not None:
                super()._if(node, scope, prefix)
            else:
                test = ast.unparse(node.test)
                for text, body in ((test, node.body), (f"not ({test})", node.orelse)):
                    self._under(text, functools.partial(self.guarded, body, scope, prefix))
            return
        # `if record.field is None`: the body is for those records only.
        self.told.assume(field)
        stop = self.guarded(node.body, scope, prefix)
        self.told.assume("")
        self.guarded(node.orelse, scope, prefix)
        if stop is not None and stop.kind == "return" and stop.value is not UNKNOWN:
            scope.names.setdefault("<returned>", stop.value)

    def _under(self, condition: str, follow: Callable[[], object]) -> None:
        """Follow what stands under an `if`, as told within what it stands under itself."""
        before, self._condition = self._condition, condition
        self.told.under(condition)
        try:
            follow()
        finally:
            self._condition = before
            self.told.under(before)

    def _absent_field(self, test: ast.expr, scope: Scope) -> str:
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Is):
            right = test.comparators[0]
            if isinstance(right, ast.Constant) and right.value is None:
                value = self.value(test.left, scope)
                if isinstance(value, str) and value.startswith("{") and ":" in value:
                    return value.rstrip("}").partition(":")[2]
        return ""

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        value = super()._name(node, scope)
        if value is UNKNOWN and node.id in ("dict", "frozenset"):
            return Ref(f"builtins.{node.id}")
        return value

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            left, right = self.value(node.left, scope), self.value(node.comparators[0], scope)
            if isinstance(right, (list, tuple)) and all(isinstance(v, Ref) for v in (left, *right)):
                return (left in right) is isinstance(node.ops[0], ast.In)
        return super()._compare(node, scope)

    def _dict(self, node: ast.Dict, scope: Scope) -> Any:
        parts: list[TablePart] = []
        tables = False
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                inner = self.value(value, scope)
                if isinstance(inner, TableValue):
                    tables = True
                    parts.extend(inner.parts)
                elif isinstance(inner, Ref) and "decomp" in inner.path:
                    tables = True
                    parts.append(TablePart("merge", inner.path, (), node.lineno))
                else:
                    name = self._name_of(inner)
                    if name:
                        parts.append(TablePart("merge", name, (), node.lineno))
        return TableValue(tuple(parts)) if tables else super()._dict(node, scope)

    def _name_of(self, value: Any) -> str:
        for name, known in self.globals.names.items():
            if known is value and isinstance(value, (dict, TableValue)):
                return f"{self.module}.{name}"
        return ""

    def _binop(self, node: ast.BinOp, scope: Scope) -> Any:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if isinstance(node.op, ast.BitOr) and isinstance(left, (list, tuple)):
            return [*left, *right] if isinstance(right, (list, tuple)) else list(left)
        return super()._binop(node, scope)

    def _augment(self, node: ast.AugAssign, scope: Scope) -> None:
        if isinstance(node.target, ast.Name) and isinstance(node.op, (ast.Add, ast.BitOr)):
            old, more = scope.lookup(node.target.id), self.value(node.value, scope)
            if isinstance(old, list):
                # What is added may not be known; what was there stays.
                joined = [*old, *more] if isinstance(more, (list, tuple)) else list(old)
                scope.assign(node.target.id, joined)
                self._tell(node.target.id, more, node.lineno)
                return
        super()._augment(node, scope)

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Bind the names of `target` in `scope` to `value`, and tell of it where it is a single name."""
        super().assign(target, value, scope)
        if isinstance(target, ast.Name):
            self._tell(target.id, value, target.lineno)

    def _tell(self, name: str, value: Any, line: int) -> None:
        if isinstance(value, TableValue) or (
            isinstance(value, (list, tuple)) and len(value) > 1 and any(map(is_operator, value))
        ):
            function = self._functions[-1].replace(".<locals>", "") if self._functions else ""
            self.told.assigned(f"{function}.{name}" if function else name, value, line)


def placeholder(table: str, field: str = "") -> str:
    """What stands for the keys of another module's dictionary, or for a field of its records: `{torch/a/TABLE:name}`.

    Args:
        table: dotted name of the dictionary.
        field: of its records; "" for its keys.
    """
    return "{" + table.replace(".", "/") + (f":{field}" if field else "") + "}"


def _yields(node: ast.AST) -> bool:
    """Whether a function is a generator: a `yield` of its own, not of a nested function."""
    pending = list(ast.iter_child_nodes(node))
    while pending:
        inner = pending.pop()
        if isinstance(inner, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(inner))
    return False


def _asks_for_attribute(node: ast.If) -> bool:
    """Whether the body alone is there, and for what has an attribute."""
    test = node.test
    return (
        not node.orelse
        and isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id == "hasattr"
    )
