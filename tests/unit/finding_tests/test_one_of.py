"""Functions of Python that run one of several operators, as their arguments say: whose tests and entries are which."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected import queries
from torchtalk.affected.graph.runs import operators_tests

_BASES = ("_warp_cubic2d_aa", "warp_cubic2d", "warp_near1d", "stretch")
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "\n\n".join(
        f"- func: {base}(Tensor self) -> Tensor\n  python_module: nn" for base in _BASES
    )
    + "\n",
    "torch/__init__.py": "from torch import nn as nn\n",
    "torch/nn/__init__.py": "from torch.nn import functional as functional\n",
    "torch/nn/functional.py": (
        "import torch\n\n"
        "def resize(input, mode, antialias=False):\n"
        "    if mode == 'near':\n        return torch._C._nn.warp_near1d(input)\n"
        "    if antialias:\n        return torch._C._nn._warp_cubic2d_aa(input)\n"
        "    return torch._C._nn.warp_cubic2d(input)\n\n"
        "def stretch(input, by):\n"
        "    return torch._C._nn.stretch(input) if by else torch._C._nn.warp_near1d(input)\n"
    ),
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo\n"
        "op_db = [OpInfo('nn.functional.resize', variant_test_name='near'),"
        " OpInfo('nn.functional.resize', variant_test_name='cubic')]\n"
    ),
    "test/test_ops.py": (
        "from torch.testing._internal.common_device_type import ops\n"
        "from torch.testing._internal.common_methods_invocations import op_db\n\n\n"
        "class TestOps(TestCase):\n    @ops(op_db)\n    def test_all(self, op):\n        op()\n"
    ),
    "test/test_resize.py": (
        "import torch.nn.functional as F\n\n"
        "def _bad(x):\n    F.resize(x, 'bad')\n\n"
        "def test_any(x=None):\n    F.resize(x, 'near')\n\n"
        "def test_through(x=None):\n    _bad(x)\n\n"
        "def test_warpingCubic2d(x=None):\n    F.resize(x, 'cubic')\n\n"
        "def test_warpingCubic2d_aa_right(x=None):\n    F.resize(x, 'cubic', True)\n\n"
        "def test_long(x=None):\n    F.stretch(x, 2)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    place: Path = tmp_path_factory.mktemp("one_of")
    with indexed(_FILES, place) as connection:
        yield connection


def _tests(conn: sqlite3.Connection, query: str) -> list[tuple[str, tuple[str, ...]]]:
    hits = ask(conn, "find_similar_tests", query=query).hits
    return [(hit.name, hit.why) for hit in hits if hit.kind == "test"]


def test_a_test_of_such_a_function_may_call_each(conn: sqlite3.Connection) -> None:
    """Those first whose names tell this one; a helper's call is no more certain than a test's own."""
    may = ("may call _warp_cubic2d_aa",)
    assert _tests(conn, "_warp_cubic2d_aa") == [
        ("test_warpingCubic2d_aa_right", may),
        ("test_warpingCubic2d", may),
        ("test_any", may),
        ("test_through", ("a helper of it may call _warp_cubic2d_aa",)),
    ]


def test_what_a_function_is_called_like_it_calls(conn: sqlite3.Connection) -> None:
    assert ("test_long", ("calls stretch",)) in _tests(conn, "stretch")


def test_entries_are_those_whose_variants_tell_it(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="_warp_cubic2d_aa")
    entries = [(hit.name, hit.why[-1]) for hit in answer.hits if hit.kind == "opinfo"]
    assert entries == [
        ("nn.functional.resize.cubic", "its function may call aten::_warp_cubic2d_aa"),
        ("nn.functional.resize.near", "its function may call aten::_warp_cubic2d_aa"),
    ]
    (generic,) = (hit for hit in answer.hits if hit.kind == "generic")
    assert generic.why == ("@ops: 1 of these entries",)
    assert "_nn_functional_resize_cubic_" in generic.command


def test_a_change_of_one_leads_to_the_tests_that_tell_it_first(conn: sqlite3.Connection) -> None:
    sql = queries("graph")["operator_tests"]
    rows = conn.execute(sql, {"base": "_warp_cubic2d_aa", "most": 9}).fetchall()
    edges = list(operators_tests(rows, 1.0))
    assert [edge.why for edge in edges] == ["may call it"] * 4
    weights = [edge.weight for edge in edges]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > weights[1] > weights[2]
    answer = ask(conn, "affected", names="aten::_warp_cubic2d_aa")
    tests = [test.name for test in answer.tests if test.kind == "test"]
    assert tests[0] == "test_warpingCubic2d_aa_right"
