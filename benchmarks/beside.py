"""Where what changed leads to no test: do the functions beside it tell its tests, or do names?

    python -m benchmarks.beside FILE.db

Functions that have tests of their own (a weight of 0.3 and more) are taken for such as have none: is one of the files
of their best tests among those that the other functions of their file or folder lead to, and among those by name?
What leads to no test indeed may have less in common with what stands beside it.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
from pathlib import Path

from torchtalk.affected.choice.neighbouring_code import tests_beside
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.graph.search import search
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.answers.base import Place
from torchtalk.db import connect
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.guesses import ByName

_DRAWN = 600
_OWN = 8  # of the best tests the files are asked for
_SURE = 0.3
_SHOWN = (5, 12, 20, 50)
# Operators' kernels have generic tests.
_FUNCTIONS = {
    "cpp": """
SELECT u.id, u.name, u.line, f.path FROM functions AS u JOIN source_files AS f ON f.id = u.file_id
WHERE f.kind IN ('cpp', 'cuda') AND u.end_line - u.line > 4 AND f.path NOT LIKE '%test%'
  AND (f.path GLOB 'torch/csrc/*' OR f.path GLOB 'c10/*'
       OR (f.path GLOB 'aten/src/ATen/*' AND f.path NOT GLOB 'aten/src/ATen/native/*'))
ORDER BY u.id
""",
    "python": """
SELECT p.id, m.name || '.' || p.name AS name, p.line, f.path FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id JOIN source_files AS f ON f.id = m.file_id
WHERE p.end_line - p.line > 4 AND p.kind <> 'overload' AND f.path GLOB 'torch/*' AND f.path NOT LIKE '%test%'
ORDER BY p.id
""",
}


def measure(conn: sqlite3.Connection, kind: str) -> tuple[int, dict[int, int], dict[int, int]]:
    """By how many tests shown a file with tests of a function is found, by what stands beside it and by its name.

    Args:
        conn: an index.
        kind: of the functions, a key of `_FUNCTIONS`: `cpp`, `python`.

    Returns:
        How many functions are asked for, and by each number of tests shown how many of them are found: beside, by name.
    """
    graph = Graph(conn)
    rows = conn.execute(_FUNCTIONS[kind]).fetchall()
    number = 0
    beside, by_name = dict.fromkeys(_SHOWN, 0), dict.fromkeys(_SHOWN, 0)
    for row in random.Random(3).sample(rows, min(_DRAWN, len(rows))):
        node = Node(kind, row["id"], row["name"])
        own = [
            one.node.key for one in search(graph, [(node, 1.0)]).found
            if one.weight >= _SURE and one.node.kind == "test"
        ]  # fmt: skip
        if not own:
            continue
        number += 1
        files = _files(conn, own[:_OWN])
        changes = Changes()
        changes.add(Seed(node, 1.0, Place(row["path"], row["line"]), 1))
        near = [one.node.key for one in tests_beside(graph, conn, changes, row["path"])]
        named = [one.test for one in ByName(conn, changes).tests(row["path"])]
        for shown in _SHOWN:
            beside[shown] += bool(files & _files(conn, near[:shown]))
            by_name[shown] += bool(files & _files(conn, named[:shown]))
    return number, beside, by_name


def _files(conn: sqlite3.Connection, tests: list[int | str] | list[int]) -> set[str]:
    rows = conn.execute(queries("affected")["test_paths"], {"tests": json.dumps(tests)})
    return {row["path"] for row in rows}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside", description=__doc__)
    parser.add_argument("db", type=Path, help="an index of a whole PyTorch tree")
    conn = connect(parser.parse_args().db)
    print("| functions | tests shown | by what stands beside it | by name |")
    print("| --- | --- | --- | --- |")
    for kind in _FUNCTIONS:
        number, *found = measure(conn, kind)
        for shown in _SHOWN:
            shares = " | ".join(f"{100 * each[shown] / max(1, number):.0f} %" for each in found)
            print(f"| {kind} ({number}) | {shown} | {shares} |")


if __name__ == "__main__":
    main()
