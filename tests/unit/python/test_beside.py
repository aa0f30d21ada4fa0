"""What tests and scripts import of what stands beside them, without its folder's name."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.extract.python.beside import beside, outer
from tests.unit.support.asking import ask
from tests.unit.support.python_torch import BASE, index_torch
from tests.unit.support.small_tree import indexed

FILES = {
    "test/functorch/common_utils.py": "def skipOps(f):\n    return f\nclass Base:\n    def run_it(self): pass\n",
    "test/functorch/test_vmap.py": """import numpy as np
from common_utils import Base, skipOps
import common_utils
from test_nnapi import helper
class TestVmap(Base):
    def test_all(self):
        skipOps(np)
        common_utils.skipOps(np)
        helper()
        self.run_it()
    def test_inside(self):
        from jit.hooks import hooked
        hooked()
""",
    "test/test_nnapi.py": "def helper(): pass\n",
    "test/jit/__init__.py": "",
    "test/jit/hooks.py": "from jit.deeper import below\ndef hooked():\n    return below()\n",
    "test/jit/deeper.py": "def below(): pass\n",
    "torch/own.py": "def f():\n    from common_utils import skipOps\n    skipOps(1)\n",
}


@pytest.fixture(scope="module")
def linked() -> sqlite3.Connection:
    return index_torch(FILES)


@pytest.mark.parametrize(
    ("caller", "callees"),
    [
        ("TestVmap.test_all", {"skipOps", "helper", "Base.run_it"}),
        ("TestVmap.test_inside", {"hooked"}),
        ("hooked", {"below"}),
        ("f", set()),
    ],
)
def test_calls_lead_to_neighbours(
    linked: sqlite3.Connection, caller: str, callees: set[str]
) -> None:
    rows = linked.execute(
        "SELECT DISTINCT t.name FROM python_functions AS p JOIN python_calls AS c ON c.caller_id = p.id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " JOIN python_functions AS t ON t.id = r.function_id WHERE p.name = ?",
        (caller,),
    )
    assert {row["name"] for row in rows} == callees


@pytest.mark.parametrize(
    ("module", "is_package", "name", "meant"),
    [
        ("test.functorch.test_vmap", False, "common_utils", "test.functorch.common_utils"),
        ("test.onnx.model_defs", True, "dcgan", "test.onnx.model_defs.dcgan"),
        ("test.jit.test_hooks", False, "jit.hooks", "test.jit.hooks"),
        ("benchmarks.op.pt.add_test", False, "op", "benchmarks.op.op"),
        ("test.test_jit", False, "test.jit.hooks", "test.jit.hooks"),
        ("test.test_jit", False, "torch.nn", "torch.nn"),
        ("test.test_jit", False, "unittest.mock", "unittest.mock"),
        ("torch.nn.functional", False, "other", "other"),
        ("setup", False, "other", "other"),
    ],
)
def test_what_stands_beside(module: str, is_package: bool, name: str, meant: str) -> None:
    assert beside(module, is_package, name) == meant


def test_what_stands_above() -> None:
    assert [*outer("test.onnx.dynamo.common")] == [
        "test.onnx.common", "test.dynamo.common", "test.common",
    ]  # fmt: skip
    assert not [*outer("torch.nn.functional.missing")]


def test_a_base_of_another_package_is_no_shortfall(tmp_path: Path) -> None:
    text = "import gdb, own\nclass A(gdb.Command): pass\nclass B(own.Missing): pass\n"
    files = {**BASE, "tools/gdb/plug.py": text, "tools/gdb/own.py": ""}
    with indexed(files, tmp_path) as conn:
        rows = conn.execute("SELECT detail FROM v_coverage WHERE detail LIKE '%a base of tools%'")
        assert ["own.Missing" in row["detail"] for row in rows] == [True]


def test_a_file_of_tests_names_what_it_imports(tmp_path: Path) -> None:
    with indexed({**BASE, **FILES}, tmp_path) as conn:
        answer = ask(conn, "test_file_info", path="test/functorch/test_vmap.py")
        assert {"test.functorch.common_utils", "test.test_nnapi"} <= set(answer.imports)
        assert "test.functorch.numpy" not in answer.imports
        changed = ask(conn, "affected", names="test.functorch.common_utils.skipOps")
        assert [test.name for test in changed.tests] == ["TestVmap.test_all"]
