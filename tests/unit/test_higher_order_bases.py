"""Kernels of higher-order operators that their base class registers."""

from __future__ import annotations

from pathlib import Path

from tests.unit.asking import ask
from tests.unit.small_tree import indexed

_BASE = "torch/_higher_order_ops/base.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.13.0\n",
    "torch/__init__.py": "",
    "torch/_ops.py": (
        "class OperatorBase:\n    def py_impl(self, k): ...\n"
        "class HigherOrderOperator(OperatorBase):\n    def __init__(self, name): ...\n"
    ),
    _BASE: (
        "from torch._ops import HigherOrderOperator\nclass BaseHOP(HigherOrderOperator):\n"
        "    def __init__(self, name):\n        super().__init__(name)\n        self.py_impl(Mode)(self._run)\n"
        "    def _run(self, *operands): ...\n"
    ),
    "torch/_higher_order_ops/quant.py": (
        "from torch._higher_order_ops.base import BaseHOP\nfrom torch._ops import HigherOrderOperator\n"
        "class Quant(BaseHOP):\n    def __init__(self):\n        super().__init__('quant')\n\n"
        "class Plain(HigherOrderOperator):\n    def __init__(self):\n        super().__init__('plain')\n\n"
        "quant = Quant()\nplain = Plain()\n"
    ),
}


def test_what_a_base_class_registers_is_said_to_be_missing(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        notes = ask(conn, "trace", name="torch.ops.higher_order.quant").notes
        assert notes == (
            "kernels that torch._higher_order_ops.base.BaseHOP.__init__ registers for each of its classes"
            f" are not in the table: {_BASE}:3",
        )
        assert ask(conn, "trace", name="torch.ops.higher_order.plain").notes == ()
