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
from dataclasses import dataclass, field
from pathlib import Path

from torchtalk.answers.affected import AffectedTest
from torchtalk.db import connect
from torchtalk.tools import all_tools

_DATA = Path(__file__).parent.parent / "tests/data/covered-2.6.0.json.xz"
_DRAWN = 400
_STEPS = (0.6, 0.3, 0.1, 0.0)

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
    with lzma.open(_DATA, "rt", encoding="utf-8") as file:
        data = json.load(file)
    ran: dict[str, set[Test]] = {}
    for path, name, _, functions in data["tests"]:
        for number in functions:
            ran.setdefault(data["functions"][number], set()).add((path, name))
    tests = frozenset((path, name) for path, name, *_ in data["tests"])
    return {name: frozenset(of) for name, of in ran.items()}, tests


def drawn(number: int) -> list[str]:
    """Some functions, of each folder below torch/ as many as of the others, while there are.

    Args:
        number: how many.
    """
    by_folder: dict[str, list[str]] = {}
    for name in sorted(recorded()[0]):
        folder = name.split("/")[1] if name.count("/") > 1 else ""
        by_folder.setdefault(folder, []).append(name)
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
        line = row["end_line"]
        diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-    a()\n+    b()\n"
        chosen = all_tools()["affected"].ask(conn, diff=diff, max_tests=budget).tests
        files = {of for of, _ in ran[function]}
        measured.functions += 1
        measured.of_file += any(one.place.file in files for one in chosen)
        whole = any(one.kind == "file" and one.place.file in files for one in chosen)
        known = [(one, test) for one in chosen for test in [_test(one)] if test in tests]
        measured.hit += whole or any(test in ran[function] for _, test in known)
        for one, test in known:
            counted = measured.right if test in ran[function] else measured.wrong
            counted[_how(one)] += 1
    return measured


def _test(one: AffectedTest) -> Test:
    return (one.place.file, one.name.rpartition(".")[2])


def _how(one: AffectedTest) -> str:
    if one.path[0].startswith("by name"):
        return "by name"
    if one.path[0].startswith("beside"):
        return "beside the change"
    step = next(step for step in _STEPS if one.weight >= step)
    return f"reached, {step} and more"


def main() -> None:
    """Print what is measured, for several budgets, and how sure tests are by how they are chosen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("db", type=Path, metavar="FILE.db")
    conn = connect(parser.parse_args().db)
    functions = drawn(_DRAWN)
    print("| budget | functions | a chosen test runs it | one of the file of such a test |")
    print("| --- | --- | --- | --- |")
    for budget in (10, 50, 300):
        found = measure(conn, functions, budget)
        shares = [f"{100 * part / found.functions:.0f} %" for part in (found.hit, found.of_file)]
        print(f"| {budget} | {found.functions} | {' | '.join(shares)} |")
        if budget == 50:
            kept = found
    print("\n| chosen (budget 50) | tests recorded | that run it |\n| --- | --- | --- |")
    for how in sorted(kept.right | kept.wrong, reverse=True):
        tests = kept.right[how] + kept.wrong[how]
        print(f"| {how} | {tests} | {100 * kept.right[how] / tests:.0f} % |")


if __name__ == "__main__":
    main()
