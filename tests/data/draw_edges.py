"""Edges of the call graph drawn at random, for somebody to judge each by reading the source.

    python tests/data/draw_edges.py DB TREE GENERATED {clang,syntax,templates} > drawn.tsv

GENERATED is a folder as `indexer.clang.codegen.generated_headers` makes it. Every line is one edge: kind, caller,
callee, place of the call, place of the callee, the line of the source. Who has read them writes a verdict (`right` or
`wrong`) and, for what is wrong, why behind it; what is kept in `edges-by-eye-2.6.0.tsv.gz` was judged so.
"""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

SEED = 20260406
_CLANG = {
    "call": 80,
    "constructor": 30,
    "virtual": 20,
    "reference": 20,
    "candidate": 15,
    "launch": 10,
}
_CLANG_EDGES = {"operator": 10, "virtual": 8, "stub": 7}
_SYNTAX = {"call": 45, "candidate": 25, "constructor": 10, "virtual": 5, "launch": 5}
_SYNTAX_EDGES = {"operator": 10}
_TEMPLATES = {"template": 40, "specialization": 10}
_DRAWN = {
    "clang": (_CLANG, _CLANG_EDGES),
    "syntax": (_SYNTAX, _SYNTAX_EDGES),
    "templates": ({}, _TEMPLATES),
}

_CALLS = """
SELECT c.kind, a.name, b.name || '  ' || b.signature, f.path, c.line, g.path, b.line, c.rowid_
FROM (SELECT caller_id, callee_id, line, kind, origin, row_number() OVER () AS rowid_ FROM calls
      WHERE kind = ? AND origin = ?) AS c
JOIN functions AS a ON a.id = c.caller_id JOIN source_files AS f ON f.id = a.file_id
JOIN functions AS b ON b.id = c.callee_id JOIN source_files AS g ON g.id = b.file_id
WHERE c.rowid_ IN (SELECT value FROM json_each(?))
ORDER BY c.rowid_
"""


def drawn(
    conn: sqlite3.Connection, origin: str
) -> Iterator[tuple[str, str, str, str, int, str, int]]:
    """The sample, the same for the same index."""
    source = random.Random(SEED)
    calls, edges = _DRAWN[origin]
    for kind, number in calls.items():
        total = conn.execute(
            "SELECT count(*) FROM calls WHERE kind = ? AND origin = ?", (kind, origin)
        ).fetchone()[0]
        chosen = sorted(source.sample(range(1, total + 1), min(number, total)))
        for row in conn.execute(_CALLS, (kind, origin, str(chosen))):
            yield row[:7]
    for kind, number in edges.items():
        rows = conn.execute(
            "SELECT kind, source, target, file, line, '', 0 FROM v_edges WHERE kind = ? AND origin = ?"
            " AND (kind <> 'virtual' OR line IN (SELECT line FROM functions WHERE name = target))"
            " ORDER BY source, target, file, line",
            (kind, "syntax" if origin == "templates" else origin),
        ).fetchall()
        yield from source.sample(rows, min(number, len(rows)))


def main() -> None:
    """Print the sample."""
    db, tree, generated, origin = sys.argv[1:]
    conn = sqlite3.connect(f"{Path(db).resolve().as_uri()}?mode=ro", uri=True)
    for kind, caller, callee, file, line, defined, at in drawn(conn, origin):
        path = Path(generated, file[6:]) if file.startswith("build/") else Path(tree, file)
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        shown = " ".join(lines[line - 1].split())
        print(kind, caller, callee, f"{file}:{line}", f"{defined}:{at}", shown, sep="\t")


if __name__ == "__main__":
    main()
