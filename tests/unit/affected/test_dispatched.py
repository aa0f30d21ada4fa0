"""Lines of native_functions.yaml that name kernels: what they change is the operator for some dispatch keys."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.places.dispatched import keys_changed

_YAML = "aten/src/ATen/native/native_functions.yaml"
_FORMULAS = "tools/autograd/derivatives.yaml"
_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"


def _test(name: str) -> str:
    return f"{_HEAD}class {name}(TestCase):\n    def test_it(self):\n        torch.warp(1)\n"


FILES = {
    _YAML: (
        "- func: warp(Tensor self) -> Tensor\n  variants: function\n  dispatch:\n    CPU, CUDA: warp\n"
        "    MPS: warp_mps\n    SparseCPU, SparseCUDA: warp_sparse\n  autogen: warp.out\n\n"
        "- func: weft(Tensor self) -> Tensor\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _FORMULAS: (
        "- name: warp(Tensor self) -> Tensor\n  dispatch:\n    Default:\n      self: warp_backward(grad)\n"
        "    AutogradNestedTensor:\n      self: warp_backward_nested(grad)\n"
        "    AutogradCUDA:\n      self: grad.warp()\n"
    ),
    "test/test_mps.py": _test("TestMPS"),
    "test/test_nested.py": _test("TestNested")
    + "    def test_backward(self):\n        torch.warp(1)\n",
    "test/test_gradients.py": _test("TestGradients"),
    "test/test_native_functions.py": _test("TestNativeFunctions"),
    "test/test_sparse.py": _test("TestSparse"),
    "test/test_warp.py": _test("TestAny"),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("dispatched")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("old", "new", "changed", "first"),
    [
        ("MPS: warp_mps", "MPS: warp_metal", "aten::warp for mps", "TestMPS.test_it"),
        ("    MPS: warp_mps\n", "", "aten::warp for mps", "TestMPS.test_it"),
        ("CPU, CUDA: warp\n    MPS: warp_mps", "CPU, CUDA, MPS: warp", "aten::warp for mps", "TestMPS.test_it"),
        ("SparseCUDA: warp_sparse", "SparseCUDA: bend", "aten::warp for sparse", "TestSparse.test_it"),
    ],
)  # fmt: skip
def test_a_backends_own_tests_come_first(
    conn: sqlite3.Connection, old: str, new: str, changed: str, first: str
) -> None:
    answer = affected_by(conn, FILES, _YAML, old, new)
    (thing,) = answer.changed
    assert thing.name == changed
    weights = {test.name: test.weight for test in answer.tests}
    assert answer.tests[0].name == first
    assert all(weights[first] > weight for name, weight in weights.items() if name != first)


@pytest.mark.parametrize(
    ("old", "new", "of", "order"),
    [
        ("nested(grad)", "nested(grad, self)", " for nested",
         ["TestNested.test_backward", "TestNested.test_it", "TestGradients.test_it"]),
        ("warp_backward(grad)", "grad.weft()", "",
         ["TestGradients.test_it", "TestNested.test_backward", "TestNested.test_it"]),
        ("grad.warp()", "grad.weft()", "",
         ["TestGradients.test_it", "TestNested.test_backward", "TestNested.test_it"]),
    ],
)  # fmt: skip
def test_a_formula_for_one_key(
    conn: sqlite3.Connection, old: str, new: str, of: str, order: list[str]
) -> None:
    """Below AutogradNestedTensor stands the gradient of nested tensors; CUDA's is any test's."""
    answer = affected_by(conn, FILES, _FORMULAS, old, new)
    assert [thing.name for thing in answer.changed] == [f"the gradient of aten::warp{of}"]
    assert [test.name for test in answer.tests if test.name in order] == order


def test_more_than_kernels_is_a_change_of_the_operator(conn: sqlite3.Connection) -> None:
    """No test is nearer for a file's name: native_functions.yaml has the entries of all operators."""
    for old, new in (
        ("CPU, CUDA: warp\n", "CPU, CUDA: bend\n"),
        ("    MPS: warp_mps\n", "    MPS: warp_metal\n  tags: core\n"),
        ("warp(Tensor self)", "warp(Tensor self, int n=1)"),
    ):
        answer = affected_by(conn, FILES, _YAML, old, new)
        assert "aten::warp" in [thing.name for thing in answer.changed]
        weights = {test.name: test.weight for test in answer.tests}
        assert weights["TestNativeFunctions.test_it"] == weights["TestAny.test_it"]


@pytest.mark.parametrize(
    ("removed", "added", "keys"),
    [
        (("    CPU: f",), ("    CPU, MPS: f",), ("MPS",)),
        (("    CPU: f",), ("    CPU: f  # why",), ()),
        (("    CPU, CUDA: f",), ("    CUDA, CPU: f",), ()),
        (("    CPU: f", "    MPS: g"), ("    CPU, MPS: f",), ("MPS",)),
        ((), ("    NestedTensorCPU: f::g", "    # why"), ("NestedTensorCPU",)),
        ((), ("  dispatch:", "    CPU: f"), ()),
        ((), ("    CPU: f", "  tags: core"), ()),
    ],
)
def test_keys(removed: tuple[str, ...], added: tuple[str, ...], keys: tuple[str, ...]) -> None:
    assert keys_changed(Span(1, len(removed), removed, added)) == keys
