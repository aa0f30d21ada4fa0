"""Methods of tensors in older trees, whose class is bound as `_TensorBase` alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.names_tree import FILES
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_SOURCE = "torch/csrc/autograd/python_variable.cpp"
_TEST = (
    "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
    "class TestTensor(TestCase):\n    def test_it(self):\n        torch.randn(2).numel()\n"
)


@pytest.mark.parametrize("base", ["TensorBase", "_TensorBase"])
def test_what_python_calls_of_a_tensor_leads_to_what_is_bound(base: str, tmp_path: Path) -> None:
    text = FILES[_SOURCE].replace("torch._C.TensorBase", f"torch._C.{base}")
    files = {
        **FILES,
        _SOURCE: text,
        "torch/_tensor.py": FILES["torch/_tensor.py"].replace("TensorBase", base),
        "torch/counting.py": "from torch import Tensor\n\n\ndef count(x: Tensor):\n    return x.numel()\n",
        "test/test_tensor.py": "from torch.counting import count\n"
        + _TEST.replace("torch.randn(2).numel()", "count(1)"),
    }
    with indexed(files, tmp_path) as conn:
        edges = {
            (row["source"], row["kind"])
            for row in conn.execute(
                "SELECT source, kind FROM v_edges WHERE target = 'torch::autograd::THPVariable_numel'"
            )
        }
        tests = all_tools()["affected"].ask(conn, names="torch::autograd::THPVariable_numel").tests
    assert ("torch._C.TensorBase.numel", "bind") in edges
    assert [test.name for test in tests] == ["TestTensor.test_it"]
