"""Changed lines that change nothing that runs, and lines near a macro that are none of its own."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import is_quiet
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

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
        "#define CANDIDATES\n#include <a.h>\n#include <b.h>\n\n"
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
    return affected_by(conn, FILES, path, old, new, around=0)


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
    assert any("empty or only laid out anew; it needs no test" in note for note in answer.notes)
    assert (
        answer.finding
        == "1 file changed: comments, documentation or layout alone, which no test needs"
    )


def test_what_is_named_beside_a_diff_of_comments_counts(conn: sqlite3.Connection) -> None:
    diff = f"--- a/{_PYTHON}\n+++ b/{_PYTHON}\n@@ -7 +7 @@\n-        # Why.\n+        # Because.\n"
    answer = all_tools()["affected"].ask(conn, names="warp", diff=diff)
    assert answer.finding.startswith("1 thing changed: 1 test ")


@pytest.mark.parametrize(
    ("kind", "removed", "added"),
    [
        ("python", (), ("#include <x.h>",)),
        ("python", ("    a = 1  # One.",), ("    a = 2  # One.",)),
        ("python", ("    a = '# One.'",), ("    a = '# Two.'",)),
        ("python", ("def f(x):  # type: (int) -> int",), ("def f(x):  # type: (str) -> str",)),
        ("python", ('    a = """x  # One.',), ('    a = """x  # Two.',)),
        ("python", ("    a = 1",), ('    """A."""',)),
        ("cpp", ("  * b",), ("  * c",)),
        ("cpp", ('  f("// a");',), ('  f("// b");',)),
        ("cpp", ("#define A(x) f(x)",), ("#define A(x)", "f(x)")),
        ("cpp", ("  f(); /* a",), ("  f(); /* b",)),
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
        ("#define CANDIDATES", "#define ONLY_OPERATORS", "CANDIDATES"),
        ("  do {            \\\n", "  do { run(x);    \\\n", "TWICE"),
        ("  } while (0)\n", "  } while (false)\n", "TWICE"),
    ],
)
def test_macros(conn: sqlite3.Connection, old: str, new: str, macro: str | None) -> None:
    (unseen,) = _asked(conn, _CPP, old, new).unseen
    assert (f"in or near the macro {macro} " in unseen) is (macro is not None)


@pytest.mark.parametrize(
    ("kind", "removed", "added"),
    [
        ("python", ("    a = 1  # One.",), ("    a = 1",)),
        (
            "python",
            ("    a = b'x'  # One.", "    c = 1"),
            ("    a = b'x'  # type: ignore[x]", "    c = 1"),
        ),
        ("cpp", ("  f(); // One.",), ("  f();",)),
        ("cpp", ('  f("//"); /* a */',), ('  f("//");  // b',)),
        ("cuda", ("#include <a.h> // One.",), ("#include <a.h>  // Two.",)),
    ],
)
def test_comments_behind_code(kind: str, removed: tuple[str, ...], added: tuple[str, ...]) -> None:
    assert is_quiet(Span(1, len(removed), removed, added), kind)


@pytest.mark.parametrize("kind", ["python", "cpp", "yaml"])
def test_lines_that_only_end_otherwise(kind: str) -> None:
    """As on Windows, or at the end of a file: whatever stands in them."""
    texts = ("  f('x')", '  """a', "  - b: 1")
    ended = tuple(f"{text}\r" for text in texts)
    for before, after in ((texts, ended), (ended, texts), (texts, texts)):
        assert is_quiet(Span(1, 3, before, after), kind, is_test=True)


def test_a_comment_of_several_lines() -> None:
    above = ("/**", " * First.")
    assert is_quiet(Span(3, 3, (" * Second, and",), (" * Second;  and",), above), "cpp")
    assert not is_quiet(Span(3, 3, (" * second",), (" */ f();",), above), "cpp")
    assert not is_quiet(Span(3, 3, (" * second",), (" * third",), ("  auto a = b",)), "cpp")
    assert not is_quiet(Span(3, 3, (" * a;",), (" * b;",), above), "cpp")


_DOCUMENTED = "torch/functional.py"
_TEXT = '''"""Of the module.

More.
"""
import torch
from torch._C import _add_docstr


def warp(x):
    r"""Warp x.

    Args:
        x: what is warped.
    """
    text = """
    Warp x
    """
    return torch.warp(x)


def plain(x):
    return torch.warp(x)


class Warp:
    "In one line."

    def run(self, x):
        return 1


weft = _add_docstr(
    torch.warp,
    r"""
weft(x) -> Tensor

The same.
""",
)
Warp.__doc__ = "Of " + """all
of it.
""" + rf"""
Steps by {rate()}.

Fields stand alone.
"""
'''


@pytest.fixture(scope="module")
def documented(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    files = {**FILES, _DOCUMENTED: _TEXT}
    with indexed(files, tmp_path_factory.mktemp("documented")) as connection:
        yield connection


def _changed(conn: sqlite3.Connection, old: str, new: str, context: int = 3) -> AffectedAnswer:
    assert _TEXT.count(old) == 1
    lines = (text.splitlines(keepends=True) for text in (_TEXT, _TEXT.replace(old, new)))
    names = f"a/{_DOCUMENTED}", f"b/{_DOCUMENTED}"
    return all_tools()["affected"].ask(
        conn, diff="".join(difflib.unified_diff(*lines, *names, n=context))
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("More.\n", "Some.\n"),
        ('"""Of the module.', '"""About the module.'),
        ('r"""Warp x.', '"""Warp it.'),
        ("        x: what is warped.\n", ""),
        ("    Args:\n", "    Some more, with 'quotes'.\n\n    Args:\n"),
        ("        x: what is warped.\n    ", "        x: warped.\n\n    Note::\n    "),
        ('    "In one line."\n', '    """In\n    three lines.\n    """\n'),
        ("def plain(x):\n", 'def plain(x):\n    """Say\n\n    more."""\n'),
        ("The same.\n", "Another.\n"),
        ("all\nof it.\n", "all\nof\nit.\n"),
        ("Fields stand alone.\n", "They stand alone.\n"),
    ],
)
def test_docstrings(documented: sqlite3.Connection, old: str, new: str) -> None:
    answer = _changed(documented, old, new)
    assert (answer.changed, answer.tests, answer.unseen) == ((), (), ())
    assert any(
        note.startswith(f"{_DOCUMENTED}: ") and "documentation" in note for note in answer.notes
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    Warp x\n", "    Warp y\n"),
        ("Steps by {rate()}.\n", "Steps by {pace()}.\n"),
        ("        x: what is warped.\n", '        x: what.\n    """\n    x = """\n'),
        ('    r"""Warp x.', '    text = r"""Warp x.'),
        ('    """\n    text = """', '    """\n    txt = """'),
        ("def plain(x):\n", 'def plain(x):\n    a = """b"""\n'),
        ("def plain(x):\n    return", 'def plain(x):\n    """Say."""\n    yield'),
    ],
)
def test_texts_that_are_no_docstrings(documented: sqlite3.Connection, old: str, new: str) -> None:
    answer = _changed(documented, old, new)
    assert answer.changed or answer.unseen


@pytest.mark.parametrize(
    ("before", "after", "above", "is_same"),
    [
        ("def g(a, b):", "def g(\n    a,\n    b,\n):", "", True),
        ("    x = h(a,\n          b)", "    x = h(\n        a, b\n    )", "", True),
        ("    a, b\n):", "    a,\n    b,\n):", "def g(", True),
        ("    a, b\n    )", "    a,\n    b,\n    )", "    x = h(", True),
        ("x = 'a'", 'x = ("a")', "", True),
        # What belongs to another statement, is another value, or is said to TorchScript.
        ("    x = 1", "        x = 1", "", False),
        ("if a:\n  b\n  c", "if a:\n  b\nc", "", False),
        ("x = (a)", "x = (a,)", "", False),
        ("def f(x):  # type: (int) -> int", "def f(x):", "", False),
        # The lines of a text.
        ("a = (1)", "a = 1", 'x = """', False),
        ("a = (", "a = (\n", "", False),
        ("(" * 500 + ")" * 500, "(" * 500 + ")" * 501, "", False),
    ],
)
def test_python_that_is_only_laid_out_anew(
    before: str, after: str, above: str, is_same: bool
) -> None:
    sides = [tuple(side.split("\n")) for side in (before, after, above)]
    span = Span(1, len(sides[0]), *sides)
    assert is_quiet(span, "python") is is_same
    assert not is_quiet(span, "python", is_test=True)
