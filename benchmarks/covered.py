"""Do the tests that `affected` chooses for a change in a function of Python really run it?

    python -m benchmarks.covered FILE.db

The truth is what PyTorch 2.6.0's own tests ran of torch's functions while they were recorded
(tests/data/read_covered.py), so nothing of it comes from the text. For a change in each of some functions it is asked
whether one of the tests chosen ran it, and how many of those chosen did that were recorded at all.
"""

from __future__ import annotations

import argparse
import collections
import functools
import json
import lzma
import random
import sqlite3
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from torchtalk.answers.affected import AffectedTest
from torchtalk.db import connect
from torchtalk.tools import all_tools

_DATA = Path(__file__).parent.parent / "tests/data/covered-2.6.0.json.xz"
_DRAWN = 400
_STEPS = (0.6, 0.3, 0.1, 0.0)

Key = TypeVar("Key", bound=Hashable)

Test = tuple[str, str]
"""Its file and its name."""

# The line that was recorded is that of the first decorator.
_FUNCTION = """
SELECT p.end_line FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE f.path = ? AND p.name = ? AND p.line >= ? AND p.kind NOT IN ('overload', 'module') ORDER BY p.line LIMIT 1
"""


@dataclass
class Measured:
    """What is found for changes in some functions.

    Args:
        functions: how many are asked for.
        hit: of how many a test is chosen that ran it.
        of_file: of how many a test is chosen of a file with such a test.
        right: by how tests are chosen, how many of them ran the function.
        wrong: by how tests are chosen, how many of them ran, and not the function.
    """

    functions: int = 0
    hit: int = 0
    of_file: int = 0
    right: collections.Counter[str] = field(default_factory=collections.Counter)
    wrong: collections.Counter[str] = field(default_factory=collections.Counter)


@functools.cache
def recorded() -> tuple[dict[str, frozenset[Test]], frozenset[Test]]:
    """By each function (path, line and name) the tests that ran it, and all tests that were recorded."""
    return by_function(_DATA, lambda row: (row[0], row[1]))


def by_function(
    path: Path, test_in: Callable[[list[Any]], Key]
) -> tuple[dict[str, frozenset[Key]], frozenset[Key]]:
    """By each function the tests that ran it, and all tests of a recording.

    Args:
        path: of what tests/data/read_covered.py wrote.
        test_in: what a test is told by, of its row.
    """
    with lzma.open(path, "rt", encoding="utf-8") as file:
        data = json.load(file)
    ran: dict[str, set[Key]] = {}
    for row in data["tests"]:
        for number in row[-1]:
            ran.setdefault(data["functions"][number], set()).add(test_in(row))
    return {name: frozenset(of) for name, of in ran.items()}, frozenset(map(test_in, data["tests"]))


def drawn(number: int) -> list[str]:
    """Some functions, of each folder below torch/ as many as of the others, while there are.

    Args:
        number: how many.
    """
    by_folder: dict[str, list[str]] = {}
    for name in sorted(recorded()[0]):
        folder = name.split("/")[1] if name.count("/") > 1 else ""
        by_folder.setdefault(folder, []).append(name)
    return in_turns(by_folder, number)


def in_turns(by_folder: dict[str, list[str]], number: int) -> list[str]:
    """Some names, of each folder as many as of the others, while there are.

    Args:
        by_folder: the names of each; they are shuffled.
        number: how many.
    """
    for names in by_folder.values():
        random.Random(len(names)).shuffle(names)
    found: list[str] = []
    for at in range(max(map(len, by_folder.values()))):
        found += [names[at] for _, names in sorted(by_folder.items()) if at < len(names)]
    return found[:number]


def measure(conn: sqlite3.Connection, functions: list[str], budget: int) -> Measured:
    """Ask for a change in each of some functions.

    Args:
        conn: an index of PyTorch 2.6.0.
        functions: path, line and name of each.
        budget: how many tests are chosen at most.
    """
    ran, tests = recorded()
    measured = Measured()
    for function in functions:
        path, first, name = function.split(":")
        row = conn.execute(_FUNCTION, (path, name, int(first))).fetchone()
        if row is None:
            continue  # the body of a class
        chosen = chosen_for(conn, path, row["end_line"], budget)
        by = ran[function]

        def has_run(one: AffectedTest, by: frozenset[Test] = by) -> bool | None:
            return test_of(one) in by if test_of(one) in tests else None

        count(measured, chosen, {of for of, _ in by}, has_run)
    return measured


def chosen_for(
    conn: sqlite3.Connection, path: str, line: int, budget: int
) -> tuple[AffectedTest, ...]:
    """The tests for a change of one line.

    Args:
        conn: an index.
        path: of the file.
        line: 1-based.
        budget: how many tests are chosen at most.
    """
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-    a()\n+    b()\n"
    return all_tools()["affected"].ask(conn, diff=diff, max_tests=budget).tests


def count(
    measured: Measured,
    chosen: tuple[AffectedTest, ...],
    files: set[str],
    has_run: Callable[[AffectedTest], bool | None],
) -> None:
    """Count what was chosen for one function.

    Args:
        measured: is added to.
        chosen: the tests.
        files: of the tests that ran it.
        has_run: whether one of them did; None of what was not recorded.
    """
    measured.functions += 1
    measured.of_file += any(one.place.file in files for one in chosen)
    is_hit = any(one.kind == "file" and one.place.file in files for one in chosen)
    for one in chosen:
        answer = has_run(one)
        if answer is not None:
            is_hit |= answer
            (measured.right if answer else measured.wrong)[_how(one)] += 1
    measured.hit += is_hit


def test_of(one: AffectedTest) -> Test:
    """The file and the name of a test that was chosen.

    Args:
        one: the test.
    """
    return (str(one.place.file), one.name.rpartition(".")[2])


def _how(one: AffectedTest) -> str:
    if one.path[0].startswith("by name"):
        return "by name"
    if one.path[0].startswith("beside"):
        return "beside the change"
    step = next(step for step in _STEPS if one.weight >= step)
    return f"reached, {step} and more"


def show(measure_with: Callable[[int], Measured]) -> None:
    """Print what is measured, for several budgets, and how sure tests are by how they are chosen.

    Args:
        measure_with: of a budget.
    """
    print("| budget | functions | a chosen test runs it | one of the file of such a test |")
    print("| --- | --- | --- | --- |")
    for budget in (10, 50, 300):
        found = measure_with(budget)
        shares = [f"{100 * part / found.functions:.0f} %" for part in (found.hit, found.of_file)]
        print(f"| {budget} | {found.functions} | {' | '.join(shares)} |")
        if budget == 50:
            kept = found
    print("\n| chosen (budget 50) | tests recorded | that run it |\n| --- | --- | --- |")
    for how in sorted(kept.right | kept.wrong, reverse=True):
        tests = kept.right[how] + kept.wrong[how]
        print(f"| {how} | {tests} | {100 * kept.right[how] / tests:.0f} % |")


def main() -> None:
    """Print what is measured."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("db", type=Path, metavar="FILE.db")
    conn = connect(parser.parse_args().db)
    functions = drawn(_DRAWN)
    show(lambda budget: measure(conn, functions, budget))


if __name__ == "__main__":
    main()
