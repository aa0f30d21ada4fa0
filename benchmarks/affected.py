"""How many of an operator's test files does `affected` find for a change in its kernel, stub or Python wrapper?

    python -m benchmarks.affected FILE.db [DIR]

The truth is the index's own: files whose tests call the operator, are named after it, or run over an OpInfo of it. So
what is measured is the way from the change to the operator and the choice among tests, not whether the index
knows each test.

With the tree that was indexed there is a second table, whose truth is the text: of the tests that somebody wrote for an
operator (its name followed by a bracket stands in them three times, or once and in the test's name), how many a small
budget has room for.

A third one is of Python outside of operators: a function of a file for which there is one file of tests that is called
so, in torch/_dynamo, torch/distributed and the like. It asks whether a test of that file is chosen, and whether by the
graph; since tests are chosen by such names as well, only the second tells of more than that.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from torchtalk.db import connect
from torchtalk.tools import all_tools

OPERATORS = (
    "relu softmax gelu addmm conv2d batch_norm layer_norm embedding cumsum sort topk index_select gather scatter_add"
    " linalg_det linalg_qr fft_fft dropout max_pool2d avg_pool2d nll_loss cross_entropy_loss mse_loss bmm matmul cat"
    " where masked_fill norm logsumexp"
).split()
BUDGET = 1_000

_TRUTH = """
SELECT DISTINCT f.path FROM (
    SELECT test_id FROM test_operators
    WHERE base = :base AND (instr(how, 'c') OR instr(how, 'n'))
    UNION
    SELECT l.test_id FROM opinfo_operators AS o
    JOIN opinfo_list_members AS m ON m.opinfo_id = o.opinfo_id
    JOIN test_lists AS l ON l.list_id = m.list_id
    WHERE o.base = :base AND o.how IN ('aten_name', 'name', 'alias')) AS x
JOIN tests AS t ON t.id = x.test_id
JOIN source_files AS f ON f.id = t.file_id
"""
_CHANGES = {
    "kernel": """
SELECT u.name FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN functions AS u ON u.id = k.function_id
WHERE o.base = :base AND o.namespace = 'aten' AND u.name <> 'c10::fallthrough_kernel'
  AND d.dispatch_key IN ('CPU', 'CompositeImplicitAutograd', 'CompositeExplicitAutograd')
ORDER BY d.dispatch_key <> 'CPU', o.id LIMIT 1
""",
    "stub's kernel": """
SELECT r.kernel FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN stub_callers AS s ON s.function_id = k.function_id
JOIN stub_registrations AS r ON r.stub = s.stub
WHERE o.base = :base AND o.namespace = 'aten' AND r.backend = 'CPU' AND r.function_id IS NOT NULL
  -- Not the quantized relu's, which quantization's tests are for.
  AND d.dispatch_key IN ('CPU', 'CompositeImplicitAutograd', 'CompositeExplicitAutograd')
ORDER BY o.id LIMIT 1
""",
    "Python wrapper": """
SELECT a.api FROM python_apis AS a JOIN operators AS o ON o.id = a.operator_id
WHERE o.base = :base AND a.function_id IS NOT NULL
  -- The operator's own: cross_entropy of cross_entropy_loss, not lp_pool2d of avg_pool2d.
  AND a.api GLOB 'torch.nn.functional.*'
  AND :base || '_' GLOB substr(a.api, length('torch.nn.functional.') + 1) || '_*'
ORDER BY length(a.api), a.api LIMIT 1
""",
}


_DRAWN = 160
_BUDGETS = (50, 100, 300)
_ENOUGH = 25
"""Of more tests than these for one operator, finding so many is all that is asked."""

_MANY = 300
"""What more tests have is in all of them for other reasons: `view`, `size`."""

# What the YAML has, whatever the index knows of tests: a draw that depended on these would change with them.
_DRAWN_FROM = """
SELECT DISTINCT base FROM operators
WHERE namespace = 'aten' AND origin = 'yaml' AND length(base) > 3 AND substr(base, 1, 1) <> '_'
"""


def measure(
    conn: sqlite3.Connection, kind: str
) -> Iterator[tuple[str, float, float, float, float]]:
    """How well tests are chosen for a change in the operators' functions of one kind.

    Args:
        conn: an index.
        kind: of the function, a key of `_CHANGES`: `kernel`, `stub's kernel`, `Python wrapper`.

    Returns:
        Of each operator that has such a thing its name, recall, precision, share of all tests (each 0 to 1), and CPU
        seconds.
    """
    for base in OPERATORS:
        row = conn.execute(_CHANGES[kind], {"base": base}).fetchone()
        if row is None:
            continue
        truth = {path for (path,) in conn.execute(_TRUTH, {"base": base})}
        began = time.process_time()
        answer = all_tools()["affected"].ask(conn, names=row[0], max_tests=BUDGET)
        seconds = time.process_time() - began
        files = {test.place.file for test in answer.tests}
        hits = len(files & truth)
        yield (
            base,
            hits / max(1, len(truth)),
            hits / max(1, len(files)),
            answer.selected / answer.total,
            seconds,
        )


def drawn_from(names: Iterable[str]) -> list[str]:
    """Some names at random: that there is one more or less changes nothing of the others.

    Args:
        names: to draw from.
    """
    return sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:_DRAWN]


def written_for(conn: sqlite3.Connection, root: Path) -> dict[str, set[tuple[str, int]]]:
    """The tests that were written for each of some operators drawn at random, by the text.

    Args:
        conn: an index.
        root: of the tree that it was made from.

    Returns:
        File and 1-based line of each test, by the operator's base; without operators that have none, or too many.
    """
    drawn = drawn_from([base for (base,) in conn.execute(_DRAWN_FROM)])
    forms = {base: re.compile(rf"(?<!\w){re.escape(base)}\(") for base in drawn}
    found: dict[str, set[tuple[str, int]]] = {base: set() for base in drawn}
    lines: dict[str, list[str]] = {}
    for name, path, line, end in conn.execute(
        "SELECT t.name, f.path, t.line, t.end_line FROM tests AS t JOIN source_files AS f ON f.id = t.file_id"
        " WHERE t.kind = 'python'"
    ):
        if path not in lines:
            lines[path] = (root / path).read_text(encoding="utf-8", errors="replace").split("\n")
        body = "\n".join(lines[path][line - 1 : end])
        for base, form in forms.items():
            times = len(form.findall(body)) if base in body else 0
            if times > 2 or (times and f"_{base}_" in f"_{name}_"):
                found[base].add((path, line))
    return {base: tests for base, tests in found.items() if 0 < len(tests) <= _MANY}


def own_tests(
    conn: sqlite3.Connection, truth: dict[str, set[tuple[str, int]]], budget: int
) -> tuple[int, float, float]:
    """How many of operators' own tests are chosen for a change in their kernels.

    Args:
        conn: an index.
        truth: the tests by operator, as `written_for` gives them.
        budget: how many tests are chosen at most.

    Returns:
        How many operators have a kernel; the share of their own tests that is chosen, and that of generic tests among
        all that are (0 to 1).
    """
    shares, generic = [], []
    for base, tests in truth.items():
        row = conn.execute(_CHANGES["kernel"], {"base": base}).fetchone()
        if row is None:
            continue
        answer = all_tools()["affected"].ask(conn, names=row[0], max_tests=budget)
        chosen = {(test.place.file, test.place.line) for test in answer.tests}
        shares.append(len(chosen & tests) / min(len(tests), _ENOUGH))
        of_entries = sum(test.tests for test in answer.tests if test.kind == "generic")
        generic.append(of_entries / max(1, answer.selected))
    number = len(shares)
    return number, sum(shares) / number, sum(generic) / number


_FILES_DRAWN = 150
_NOT_REACHED = ("by name only", "beside ")
# Files of Python with functions, and those of tests that are called so: torch/_dynamo/guards.py, test_guards.py.
_CALLED_SO = """
SELECT f.path, group_concat(DISTINCT t.path) AS tests FROM source_files AS f
JOIN source_files AS t ON t.path GLOB '*/test_' || ltrim(
    replace(substr(f.path, length(rtrim(f.path, replace(f.path, '/', ''))) + 1), '.py', ''), '_') || '.py'
WHERE f.kind = 'python' AND f.path GLOB 'torch/*' AND f.path NOT GLOB 'torch/testing/*'
  AND f.path NOT GLOB '*/__init__.py' AND f.path NOT GLOB '*/utils.py' AND t.id IN (SELECT file_id FROM tests)
GROUP BY f.path HAVING count(DISTINCT t.path) = 1 ORDER BY f.path
"""
_FUNCTION = """
SELECT p.end_line FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id WHERE f.path = ? AND p.kind NOT IN ('overload', 'module') ORDER BY p.id
"""


def called_so(conn: sqlite3.Connection, budget: int) -> tuple[int, float, float]:
    """How often a test called like a file of Python is chosen for a change in it.

    Args:
        conn: an index.
        budget: how many tests are chosen at most.

    Returns:
        How many files are asked for; the share of which a test called so is chosen, and is reached by the graph.
    """
    # One of another part of PyTorch is about something else: torch/cuda/memory.py, test/inductor/test_memory.py.
    pairs = [
        (path, test)
        for path, test in conn.execute(_CALLED_SO)
        if test.split("/")[-2].strip("_") in {folder.strip("_") for folder in path.split("/")[:-1]}
    ]
    chosen, reached, number = 0, 0, 0
    for path, test in random.Random(11).sample(pairs, min(_FILES_DRAWN, len(pairs))):
        lines = [line for (line,) in conn.execute(_FUNCTION, (path,))]
        if not lines:
            continue
        number += 1
        # What another file has changes nothing of what is drawn here.
        line = random.Random(path).choice(lines)
        diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-    a()\n+    b()\n"
        tests = all_tools()["affected"].ask(conn, diff=diff, max_tests=budget).tests
        of_it = [one for one in tests if one.place.file == test]
        chosen += bool(of_it)
        reached += any(not one.path[0].startswith(_NOT_REACHED) for one in of_it)
    return number, chosen / max(1, number), reached / max(1, number)


def main() -> None:
    """Print what the options give."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.affected", description=__doc__)
    parser.add_argument("db", type=Path, help="an index of a whole PyTorch tree")
    parser.add_argument(
        "tree",
        type=Path,
        nargs="?",
        help="that it was made from: tests of operators' own are found in it",
    )
    options = parser.parse_args()
    conn = connect(options.db)
    print_files(conn)
    if options.tree is not None:
        print("\n| budget | operators | tests of their own found | generic tests of those chosen |")
        print("| --- | --- | --- | --- |")
        truth = written_for(conn, options.tree)
        for budget in _BUDGETS:
            number, found, generic = own_tests(conn, truth, budget)
            print(f"| {budget} | {number} | {100 * found:.0f} % | {100 * generic:.0f} % |")
    print("\n| budget | Python files | a test called so is chosen | reached by the graph |")
    print("| --- | --- | --- | --- |")
    for budget in _BUDGETS:
        number, chosen, reached = called_so(conn, budget)
        print(f"| {budget} | {number} | {100 * chosen:.0f} % | {100 * reached:.0f} % |")


def print_files(conn: sqlite3.Connection) -> None:
    """Print the table of the files; `conn` is an index."""
    print(
        "| change in | operators | files found | files rightly chosen | share of all tests | CPU seconds, most |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for kind in _CHANGES:
        rows = list(measure(conn, kind))
        means = [sum(row[column] for row in rows) / len(rows) for column in (1, 2, 3)]
        found, right, share = (f"{100 * mean:.1f} %" for mean in means)
        print(
            f"| {kind} | {len(rows)} | {found} | {right} | {share} | {max(row[4] for row in rows):.2f} |"
        )


if __name__ == "__main__":
    main()
