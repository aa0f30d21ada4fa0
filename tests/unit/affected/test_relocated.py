"""A diff of another version of a file than the index read."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import parse_diff
from torchtalk.affected.places.relocated import relocated
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_FILE = "torch/looms.py"
_OLD = """\
def warp(x):
    y = x
    return y

def weft(x):
    z = x + 2
    return z
"""
_INDEXED = f'''\
"""Looms.

What is new in this file:
more of it,
and more,
and more.
"""

{_OLD}'''
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    _FILE: _INDEXED,
    "test/test_looms.py": (
        "from unittest import TestCase\nfrom torch import looms\nclass TestLooms(TestCase):\n"
        "    def test_warp(self):\n        looms.warp(1)\n"
        "    def test_weft(self):\n        looms.weft(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("relocated")) as connection:
        yield connection


def _diff(old: str, new: str, *, blobs: bool = True) -> str:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="")
    hunks = "\n".join([*lines][2:])
    index = "index aaaaaaa..bbbbbbb 100644\n" if blobs else ""
    return f"diff --git a/{_FILE} b/{_FILE}\n{index}--- a/{_FILE}\n+++ b/{_FILE}\n{hunks}\n"


def _affected(conn: sqlite3.Connection, text: str) -> AffectedAnswer:
    answer = all_tools()["affected"].ask(conn, diff=text)
    assert isinstance(answer, AffectedAnswer)
    return answer


@pytest.mark.parametrize(
    ("line", "other", "test"),
    [
        ("    z = x + 2\n", "    z = x + 3\n", "weft"),
        ("    y = x\n", "    y = x\n    y += 1\n", "warp"),
        ("    return z\n", "", "weft"),
    ],
)
def test_lines_are_found_by_their_text(
    conn: sqlite3.Connection, line: str, other: str, test: str
) -> None:
    answer = _affected(conn, _diff(_OLD, _OLD.replace(line, other)))
    assert [thing.name for thing in answer.changed] == [f"torch.looms.{test}"]
    assert answer.tests[0].name == f"TestLooms.test_{test}"
    assert any("another version of it, where the lines were found by" in n for n in answer.notes)
    assert not any("may be off" in note for note in (*answer.notes, *answer.unseen))


@pytest.mark.parametrize("blobs", [True, False])
def test_what_is_not_found_is_no_documentation(conn: sqlite3.Connection, blobs: bool) -> None:
    """The line of the diff is one of the index's docstring."""
    before = _OLD.replace("    y = x\n", "    y = x * 1\n")
    answer = _affected(conn, _diff(before, _OLD, blobs=blobs))
    assert not any("documentation" in note for note in (answer.finding, *answer.notes))
    said = any("lines may be off" in note for note in answer.unseen)
    assert said == blobs


def test_of_lines_that_are_not_there_nothing_is_said(conn: sqlite3.Connection) -> None:
    answer = _affected(conn, _diff("def felt(x):\n    return x\n", "def felt(x):\n    return -x\n"))
    assert answer.changed == ()
    assert any(
        "another version of it, which has none of the changed lines" in n for n in answer.unseen
    )


def test_of_several_places_the_nearest(conn: sqlite3.Connection) -> None:
    body = "".join(f"def f{at}(x):\n    return x\n\n" for at in range(5))
    (change,) = parse_diff(
        _diff(body, body.replace("f2(x):\n    return x", "f2(x):\n    return y"))
    )
    # By three lines above it is sure; by none several would do.
    moved, lost = relocated(change, ["", "", *body.splitlines()])
    assert (moved.old[0].first, lost) == (change.old[0].first + 2, 0)
    moved, lost = relocated(change, body.replace("return x", "return z").splitlines())
    assert (moved.old[0].first, lost) == (change.old[0].first, 1)
    assert relocated(change, ["nothing"])[0].old == ()
    # Where the tree is not at hand, nothing is known.
    assert relocated(change, ()) == (change, 1)


def test_of_several_places_none_is_sure(conn: sqlite3.Connection) -> None:
    """`return self._apply(…)` stands in many methods of torch.nn.Module below the same lines."""
    part = "    one = 1\n    two = 2\n    six = 6\n    return x\n"
    body = f"def first(x):\n{part}\ndef second(x):\n{part}"
    (change,) = parse_diff(_diff(body, body.replace("return x", "return y", 1)))
    moved, lost = relocated(change, ["", *body.splitlines()])
    assert (moved.old[0].first, lost) == (change.old[0].first + 1, 1)


def test_what_is_not_found_is_moved_as_what_stands_above_it(conn: sqlite3.Connection) -> None:
    before = _OLD.replace("    z = x + 2\n", "    z = x + 1\n")
    after = before.replace("    y = x\n", "    y = -x\n").replace("    z = x + 1\n", "    z = 2\n")
    answer = _affected(conn, _diff(before, after))
    assert [thing.name for thing in answer.changed] == ["torch.looms.warp", "torch.looms.weft"]
    assert any("lines may be off" in note for note in answer.unseen)


def test_what_is_not_found_stands_below_what_stands_above_it(conn: sqlite3.Connection) -> None:
    long_line = "def a_longer_name(x):\n"
    before = f"{_OLD}\n{long_line}    return x - 1\n"
    after = before.replace("x - 1", "x - 2")
    (change,) = parse_diff(_diff(before, after))
    text = f"\n\n\n{long_line}    return x * 1\n"
    moved, lost = relocated(change, text.splitlines())
    assert (moved.old[0].first, lost) == (5, 1)
