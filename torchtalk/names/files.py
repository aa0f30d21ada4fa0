"""Files by their path in the tree, by its end, or as an editor of another checkout gives it."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from indexer.scan.files import SUFFIXES
from torchtalk.counted import counted, few
from torchtalk.names.local_classes import said_of_local_classes
from torchtalk.names.macros import macro_places
from torchtalk.names.options import said_of_options
from torchtalk.names.special_members import said_of_special_members
from torchtalk.names.torchscript import OF_TORCHSCRIPT, is_of_torchscript
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "files.sql"
_MOST_FILES = 8
_MOST_MACROS = 4
_ENDING = "|".join(sorted(SUFFIXES, key=len, reverse=True))
_FILE = re.compile(
    rf"(?P<path>\S*[\w.-]+\.(?:{_ENDING})(?:\.in)?)"  # `.in`: a template, such as __init__.pyi.in
    # A compiler gives a column behind the line.
    r"(?::(?P<first>\d{1,18})(?:-(?P<last>\d{1,18})|:\d{1,18})?:?)?"
)


@dataclass(frozen=True)
class Written:
    """What looks like a file, or like lines of one.

    Args:
        path: as written, without a leading `./`.
        first: the first line; None for the whole file.
        last: the last line; the first, where there is one alone.
    """

    path: str
    first: int | None
    last: int | None

    @property
    def is_plain(self) -> bool:
        """Whether it can be nothing but a file: it has a folder or a line."""
        return "/" in self.path or self.first is not None

    @property
    def is_reversed(self) -> bool:
        """Whether its lines end before they begin: `Pow.cpp:20-10`."""
        return self.first is not None and self.last is not None and self.last < self.first


def written(text: str) -> Written | None:
    """A text as the file that it may be; whether there is one, `files_named` tells."""
    match = _FILE.fullmatch(text)
    if match is None:
        return None
    first = int(match["first"]) if match["first"] else None
    last = int(match["last"]) if match["last"] else first
    return Written(match["path"].removeprefix("./"), first, last)


def files_named(conn: sqlite3.Connection, path: str) -> tuple[list[sqlite3.Row], tuple[str, ...]]:
    """Find files.

    Args:
        conn: an index.
        path: in the tree, the end of one, or that of a checkout or an installation.

    Returns:
        The one file of this path, else all that end in it; and a note where it begins with what is no part of the tree,
        or is written in another case than the one file that is meant.
    """
    sql = statements(_SQL)
    rows = conn.execute(sql["files_like"], {"path": path}).fetchall()
    exact = [row for row in rows if row["path"] == path]
    if rows:
        return exact or rows, ()
    parts = path.strip("/").split("/")
    # A bare name at the end says too little: many trees have a setup.py.
    ends = json.dumps(["/".join(parts[at:]) for at in range(len(parts) - 1)])
    rows = conn.execute(sql["file_ending"], {"ends": ends}).fetchall()
    if rows:
        return rows, tuple(f"taken as {row['path']} of the indexed tree" for row in rows)
    rows = conn.execute(sql["files_any_case"], {"path": path}).fetchall()
    if len(rows) != 1:
        return rows, ()
    return rows, (f"there is no {path}; {rows[0]['path']} differs in case only",)


def no_name(conn: sqlite3.Connection, text: str) -> str:
    """What to say of a text that names no operator: that nothing is called so, or that it is a file.

    Args:
        conn: an index.
        text: as it was asked for.
    """
    file = written(text.strip())
    rows = files_named(conn, file.path)[0] if file is not None else []
    if len(rows) == 1:
        return f"{rows[0]['path']} is a file: ask calls, called_by, impact or affected for it"
    if file is not None and rows:
        paths = few([row["path"] for row in rows], _MOST_FILES)
        return f"{file.path} is {len(rows)} files: ask calls, called_by, impact or affected for one of {paths}"
    if folder := said_of_folder(conn, text.strip()):
        return folder
    if text.strip().endswith("::"):
        return f"{text.strip()} is a namespace: search {text.strip()} lists what is in it"
    macro = macro_places(conn, text)
    if macro:
        places = few(macro, _MOST_MACROS)
        return f"{text.strip()} is a macro, defined at {places}: impact follows the functions that use it"
    if option := said_of_options(conn, text):
        return option
    if is_of_torchscript(conn, text):
        return f"{text.strip()} {OF_TORCHSCRIPT}"
    told = said_of_local_classes(conn, text) or said_of_special_members(conn, text)
    return told or f"nothing in this index is called {text!r}"


def said_of_folder(conn: sqlite3.Connection, text: str) -> str:
    """What to say of a text that is a folder of the tree; nothing of any other.

    Args:
        conn: an index.
        text: as it was asked for.
    """
    folder = text.removeprefix("./").rstrip("/")
    if "/" not in text or not folder:
        return ""
    row = conn.execute(statements(_SQL)["in_folder"], {"first": f"{folder}/", "end": f"{folder}0"})
    files, path = row.fetchone()
    if not files:
        return ""
    return f"{folder} is a folder with {counted(files, 'file')} of this index: ask for one of them, such as {path}"
