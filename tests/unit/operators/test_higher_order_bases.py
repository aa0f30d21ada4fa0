"""Kernels of higher-order operators that their base class registers for each of its subclasses."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_BASE = "torch/_higher_order_ops/base.py"
_QUANT = "torch/_higher_order_ops/quant.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.13.0\n",
    "torch/__init__.py": "",
    "torch/_ops.py": (
        "class OperatorBase:\n    def py_impl(self, k): ...\n"
        "class HigherOrderOperator(OperatorBase):\n    def __init__(self, name): ...\n"
    ),
    "torch/_higher_order_ops/utils.py": (
        "from torch._subclasses import FakeTensorMode\n\n"
        "def register_fake(hop, function=None):\n"
        "    @hop.py_impl(FakeTensorMode)\n    def fake(mode, *args): ...\n"
    ),
    _BASE: (
        "from torch._C import DispatchKey\nfrom torch._ops import HigherOrderOperator\n"
        "from torch._higher_order_ops.utils import register_fake\nclass BaseHOP(HigherOrderOperator):\n"
        "    def __init__(self, name):\n        super().__init__(name)\n"
        "        self.py_impl(DispatchKey.CompositeExplicitAutograd)(self._run)\n"
        "        self.py_autograd_impl(self._differentiate)\n        register_fake(self, self._run)\n"
        "    def _run(self, *operands): ...\n"
        "    def _differentiate(self, *operands): ...\n"
    ),
    _QUANT: (
        "from torch._higher_order_ops.base import BaseHOP\nfrom torch._ops import HigherOrderOperator\n"
        "class Quant(BaseHOP):\n    def __init__(self):\n        super().__init__('quant')\n\n"
        "class Own(BaseHOP):\n    def __init__(self):\n        super().__init__('own')\n\n"
        "    def _differentiate(self, *operands): ...\n\n"
        "class Plain(HigherOrderOperator):\n    def __init__(self):\n        super().__init__('plain')\n"
        "        self.py_impl(DispatchKey.CPU)(self._here)\n\n"
        "    def _here(self, *operands): ...\n\n"
        "quant = Quant()\nown = Own()\nplain = Plain()\n"
    ).replace("from torch._ops", "from torch._C import DispatchKey\nfrom torch._ops", 1),
}


def _kernels(conn: sqlite3.Connection, name: str) -> set[tuple[str, str, int]]:
    rows = conn.execute(
        "SELECT d.dispatch_key, f.path, r.kernel_line FROM dispatch AS d"
        " JOIN operators AS o ON o.id = d.operator_id JOIN dispatch_registrations AS l ON l.dispatch_id = d.id"
        " JOIN registrations AS r ON r.id = l.registration_id JOIN source_files AS f ON f.id = r.kernel_file_id"
        " WHERE o.namespace = 'higher_order' AND o.base = ?",
        (name,),
    )
    return {tuple(row) for row in rows}


def test_what_a_base_class_registers_is_of_each_of_its_operators(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        own = {
            ("CompositeExplicitAutograd", _BASE, 10),
            ("FakeTensorMode", "torch/_higher_order_ops/utils.py", 5),
        }
        assert _kernels(conn, "quant") == own | {("Autograd", _BASE, 11)}
        # A subclass's method takes the place of the base's.
        assert _kernels(conn, "own") == own | {("Autograd", _QUANT, 12)}
        assert _kernels(conn, "plain") == {("CPU", _QUANT, 19)}
        assert ask(conn, "trace", name="torch.ops.higher_order.quant").notes == ()
