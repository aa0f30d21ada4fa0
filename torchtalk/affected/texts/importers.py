"""The files of Python that can name what a module has, and how they write it: `WEIGHTS`, `looms.WEIGHTS`."""

from __future__ import annotations

import re
import sqlite3
from operator import itemgetter
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.graph.nodes import tuples
from torchtalk.kept import once


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
    by_target = once(conn, _by_target)
    named: list[sqlite3.Row] = []
    as_modules: list[sqlite3.Row] = []
    for (module,) in tuples(conn).execute(queries("texts")["modules_of_file"], {"path": path}):
        folder, _, last = module.rpartition(".")
        whole = by_target.get(module, ())
        named += (row for row in whole if row["kind"] != "import")
        named += (row for row in by_target.get(f"{module}:{name}", ()) if row["kind"] != "import")
        if folder:
            as_modules += (row for row in whole if row["kind"] == "import")
            # `from torch import fx`
            of_folder = by_target.get(f"{folder}:{last}", ())
            as_modules += (row for row in of_folder if row["kind"] == "from")
    files: dict[int, sqlite3.Row] = {}
    owners: dict[int, dict[str, None]] = {}
    for row in sorted(named, key=itemgetter("id")):
        files[row["id"]] = row
        owners[row["id"]] = {"": None}
    for row in sorted(as_modules, key=itemgetter("id")):
        if row["scope"] == "":
            files.setdefault(row["id"], row)
            owners.setdefault(row["id"], {})[rf"{re.escape(row['called'])}\."] = None
    return Importers(
        [row for row in files.values() if row["path"] != path],
        {file: f"(?:{'|'.join(own)})" for file, own in owners.items()},
    )


def _by_target(conn: sqlite3.Connection) -> dict[str, list[sqlite3.Row]]:
    """Who imports what, by what that is: `torch.fx.node:Node`."""
    found: dict[str, list[sqlite3.Row]] = {}
    for row in conn.execute(queries("texts")["imports"]):
        found.setdefault(row["target"], []).append(row)
    return found
