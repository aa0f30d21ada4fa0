"""Diffs with very long lines, as generated files and tables have them: each is read in the time of its length."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.affected.test_users import FILES
from tests.unit.support.endless import ended
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

# Hostile input, for `make survive`.
pytestmark = pytest.mark.slow

_LONG = 40_000
_FEW = 6  # one of so many is tried each time
_UNITS = (
    "a:", "a::b ", "a: ", "a,", ",", "A, ", "a<b> ", "a<b", "template<a> ", "std::vector<int> a", '\\"', '"', "'", "[", "{",
    "{1", "(", "a(", ") ", "->", "/*", "//", "\\", "#", " ", "\t", "\u00a0", "a =\t", "a=b,", "a(a=1,", "typedef a ", "struct a ", "def a(",
)  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("long")) as connection:
        yield connection


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(unit, marks=() if at % _FEW == 0 else pytest.mark.slow)
        for at, unit in enumerate(_UNITS)
    ],
)
def test_long_lines_are_read_in_time_of_their_length(conn: sqlite3.Connection, unit: str) -> None:
    run = unit * (_LONG // len(unit))
    lines = (f"  a {run}\x01", f'  a = b("{run}\x01', f"  a: {run}\x01,")
    for path, text in FILES.items():
        if "\n" in text and "/" in path:
            first = text.partition("\n")[0]
            added = "".join(f"+{line}\n" for line in (*lines, *[unit] * 5_000))
            diff = (
                f"--- a/{path}\n+++ b/{path}\n@@ -1 +1,{len(lines) + 5_000} @@\n-{first}\n{added}"
            )
            with ended():
                all_tools()["affected"].ask(conn, diff=diff)
