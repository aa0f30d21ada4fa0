"""DispatchStubs as clang sees them: who calls one, and which kernels it has."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.clang_units import Call, calls, parse

STUB = """
template <class F, class T> struct DispatchStub;
template <class R, class T, class... A> struct DispatchStub<R (*)(A...), T> {
  using FnPtr = R (*)(A...);
  template <class... X> R operator()(int device, X&&... x) { return DEFAULT(x...); }
  static FnPtr DEFAULT;
};
template <class S> struct RegisterCUDADispatch { RegisterCUDADispatch(S& stub, typename S::FnPtr f); };
#define DECLARE_DISPATCH(fn, name) \\
  struct name##_DECLARE_DISPATCH_type : DispatchStub<fn, name##_DECLARE_DISPATCH_type> {}; \\
  extern struct name##_DECLARE_DISPATCH_type name;
#define REGISTER_DISPATCH(name, fn) \\
  template <> name##_DECLARE_DISPATCH_type::FnPtr DispatchStub<name##_DECLARE_DISPATCH_type::FnPtr, \\
    struct name##_DECLARE_DISPATCH_type>::DEFAULT = fn;
#define REGISTER_CUDA_DISPATCH(name, fn) static RegisterCUDADispatch<struct name##_DECLARE_DISPATCH_type> name##__register(name, fn);
"""


def test_a_call_through_a_stub_names_the_stub(tmp_path: Path) -> None:
    text = (
        '#include "stub.h"\nnamespace at {\nDECLARE_DISPATCH(void (*)(int), cap_stub)\n'
        "int which();\nvoid cap(int n) {\n  cap_stub(which(), n);\n}\n"
        "void helper(cap_stub_DECLARE_DISPATCH_type&);\nvoid other() { helper(cap_stub); }\n}\n"
    )
    found = calls(parse(tmp_path, text, stub_h="#pragma once\n" + STUB))
    assert Call("at::cap", "at::cap_stub", "stub", 6) in found
    assert Call("at::cap", "at::which", "call", 6) in found
    assert Call("at::other", "at::cap_stub", "reference", 9) in found


def test_registrations_name_their_kernels(tmp_path: Path) -> None:
    text = (
        '#include "stub.h"\nDECLARE_DISPATCH(void (*)(int), cap_stub)\nDECLARE_DISPATCH(void (*)(int), cut_stub)\n'
        "static void cap_kernel(int) {}\nstatic void cap_kernel(double) {}\nstatic void cap_cuda(int) {}\n"
        "REGISTER_DISPATCH(cap_stub, &cap_kernel)\nREGISTER_CUDA_DISPATCH(cap_stub, cap_cuda)\n"
        "REGISTER_DISPATCH(cut_stub, nullptr)\n"
    )
    facts = parse(tmp_path, text, stub_h="#pragma once\n" + STUB)
    assert facts.status == "ok"
    found = {
        (k.stub, facts.symbols[k.kernel].signature, k.form, k.line) for k in facts.stub_kernels
    }
    assert found == {
        ("cap_stub", "void cap_kernel(int)", "DEFAULT", 7),
        ("cap_stub", "void cap_cuda(int)", "RegisterCUDADispatch", 8),
    }
