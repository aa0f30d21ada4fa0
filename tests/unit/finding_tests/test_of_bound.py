"""Tests of what C++ binds, whether or not it is an operator: OpInfo `__getitem__` is for THPVariable_getitem."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.affected.test_aspects import _COPIED, _FIXTURES, _GENERIC
from tests.unit.support.names_tree import FILES
from tests.unit.support.small_tree import indexed
from torchtalk.names.bound_names import bound_under, own_name
from torchtalk.tools import all_tools


@pytest.mark.parametrize("base", ["TensorBase", "_TensorBase"])
def test_its_generic_tests_are_reached(base: str, tmp_path: Path) -> None:
    bound = "torch/csrc/autograd/python_variable.cpp"
    files = {
        **FILES,
        **{path: (_FIXTURES / path).read_text("utf-8") for path in _COPIED},
        bound: FILES[bound].replace("torch._C.TensorBase", f"torch._C.{base}"),
        "torch/_tensor.py": FILES["torch/_tensor.py"].replace("TensorBase", base),
        "torch/testing/_internal/common_methods_invocations.py": (
            "from torch.testing._internal.opinfo.core import OpInfo\n"
            'op_db = [OpInfo("numel"), OpInfo("nothing")]\npython_ref_db = []\n'
        ),
        "test/test_ops.py": (
            f"{_GENERIC}class TestCommon(TestCase):\n"
            "    @ops(op_db)\n    def test_out(self, device, dtype, op):\n        op(None)\n\n\n"
            "instantiate_device_type_tests(TestCommon, globals())\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        (test,) = (
            all_tools()["affected"].ask(conn, names="torch::autograd::THPVariable_numel").tests
        )
        found = all_tools()["find_similar_tests"].ask(conn, query="THPVariable_numel")
        traced = all_tools()["trace"].ask(conn, name="THPVariable_numel")
    assert (test.place.file, test.path[2:]) == (
        "test/test_ops.py", ("OpInfo numel is for it", "its tests run over this entry"),
    )  # fmt: skip
    assert [(hit.kind, hit.name) for hit in found.hits] == [
        ("opinfo", "numel"),
        ("generic", "1 generic test"),
    ]
    told = "torch::autograd::THPVariable_numel is bound as torch.Tensor.numel, whose tests are looked for"
    assert told in found.notes
    assert "bound as torch.Tensor.numel: trace that name for what it reaches" in traced.notes


@pytest.mark.parametrize(
    ("api", "bound"),
    [
        ("torch.Tensor.item", "torch._C.TensorBase.item"),
        ("torch.softmax", "torch._C._VariableFunctions.softmax"),
        ("torch.nn.functional.gelu", ""),
    ],
)
def test_bound_under(api: str, bound: str) -> None:
    assert bound_under(api) == bound


@pytest.mark.parametrize(
    ("bound", "own"),
    [("torch._C._TensorBase.item", "item"), ("torch._C._VariableFunctions.dot", "dot"), ("torch._C._nn.gelu", "")],
)  # fmt: skip
def test_own_name(bound: str, own: str) -> None:
    assert own_name(bound) == own
