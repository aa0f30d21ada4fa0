"""A word that tests have in their names, and that C++ has a constant for."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.db import connect
from torchtalk.tools import all_tools

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "aten/src/ATen/core/symbols.cpp": (
        "namespace c10::attr {\nSymbol knotted();\nSymbol frayed();\n}\n"
        "namespace c10 {\nSymbol to_symbol() {\n  return attr::knotted();\n}\n}\n"
    ),
    "torch/__init__.py": "",
    "test/test_rope.py": (
        "from torch.testing._internal.common_utils import TestCase\n\n"
        "class TestRope(TestCase):\n    def test_knotted_rope(self):\n        pass\n"
        "    def test_other(self):\n        pass\n"
    ),
}


def test_a_word_is_no_constant_of_its_name(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as conn:
        (path,) = conn.execute("SELECT file FROM pragma_database_list").fetchone()
        with closing(sqlite3.connect(path)) as writable, writable:
            for name, line in (("c10::attr::knotted", 2), ("c10::attr::frayed", 3)):
                writable.execute(
                    "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact)"
                    " SELECT max(u.id) + 1, ?, 'const Symbol', 'variable', f.id, ?, ?, 1"
                    " FROM functions AS u, source_files AS f WHERE f.path = 'aten/src/ATen/core/symbols.cpp'",
                    (name, line, line),
                )
        tool = all_tools()["find_similar_tests"]
        with closing(connect(Path(path))) as again:
            word, constant = tool.ask(again, query="knotted"), tool.ask(again, query="frayed")
    assert [test.name for test in word.hits] == ["TestRope.test_knotted_rope"]
    said = "c10::attr::knotted is called so; these are tests that have the word in their names"
    assert word.notes == (said,)
    assert constant.finding == "no test was found for 'frayed'"
    assert constant.notes[0].startswith("no test calls c10::attr::frayed ")
