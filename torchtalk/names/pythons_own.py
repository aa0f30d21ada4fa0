"""Names in modules that Python brings: `copy.deepcopy` is none of aten::copy's."""

from __future__ import annotations

import re
import sqlite3
import sys
from pathlib import Path

from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def module_of_python(conn: sqlite3.Connection, text: str) -> str:
    """The module of Python's own that a dotted name begins with, where the tree has none of its name.

    Args:
        conn: an index.
        text: as it was asked for: `random.randint`.

    Returns:
        `random`; empty for what may be an overload, as `select.dim` of aten::select: some operator has one called so.
    """
    name = text.strip()
    root, _, rest = name.partition(".")
    if not _DOTTED.fullmatch(name) or root not in sys.stdlib_module_names:
        return ""
    sql = statements(_SQL)
    if conn.execute(sql["is_overload"], {"overload": rest}).fetchone() is not None:
        return ""
    return root if conn.execute(sql["module"], {"name": root}).fetchone() is None else ""
