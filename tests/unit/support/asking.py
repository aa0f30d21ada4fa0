"""What tools answer, as a value and as text."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Mapping
from typing import Any

from torchtalk.answers.affected import AffectedAnswer
from torchtalk.render import to_text
from torchtalk.tools import all_tools


def ask(conn: sqlite3.Connection, tool: str, **arguments: object) -> Any:
    return all_tools()[tool].ask(conn, **arguments)


def text(conn: sqlite3.Connection, tool: str, **arguments: object) -> list[str]:
    return to_text(ask(conn, tool, **arguments)).splitlines()


def affected_by(
    conn: sqlite3.Connection,
    files: Mapping[str, str],
    path: str,
    old: str,
    new: str,
    around: int = 3,
) -> AffectedAnswer:
    """What `affected` says of one replaced text of a tree's file, with so many lines around it."""
    before = files[path]
    assert before.count(old) == 1
    lines = (text.splitlines(keepends=True) for text in (before, before.replace(old, new)))
    diff = "".join(difflib.unified_diff(*lines, f"a/{path}", f"b/{path}", n=around))
    return all_tools()["affected"].ask(conn, diff=diff)


def affected_by_line(
    conn: sqlite3.Connection, files: Mapping[str, str], path: str, text: str
) -> AffectedAnswer:
    """What `affected` says of a change in the first line of a tree's file that has a text."""
    lines = files[path].split("\n")
    line = next(at for at, one in enumerate(lines, 1) if text in one)
    old = lines[line - 1]
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-{old}\n+ x{old}\n"
    return all_tools()["affected"].ask(conn, diff=diff)
