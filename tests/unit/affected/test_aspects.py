"""A change in one aspect of an operator: its gradient, one backend's kernels, what torch.compile makes of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.search import LEAST
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

NATIVE = "aten/src/ATen/native"
_FIXTURES = Path(__file__).parents[3] / "fixtures/pytorch"
_COPIED = (
    "torch/testing/_internal/__init__.py",
    "torch/testing/_internal/common_device_type.py",
    "torch/testing/_internal/common_utils.py",
    "torch/testing/_internal/opinfo/__init__.py",
    "torch/testing/_internal/opinfo/core.py",
    "torch/_decomp/__init__.py",
)
_GENERIC = (
    "from torch.testing._internal.common_device_type import instantiate_device_type_tests, ops\n"
    "from torch.testing._internal.common_methods_invocations import op_db, python_ref_db\n"
    "from torch.testing._internal.common_utils import TestCase\n\n"
)
_OWN = (
    "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
    "class Test{0}(TestCase):\n"
)
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: warp_cpu\n"
        "    SparseCsrCPU: warp_csr\n\n"
        "- func: weft(Tensor self) -> Tensor\n  variants: function, method\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{NATIVE}/Looms.cpp": (
        "namespace at::native {\nTensor warp_cpu(const Tensor& self) { return self; }\n"
        "Tensor warp_csr(const Tensor& self) { return self; }\n}\n"
    ),
    "tools/autograd/derivatives.yaml": "- name: warp(Tensor self) -> Tensor\n  self: grad\n",
    "torch/csrc/Other.cpp": (
        "namespace other {\nTensor warp_elsewhere(const Tensor& self) { return self; }\n}\n"
        "TORCH_LIBRARY(other, m) {\n"
        '  m.def("warp(Tensor self) -> Tensor");\n'
        '  m.impl("warp", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(other::warp_elsewhere)));\n}\n'
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_refs/__init__.py": (
        "import torch\nfrom torch._decomp import register_decomposition\naten = torch.ops.aten\n\n\n"
        "@register_decomposition(aten.warp)\ndef warp(a):\n    return a\n"
    ),
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo, RefOpInfo\n"
        'op_db = [OpInfo("warp"), OpInfo("weft")]\n'
        'python_ref_db = [RefOpInfo("_refs.warp", torch_opinfo_name="warp")]\n'
    ),
    "test/test_ops.py": (
        f"{_GENERIC}class TestCommon(TestCase):\n"
        + "".join(
            f"    @ops(op_db)\n    def test_{name}(self, device, dtype, op):\n        op(None)\n"
            for name in ("alone", "backward", "out")
        )
        + "    @ops(python_ref_db)\n    def test_python_ref(self, device, dtype, op):\n        op(None)\n"
        "instantiate_device_type_tests(TestCommon, globals())\n"
    ),
    "test/test_decomp.py": (
        f"{_GENERIC}class TestDecomp(TestCase):\n"
        "    @ops(op_db)\n    def test_quick(self, device, dtype, op):\n        op(None)\n"
        "instantiate_device_type_tests(TestDecomp, globals())\n"
    ),
    "test/test_sparse_csr.py": (
        f"{_OWN.format('SparseCSR')}    def test_walk(self):\n        torch.warp(1)\n"
    ),
    "test/test_warp.py": (
        f"{_OWN.format('Warp')}    def test_warp(self):\n        torch.warp(1)\n"
        "    def test_other(self):\n        torch.ops.other.warp(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    copied = {path: (_FIXTURES / path).read_text(encoding="utf-8") for path in _COPIED}
    with indexed({**copied, **FILES}, tmp_path_factory.mktemp("aspects")) as connection:
        yield connection


def _labels(answer: AffectedAnswer) -> list[str]:
    return [f"{test.place.file} {test.name}" for test in answer.tests]


def _changed(conn: sqlite3.Connection, path: str, line: int) -> AffectedAnswer:
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n"
    return all_tools()["affected"].ask(conn, diff=diff)


def test_a_decompositions_tests_come_first(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, "torch/_refs/__init__.py", 8)
    labels = _labels(answer)
    # The reference's own entry, then the operator's where decompositions are tested, then all others.
    assert labels[:2] == [
        "test/test_ops.py 1 generic test for _refs.warp", "test/test_decomp.py 1 generic test for warp",
    ]  # fmt: skip
    assert "test/test_warp.py TestWarp.test_warp" in labels[2:]
    assert not any("weft" in label for label in labels)
    path = next(test.path for test in answer.tests if test.place.file == "test/test_decomp.py")
    assert path == (
        "torch._refs.warp", "decomposition of aten::warp",
        "tests about decomposition run over OpInfo warp",
    )  # fmt: skip


def test_private_functions_by_their_full_names(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, names="torch._refs.warp")
    assert _labels(answer)[0] == "test/test_ops.py 1 generic test for _refs.warp"


def test_a_formulas_gradient_tests_come_first(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, "tools/autograd/derivatives.yaml", 2)
    assert [(thing.kind, thing.name) for thing in answer.changed] == [
        ("operator", "the gradient of aten::warp")
    ]
    first = answer.tests[0]
    assert (first.name, first.command) == (
        "1 generic test for warp", "pytest test/test_ops.py -k test_backward_warp_",
    )  # fmt: skip
    names = [test.name for test in answer.tests if test.name.endswith("for warp")]
    assert names == [
        "1 generic test for warp", "2 more generic tests for warp", "1 generic test for warp",
    ]  # fmt: skip
    # Eight functions, of which four run over two entries.
    # What calls other::warp is not among them.
    assert (answer.selected, answer.total) == (7, 12)


def test_the_tests_of_a_kernels_backend_come_first(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, names="at::native::warp_csr")
    assert _labels(answer)[0] == "test/test_sparse_csr.py TestSparseCSR.test_walk"
    assert answer.tests[0].path[1:] == (
        "kernel for SparseCsrCPU of aten::warp", "calls it, and is about sparse csr",
    )  # fmt: skip
    assert all(step for test in answer.tests for step in test.path)
    plain = all_tools()["affected"].ask(conn, names="at::native::warp_cpu")
    assert _labels(plain)[0] == "test/test_warp.py TestWarp.test_warp"
    assert {*_labels(plain)} <= {*_labels(answer)} | {"test/test_ops.py 3 generic tests for warp"}


def test_others_tests_of_the_operator_tell_less_of_it(conn: sqlite3.Connection) -> None:
    csr = all_tools()["affected"].ask(conn, names="at::native::warp_csr")
    weights = {label: test.weight for label, test in zip(_labels(csr), csr.tests, strict=True)}
    # Those of dense tensors run another kernel, but the same formula.
    gradient = _changed(conn, "tools/autograd/derivatives.yaml", 2)
    of_gradient = dict(
        zip(_labels(gradient), (test.weight for test in gradient.tests), strict=True)
    )
    named = "test/test_warp.py TestWarp.test_warp"
    assert weights[named] < of_gradient[named] * 0.75


def test_the_entry_of_an_operator_makes_no_tensors_of_a_backend(conn: sqlite3.Connection) -> None:
    """Neither straight from the operator nor by way of `Tensor.warp`, which the entry is for as well."""
    csr = all_tools()["affected"].ask(conn, names="at::native::warp_csr")
    generic = [test for test in csr.tests if test.kind == "generic"]
    assert generic
    assert all(test.weight < LEAST for test in generic)
    assert not any("TensorBase" in step for test in generic for step in test.path)


def test_operators_of_other_namespaces_are_not_atens(conn: sqlite3.Connection) -> None:
    for name in ("torch.ops.other.warp", "other::warp", "other::warp_elsewhere"):
        answer = all_tools()["affected"].ask(conn, names=name)
        assert not any(thing.name == "aten::warp" for thing in answer.changed)
        assert _labels(answer) == ["test/test_warp.py TestWarp.test_other"]


def test_which_keys_are_aspects() -> None:
    assert aspects.of_keys(["CPU", "SparseCPU"]) == ()
    assert aspects.of_keys(["SparseCsrCPU", "SparseCsrCUDA"]) == ("sparse csr",)
    assert aspects.of_keys(["NestedTensorCPU", "MPS"]) == ("nested", "mps")
    assert aspects.of_keys(["Meta"]) == ()
    words = aspects.Words("sparse csr")
    assert words.fit("test/test_sparse_csr.py", "walk")
    assert words.fit("test/test_sparse.py", "csr walk")
    assert not words.fit("test/test_sparse.py", "walk")
    zero = aspects.Words(*aspects.of_keys(["ZeroTensor"]))
    assert zero.fit("test/test_autograd.py", "efficient zerotensor")
    assert not zero.fit("test/functorch/test_vmap.py", "non zero in dims")


def test_code_of_another_device_runs_none_of_its_kernels(tmp_path: Path) -> None:
    operator = "- func: {0}(Tensor self) -> Tensor\n  variants: function\n  dispatch:\n    {1}: {0}_{2}\n\n"
    kernel = "namespace at::native {{\nTensor {}(const Tensor& self) {{ return {}; }}\n}}\n"
    path = f"{NATIVE}/mps/operations/Twist.mm"
    files = {
        f"{NATIVE}/native_functions.yaml": operator.format("twist", "MPS", "mps")
        + operator.format("braid", "CUDA", "cuda") + operator.format("plait", "CompositeImplicitAutograd", "any"),
        f"{NATIVE}/tags.yaml": FILES[f"{NATIVE}/tags.yaml"],
        "version.txt": "2.6.0\n",
        "torch/__init__.py": "",
        path: kernel.format("twist_mps", "self"),
        f"{NATIVE}/cuda/Braid.cu": kernel.format("braid_cuda", "at::twist(self)"),
        f"{NATIVE}/Plait.cpp": kernel.format("plait_any", "at::twist(self)"),
        "test/test_mps.py": _OWN.format("TwistMPS") + "    def test_one(self):\n        torch.twist(2)\n",
        "test/test_twist.py": _OWN.format("Twist") + "".join(
            f"    def test_{name}(self):\n        torch.{name}(1)\n" for name in ("twist", "braid", "plait")
        ),
    }  # fmt: skip
    with indexed(files, tmp_path) as conn:
        diff = f"--- a/{path}\n+++ b/{path}\n@@ -2 +2 @@\n-a\n+b\n"
        answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [test.name for test in answer.tests] == [
        "TestTwistMPS.test_one", "TestTwist.test_twist", "TestTwist.test_plait",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "words", "fits"),
    [
        ("test/test_nestedtensor.py", "test it copy", True),
        ("test/cpp/api/nested.cpp", "nested test it", True),
        ("test/test_x.py", "test nested tensor copy", True),
        ("test/test_x.py", "test flash njt", True),
        ("test/test_x.py", "test nested function copy", False),
        ("test/test_x.py", "test tensor nested", False),
        ("test/test_x.py", "test unnested tensor", False),
    ],
)
def test_what_is_nested_is_a_tensor(path: str, words: str, *, fits: bool) -> None:
    assert aspects.Words("nested").fit(path, words) is fits
