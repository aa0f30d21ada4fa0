"""How long does `affected` take for real diffs of ten files: what one version of PyTorch changed of another?

    python -m benchmarks.real_diffs FILE.db OLD NEW

OLD is the tree that was indexed, NEW that of another version (an unpacked wheel will do, for Python). Of each of ten
files that both have one hunk is drawn, or all are taken. Beside them stand ten lines drawn from bodies, each changed to
a call of something unknown: such a diff has no names, texts or imports that are looked for. Times are CPU seconds of
one run; where the machine is busy, only the rows can be compared.
"""

from __future__ import annotations

import argparse
import difflib
import random
import sqlite3
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from torchtalk.db import connect
from torchtalk.tools import all_tools

FILES = 10
_QUESTIONS = 12
_LONGEST = 200  # lines of a hunk
_SEED = 1
_LINE = "{:40} {:>8} {:>8} {:>10}"
_PATHS = """
SELECT path FROM source_files
WHERE path NOT GLOB 'test/*' AND path NOT GLOB 'build/*' AND path NOT GLOB 'torch/testing/*' AND path <> ''
ORDER BY path
"""
_BODIES = """
SELECT f.path, p.end_line FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE f.path GLOB 'torch/*' AND f.path NOT GLOB 'torch/testing/*' AND p.kind <> 'module' ORDER BY p.id
"""


def hunks(old: Path, new: Path, path: str) -> list[list[str]]:
    """What changed in a file, in parts as `diff -u` has them.

    Args:
        old: a tree.
        new: the other one.
        path: of the file in both.

    Returns:
        Of each part its lines, the first of which begins with `@@`; none where the files are alike or one is missing.
    """
    sides = []
    for root in (old, new):
        if not (root / path).is_file():
            return []
        sides.append((root / path).read_text(encoding="utf-8", errors="replace").split("\n"))
    found: list[list[str]] = []
    for line in list(difflib.unified_diff(*sides, lineterm=""))[2:]:
        if line.startswith("@@"):
            found.append([])
        found[-1].append(line)
    return found


def diff_of(path: str, parts: list[list[str]]) -> str:
    """A unified diff of one file.

    Args:
        path: of the file.
        parts: as `hunks` gives them.
    """
    lines = [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}"]
    return "\n".join([*lines, *(line for part in parts for line in part), ""])


def real(
    conn: sqlite3.Connection, old: Path, new: Path, draw: random.Random, *, whole: bool
) -> str:
    """A diff of ten files that two trees have.

    Args:
        conn: an index of `old`.
        old: a tree.
        new: the other one.
        draw: which files, and which of their parts.
        whole: all that changed in them, not one part of each.

    Raises:
        SystemExit: the trees have fewer files that differ.
    """
    paths = [path for (path,) in conn.execute(_PATHS)]
    draw.shuffle(paths)
    found: list[str] = []
    for path in paths:
        parts = hunks(old, new, path)
        # A file that is written anew is one hunk of thousands of lines.
        short = [part for part in parts if len(part) <= _LONGEST]
        if whole and parts:
            found.append(diff_of(path, parts))
        elif short:
            found.append(diff_of(path, [draw.choice(short)]))
        if len(found) == FILES:
            return "".join(found)
    raise SystemExit(
        f"{old} and {new} differ in {len(found)} files of the index: {FILES} are wanted"
    )


def made_up(conn: sqlite3.Connection, draw: random.Random) -> str:
    """A diff of ten lines in bodies of ten files at most.

    Args:
        conn: an index.
        draw: which.
    """
    bodies = [(path, line) for path, line in conn.execute(_BODIES)]
    drawn = dict(draw.sample(bodies, min(FILES, len(bodies))))
    return "".join(
        diff_of(path, [[f"@@ -{line} +{line} @@", "-    a()", "+    b()"]])
        for path, line in sorted(drawn.items())
    )


def timed(conn: sqlite3.Connection, diffs: Iterator[str]) -> list[float]:
    """CPU seconds that each answer takes.

    Args:
        conn: an index.
        diffs: what changed.
    """
    times = []
    for diff in diffs:
        began = time.process_time()
        all_tools()["affected"].ask(conn, diff=diff)
        times.append(time.process_time() - began)
    return times


def table(database: Path, old: Path, new: Path, questions: int = _QUESTIONS) -> list[str]:
    """The lines of the table.

    Args:
        database: an index of `old`.
        old: a tree.
        new: another version of it.
        questions: how many diffs of each kind are asked for.
    """
    conn = connect(database)
    rows = [_LINE.format("affected, ten files", "CPU s", "longest", "as much as")]
    base = 0.0
    for what, number in (("made-up lines", 0), ("one real hunk each", 1), ("all that changed", 2)):
        draw = random.Random(_SEED)
        diffs = (
            real(conn, old, new, draw, whole=number > 1) if number else made_up(conn, draw)
            for _ in range(questions)
        )
        times = timed(conn, diffs)
        middle = statistics.median(times)
        base = base or middle
        rows.append(
            _LINE.format(what, f"{middle:.2f}", f"{max(times):.2f}", f"{middle / base:.2f}")
        )
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_diffs")
    parser.add_argument("database", type=Path)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    given = parser.parse_args()
    print("\n".join(table(given.database, given.old, given.new)))


if __name__ == "__main__":
    main()
