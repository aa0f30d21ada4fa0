"""The files of Python that can name what a module has, and how they write it: `WEIGHTS`, `looms.WEIGHTS`."""

from __future__ import annotations

import re
import sqlite3
from typing import NamedTuple

from torchtalk.affected import queries


class Importers(NamedTuple):
    """Files that import a name, or the module that has it.

    Args:
        files: their rows, with id, path and sha.
        owners: by id of a file an expression for what stands before the name there.
    """

    files: list[sqlite3.Row]
    owners: dict[int, str]


def importers(conn: sqlite3.Connection, path: str, name: str) -> Importers:
    """The files that import a name or its module.

    Args:
        conn: an index.
        path: of the module's file.
        name: without the module's.
    """
    of = {"path": path, "name": name}
    files: dict[int, sqlite3.Row] = {}
    owners: dict[int, list[str]] = {}
    for row in conn.execute(queries("texts")["files_binding"], of):
        files[row["id"]] = row
        owners[row["id"]] = [""]
    for row in conn.execute(queries("texts")["files_with_module"], of):
        files.setdefault(row["id"], row)
        owners.setdefault(row["id"], []).append(rf"{re.escape(row['called'])}\.")
    return Importers(
        list(files.values()), {file: f"(?:{'|'.join(own)})" for file, own in owners.items()}
    )
