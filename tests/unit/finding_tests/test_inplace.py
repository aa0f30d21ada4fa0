"""OpInfos whose in-place variant is an operator of its own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from indexer.build import build
from indexer.link.tests.infos import _inplace
from indexer.scan.tree import open_tree
from indexer.schema import schema_sql
from torchtalk.affected.graph.runs import _ENTRY
from torchtalk.db import connect
from torchtalk.tools import all_tools

_DB = "torch/testing/_internal/common_methods_invocations.py"


@pytest.mark.parametrize(
    ("name", "class_", "given", "is_ref", "operator"),
    [
        ("add", "BinaryUfuncInfo", None, False, "add_"),
        ("sum", "ReductionOpInfo", None, False, ""),
        ("_refs.add", "ElementwiseBinaryPythonRefInfo", None, True, ""),
        ("zero", "OpInfo", "torch.Tensor.zero_", False, "zero_"),
        ("x", "OpInfo", "lambda x: torch.nn.functional.silu(x, inplace=True)", False, "silu_"),
        ("x", "OpInfo", "partial(torch.nn.functional.mish, inplace=True)", False, "mish_"),
        ("x", "OpInfo", "None", False, ""),
        ("x", "OpInfo", "lambda x: torch.nn.functional.silu(x)", False, ""),
    ],
)
def test_which_operator_it_is(
    name: str, class_: str, given: str | None, is_ref: bool, operator: str
) -> None:
    assert _inplace(name, class_, given, is_ref) == operator


def test_tests_of_an_in_place_operator(fixture_tree: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(fixture_tree, tree)
    path = tree / _DB
    lines = path.read_text(encoding="utf-8").splitlines()
    at = lines.index("op_db = [") + 1
    lines[at:at] = [
        '    OpInfo("clip_to"),',
        '    OpInfo("clipped", inplace_variant=torch.Tensor.clip_to_),',
        '    OpInfo("clip_to", variant_test_name="never", inplace_variant=None),',
        '    OpInfo("unlike"),',
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    conn = connect(tmp_path / "x.db")
    answer = all_tools()["find_similar_tests"].ask(conn, query="aten::clip_to_")
    reached = all_tools()["affected"].ask(conn, names="aten::clip_to_")
    conn.close()
    entries = [hit for hit in answer.hits if hit.kind == "opinfo"]
    assert [(hit.name, hit.place.line) for hit in entries] == [
        ("clip_to", at + 1),
        ("clipped", at + 2),
    ]
    assert all("its in-place variant is clip_to_" in hit.why for hit in entries)
    (test, *_) = [test for test in reached.tests if test.kind == "generic"]
    assert any("runs it in place" in why for why in test.path)


def test_every_way_of_an_entry_has_its_weight() -> None:
    (ways,) = re.findall(r"how IN \((.*'inplace'.*)\)\)", schema_sql())
    assert set(_ENTRY) == set(re.findall(r"'(\w+)'", ways))
