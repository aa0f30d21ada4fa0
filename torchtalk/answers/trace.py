"""The way of an operator from its names to its kernels."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import Place
from torchtalk.answers.graph import DrawnAnswer
from torchtalk.answers.module import StepLine


@dataclass(frozen=True)
class Reached:
    """What a kernel's function hands its work to.

    Args:
        kind: `stub` for a kernel registered with a DispatchStub, `launch` for a GPU kernel, `table` for what a member
            holds that is a pointer to a function.
        name: of the stub; empty for a launch and a table.
        kernel: qualified, as far as it is known.
        backend: device or CPU capability the stub's kernel is registered for; the platform of
            a launch; empty for a table.
        definition: of the kernel.
        place: of the registration, of the launch or of the call.
        is_open: the way to a launch goes through one of several overloads; which one is not known.
        note: of which kernels it is one, where a lambda launches what it is called with; else empty. Then the kernel
            is the lambda's parameter, and the definition that of the first.
        condition: of the `#if`s that the launch, and every way to it, stands under inside of functions; else empty.
    """

    kind: str
    name: str
    kernel: str
    backend: str
    definition: Place
    place: Place
    is_open: bool = False
    note: str = ""
    condition: str = ""


@dataclass(frozen=True)
class DispatchLine:
    """What some dispatch keys of one overload lead to.

    Args:
        keys: the keys that share this kernel.
        kernel: its qualified C++ name.
        definitions: where it is written; several under `#if`.
        registered: the YAML lines or the statements that make the entries.
        origin: yaml, delegate, default, impl, macro or python.
        via: the overload it is delegated to, or None.
        generated_by: what generates the kernel, where no file has it.
        reached: stubs' kernels and GPU kernels behind it.
        replaced_by: what Python registers in its place when torch is imported.
        condition: what the registration depends on: the `#if`s around it as written, or `when f() runs`, and
            `for calls that f() accepts` where others stay with the backend's own kernel.
    """

    keys: tuple[str, ...]
    kernel: str | None
    definitions: tuple[Place, ...]
    registered: tuple[Place, ...]
    origin: str
    via: str | None = None
    generated_by: str | None = None
    reached: tuple[Reached, ...] = ()
    replaced_by: str | None = None
    condition: str | None = None


@dataclass(frozen=True)
class FormulaLine:
    """One gradient formula."""

    inputs: str
    formula: str
    dispatch_key: str
    place: Place
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Derivative:
    """How an overload is differentiated.

    Args:
        entry: the overload whose formulas are used.
        how: `exact` for its own; `functional`, `mutable` or `view_copy` for another variant's.
    """

    entry: str
    how: str
    output_differentiability: str | None
    formulas: tuple[FormulaLine, ...]


@dataclass(frozen=True)
class OverloadTrace:
    """One overload.

    Args:
        operator: its full name.
        place: its entry.
        origin: yaml, autogen or library.
        declared_by: what declares one of a library: TORCH_LIBRARY, Library, custom_op …
        kind: functional, inplace, out, mutable or scratch.
        fields: the entry's other fields that are not their defaults, by name.
        python: the likeliest public names that reach it directly, an asked-for one first.
        python_left_out: how many more there are.
        dispatch: its table, keys with the same kernel together.
    """

    operator: str
    schema: str | None
    place: Place
    origin: str
    kind: str
    tags: tuple[str, ...]
    fields: dict[str, str]
    python: tuple[str, ...]
    dispatch: tuple[DispatchLine, ...]
    derivative: Derivative | None
    declared_by: str | None = None
    python_left_out: int = 0


@dataclass(frozen=True)
class TraceAnswer(DrawnAnswer):
    """Every overload that a name means.

    Args:
        focus: full, yaml or dispatch.
        overloads: in the YAML's order.
        variants: overloads of the in-place or functional twin.
        elsewhere: where a name stands that is no operator's: `text  path:line`.
        python: of a public Python name: the way from it to the names bound in C++.
        python_left_out: how many steps more that way has.
    """

    focus: str = "full"
    overloads: tuple[OverloadTrace, ...] = ()
    variants: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    python: tuple[StepLine, ...] = ()
    python_left_out: int = 0

    @property
    def found(self) -> bool:
        """Whether the name means an operator, or a Python function that calls some."""
        return bool(self.overloads or self.python)

    @property
    def alone(self) -> str | None:
        """The first overload."""
        return self.overloads[0].operator if self.overloads else None
