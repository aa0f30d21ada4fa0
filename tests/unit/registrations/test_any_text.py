"""No text is an error to those who read registrations, whatever stands in it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.extract.cpp.registrations import registrations as read_cpp
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.python.registrations import registrations as read_python
from indexer.facts.registrations import Registration, UnreadRegistration
from tests.unit.support.registration_texts import expand, python
from tests.unit.support.tries import tries


@settings(max_examples=tries(150), deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    list(read_cpp(CppUnit("a.cpp", b"TORCH_LIBRARY_IMPL(n, CPU, m) {" + data)))
    list(read_cpp(CppUnit("c10/core/DispatchKey.h", data)))
    list(read_python("a.py", b"# torch.library.impl(\n" + data))


PIECES = st.sampled_from(
    [
        "TORCH_LIBRARY(n, m) {",
        "TORCH_LIBRARY_IMPL(n, CPU, m)",
        "m.impl(",
        "m.def(",
        '"a',
        '"',
        ")",
        "(",
        "{",
        "}",
        ";",
        "RegisterOperators r(",
        ".op(",
        "Operator(",
        "OperatorGeneratorArgs> x{",
        "\n#if X\n",
        "\n#else\n",
        "\n#endif\n",
        "#define M(a) m.impl(#a, a##_f); M(a)\n",
        "M(",
        "[](int) {",
        "f<&g",
        ">",
        ",",
        'R"(',
        "/*",
        "//",
        "'",
        "\\",
        "é",
        "torch::Library& m)",
        "MAKE_TORCH_LIBRARY(n)",
        "::",
        "TORCH_FN(",
        ".kernel<",
        "options()",
    ]
)


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_any_cpp_pieces_are_read_and_expanded(pieces: list[str]) -> None:
    for found in expand(" ".join(pieces)):
        assert isinstance(found, (Registration, UnreadRegistration))


PYTHON_PIECES = st.sampled_from(
    [
        "lib = torch.library.Library('n', 'DEF')\n",
        "lib.define('a(Tensor x) -> Tensor')\n",
        "lib.define(x)\n",
        "lib.impl('a', f, 'CPU')\n",
        "lib.impl(torch.ops.n.a, f)\n",
        "def f(x, *a, k=1, **kw):\n    return lib.impl(x, f)\n",
        "f(1, 2, k=f)\n",
        "f(*[1], **{'k': 2})\n",
        "x = [f, 'a', 1, (2,)]\n",
        "for i in x: lib.define(i)\n",
        "x = x + x\n",
        "x = 'a' % x\n",
        "x = x[0:1]\n",
        "x = x[5]\n",
        "x = {'a': f}['b']\n",
        "del x\n",
        "x += 1\n",
        "@torch.library.custom_op('n::c', f)\ndef c(): ...\n",
        "c.register_fake(x)(f)\n",
        "x = lambda y: y(y)\n",
        "x(x)\n",
        "torch.library.impl(x, x)(x)\n",
        "torch.library.define(lib, 'q')(f)\n",
        "class C:\n    lib.impl('z', f)\n",
        "with f(1) as x: raise x\n",
        "x = not x is None and x in [1] or x < 2\n",
        "x.y.z = x.__name__\n",
        "register_decomposition([x, torch.ops.aten.b])(f)\n",
        "x = f'{x}{f}'\n",
        "a, b = x\n",
        "x = [i for i in x if i]\n",
        "from torch._decomp import register_decomposition\n",
        "from . import x\n",
        "from ..a import *\n",
        "import torch\n",
    ]
)


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(PYTHON_PIECES, max_size=20))
def test_any_python_pieces_are_followed(pieces: list[str]) -> None:
    for found in python("import torch  # torch.library.impl(\n" + "".join(pieces)):
        assert isinstance(found, (Registration, UnreadRegistration))
