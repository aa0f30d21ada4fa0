"""Which functions stand under a decorator of some name, where no call says it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from indexer.facts.python import WRAPPED

_OF_MODULES = "SELECT module_id, name FROM python_functions WHERE instr(name, '.') = 0"
_IMPORTED = "SELECT module_id, name FROM python_bindings WHERE scope = '' AND kind IN ('import', 'from', 'star')"
_UNDER = "SELECT module_id, id, decorators FROM python_functions WHERE decorators IS NOT NULL"
_TOLD = (
    "SELECT u.name, c.caller_id FROM python_calls AS c"
    " JOIN python_resolutions AS r ON r.target_id = c.target_id"
    " JOIN python_functions AS u ON u.id = r.function_id WHERE c.kind = ?"
)
# Of `staticmethod` and `unittest.skipIf` there is nothing to ask here.
_NAME = re.compile(r"^(?:(\w+)\.(?:\w+\.)*)?(\w+)", re.MULTILINE)


def link_decorators(conn: sqlite3.Connection) -> None:
    """Insert the rows of `python_decorators`.

    Args:
        conn: the database; functions and their calls are written.
    """
    defined = conn.execute(_OF_MODULES).fetchall()
    known = {name for _, name in defined}
    names: dict[int, set[str]] = {}
    for module, name in (*defined, *conn.execute(_IMPORTED)):
        names.setdefault(module, set()).add(name)
    told = set(conn.execute(_TOLD, (WRAPPED,)))
    conn.executemany(
        "INSERT INTO python_decorators (name, function_id) VALUES (?, ?)",
        sorted({row for row in _named(conn, names) if row[0] in known and row not in told}),
    )


def _named(conn: sqlite3.Connection, names: dict[int, set[str]]) -> Iterator[tuple[str, int]]:
    """The last component of each decorator that is written as a name or a call of one, which its module knows."""
    for module, function, decorators in conn.execute(_UNDER):
        own = names.get(module, set())
        for first, last in dict.fromkeys(_NAME.findall(decorators)):
            if (first or last) in own or "*" in own:
                yield last, function
