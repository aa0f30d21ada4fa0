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


_BOUND = """\
#include <pybind11/pybind11.h>
void init(PyObject* module) {
  auto torch_C_module = THPObjectPtr(PyImport_ImportModule("torch._C"));
  auto m = py::handle(torch_C_module).cast<py::module>();
  py::class_<ReduceOp>(m, "ReduceOp").def(py::init<int>());
}
"""
_USING = """\
import unittest
import torch._C as dist
class TestUsing(unittest.TestCase):
    def test_makes(self):
        dist.ReduceOp(1)
    def test_reads(self):
        return dist.ReduceOp.AVG
    def test_average(self):
        pass
class TestAvg(unittest.TestCase):
    def test_it(self):
        pass
"""


def test_what_is_read_of_a_class_that_cpp_binds_is_told_by_bodies(tmp_path: Path) -> None:
    files = {
        **FILES, "torch/__init__.py": "", "torch/csrc/module.cpp": _BOUND,
        "test/test_using.py": _USING,
    }  # fmt: skip
    with indexed(files, tmp_path) as conn:
        found = {
            query: [
                (hit.name, hit.why)
                for hit in all_tools()["find_similar_tests"].ask(conn, query=query).hits
            ]
            for query in ("torch._C.ReduceOp", "dist.ReduceOp.AVG", "dist.ReduceOp.OTHER")
        }
    assert found["torch._C.ReduceOp"] == [
        ("TestUsing.test_makes", ("calls torch._C.ReduceOp",)),
        ("TestUsing.test_reads", ("its body has ReduceOp",)),
    ]
    assert found["dist.ReduceOp.AVG"] == [
        ("TestUsing.test_reads", ("its body has ReduceOp and AVG",))
    ]
    assert [name for name, _ in found["dist.ReduceOp.OTHER"]] == [
        "TestUsing.test_makes", "TestUsing.test_reads",
    ]  # fmt: skip
