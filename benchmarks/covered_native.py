"""Do the tests that `affected` chooses for a change in a function of C++ really run it?

    python -m benchmarks.covered_native FILE.db

The truth is what PyTorch 2.6.0's own tests ran of its libraries' functions on a CPU while they were recorded
(tests/data/read_covered_native.py), as for Python's in benchmarks/covered.py. A kernel for a GPU, and what the compiler
wrote into its callers, is not there; nor are tests in C++, which many a change leads to.
"""

from __future__ import annotations

import argparse
import functools
import sqlite3
from pathlib import Path

from benchmarks.covered import Measured, by_function, chosen_for, count, in_turns, show, test_of
from torchtalk.answers.affected import AffectedTest
from torchtalk.db import connect

_DATA = Path(__file__).parent.parent / "tests/data/covered_native-2.6.0.json.xz"
_DRAWN = 400

Test = tuple[str, str, str]
"""Its file, its name, and the operator's entry that it is made for, or nothing."""

_FUNCTION = """
SELECT f.path, n.line, n.end_line FROM functions AS n JOIN source_files AS f ON f.id = n.file_id WHERE n.name = ?
"""


@functools.cache
def recorded() -> tuple[dict[str, frozenset[Test]], frozenset[Test]]:
    """By each function's name the tests that ran it, and all tests that were recorded."""
    return by_function(_DATA, lambda row: (row[0], row[1], row[2]))


def drawn(conn: sqlite3.Connection, number: int, below: str = "") -> list[str]:
    """Some functions, of each folder as many as of the others, while there are.

    Args:
        conn: an index of PyTorch 2.6.0.
        number: how many.
        below: the folder that their files stand below.
    """
    by_folder: dict[str, list[str]] = {}
    for name in sorted(recorded()[0]):
        rows = conn.execute(_FUNCTION, (name,)).fetchall()
        if len(rows) == 1 and rows[0]["path"].startswith(below):
            by_folder.setdefault(rows[0]["path"].rpartition("/")[0], []).append(name)
    return in_turns(by_folder, number)


def measure(conn: sqlite3.Connection, functions: list[str], budget: int) -> Measured:
    """Ask for a change in each of some functions.

    Args:
        conn: an index of PyTorch 2.6.0.
        functions: their names.
        budget: how many tests are chosen at most.
    """
    ran, tests = recorded()
    of_entry: dict[tuple[str, str], list[Test]] = {}
    of_name: dict[tuple[str, str], list[Test]] = {}
    for test in tests:
        path, name, entry = test
        of_name.setdefault((path, name), []).append(test)
        if entry:
            of_entry.setdefault((path, entry), []).append(test)
    measured = Measured()
    for function in functions:
        (row,) = conn.execute(_FUNCTION, (function,)).fetchall()
        by = ran[function]

        def has_run(one: AffectedTest, by: frozenset[Test] = by) -> bool | None:
            if one.kind == "generic":
                known = of_entry.get((str(one.place.file), one.name.rpartition(" for ")[2]))
            else:
                known = of_name.get(test_of(one))
            return None if known is None else not by.isdisjoint(known)

        line = max(row["line"], row["end_line"] - 1)
        chosen = chosen_for(conn, row["path"], line, budget)
        count(measured, chosen, {path for path, _, _ in by}, has_run)
    return measured


def main() -> None:
    """Print what is measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("db", type=Path, metavar="FILE.db")
    parser.add_argument("--below", default="", metavar="FOLDER", help="of the functions' files")
    given = parser.parse_args()
    conn = connect(given.db)
    functions = drawn(conn, _DRAWN, given.below)
    show(lambda budget: measure(conn, functions, budget))


if __name__ == "__main__":
    main()
