"""Pieces of C++ that hypothesis strings together."""

from __future__ import annotations

TOKENS = [
    *b"{ } ( ) [ ] < > , ; : :: & * = # \\ \" ' / // /* */ <<< >>> -> . ? +".split(),
    b"\n", b"#define", b"#if", b"#else", b"#endif", b"F(x)", b"M", b"namespace", b"n", b"class", b"template",
    b"kernel", b"void", b"a_stub", b"__global__", b"REGISTER_DISPATCH(", b"DECLARE_DISPATCH(", b"_DISPATCH",
    b"gpu_kernel(", b"launch_k(", b"cudaLaunchKernel(", b"cub::DeviceScan::Sum", b"thrust::sort(policy", b"LAUNCH_X(",
    b"py::class_<", b"py::enum_<", b"m", b".def(", b'"name"', b".value(", b".attr(", b"PyMethodDef t[] = {",
    b"PyTypeObject T = {", b"PyModuleDef d = {", b"PyModule_AddObject(", b"PYBIND11_MODULE(x, m) {", b"module",
    b"def_submodule(", b"return", b"->tp_methods =", b"PyModule_Create(&d)", b"std::vector<PyMethodDef> v;",
    b"getPipelineStateForFunc(", b"newFunctionWithName:", b"fmt::format(", b"kernel void", b"[[kernel]]",
    b'[[host_name("x")]]', b'R"(', b')"', b'R"M(', b')M"', b"@", b"${x}", b"[NSString stringWithFormat:",
]  # fmt: skip
