"""What tools answer, as a value and as text."""

from __future__ import annotations

import sqlite3
from typing import Any

from torchtalk.render import to_text
from torchtalk.tools import all_tools


def ask(conn: sqlite3.Connection, tool: str, **arguments: object) -> Any:
    return all_tools()[tool].ask(conn, **arguments)


def text(conn: sqlite3.Connection, tool: str, **arguments: object) -> list[str]:
    return to_text(ask(conn, tool, **arguments)).splitlines()
