"""Does the graph know the calls that PyTorch's C++ really makes?

    python -m benchmarks.native_calls FILE.db

The truth is which function was seen to be called by which while PyTorch 2.6.0's own tests ran on a CPU
(tests/data/read_covered_native.py): through stubs, virtual methods, pointers and callbacks as well, which no compiler's
output tells. What is between both may be written into the caller by the compiler, so the way from one to the other may
have several steps.
"""

from __future__ import annotations

import argparse
import collections
import json
import lzma
import sqlite3
from pathlib import Path

from torchtalk.db import connect

_DATA = Path(__file__).parent.parent / "tests/data/native_calls-2.6.0.json.xz"
_MOST_STEPS = 6
_EDGES = """
SELECT source, target FROM v_edges WHERE kind NOT IN ('test', 'python', 'method', 'inherits', 'decorator')
"""

Call = tuple[str, str]
"""Caller and callee."""


def recorded() -> list[Call]:
    """Every call that was seen."""
    with lzma.open(_DATA, "rt", encoding="utf-8") as file:
        data = json.load(file)
    names = data["functions"]
    return [(names[caller], names[callee]) for caller, callee in data["calls"]]


def steps(conn: sqlite3.Connection, calls: list[Call]) -> dict[Call, int]:
    """How many edges lead from the caller to the callee of each; 0 where none do.

    Args:
        conn: an index of PyTorch 2.6.0.
        calls: that are looked for; those of a function that the index does not have are left out.
    """
    callers: dict[str, set[str]] = collections.defaultdict(set)
    for source, target in conn.execute(_EDGES):
        callers[target].add(source)
    known = {name for (name,) in conn.execute("SELECT DISTINCT name FROM functions")}
    wanted: dict[str, set[str]] = collections.defaultdict(set)
    for caller, callee in calls:
        if caller in known and callee in known:
            wanted[callee].add(caller)
    found: dict[Call, int] = {}
    for callee, left in wanted.items():
        seen = level = {callee}
        for step in range(1, _MOST_STEPS + 1):
            level = {source for name in level for source in callers.get(name, ())} - seen
            seen = seen | level
            found.update(((caller, callee), step) for caller in left & level)
            left = left - level
            if not left:
                break
        found.update(((caller, callee), 0) for caller in left)
    return found


def main() -> None:
    """Print over how many steps the calls are known."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("db", type=Path, metavar="FILE.db")
    counts = collections.Counter(steps(connect(parser.parse_args().db), recorded()).values())
    total = sum(counts.values())
    print("| steps | calls | share |\n| --- | --- | --- |")
    for step in (*range(1, _MOST_STEPS + 1), 0):
        print(f"| {step or 'not known'} | {counts[step]:,} | {100 * counts[step] / total:.1f} % |")


if __name__ == "__main__":
    main()
