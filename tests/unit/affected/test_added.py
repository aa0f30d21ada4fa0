"""What only a diff knows: new OpInfos, operators and formulas."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_DB = "torch/testing/_internal/common_methods_invocations.py"
_YAML = "aten/src/ATen/native/native_functions.yaml"
_FORMULAS = "tools/autograd/derivatives.yaml"
FILES = {
    _YAML: "- func: warp(Tensor self) -> Tensor\n\n- func: weft(Tensor self) -> Tensor\n",
    _FORMULAS: "- name: warp(Tensor self) -> Tensor\n  self: grad\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/opinfo/core.py": (
        "class OpInfo:\n    pass\n\n\nclass UnaryUfuncInfo(OpInfo):\n    pass\n"
    ),
    _DB: (
        "from torch.testing._internal.opinfo.core import OpInfo, UnaryUfuncInfo\n"
        "op_db = [\n"
        "    OpInfo('warp'),\n"
        "    OpInfo('linalg.weft'),\n"
        "    UnaryUfuncInfo('sheen'),\n"
        "]\n"
        "unary_ufuncs = [op for op in op_db if isinstance(op, UnaryUfuncInfo)]\n"
    ),
    "test/test_ops.py": (
        "from torch.testing._internal.common_device_type import instantiate_device_type_tests, ops\n"
        "from torch.testing._internal.common_methods_invocations import op_db, unary_ufuncs\n"
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestOps(TestCase):\n"
        "    @ops(op_db)\n    def test_all(self, device, dtype, op):\n        pass\n"
        "    @ops(unary_ufuncs)\n    def test_unary(self, device, dtype, op):\n        pass\n"
        "    @ops([op for op in op_db if op.name == 'warp'])\n"
        "    def test_of_one(self, device, dtype, op):\n        pass\n"
        "instantiate_device_type_tests(TestOps, globals())\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("added")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, path: str, old: str, new: str) -> AffectedAnswer:
    return affected_by(conn, FILES, path, old, new)


@pytest.mark.parametrize(
    ("entry", "name", "tests", "command"),
    [
        ("OpInfo('gloss', x=1)", "gloss", 1, "_gloss_"),
        ('OpInfo(\n        # Why.\n        name="gloss",\n    )', "gloss", 1, "_gloss_"),
        ("OpInfo('gloss',\n        variant_test_name='x')", "gloss.x", 1, "_gloss_x_"),
        ("UnaryUfuncInfo('gloss')", "gloss", 2, "_gloss_"),
    ],
)
def test_new_entries(
    conn: sqlite3.Connection, entry: str, name: str, tests: int, command: str
) -> None:
    """They are run by what runs over all that are like them."""
    answer = _asked(
        conn, _DB, "    UnaryUfuncInfo('sheen'),\n", f"    UnaryUfuncInfo('sheen'),\n    {entry},\n"
    )
    (changed,) = answer.changed
    assert changed.name == f"the new {entry.partition('(')[0]} {name}"
    (found,) = answer.tests
    assert (found.tests, answer.unseen) == (tests, ())
    assert found.command == f"pytest test/test_ops.py -k {command}"


@pytest.mark.parametrize(
    "entry", ["DecorateInfo('gloss')", "OpInfo('warp', 1)", "# OpInfo('gloss')", "OpInfo(f'{x}')"]
)
def test_what_is_no_new_entry(conn: sqlite3.Connection, entry: str) -> None:
    answer = _asked(
        conn, _DB, "    UnaryUfuncInfo('sheen'),\n", f"    UnaryUfuncInfo('sheen'),\n    {entry},\n"
    )
    assert not [thing for thing in answer.changed if thing.name.startswith("the new")]


def test_new_operators_and_formulas(conn: sqlite3.Connection) -> None:
    entry = "- func: gloss(Tensor self) -> Tensor\n  variants: method\n\n"
    answer = _asked(conn, _YAML, "- func: weft", f"{entry}- func: weft")
    assert (answer.changed, answer.unseen) == ((), (f"{_YAML}: aten::gloss is a new operator",))
    answer = _asked(
        conn, _YAML, "- func: weft", "- func: warp.out(Tensor self) -> Tensor\n\n- func: weft"
    )
    assert [thing.name for thing in answer.changed] == ["aten::warp"]
    for base, changed, unseen in (
        ("weft", ["the gradient of aten::weft"], ()),
        ("gloss", [], (f"{_FORMULAS}: a formula of aten::gloss, which is not in the index",)),
    ):
        entry = f"- name: {base}(Tensor self) -> Tensor\n  self: grad\n\n"
        answer = _asked(conn, _FORMULAS, "- name: warp", f"{entry}- name: warp")
        assert ([thing.name for thing in answer.changed], answer.unseen) == (changed, unseen)


@pytest.mark.parametrize("path", [_YAML, _FORMULAS])
def test_what_is_inserted_behind_an_entry_is_no_change_of_it(
    conn: sqlite3.Connection, path: str
) -> None:
    """Git puts the empty line before it with it, where the texts leave the choice."""
    key = "func" if path == _YAML else "name"
    line = FILES[path].index("\n") if path == _YAML else len(FILES[path])
    at = FILES[path][:line].count("\n") + (path == _YAML)
    text = f"\n- {key}: gloss(Tensor self) -> Tensor\n  x: y\n"
    hunk = "".join(f"+{added}" for added in text.splitlines(keepends=True))
    answer = all_tools()["affected"].ask(
        conn, diff=f"--- a/{path}\n+++ b/{path}\n@@ -{at},0 +{at + 1},3 @@\n{hunk}"
    )
    assert answer.changed == ()
    assert len(answer.unseen) == 1


def test_an_entry_that_changes_is_not_new(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, _YAML, "- func: warp(Tensor self)", "- func: warp(Tensor self, int n)")
    assert [(thing.name, thing.lines) for thing in answer.changed] == [("aten::warp", 1)]
