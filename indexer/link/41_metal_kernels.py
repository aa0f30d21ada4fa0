"""Which Metal kernels do macros of headers make? `REGISTER_UNARY_OP(exp, float, float)` of c10/metal/indexing.h."""

from __future__ import annotations

import json
import re
import sqlite3

from indexer.extract.cpp.metal import expanded_kernels
from indexer.extract.cpp.preprocess import MacroDefinition, MacroTable, expand
from indexer.workers import WorkerPool

_WORD = re.compile(r"[A-Za-z_]\w*")


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Expand each use, outside of functions, of a macro that its file does not define."""
    uses = conn.execute(
        "SELECT u.name, u.text, u.file_id, f.path, u.line FROM macro_uses AS u"
        " JOIN source_files AS f ON f.id = u.file_id WHERE f.kind = 'metal' ORDER BY u.id"
    ).fetchall()
    if not uses:
        return
    table = MacroTable(_definitions(conn, {name for name, *_ in uses}))
    for name, text, file_id, path, line in uses:
        if name not in table:
            continue
        made = expanded_kernels(path, line, name, expand(text, table, path, line))
        conn.executemany(
            "INSERT INTO kernels (name, function, platform, is_definition, is_template, macro,"
            " embedded, file_id, line) VALUES (?, ?, 'metal', ?, ?, ?, 0, ?, ?)",
            (
                (k.name, k.function, k.is_definition, k.is_template, name, file_id, line)
                for k in made
            ),
        )


def _definitions(conn: sqlite3.Connection, names: set[str]) -> list[MacroDefinition]:
    """The definitions of some macros, and of all that these use."""
    found: list[MacroDefinition] = []
    known: set[str] = set()
    while names:
        known |= names
        rows = conn.execute(
            "SELECT m.name, m.params, m.body, f.path, m.line FROM macro_definitions AS m"
            " JOIN source_files AS f ON f.id = m.file_id"
            " WHERE m.name IN (SELECT value FROM json_each(?)) ORDER BY m.id",
            (json.dumps(sorted(names)),),
        ).fetchall()
        found += (
            MacroDefinition(
                name, None if params is None else tuple(json.loads(params)), body, path, line
            )
            for name, params, body, path, line in rows
        )
        names = {word for row in rows for word in _WORD.findall(row[2])} - known
    return found
