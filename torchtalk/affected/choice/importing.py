"""Which files import a Python file, or names of it: what every file imports is read once of an index."""

from __future__ import annotations

import sqlite3

from torchtalk.affected import queries
from torchtalk.kept import once

_Importing = dict[str, tuple[tuple[str, bool], ...]]


def importing(conn: sqlite3.Connection, path: str, *, with_tests: bool) -> list[str]:
    """The files that import one or names of it, the shortest paths first.

    Args:
        conn: an index.
        path: of the file that is imported.
        with_tests: whether those that have tests are meant, or sources without.
    """
    found = once(conn, _read).get(path, ())
    return [
        file
        for file, has_tests in found
        if has_tests is with_tests and (with_tests or not file.startswith("test/"))
    ]


def _read(conn: sqlite3.Connection) -> _Importing:
    found: dict[str, dict[tuple[str, bool], bool]] = {}
    for row in conn.execute(queries("places")["importing"]):
        by = (str(row["by"]), bool(row["has_tests"]))
        found.setdefault(row["path"], {})[by] = True
    return {
        path: tuple(sorted(files, key=lambda one: (len(one[0]), one[0])))
        for path, files in found.items()
    }
