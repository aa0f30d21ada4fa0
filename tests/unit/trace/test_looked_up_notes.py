"""What trace says of functions whose work others do: what is looked up in a table, and kernels of operators."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_ops.py": (
        "class OperatorBase:\n    def py_impl(self, k): ...\n"
        "class HigherOrderOperator(OperatorBase):\n    def __init__(self, name): ...\n"
    ),
    "torch/divergence.py": (
        "_TABLE = {}\n\n"
        "def register(p):\n    def decorator(fun):\n        _TABLE[p] = fun\n        return fun\n    return decorator\n\n"
        "@register(int)\ndef _of_int(p):\n    return p\n\n"
        "@register(float)\ndef _of_float(p):\n    return p\n\n"
        "def _dispatch(p):\n    return _TABLE[type(p)]\n\n"
        "def divergence(p):\n    return _dispatch(p)(p)\n\n"
        "def plain(p):\n    return p\n"
    ),
    "torch/_higher_order_ops/twist.py": (
        "from torch._C import DispatchKey\nfrom torch._ops import HigherOrderOperator\n"
        "class Twist(HigherOrderOperator):\n    def __init__(self):\n        super().__init__('twist')\n\n"
        "twist = Twist()\n\n"
        "@twist.py_impl(DispatchKey.Autograd)\ndef differentiate(x):\n    return x\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("looked")) as connection:
        yield connection


@pytest.mark.parametrize("name", ["divergence", "_dispatch"])
def test_what_is_looked_up_in_a_table_is_said_not_to_be_followed(
    conn: sqlite3.Connection, name: str
) -> None:
    assert (
        "not followed to what it looks up: torch.divergence._dispatch runs one of 2 functions"
        " that decorators put into a table torch/divergence.py:18"
    ) in ask(conn, "trace", name=f"torch.divergence.{name}").notes


def test_nothing_is_said_where_nothing_is_looked_up(conn: sqlite3.Connection) -> None:
    notes = ask(conn, "trace", name="torch.divergence.plain").notes
    assert not [note for note in notes if "looks up" in note]


def test_a_kernel_is_no_way_to_its_operator(conn: sqlite3.Connection) -> None:
    name = "torch._higher_order_ops.twist.differentiate"
    finding = ask(conn, "trace", name=name).finding
    assert finding.startswith(
        "torch._higher_order_ops.twist.differentiate is a kernel of higher_order::twist"
    )
