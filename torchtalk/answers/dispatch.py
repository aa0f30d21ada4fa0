"""The dispatch table of an overload, down to stubs, GPU kernels and the operators that a composite kernel calls."""

from __future__ import annotations

from dataclasses import dataclass

from torchtalk.answers.base import Place


@dataclass(frozen=True)
class Reached:
    """What a kernel's function hands its work to.

    Args:
        kind: `stub` for a kernel registered with a DispatchStub, `launch` for a GPU kernel, `table` for what a member
            holds that is a pointer to a function, `lambda` for what a lambda calls that is the kernel, `override` for a
            method that may run where a virtual one is called, `library` for a function of a vendor's library.
        name: of the stub, the virtual method or the library; empty for a launch, a table and a lambda.
        kernel: qualified, as far as it is known.
        backend: device or CPU capability the stub's kernel is registered for; the platform of
            a launch; else empty.
        definition: of the kernel; empty where it is not in the tree.
        place: of the registration, the launch or the call.
        is_open: the way to a launch goes through one of several overloads; which one is not known.
        note: of which kernels it is one, where a lambda launches what it is called with; else empty. Then the kernel
            is the lambda's parameter, and the definition that of the first.
        condition: of the `#if`s that the launch, and every way to it, stands under inside of functions; else empty.
        behind: of an override: the stubs' kernels and GPU kernels that it hands its work to in turn.
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
    behind: tuple[Reached, ...] = ()


@dataclass(frozen=True)
class CalledOperator:
    """An operator that a composite kernel calls.

    Args:
        operator: the overload whose table this is.
        overloads: those of its name that are called.
        places: of the first calls.
        helper: the function of the kernel's file that makes them all, or None.
        is_sure: which overload it is does not rest on the number of arguments alone.
        is_shown_elsewhere: its table stands elsewhere in the answer.
        dispatch: of its table what CPU, CUDA or any device runs.
    """

    operator: str
    overloads: tuple[str, ...]
    places: tuple[Place, ...]
    helper: str | None = None
    is_sure: bool = True
    is_shown_elsewhere: bool = False
    dispatch: tuple[DispatchLine, ...] = ()


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
        calls: of a composite kernel: the operators that do its work, those named like it first.
        also_calls: other operators that it calls, without their overloads: those for which there is no room, views
            and factories. Of a kernel that is not composite and has nothing in `reached`: what it calls for its work,
            what many kernels call last.
        specialized: of a method of a class template's specialization what that is for: `CastPolicy::fp32`.
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
    calls: tuple[CalledOperator, ...] = ()
    also_calls: tuple[str, ...] = ()
    specialized: str = ""
