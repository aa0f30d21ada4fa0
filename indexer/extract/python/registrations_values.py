"""What the reader of Python registrations knows about a value."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from indexer.facts.schema import FunctionSchema


class _Unknown:
    """Whatever only a run would tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()


def is_plain(value: Any) -> bool:
    """Whether a value is made of constants only."""
    if isinstance(value, (list, tuple)):
        return all(is_plain(item) for item in value)
    return value is None or isinstance(value, (str, int, float, bool))


@dataclass(frozen=True)
class Ref:
    """Something named by a dotted path: a module, an imported name, `torch.ops.aten.add.Tensor`."""

    path: str

    def attribute(self, name: str) -> Ref | str:
        """What `.name` of it is."""
        operator = (
            self.path.removeprefix("torch.ops.").split(".")
            if self.path.startswith("torch.ops.")
            else []
        )
        if name == "__name__":
            # torch/_ops.py: an overload's name is `add.Tensor`.
            return ".".join(operator[1:]) if len(operator) == 3 else self.path.rsplit(".", 1)[-1]
        if len(operator) == 3 and name == "_overloadname":
            return operator[2]
        if len(operator) == 3 and name == "overloadpacket":
            return Ref(self.path.rpartition(".")[0])
        path = f"{self.path}.{name}"
        # The same object under its private name.
        if path in ("torch._ops.ops", "torch._ops._ops"):
            path = "torch.ops"
        return Ref(path)


@dataclass(frozen=True)
class Owned(Ref):
    """An operator as its class's methods see it: `self`, which has these methods beside its own."""

    methods: Mapping[str, Function] = field(default_factory=dict, compare=False)

    def attribute(self, name: str) -> Any:
        """What `.name` of it is: the class's method of that `name`, or what `Ref.attribute` gives."""
        return self.methods.get(name) or super().attribute(name)


@dataclass(frozen=True, eq=False)
class Marker:
    """An object that is only compared by identity (`object()`)."""


@dataclass(frozen=True)
class LibraryValue:
    """A `torch.library.Library`.

    Args:
        namespace: of its operators.
        kind: as given: DEF, FRAGMENT or IMPL.
        key: the dispatch key that it is made for; "" for none.
        line: that it is made in, 1-based.
    """

    namespace: str
    kind: str
    key: str
    line: int


@dataclass(frozen=True)
class CustomOp:
    """What `torch.library.custom_op` returns.

    Args:
        operator: its name: `ns::base`.
        line: of the definition, 1-based.
    """

    operator: str
    line: int


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the file.

    Args:
        node: its definition.
        name: qualified as Python does (`outer.<locals>.inner`), without the module.
        scope: the variables around it.
        shown: its `__name__`, where `functools.wraps` or an assignment gave it another.
        module: the module it is of, where that is another.
        line: of its `def`, or of that of the function whose name it was given.
        path: of the file it stands in, where that is another.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    name: str
    scope: Scope
    shown: str = ""
    module: str = ""
    line: int = 0
    path: str = ""


@dataclass(frozen=True, eq=False)
class Partial:
    """`functools.partial(callee, …)`.

    Args:
        callee: the function, as a value.
        arguments: the values given by their order.
        keywords: those given by name.
    """

    callee: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Bound:
    """A method of a value: `lib.impl`.

    Args:
        owner: the value.
        name: of the method.
    """

    owner: Any
    name: str


@dataclass(frozen=True, eq=False)
class Pending:
    """A registration that waits for its kernel: `impl(lib, "op", "Meta")` before it is called with the function.

    Args:
        call: which sort it is; who completes it has a branch for each.
        arguments: what the sort needs to be completed.
        keywords: those of the call that are kept, by name.
        line: of the call, 1-based.
    """

    call: str
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    line: int


@dataclass(eq=False)
class Scope:
    """Variables, and the scope around them.

    Args:
        outer: the scope around; None for the module's.
        names: the values of the variables here.
        nonlocal_names: variables that are set outside, as `nonlocal` or `global` says.
    """

    outer: Scope | None = None
    names: dict[str, Any] = field(default_factory=dict)
    nonlocal_names: set[str] = field(default_factory=set)

    def lookup(self, name: str) -> Any:
        """The value of the variable `name`, here or in a scope around this; UNKNOWN if it has none."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return UNKNOWN

    def assign(self, name: str, value: Any) -> None:
        """Set the variable `name` to `value`, here or where `nonlocal` says."""
        if name in self.nonlocal_names and self.outer is not None:
            scope: Scope = self.outer
            while name not in scope.names and scope.outer is not None:
                scope = scope.outer
            scope.names[name] = value
        else:
            self.names[name] = value


@dataclass(frozen=True)
class SchemaArgument:
    """One argument of a parsed schema.

    Args:
        name: of the argument.
        type: as written, without the alias annotation.
    """

    name: str
    type: str


@dataclass(frozen=True, eq=False)
class SchemaValue:
    """A parsed schema: what `torch._C.parse_schema` and `OpOverload._schema` are."""

    schema: FunctionSchema

    def attribute(self, name: str) -> Any:
        """The attribute `name` of torch._C.FunctionSchema; UNKNOWN for those that nothing here asks for."""
        if name == "arguments":
            return [SchemaArgument(a.name, a.type.type) for a in self.schema.arguments]
        if name == "name":
            return self.schema.qualified_name
        if name == "is_mutable":
            return any(a.type.is_write for a in self.schema.arguments)
        return UNKNOWN

    @property
    def is_functional(self) -> bool:
        """Writes to nothing, returns something and no view (`torch/_library/utils.py`, `is_functional_schema`)."""
        returns = self.schema.returns
        return (
            not any(a.type.is_write for a in self.schema.arguments)
            and bool(returns)
            and not any(r.type.annotation is not None and not r.type.is_write for r in returns)
        )
