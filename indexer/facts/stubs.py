"""Facts about DispatchStubs (aten/src/ATen/native/DispatchStub.h): declared, defined, registered, used."""

from __future__ import annotations

from typing import NamedTuple


class StubDeclaration(NamedTuple):
    """A `DECLARE_DISPATCH(type, name)` or `DEFINE_DISPATCH(name)`.

    Args:
        name: qualified name of the stub (`at::native::add_stub`).
        kind: `declare` or `define`.
        type: the function pointer type as written, "" for a definition.
        macro: the file's own macro whose use it comes from, or "".
        file: relative to the tree.
        line: 1-based, of the macro's use.
    """

    name: str
    kind: str
    type: str
    macro: str
    file: str
    line: int


class StubRegistration(NamedTuple):
    """One `REGISTER_…DISPATCH`.

    Args:
        stub: as written (`add_stub`, `cpublas::gemm_stub`).
        scope: the namespaces it stands in, joined by `::`; both names are looked up from there.
        backend: the device (`CPU`, `CUDA`, `MPS` …), or the CPU capability (`DEFAULT`, `AVX2` …) where only that one
            is registered for.
        kernel: as written, without `&`, casts and template arguments; `nullptr` where none is registered, `lambda`
            for a lambda.
        template_arguments: of the kernel, with their brackets, or "".
        form: the macro of DispatchStub.h.
        macro: the file's own macro whose use it comes from, or "".
        file: relative to the tree.
        line: 1-based, of the macro's use.
        kernel_line: of a lambda, else 0.
    """

    stub: str
    scope: str
    backend: str
    kernel: str
    template_arguments: str
    form: str
    macro: str
    file: str
    line: int
    kernel_line: int


class StubUse(NamedTuple):
    """A name that may be a stub's, called or passed on; linking keeps those that are stubs.

    Args:
        stub: as written.
        scope: the namespaces and classes it stands in.
        caller: qualified name of the enclosing function, "" at namespace level.
        how: `call`, `argument` (passed to a function or template) or `macro` (an argument of a macro's use that
            makes a function, or text that the file's own macro makes).
        device: the first argument of a call, as written; else "".
        file: relative to the tree.
        line: 1-based.
    """

    stub: str
    scope: str
    caller: str
    how: str
    device: str
    file: str
    line: int


StubFact = StubDeclaration | StubRegistration | StubUse
