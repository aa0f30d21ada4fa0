"""What a name means: one thing, one of several, or nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """Something that a name means.

    Args:
        kind: `operator`, `kernel`, `function` (C++), `stub`, `class` (Python); `python`, `binding`:
            a function in Python, or something bound in C++, of which no operator is known; `internal`: a
            function in Python that is no public name; `value`: what a module of Python makes by a call;
            `attribute`: one that runs something where it is read or set; `module`: one of Python;
            `method`: of a Python class; `cpp_class`; `gpu_kernel`: one that is no C++ function;
            `gpu_library`: a library's function that the tree launches GPU kernels by, `thrust::sort`.
        name: in full: `aten::add` (all overloads), `aten::add.Tensor`, `at::native::add_sparse`.
        overloads: the operators' overloads that are meant, in the YAML's order.
        class_id: of the class that inherits a method and was asked for it; else 0.
    """

    kind: str
    name: str
    overloads: tuple[str, ...] = ()
    class_id: int = 0


@dataclass(frozen=True)
class Resolution:
    """What a name means.

    Args:
        query: as given.
        target: the one thing that is meant; None where nothing is, or where several are.
        candidates: what an ambiguous name could mean, in full.
        api: the public Python name in full, where it was one.
        notes: how the name was understood, where that is not plain.
        closest: names like it, where it is not known.
        others: what else has the name in C++ beside the target, in full; a note says it.
    """

    query: str
    target: Target | None = None
    candidates: tuple[str, ...] = ()
    api: str | None = None
    notes: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
