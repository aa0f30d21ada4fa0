"""find_similar_tests of C++ code and operators that have no tests of their own: those of the operators above them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.tests import SimilarTestsAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: pack(Tensor self) -> Tensor\n  dispatch:\n"
        "    CompositeImplicitAutograd: pack\n    MkldnnCPU: pack_mkldnn\n\n"
        "- func: tied(Tensor self) -> Tensor\n  dispatch:\n    CPU: tied_cpu\n"
        "    NestedTensorCPU: tied_nested\n\n"
        "- func: _bag(Tensor self) -> Tensor\n  dispatch:\n    CPU: bag_cpu\n\n"
        "- func: pack.int(Tensor self, int n) -> Tensor\n  dispatch:\n"
        "    CompositeImplicitAutograd: pack\n\n"
        "- func: _pack(Tensor self) -> Tensor\n  dispatch:\n    CPU: pack_cpu\n\n"
        "- func: _pack_inner(Tensor self) -> Tensor\n  dispatch:\n    CPU: inner_cpu\n\n"
        "- func: pack_backward(Tensor grad) -> Tensor\n  dispatch:\n    CPU: pack_backward_cpu\n"
    ),
    "tools/autograd/derivatives.yaml": (
        "- name: _pack(Tensor self) -> Tensor\n  self: pack_backward(grad)\n"
    ),
    f"{_NATIVE}/mkldnn/Pack.cpp": (
        "namespace at::native {\nTensor pack_mkldnn(const Tensor& self) { return self; }\n}\n"
    ),
    f"{_NATIVE}/Blas.cpp": (
        "namespace at::native {\nvoid knot(int a) { a++; }\nvoid knot(float a) { a++; }\n"
        "template <typename T> void tie(T a) { knot(a); }\n"
        "Tensor tied_cpu(const Tensor& self) { tie(self); return self; }\n"
        "Tensor tied_nested(const Tensor& self) { return at::_bag(self); }\n"
        "Tensor bag_cpu(const Tensor& self) { return self; }\n}\n"
    ),
    "torch/nn/functional.py": "def fold(x):\n    return x\n\n\ndef bend(x):\n    return x\n",
    "torch/nn/__init__.py": "from torch.nn.modules import *\n",
    "torch/nn/modules/__init__.py": (
        "from torch.nn.modules.module import Module\nfrom torch.nn.modules.fold import Bend, Fold, FoldMore\n"
        "__all__ = ['Module', 'Bend', 'Fold', 'FoldMore']\n"
    ),
    "torch/nn/modules/module.py": "class Module:\n    pass\n",
    "torch/nn/modules/fold.py": (
        "import torch\nimport torch.nn.functional as F\nfrom torch.nn.modules.module import Module\n"
        "class Fold(Module):\n    def _run(self, x):\n        return F.fold(torch.pack(x))\n"
        "    def forward(self, x):\n        return self._run(x)\n"
        "class FoldMore(Fold):\n    pass\n"
        "class Bend(Module):\n    def forward(self, x):\n        return F.bend(x)\n"
    ),
    "test/test_mkldnn.py": (
        "import torch\nimport unittest\nclass TestMkldnn(unittest.TestCase):\n    def test_pack(self):\n        Pack()(1)\n"
        "class TestOther(unittest.TestCase):\n    def test_fold(self):\n        torch.nn.FoldMore()(1)\n"
    ),
    f"{_NATIVE}/Pack.h": (
        "namespace at::native {\nusing fn = void (*)(int);\nDECLARE_DISPATCH(fn, fold_stub)\n}\n"
    ),
    f"{_NATIVE}/Pack.cpp": (
        "#include <ATen/native/Pack.h>\nnamespace at::native {\nDEFINE_DISPATCH(fold_stub);\n"
        "Tensor inner_cpu(const Tensor& self) { fold_stub(kCPU, 1); return self; }\n"
        "Tensor pack_cpu(const Tensor& self) { return at::_pack_inner(self); }\n"
        "Tensor pack(const Tensor& self) { return at::_pack(self); }\n"
        "Tensor pack_backward_cpu(const Tensor& grad) { return grad; }\n}\n"
    ),
    f"{_NATIVE}/cpu/PackKernel.cpp": (
        "#include <ATen/native/Pack.h>\nnamespace at::native {\nnamespace {\n"
        "void crease(int a) { a++; }\nvoid fold_kernel(int a) { crease(a); }\n}\n"
        "REGISTER_DISPATCH(fold_stub, &fold_kernel)\n}\n"
    ),
    f"{_NATIVE}/quantized/Pack.cpp": (
        'TORCH_LIBRARY(quantized, m) {\n  m.def("pack(Tensor q) -> Tensor");\n}\n'
    ),
    "torch/csrc/api/include/torch/fft.h": (
        "namespace torch::fft {\ninline int fold(int a) { return a; }\n}\n"
    ),
    "torch/__init__.py": "",
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo\n"
        "op_db = [OpInfo('pack'), OpInfo('int'), OpInfo('fft.fold'), OpInfo('tied', aliases=('nn.functional.bend',)),"
        " OpInfo('nn.functional.fold')]\n"
    ),
    "test/test_ops.py": (
        "from torch.testing._internal.common_device_type import ops, instantiate_device_type_tests\n"
        "from torch.testing._internal.common_methods_invocations import op_db\n"
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestOps(TestCase):\n    @ops(op_db)\n    def test_all(self, device, op):\n        pass\n"
        "instantiate_device_type_tests(TestOps, globals())\n"
    ),
    "test/test_quantized.py": (
        "import torch\nimport unittest\nclass TestQ(unittest.TestCase):\n"
        "    def test_q(self):\n        torch.ops.quantized.pack(1)\n"
        "    def test_qpack(self):\n        torch.ops.quantized.pack(1)\n"
        "    def test_pack(self):\n        torch.pack(1)\n"
    ),
    # It has a test itself, and is there for one operator alone that is called like it.
    "test/test_inner.py": (
        "import torch\nimport unittest\nclass TestInner(unittest.TestCase):\n"
        "    def test_pack_inner(self):\n        torch.ops.aten._pack_inner(1)\n"
    ),
    "test/cpp/api/fft.cpp": (
        "#include <gtest/gtest.h>\n#include <torch/fft.h>\n"
        "TEST(FFTTest, Fold) { torch::fft::fold(1); }\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("above")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, query: str) -> SimilarTestsAnswer:
    return all_tools()["find_similar_tests"].ask(conn, query=query)


@pytest.mark.parametrize(
    ("query", "called"),
    [
        ("aten::_pack", "_pack"),
        ("at::native::pack_cpu", "_pack"),
        ("aten::_pack_inner", "_pack"),
        ("pack_backward", "_pack"),
    ],
)
def test_an_operator_without_an_entry_has_those_of_what_calls_it(
    conn: sqlite3.Connection, query: str, called: str
) -> None:
    """Through kernels and formulas of gradients, as far as the nearest that has one."""
    answer = _asked(conn, query)
    entry, generic = answer.hits[:2]
    assert (entry.name, entry.why[-1]) == ("pack", f"its operator runs aten::{called}")
    assert generic.command == "pytest test/test_ops.py -k _pack_"


def test_entries_sample_no_nested_tensors(conn: sqlite3.Connection) -> None:
    """`tied` has an entry, and runs `_bag` for such tensors alone."""
    assert _asked(conn, "aten::_bag").hits == ()


@pytest.mark.parametrize("query", ["fold_stub", "fold_kernel", "crease"])
def test_a_stub_and_what_it_runs_have_the_tests_of_their_operator(
    conn: sqlite3.Connection, query: str
) -> None:
    answer = _asked(conn, query)
    assert answer.hits[0].name == "pack"
    assert answer.notes[-1].endswith(f"{query} is run by aten::_pack_inner, whose tests these are")


def test_an_overload_is_no_entry_of_its_name(conn: sqlite3.Connection) -> None:
    for query in ("aten::pack.int", "torch.ops.aten.pack.int"):
        assert [hit.name for hit in _asked(conn, query).hits if hit.kind == "opinfo"] == ["pack"]


def test_an_operator_of_another_namespace_is_not_atens(conn: sqlite3.Connection) -> None:
    for query in ("quantized::pack", "torch.ops.quantized.pack"):
        named, other = _asked(conn, query).hits
        assert (other.name, other.why) == ("TestQ.test_q", ("calls torch.ops.quantized.pack",))
        assert (named.name, named.why) == ("TestQ.test_qpack", (*other.why, "has pack in its name"))


def test_the_api_of_cpp_is_called_like_that_of_python(conn: sqlite3.Connection) -> None:
    names = [hit.name for hit in _asked(conn, "torch::fft::fold").hits]
    assert (names[0], names[-1]) == ("fft.fold", "FFTTest.Fold")


def test_the_tests_of_a_kernels_backend_come_first(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, "pack_mkldnn")
    assert [hit.name for hit in answer.hits[:2]] == ["TestMkldnn.test_pack", "pack"]
    assert answer.notes[-1] == "of mkldnn: the tests that are about it come first"
    page = all_tools()["find_similar_tests"].ask(conn, query="pack_mkldnn", limit=2, offset=1)
    assert [hit.name for hit in page.hits] == [hit.name for hit in answer.hits[1:3]]


def test_who_calls_one_overload_or_another_calls_what_is_asked_for(
    conn: sqlite3.Connection,
) -> None:
    assert _asked(conn, "at::native::knot").hits[0].name == "tied"


def test_a_module_has_the_entry_of_what_its_forward_calls(conn: sqlite3.Connection) -> None:
    for name in ("Fold", "FoldMore"):
        answer = _asked(conn, f"torch.nn.{name}")
        entry, generic = answer.hits[:2]
        assert (entry.name, entry.why[-1]) == (
            "nn.functional.fold",
            f"torch.nn.{name}.forward calls it",
        )
        assert generic.command == "pytest test/test_ops.py -k _nn_functional_fold_"
    assert _asked(conn, "torch.nn.Bend").hits[0].name == "tied"  # by its alias
