"""Which Metal kernels do macros of headers make? `REGISTER_UNARY_OP(exp, float, float)` of c10/metal/indexing.h."""

from __future__ import annotations

import json
import re
import sqlite3

from indexer.extract.cpp.metal import expanded_kernels
from indexer.extract.cpp.preprocess import MacroDefinition, MacroTable, expand
from indexer.extract.cpp.registrations_text import split_arguments
from indexer.facts.launches import Kernel
from indexer.workers import WorkerPool

_WORD = re.compile(r"[A-Za-z_]\w*")
_PLACE = "zzArgument%dzz"  # an identifier, so that `NAME##_functor` and `#NAME` make what they make of any
_PLACES = re.compile(r"zzArgument(\d+)zz")


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Expand each use, outside of functions, of a macro that its file does not define, into `kernels`.

    Args:
        conn: the database, in a transaction.
    """
    uses = conn.execute(
        "SELECT u.name, u.text, u.file_id, f.path, u.line FROM macro_uses AS u"
        " JOIN source_files AS f ON f.id = u.file_id WHERE f.kind = 'metal'"
        # A header of Metal's, which has read for itself what its own macros make.
        " OR u.file_id IN (SELECT file_id FROM kernels WHERE platform = 'metal' AND NOT embedded)"
        "  AND NOT EXISTS (SELECT 1 FROM kernels AS k WHERE k.file_id = u.file_id AND k.line = u.line)"
        " ORDER BY u.id"
    ).fetchall()
    if not uses:
        return
    made = _Made(MacroTable(_definitions(conn, {name for name, *_ in uses})))
    for name, text, file_id, path, line in uses:
        conn.executemany(
            "INSERT INTO kernels (name, function, platform, is_definition, is_template, macro,"
            " embedded, file_id, line) VALUES (?, ?, 'metal', ?, ?, ?, 0, ?, ?)",
            (
                (k.name, k.function, k.is_definition, k.is_template, name, file_id, line)
                for k in made.kernels(name, text, path, line)
            ),
        )


class _Made:
    """What macros make. They are used for many types and operations, so each is expanded once, with placeholders.

    Args:
        table: of the macros, and of those that they use.
    """

    def __init__(self, table: MacroTable) -> None:
        self._table = table
        self._known: dict[tuple[str, int, str], list[Kernel]] = {}

    def kernels(self, name: str, text: str, path: str, line: int) -> list[Kernel]:
        """The kernels of one use.

        Args:
            name: the macro's.
            text: the use.
            path: of its file.
            line: of the use.
        """
        if name not in self._table:
            return []
        given = [
            " ".join(argument.split())
            for argument in split_arguments(text[text.index("(") + 1 : -1])
        ]
        # A literal may be a name as it stands: `host_name(NAME)`.
        if '"' in text or any(
            word in self._table for argument in given for word in _WORD.findall(argument)
        ):
            return expanded_kernels(path, line, name, expand(text, self._table, path, line))
        known = self._known.get((name, len(given), path))
        if known is None:
            places = f"{name}({', '.join(_PLACE % n for n in range(len(given)))})"
            found = expanded_kernels(path, line, name, expand(places, self._table, path, line))
            known = self._known[name, len(given), path] = found
        return [
            k._replace(name=_filled(k.name, given), function=_filled(k.function, given))
            for k in known
        ]


def _filled(text: str, given: list[str]) -> str:
    return _PLACES.sub(lambda match: given[int(match.group(1))], text)


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
