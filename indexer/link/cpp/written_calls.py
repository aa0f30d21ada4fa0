"""Which functions of C++ does the C++ call that Inductor's Python writes?

The text's own words are all that is known: a function by its name in full, or as a namespace has it that such texts
open. What a test or a program of its own defines, what only nvcc or Objective-C compiles is none that they could call.
"""

from __future__ import annotations

import json
import re
import sqlite3

WRITTEN = 54
_FEWEST = 5  # letters before what is filled in
_MOST = 24  # functions that a name with something filled in may be
_NOT_CALLED = re.compile(r"(?:^|/)(?:tests?|bench(?:mark)?s?|examples?)/|^binaries/|\.(?:cu|mm?)$")
# What a text names without a bracket, or in part, is mostly something else; these are there for others to call.
_MADE_FOR_IT = re.compile(r"/_?inductor/|\.(?:h|hpp)$")

_WRITTEN = """
SELECT w.name, w.is_called, w.line, w.file_id, p.id
FROM written_calls AS w
JOIN python_modules AS m ON m.file_id = w.file_id
JOIN python_functions AS p ON p.module_id = m.id AND p.line = w.writer
WHERE m.name GLOB 'torch.*'
ORDER BY w.id
"""
_FUNCTIONS = """
SELECT u.name, u.id, f.path FROM json_each(?) AS j
CROSS JOIN functions AS u ON u.name = j.value JOIN source_files AS f ON f.id = u.file_id
WHERE u.kind = 'function' ORDER BY u.id
"""
_ALIKE = """
SELECT u.name, u.id, f.path FROM functions AS u JOIN source_files AS f ON f.id = u.file_id
WHERE u.name >= :begin AND u.name < :begin || char(1114111) AND u.name GLOB :name AND u.kind = 'function' ORDER BY u.id
"""
_INSERT = (
    "INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)"
    f" VALUES (?, ?, {WRITTEN}, ?, ?, 1)"
)

_Named = list[tuple[int, str]]


def link(conn: sqlite3.Connection) -> None:
    """Add the edges to the database `conn`; step 80 has removed what there was."""
    rows = conn.execute(_WRITTEN).fetchall()
    opened = sorted({name for name, *_ in rows if name.endswith("::")})
    names = {name for name, *_ in rows if not name.endswith("::")}
    known = _known(conn, names, ("", *opened))
    edges = {
        (function * 16, writer * 16 + 4, file_id, line)
        for name, is_called, line, file_id, writer in rows
        for function, path in known.get(name, ())
        if (is_called and "*" not in name) or _MADE_FOR_IT.search(path)
    }
    conn.executemany(_INSERT, sorted(edges))


def _known(conn: sqlite3.Connection, names: set[str], scopes: tuple[str, ...]) -> dict[str, _Named]:
    """The functions that each name may be, with the paths of their files."""
    whole = sorted(name for name in names if "*" not in name)
    wanted = json.dumps([scope + name for name in whole for scope in scopes])
    found: dict[str, _Named] = {}
    for name, function, path in conn.execute(_FUNCTIONS, (wanted,)):
        if not _NOT_CALLED.search(path):
            found.setdefault(name, []).append((function, path))
    known = {
        name: [one for scope in scopes for one in found.get(scope + name, ())] for name in whole
    }
    for name in sorted(names - known.keys()):
        begin, _, end = name.partition("*")
        if "*" in end or len(begin) < _FEWEST:
            continue
        rows = conn.execute(_ALIKE, {"begin": begin, "name": name}).fetchall()
        if len({row[0] for row in rows}) <= _MOST:
            known[name] = [(row[1], row[2]) for row in rows if not _NOT_CALLED.search(row[2])]
    return known
