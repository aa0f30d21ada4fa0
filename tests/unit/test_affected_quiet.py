"""Changed lines that change nothing that runs, and lines near a macro that are none of its own."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.small_tree import indexed
from torchtalk.affected.diffs import Span
from torchtalk.affected.quiet import is_quiet
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import affected

_CPP = "aten/src/ATen/native/Warp.cpp"
_PYTHON = "test/test_warp.py"
_YAML = "aten/src/ATen/native/native_functions.yaml"
FILES = {
    _YAML: "# All of them.\n- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _PYTHON: (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n\n\n"
        "class TestWarp(TestCase):\n    def test_warp(self):\n        # Why.\n        torch.warp(1)\n"
    ),
    _CPP: (
        "#define ONLY_METHODS\n#include <a.h>\n#include <b.h>\n\n"
        "#define TWICE(x) \\\n  do {            \\\n    run(x);       \\\n    run(x);       \\\n  } while (0)\n\n"
        "static const int kSize = 3;\n\n"
        "Tensor warp(const Tensor& self, int n) {\n  // Why.\n  return copy(self, n);\n}\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("quiet")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, path: str, old: str, new: str) -> AffectedAnswer:
    before = FILES[path]
    assert before.count(old) == 1
    lines = (text.splitlines(keepends=True) for text in (before, before.replace(old, new)))
    diff = "".join(difflib.unified_diff(*lines, f"a/{path}", f"b/{path}", n=0))
    return affected.TOOL.ask(conn, diff=diff)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (_PYTHON, "        # Why.\n", "        # Because.\n\n"),
        (_PYTHON, "        # Why.\n", ""),
        (_CPP, "  // Why.\n", "  // Because.\n  /* So it is. */\n"),
        (_CPP, "  return copy(self, n);\n", "  return copy(\n      self, n);\n"),
        (_YAML, "# All of them.\n", "# All.\n"),
    ],
)
def test_comments_and_layout(conn: sqlite3.Connection, path: str, old: str, new: str) -> None:
    answer = _asked(conn, path, old, new)
    assert (answer.changed, answer.tests, answer.unseen) == ((), (), ())
    assert any("empty or only laid out anew" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("kind", "removed", "added"),
    [
        ("python", (), ("#include <x.h>",)),
        ("python", ("    a = 1  # One.",), ("    a = 1",)),
        ("python", ("    return",), ("return",)),
        ("cpp", ("#ifdef X",), ()),
        ("cpp", ("  *p = 1;",), ()),
        ("cpp", ('  f("a b");',), ('  f("ab");',)),
        ("cpp", ("  f(); // g", "  h();"), ("  f(); // g h();",)),
        ("cpp", ("/* a */ f(); /* b */",), ()),
        ("cpp", ("  int x;",), ("  intx;",)),
    ],
)
def test_what_may_change_something(
    kind: str, removed: tuple[str, ...], added: tuple[str, ...]
) -> None:
    assert not is_quiet(Span(1, 1, removed, added), kind)


def test_a_comment_that_becomes_code_is_code(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, _CPP, "  // Why.\n", "  run();\n")
    assert [thing.name for thing in answer.changed] == ["warp"]


@pytest.mark.parametrize(
    ("old", "new", "macro"),
    [
        ("#include <b.h>\n", "#include <c.h>\n", None),
        ("kSize = 3", "kSize = 4", None),
        ("#define ONLY_METHODS", "#define ONLY_OPERATORS", "ONLY_METHODS"),
        ("  do {            \\\n", "  do { run(x);    \\\n", "TWICE"),
        ("  } while (0)\n", "  } while (false)\n", "TWICE"),
    ],
)
def test_macros(conn: sqlite3.Connection, old: str, new: str, macro: str | None) -> None:
    (unseen,) = _asked(conn, _CPP, old, new).unseen
    assert (f"in or near the macro {macro} " in unseen) is (macro is not None)
