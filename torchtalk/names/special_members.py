"""Constructors and destructors that the tree nowhere writes: what is implicit, or `= default` within its class."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from torchtalk.counted import few
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "files.sql"
_SPECIAL = re.compile(r"(?P<owner>(?:\w+::)*(?P<last>\w+))::~?(?P=last)|~(?P<alone>\w+)")
_MOST = 4


def said_of_special_members(conn: sqlite3.Connection, text: str) -> str:
    """What to say of a constructor or destructor that has no row, where its class has one; empty of any other name.

    Args:
        conn: an index.
        text: `c10::Storage::~Storage`, `~Storage`, `Storage::Storage`.
    """
    written = _SPECIAL.fullmatch(text.strip())
    if written is None:
        return ""
    name = written["owner"] or written["alone"]
    rows = conn.execute(statements(_SQL)["classes_called"], {"name": name}).fetchall()
    if not rows:
        return ""
    classes = few(
        list(dict.fromkeys(f"{row['name']} ({row['path']}:{row['line']})" for row in rows)), _MOST
    )
    return (
        f"no file of this index defines {text.strip()}: it is implicit, or declared in its class alone;"
        f" ask for the class, {classes}"
    )
