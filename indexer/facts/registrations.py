"""What registers operators and kernels outside native_functions.yaml.

C++ registrations are read in two steps, because a block's statements may be macros that another header defines.
Extraction gives `RegistrationBlock`s, whose statements are text; linking expands the macros and gives
`Registration`s. Python registrations need no second step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

BlockKind = Literal[
    "TORCH_LIBRARY",
    "TORCH_LIBRARY_FRAGMENT",
    "TORCH_LIBRARY_IMPL",
    "Library",  # an object: torch::Library m(...), MAKE_TORCH_LIBRARY(...)
    "function",  # takes a Library& and is called from blocks
    "macro",  # a use of a macro that makes whole blocks
    "RegisterOperators",  # the older API: RegisterOperators().op(...), and TorchScript's Operator lists
    "torch.library",  # Python
]

RegistrationKind = Literal["def", "impl", "fallback", "jit"]
"""A schema, a kernel, a kernel for all operators, an operator of TorchScript's own registry (which the
dispatcher does not know: torch/csrc/jit/runtime/operator.cpp)."""

KernelForm = Literal["function", "lambda", "fallthrough", "unknown"]

Origin = Literal["impl", "macro", "python"]


class RegistrationStatement(NamedTuple):
    """One statement of a block.

    Args:
        line: 1-based line of its first token.
        text: without comments and directives; the bodies of lambdas are empty.
        condition: of the `#if`s inside the block that it stands under; "" if none.
    """

    line: int
    text: str
    condition: str


@dataclass(frozen=True)
class RegistrationBlock:
    """Something that holds registering statements in C++.

    Args:
        path: the file, relative to the tree.
        line: of the block's first token: what the runtime calls `registered at`.
        kind: what it is.
        namespace: the operators' namespace as written; `_` for all; "" if not known.
        key: the dispatch key as written; "" if none is given.
        variable: what the library is called inside (`m`); the function's name and its parameter, joined by
            `:`, for a function.
        scope: the enclosing C++ namespaces, outermost first; anonymous ones are "".
        condition: of the `#if`s around it; "" if none.
        statements: in order.
    """

    path: str
    line: int
    kind: BlockKind
    namespace: str
    key: str
    variable: str
    scope: tuple[str, ...]
    condition: str
    statements: tuple[RegistrationStatement, ...]


@dataclass(frozen=True)
class DispatchKeyAlias:
    """A second name of a dispatch key, from the enum in c10/core/DispatchKey.h.

    Args:
        alias: the second name.
        key: the one that it stands for.
    """

    alias: str
    key: str


@dataclass(frozen=True)
class ClassSpecialization:
    """A class template's specialization, where kernels are members of such: `struct Wrap<Policy::fp32, F> {`.

    Args:
        path: the file.
        line: of the class's name.
        name: of the class, unqualified.
        arguments: as written.
    """

    path: str
    line: int
    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Registration:
    """One operator defined, or one kernel given to it.

    Args:
        kind: see `RegistrationKind`.
        operator: `ns::base.overload`; "" for a fallback.
        key: the runtime's name of the dispatch key; "" for a definition.
        kernel: the C++ name as written, without template arguments, or the Python function's; "" if not known.
        form: what the kernel is.
        expression: the kernel's argument as written, macros expanded; "" for a definition.
        scope: the namespaces that `kernel` is looked up in, outermost first; for Python the module.
        path: where the statement stands.
        line: of the statement.
        block_path: where the enclosing block stands.
        block_line: of the enclosing block.
        block_kind: what it is.
        condition: of the `#if`s around; "" if none.
        origin: how it is known.
        schema: of a definition as written; "" where torch infers it from the kernel, `= ns::base` where it is that of
            an operator that another file defines.
        tags: of a definition, without `at::Tag::`.
        all_overloads: the statement names an overload packet: it holds for all its overloads.
        kernel_path: of the file with the Python kernel's `def`; "" where another file's names tell.
        kernel_line: of that `def`; 0 where it is not known.
    """

    kind: RegistrationKind
    operator: str
    key: str
    kernel: str
    form: KernelForm
    expression: str
    scope: tuple[str, ...]
    path: str
    line: int
    block_path: str
    block_line: int
    block_kind: BlockKind
    condition: str
    origin: Origin
    schema: str = ""
    tags: tuple[str, ...] = ()
    all_overloads: bool = False
    kernel_path: str = ""
    kernel_line: int = 0


@dataclass(frozen=True)
class UnreadRegistration:
    """A statement that registers something this reader could not name.

    Args:
        path: of the file, relative to the tree.
        line: of the statement, 1-based.
        detail: what it says, or why it could not be read.
    """

    path: str
    line: int
    detail: str


@dataclass(frozen=True)
class RegistrationHelper:
    """Functions of a Python file that register what they are given.

    Args:
        module: the file's dotted name.
        path: of the file.
        source: the functions, with the imports and constants around them.
    """

    module: str
    path: str
    source: str


@dataclass(frozen=True)
class HelperUse:
    """A call of another file's function, which may be such a helper.

    Args:
        path: where it stands.
        line: as above.
        module: the file's dotted name.
        callee: the function's dotted name.
        arguments: JSON: its arguments, and the function its result is applied to as a decorator.
    """

    path: str
    line: int
    module: str
    callee: str
    arguments: str


@dataclass(frozen=True)
class MetaExclusion:
    """An operator whose Python decomposition does not become its Meta kernel.

    Args:
        operator: its name.
        all_overloads: it is a packet, of all whose overloads that holds.
    """

    operator: str
    all_overloads: bool = False


@dataclass(frozen=True)
class MetaGuard:
    """Decompositions become Meta kernels only of operators that have none without them."""


@dataclass(frozen=True)
class MetaLibrary:
    """The `Library` through which decompositions become Meta kernels: one for each namespace.

    Args:
        namespace: of the operators; that of `aten` is for all that have none of their own.
        path: where it is made.
        line: as above; the runtime names it for each of those kernels.
    """

    namespace: str
    path: str
    line: int
