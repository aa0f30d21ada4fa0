"""Functions that a decorator registers, tests with the whole name of what changed, and files called almost alike."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.phrases import having_words, phrase_of
from torchtalk.affected.choice.similar_names import AlikeFiles
from torchtalk.tools import all_tools

_RULES = "torch/weave/rules.py"
_PASSES = "torch/weave/passes.py"
_TEST = "from torch.testing._internal.common_utils import TestCase\nclass {}(TestCase):\n"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/weave/__init__.py": "",
    _RULES: """\
from typing import Callable, Dict

_RULES: Dict[
    str, Callable
] = {}


def register_rule(key):
    def decorator(fn):
        _RULES[key] = fn
        return fn
    return decorator


def rule_for(key):
    return _RULES[key]


@register_rule("silk")
def _rule_of_silk(x):
    return x


def plain(x):
    return x
""",
    _PASSES: """\
def register(fn):
    return fn


@register
def weft_plus_weft(x):
    return x


@register
def error_of_weave(x):
    return x
""",
    "test/weave/test_rules.py": "from torch.weave.rules import rule_for\n"
    + _TEST.format("TestRules")
    + "    def test_rule(self):\n        rule_for('silk')(1)\n\n    def test_no_rule(self):\n        pass\n",
    "test/weave/test_patterns.py": _TEST.format("TestPatterns")
    + "    def test_weft_plus_weft_twice(self):\n        pass\n\n    def test_weft(self):\n        pass\n\n"
    + "    def test_compile(self):\n        self.compile(backend='error_of_weave')\n",
    "test/weave/test_fused_wool.py": _TEST.format("TestWool") + "    def test_it(self):\n        pass\n",
    "caffe2/python/operator_test/wool_pad_op_test.py": _TEST.format("TestPad")
    + "    def test_it(self):\n        pass\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("registries")) as connection:
        yield connection


def _names(conn: sqlite3.Connection, path: str, line: str) -> list[tuple[str, str]]:
    at = FILES[path].splitlines().index(line) + 2
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{at} +{at} @@\n-    return x\n+    return +x\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    return [(one.name.split(".")[1], one.path[-1]) for one in answer.tests]


def test_who_reads_the_table(conn: sqlite3.Connection) -> None:
    # That the table's reader may run it is in the graph.
    assert _names(conn, _RULES, "def _rule_of_silk(x):")[0][0] == "test_rule"
    answer = all_tools()["affected"].ask(conn, names="torch.weave.rules._rule_of_silk")
    (only,) = answer.tests
    assert only.name == "TestRules.test_rule"
    assert only.path[1:3] == ("torch.weave.rules.rule_for calls it", "calls it")
    # What only looks something up is no test for it.
    rows = conn.execute("SELECT kind FROM v_edges WHERE source = 'torch.weave.rules.rule_for'")
    assert [row[0] for row in rows] == ["candidate"]


def test_what_is_not_registered(conn: sqlite3.Connection) -> None:
    diff = f"--- a/{_RULES}\n+++ b/{_RULES}\n@@ -25 +25 @@\n-    return x\n+    return +x\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [one.name for one in answer.changed] == ["torch.weave.rules.plain"]


def test_the_whole_name_comes_first(conn: sqlite3.Connection) -> None:
    first = _names(conn, _PASSES, "def weft_plus_weft(x):")[0]
    assert first == ("test_weft_plus_weft_twice", "named weft plus weft")


def test_what_is_asked_for_by_its_name(conn: sqlite3.Connection) -> None:
    first = _names(conn, _PASSES, "def error_of_weave(x):")[0]
    assert first == ("test_compile", 'has "error_of_weave"')


@pytest.mark.parametrize(
    ("name", "common", "words"),
    [
        ("mm_plus_mm", (), "mm plus mm"),
        ("DefaultDictVariable", ("variable",), "default dict"),
        ("_sfdp_pattern_7", (), "sfdp pattern 7"),
        ("ONNXProgram", (), "onnx program"),
        ("Variable", ("variable",), ""),
    ],
)
def test_the_words_of_a_name(name: str, common: tuple[str, ...], words: str) -> None:
    assert " ".join(phrase_of(name, common)) == words


@pytest.mark.parametrize(
    ("phrase", "number"),
    [(("weft", "plus", "weft"), 1), (("testpat", "terns"), 0), (("patterns",), 3), (("wool",), 0)],
)
def test_one_word_tells_where_it_is_long(
    conn: sqlite3.Connection, phrase: tuple[str, ...], number: int
) -> None:
    paths = [path for path in FILES if path.startswith("test/")]
    assert len(having_words(conn, [phrase], paths)) == number


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("torch/weave/fuse_wool.py", "test/weave/test_fused_wool.py"),
        ("caffe2/operators/wool_pad_op.cc", "caffe2/python/operator_test/wool_pad_op_test.py"),
    ],
)
def test_files_that_are_called_alike(conn: sqlite3.Connection, changed: str, tests: str) -> None:
    assert tests in [one.path for one in AlikeFiles(conn).of(changed) if one.level == 2]
