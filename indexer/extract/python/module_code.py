"""What runs when a file is imported: what the statements of its module and its classes call and hand on.

No function has it: registrations (`_register_all()`), tables, `x = make(…)`, decorators of classes, values that
parameters have by default (Doc/reference/executionmodel.rst, Structure of a program). It belongs to the module, which
tracebacks of Python call `<module>`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from indexer.extract.python.calls import CALL, HANDED
from indexer.extract.python.definitions import Definitions
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.unit import PyUnit
from indexer.extract.python.value_texts import given_by, is_class
from indexer.facts.python import MEMBER, MODULE, PythonCalls, PythonFunction

_NAMED = (ast.Name, ast.Attribute)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_IMPORTS = (ast.Import, ast.ImportFrom)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody")
_TESTING = "torch/testing/"
_MOST_OF_CLASS = 4  # lines that are kept
_VALUES = ("value", "test", "iter", "subject", "exc")


def wants(path: str) -> bool:
    """Whether a file's own code is read: what those of tests run has no caller that anybody asks for.

    Args:
        path: of the file, relative to the tree.
    """
    return not path.startswith("test/")


def read(
    unit: PyUnit, definitions: Definitions, scope: Scope, calls: PythonCalls, position: int
) -> bool:
    """Add what a file's module calls and hands on.

    Args:
        unit: the file.
        definitions: its functions and classes.
        scope: its names.
        calls: where it is added.
        position: of the module among the functions of the file.

    Returns:
        Whether there is anything.
    """
    own: dict[str, set[str]] = {}
    operators = {
        found.name
        for found in definitions.assignments
        if not found.scope and dotted(found.value).startswith("torch.ops")
    }
    for found in definitions.functions:
        if found.scope:
            own.setdefault(found.scope, set()).add(found.node.name)
    for assignment in definitions.assignments:
        own.setdefault(assignment.scope, set()).add(assignment.name)
    # Of OpInfos' functions that layer of its own tells, and there are a thousand.
    wants_handed = not unit.path.startswith(_TESTING)
    reader = _Reader(scope, own, operators, calls, position, wants_handed)
    reader.block(unit.module.body, "")
    return reader.has_any


def function(has_any: bool) -> Iterable[PythonFunction]:
    """The module as what calls, if it does: it stands on no line of its own.

    Args:
        has_any: what `read` said of it.
    """
    if has_any:
        yield PythonFunction(MODULE, "", "module", "", "", (), "", 0, 0, False)


class _Reader:
    """Reads the statements of one file.

    Args:
        scope: the file's names.
        own: by class, the names that its statements bind.
        operators: names of the module for what holds operators, to which no edge leads: `aten = torch.ops.aten`.
        calls: where it is added what is called.
        position: of the module among the functions of the file.
        wants_handed: whether what is handed on is told, too.
    """

    def __init__(
        self,
        scope: Scope,
        own: dict[str, set[str]],
        operators: set[str],
        calls: PythonCalls,
        position: int,
        wants_handed: bool,
    ) -> None:
        self._scope = scope
        self._own = own
        self._operators = operators
        self._calls = calls
        self._position = position
        self._wants_handed = wants_handed
        self._of_statement: set[str] = set()  # what the statement calls so far
        self._handed: set[str] = set()
        self._made_of: Counter[str] = Counter()
        self.has_any = False

    def block(self, body: Iterable[ast.stmt], owner: str) -> None:
        """Take in statements of a module or of a class, `owner` being its name."""
        for node in body:
            if isinstance(node, _IMPORTS):
                continue
            self._of_statement.clear()
            if isinstance(node, _FUNCTIONS):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Call):
                        self._arguments(decorator, owner)
                for default in (*node.args.defaults, *node.args.kw_defaults):
                    if isinstance(default, ast.Call):
                        self._expression(default, owner)
            elif isinstance(node, ast.ClassDef):
                for decorator in node.decorator_list:
                    self._called(decorator, owner)
                for keyword in node.keywords:
                    if keyword.arg == "metaclass":
                        self._called(keyword.value, owner)  # which makes the class
                self.block(node.body, f"{owner}.{node.name}" if owner else node.name)
            else:
                self._statement(node, owner)

    def _statement(self, node: ast.stmt, owner: str) -> None:
        for name in _VALUES:
            value = getattr(node, name, None)
            if value is not None and not (name == "value" and self._is_alias(node, value, owner)):
                self._value(value, owner)
        for target in getattr(node, "targets", ()):
            if isinstance(target, ast.Subscript):
                self._value(target.slice, owner)
        for item in getattr(node, "items", ()):
            self._value(item.context_expr, owner)
        for name in _BLOCKS:
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                self.block(inner, owner)
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            self.block(part.body, owner)

    def _is_alias(self, node: ast.stmt, value: ast.expr, owner: str) -> bool:
        """Whether a name is given what another is: who uses the one uses the other. What a class has is read."""
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        name = dotted(value)
        if not name or not all(isinstance(target, ast.Name) for target in targets):
            return False
        return not is_class(self._target(name.rpartition(".")[0], owner, ()))

    def _called(self, decorator: ast.expr, owner: str) -> None:
        if isinstance(decorator, ast.Call):
            self._expression(decorator, owner)
        else:
            self._add(dotted(decorator), CALL, decorator.lineno, owner, ())

    def _arguments(self, decorator: ast.Call, owner: str) -> None:
        """What stands over a function is told of it itself, what it is given is not."""
        for argument in decorator.args:
            self._value(argument, owner)
        for keyword in decorator.keywords:
            self._value(keyword.value, owner)

    def _value(self, node: ast.expr, owner: str, hidden: tuple[str, ...] = ()) -> None:
        """Take in what stands as a value: a name there is handed on."""
        kind = type(node)
        if kind is ast.Constant:
            return
        if isinstance(node, _NAMED):
            name = dotted(node)
            if name:
                if self._wants_handed and name.partition(".")[0] not in self._operators:
                    self._hand(name, node.lineno, owner, hidden)
            else:
                self._expression(node, owner, hidden)
        else:
            self._expression(node, owner, hidden)

    def _expression(self, node: ast.AST, owner: str, hidden: tuple[str, ...] = ()) -> None:
        """Take in what an expression calls and hands on, but for names that it binds itself, `hidden`."""
        if isinstance(node, ast.Call):
            self._call(node, owner, hidden)
            return
        if isinstance(node, (ast.Compare, ast.Subscript)):
            # What is compared with something is no more than asked for, what holds something is no function, and
            # square brackets mostly hold types: `Optional[Tensor]`.
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, (*_NAMED, ast.Tuple)):
                    self._expression(child, owner, hidden)
            return
        if isinstance(node, _SCOPES):
            hidden = (*hidden, *_bound(node))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._value(child, owner, hidden)
            elif isinstance(child, (ast.comprehension, ast.keyword)):
                self._expression(child, owner, hidden)

    def _call(self, node: ast.Call, owner: str, hidden: tuple[str, ...]) -> None:
        name = dotted(node.func)
        if name:
            self._add(name, CALL, node.lineno, owner, hidden)
        else:
            made = self._made(node.func, owner, hidden)
            if made:
                self._put(made, CALL, node.lineno)
            self._expression(node.func, owner, hidden)
        # What is asked for a class is not handed on: `isinstance(x, Tensor)`.
        if name not in ("isinstance", "issubclass", "hasattr"):
            for argument in node.args:
                self._value(argument, owner, hidden)
            for keyword in node.keywords:
                self._value(keyword.value, owner, hidden)

    def _made(self, node: ast.expr, owner: str, hidden: tuple[str, ...]) -> str:
        """Target of a method of what a call gives: `Library("aten", "IMPL").impl`."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Call):
            return ""
        inner = node.value.func
        name = dotted(inner)
        target = self._target(name, owner, hidden) if name else self._made(inner, owner, hidden)
        return f"{given_by(target)}.{node.attr}" if target else ""

    def _target(self, name: str, owner: str, hidden: tuple[str, ...]) -> str:
        head, _, rest = name.partition(".")
        if head in hidden:
            # What stands in a class for its objects: `ADDERS = {"aten::add": lambda self, node: self.add(node)}`.
            is_own = owner and head == "self" and rest
            return f"{self._scope.module}.{owner}().{rest}" if is_own else ""
        if owner and head in self._own.get(owner, ()):
            return f"{self._scope.module}.{owner}.{name}"
        return self._scope.target(name)

    def _add(self, name: str, kind: int, line: int, owner: str, hidden: tuple[str, ...]) -> None:
        target = self._target(name, owner, hidden)
        if target:
            self._put(target, kind, line)

    def _hand(self, name: str, line: int, owner: str, hidden: tuple[str, ...]) -> None:
        """Add what stands as a value; of a class, what is read: `SupportLevel.SUPPORTED`."""
        target = self._target(name, owner, hidden)
        holder, _, member = target.rpartition(".")
        if target:
            self._put(f"{holder}{MEMBER}{member}" if is_class(holder) else target, HANDED, line)

    def _put(self, target: str, kind: int, line: int) -> None:
        # Tables name hundreds of one thing, and make them, in one statement and in many: where they first do is enough.
        seen = self._of_statement if kind == CALL else self._handed
        if target in seen:
            return
        seen.add(target)
        if kind == CALL and is_class(target):
            self._made_of[target] += 1
            if self._made_of[target] > _MOST_OF_CLASS:
                return
        self._calls.add(self._position, target, kind, line)
        self.has_any = True


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a lambda or comprehension binds for itself."""
    if isinstance(node, ast.Lambda):
        given = node.args
        for argument in (
            *given.posonlyargs,
            *given.args,
            *given.kwonlyargs,
            given.vararg,
            given.kwarg,
        ):
            if argument is not None:
                yield argument.arg
    for generator in getattr(node, "generators", ()):
        for part in ast.walk(generator.target):
            if isinstance(part, ast.Name):
                yield part.id
