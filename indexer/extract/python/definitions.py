"""The statements of a module and its classes: what they define, import, assign and export."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from indexer.extract.python import alternatives
from indexer.extract.python.compound import TRIES
from indexer.extract.python.scope import Scope, absolute, dotted
from indexer.extract.python.value_texts import GIVING, is_class, is_generic
from indexer.facts.python import PythonBinding

ABC_META = "abc.ABCMeta"
_IMPORT = "importlib.import_module"
_PARTIAL = "functools.partial"
PROPERTIES = frozenset(
    "property cached_property abstractproperty lazy_property classproperty dependent_property".split()
)
"""What makes a method one that runs where its name is read."""
CLASS = "__class__"
"""The name under which a module has the class that it gives itself."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class ClassNode:
    """A class statement.

    Args:
        name: within the module: `Outer.Inner`.
        node: the statement.
        guarded: see `PythonBinding`.
    """

    name: str
    node: ast.ClassDef
    guarded: bool


@dataclass
class FunctionNode:
    """A function statement.

    Args:
        name: within the module: `Linear.forward`.
        scope: the class within the module that it stands in, or an empty string.
        node: the statement; its body may be `pass` alone (`PyUnit.module`).
        guarded: see `PythonBinding`.
    """

    name: str
    scope: str
    node: _Function
    guarded: bool


@dataclass
class AssignmentNode:
    """`name = value` or `name: annotation = value` in a module or class.

    Args:
        scope: the class within the module that it stands in, or an empty string.
        name: that is set.
        value: None where a declaration gives none.
        annotation: None where there is none.
        line: 1-based.
        guarded: see `PythonBinding`.
    """

    scope: str
    name: str
    value: ast.expr | None
    annotation: ast.expr | None
    line: int
    guarded: bool


@dataclass
class Definitions:
    """What the statements of one file hold, in their order.

    Args:
        module: dotted name of the file's module.
        is_package: it is an `__init__.py`.
        imports: names that are imported.
        classes: those of classes included.
        functions: methods included.
        assignments: of the module and its classes.
        exports: as of `PythonFile`; None where there is no `__all__`.
        docs: what is given to `X.__doc__`, by X.
        stood_in: names of the module that a `try` imports from one place of PyTorch's or, where it may not, another.
    """

    module: str
    is_package: bool
    imports: list[PythonBinding] = field(default_factory=list)
    classes: list[ClassNode] = field(default_factory=list)
    functions: list[FunctionNode] = field(default_factory=list)
    assignments: list[AssignmentNode] = field(default_factory=list)
    exports: list[str] | None = None
    docs: dict[str, ast.expr] = field(default_factory=dict)  # of `X.__doc__ = …`, by X
    stood_in: set[str] = field(default_factory=set)

    @functools.cached_property
    def properties(self) -> frozenset[str]:
        """The properties of classes: `Bernoulli.logits`."""
        return frozenset(
            found.name
            for found in self.functions
            if found.scope
            and any(
                dotted(getattr(decorator, "func", decorator)).rpartition(".")[2] in PROPERTIES
                for decorator in found.node.decorator_list
            )
        )

    @property
    def _lists(self) -> alternatives.Lists:
        return self.imports, self.classes, self.functions, self.assignments

    def read(self, body: Iterable[ast.stmt], scope: str = "", guarded: bool = False) -> None:
        """Take in statements, those under conditions, `try`, `with` and loops included.

        Args:
            body: the statements, in their order.
            scope: the class within the module that they stand in; "" for the module's own.
            guarded: what they define does not exist at runtime, or in place of something else; see `PythonBinding`.
        """
        for node in body:
            kind = type(node)
            if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
                name = f"{scope}.{node.name}" if scope else node.name  # type: ignore[attr-defined]
                self.functions.append(FunctionNode(name, scope, node, guarded))  # type: ignore[arg-type]
            elif isinstance(node, ast.ClassDef):
                name = f"{scope}.{node.name}" if scope else node.name
                self.classes.append(ClassNode(name, node, guarded))
                self.read(node.body, name, guarded)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imports += self.read_import(node, scope, guarded)
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self._assignment(node, scope, guarded)
            elif isinstance(node, ast.If):
                checking = _is_type_checking(node.test)
                first = self._branch(node.body, scope, guarded or checking is True)
                second = self._branch(node.orelse, scope, guarded or checking is False)
                if node.orelse and checking is None:
                    if alternatives.is_unlikely(node.test):
                        first, second = second, first
                    alternatives.set_aside(self._lists, first, second)
            elif isinstance(node, ast.Match):
                for case in node.cases:
                    self.read(case.body, scope, guarded)
            elif isinstance(node, TRIES):
                handlers = [handler.body for handler in node.handlers]
                others = [self._branch(body, scope, guarded) for body in handlers]
                main = self._branch([*node.body, *node.orelse], scope, guarded)
                for other in others:
                    alternatives.set_aside(self._lists, main, other)
                    if not scope:
                        self.stood_in |= self._imported(main) & self._imported(other)
                self.read(node.finalbody, scope, guarded)
            elif isinstance(node, (ast.For, ast.While)):
                self.read([*node.body, *node.orelse], scope, guarded)
            elif isinstance(node, ast.With):
                self.read(node.body, scope, guarded)
            elif isinstance(node, ast.Expr) and not scope:
                self._export_call(node.value)

    def _imported(self, branch: alternatives.Branch) -> set[str]:
        """The names that a branch imports."""
        return {each.name for each in self.imports[branch.first[0] : branch.last[0]]} - {"*"}

    def _branch(self, body: list[ast.stmt], scope: str, guarded: bool) -> alternatives.Branch:
        first = alternatives.position(self._lists)
        self.read(body, scope, guarded)
        return alternatives.Branch(first, alternatives.position(self._lists))

    def read_import(
        self, node: ast.Import | ast.ImportFrom, scope: str, guarded: bool = False
    ) -> Iterator[PythonBinding]:
        """The names that an import statement binds, in their order.

        Args:
            node: the statement.
            scope: the class within the module that it stands in; "" for the module's own.
            guarded: as in `read`.
        """
        line = node.lineno
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                target = absolute(
                    self.module, self.is_package, 0, alias.name if alias.asname else name
                )
                yield PythonBinding(scope, name, "import", target, line, guarded)
            return
        origin = absolute(self.module, self.is_package, node.level, node.module)
        for alias in node.names:
            if alias.name == "*":
                yield PythonBinding(scope, "*", "star", origin, line, guarded)
            else:
                name = alias.asname or alias.name
                target = f"{origin}:{alias.name}"
                yield PythonBinding(scope, name, "from", target, line, guarded)

    def _assignment(
        self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: str, guarded: bool
    ) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        for target in targets:
            if isinstance(target, ast.Name):
                if target.id == "__all__" and not scope and node.value is not None:
                    self._export(node.value, extend=isinstance(node, ast.AugAssign))
                elif not isinstance(node, ast.AugAssign):
                    self.assignments.append(
                        AssignmentNode(
                            scope, target.id, node.value, annotation, node.lineno, guarded
                        )
                    )
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for element, value in zip(target.elts, node.value.elts, strict=False):
                    if isinstance(element, ast.Name):
                        self.assignments.append(
                            AssignmentNode(scope, element.id, value, None, node.lineno, guarded)
                        )
            elif isinstance(node, ast.Assign) and not scope and _is_module_itself(target):
                self.assignments.append(
                    AssignmentNode(scope, CLASS, node.value, None, node.lineno, guarded)
                )
            elif isinstance(node, ast.Assign) and dotted(target).endswith(".__doc__") and not scope:
                self.docs[dotted(target).removesuffix(".__doc__")] = node.value

    def _export_call(self, node: ast.expr) -> None:
        if isinstance(node, ast.Call) and node.args:
            name = dotted(node.func)
            if name == "__all__.extend":
                self._export(node.args[0], extend=True)
            elif name == "__all__.append":
                self._export(ast.List([node.args[0]], ast.Load()), extend=True)

    def _export(self, value: ast.expr, extend: bool) -> None:
        names = list(_export_names(value))
        self.exports = [*(self.exports or ()), *names] if extend else names


def _export_names(value: ast.expr) -> Iterator[str]:
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        for element in value.elts:
            if isinstance(element, ast.Constant) and isinstance(element.value, str):
                yield element.value
            elif isinstance(element, ast.Starred):
                yield from _export_names(element.value)
    elif isinstance(value, ast.BinOp):
        yield from _export_names(value.left)
        yield from _export_names(value.right)
    elif isinstance(value, ast.Attribute) and value.attr == "__all__":
        module = dotted(value.value)
        if module:
            yield f"{module}.*"
    elif isinstance(value, ast.Call) and dotted(value.func) in ("list", "sorted", "tuple"):
        for argument in value.args:
            yield from _export_names(argument)


def _metaclass(node: ast.expr, scope: Scope) -> str:
    """`abc.ABCMeta` where that is called: what it makes is a class."""
    name = dotted(node)
    return ABC_META if name.endswith("ABCMeta") and scope.full(name) == ABC_META else ""


def _is_module_itself(target: ast.expr) -> bool:
    """Whether a module puts an object of a class of its own in its place, or becomes one: `sys.modules[__name__] = …`.

    The others write `sys.modules[__name__].__class__ = …` (torch/utils/deterministic.py).
    """
    if isinstance(target, ast.Attribute) and target.attr == CLASS:
        target = target.value
    return (
        isinstance(target, ast.Subscript)
        and dotted(target.value) == "sys.modules"
        and dotted(target.slice) == "__name__"
    )


def _is_type_checking(test: ast.expr) -> bool | None:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _is_type_checking(test.operand)
        return None if inner is None else not inner
    return True if dotted(test).rpartition(".")[2] == "TYPE_CHECKING" else None


def _of_optional(value: ast.expr) -> ast.expr:
    """`X` of `Optional[X]`: torch/types.py has `_OptionalTensor = Optional[torch.Tensor]`, which annotations name."""
    is_optional = isinstance(value, ast.Subscript) and dotted(value.value).endswith("Optional")
    return value.slice if is_optional else value  # type: ignore[attr-defined]


def _class_of(called: ast.expr) -> ast.expr:
    """`OrderedSet` of `OrderedSet[Node]()`: a class that is told what its objects hold."""
    is_told = isinstance(called, ast.Subscript) and is_generic(dotted(called.value))
    return called.value if is_told else called  # type: ignore[attr-defined]


def _imported(value: ast.expr, scope: Scope) -> str:
    """The module of the tree that a call imports by its name: `import_module("torch._inductor.config")`, or nothing."""
    if not isinstance(value, ast.Call) or len(value.args) != 1:
        return ""
    given, called = value.args[0], dotted(value.func)
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return ""
    is_import = called.endswith("import_module") and scope.full(called) == _IMPORT
    return given.value if is_import and scope.is_inside(given.value) else ""


def _partial(value: ast.expr, scope: Scope) -> str:
    """The class of the tree whose objects `partial(C, kind=1)` makes; an empty string for other values."""
    called = dotted(value.func) if isinstance(value, ast.Call) and value.args else ""
    if not called.endswith("partial") or scope.full(called) != _PARTIAL:
        return ""
    target = scope.target(dotted(value.args[0]))  # type: ignore[attr-defined]
    return target if is_class(target) else ""


def _table(value: ast.expr, scope: Scope) -> str:
    """Target of a mapping to functions or classes by their names: `{1: nn.BatchNorm1d, 2: nn.BatchNorm2d}`.

    torch/ao/nn/intrinsic/qat/modules/conv_fused.py makes `self.bn` of `_BN_CLASS_MAP[dim](…)`.
    """
    names = [dotted(element) for element in value.values] if isinstance(value, ast.Dict) else []
    targets = dict.fromkeys(scope.target(name) if name else "" for name in names)
    return f"table({'|'.join(targets)})" if targets and "" not in targets else ""


def assignment_bindings(
    assignments: Iterable[AssignmentNode], scope: Scope, own: dict[str, set[str]]
) -> Iterator[PythonBinding]:
    """Bindings for the assignments whose value says what the name stands for.

    Args:
        assignments: of one file.
        scope: the file's module-level names.
        own: for each class, the names that its own statements bind, which hide the module's.
    """

    def target(node: ast.expr, within: str, assigned: str) -> str:
        name = dotted(node)
        if not name:
            return ""
        # `Handler = Handler` in a class names the module's: its own is not there yet.
        is_other = name != assigned
        if within and is_other and name.partition(".")[0] in own.get(within, ()):
            return f"{scope.module}.{within}.{name}"
        return scope.target(name)

    for node in assignments:
        values = [node.value] if node.value is not None else []
        if isinstance(node.value, ast.IfExp):
            values = [node.value.orelse, node.value.body]
        made = False
        for value in values:
            kind, found = "alias", ""
            if not node.scope:
                found = scope.type_alias(value, node.annotation) or _table(value, scope)
                found = found or _imported(value, scope) or _partial(value, scope)
                found = found or scope.of_made(value)
            if found:
                pass
            elif isinstance(value, ast.Call):
                kind = "call"
                callee = target(_class_of(value.func), node.scope, node.name)
                callee = callee or _metaclass(value.func, scope)
                handed = [*value.args, *(keyword.value for keyword in value.keywords)]
                if is_class(callee) and not node.scope:
                    # A module's object is what its class says; a class's own may be a descriptor of what it is made of.
                    handed = []
                arguments = [target(argument, node.scope, node.name) for argument in handed]
                # What it is declared as, last: a call says less where `field(default_factory=Pools)` is made.
                arguments.append(
                    scope.told_type(value, node.annotation)
                    or scope.annotation(node.annotation, node.scope)
                )
                if callee or any(arguments):
                    found = "|".join([callee, *filter(None, arguments)])
            else:
                found = target(_of_optional(value), node.scope, node.name)
            if found and found != f"{scope.module}.{node.name}":
                made = True
                yield PythonBinding(node.scope, node.name, kind, found, node.line, node.guarded)
        found = "" if made else scope.annotation(node.annotation, node.scope)
        # A method of an heir's may be declared in a class that it is mixed into, and that tells more.
        if found and not (node.scope and found.startswith(GIVING)):
            yield PythonBinding(node.scope, node.name, "annotation", found, node.line, node.guarded)
