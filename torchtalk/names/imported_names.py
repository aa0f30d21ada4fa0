"""What the tree's own files import modules and classes as, and people write: `dist.barrier`, `FSDP`, `ir.Buffer`."""

from __future__ import annotations

import sqlite3

from torchtalk.names.forms import PACKAGES
from torchtalk.sqlfile import beside

_queries = beside(__file__)


def in_imported(conn: sqlite3.Connection, text: str) -> list[str]:
    """The full names of what the tree's files import under another: `dist.barrier`, `FSDP`, `DDP.forward`.

    Args:
        conn: an index.
        text: as it was asked for.

    Returns:
        The likeliest first; none of what is no such name.
    """
    head, _, rest = text.strip().partition(".")
    if not head.isidentifier() or head in PACKAGES:
        return []
    rows = conn.execute(_queries("imported_names")["imported_as"], {"name": head}).fetchall()
    if not rest:
        return [row["name"] for row in rows if not row["is_module"]]
    # What begins with another word is looked for in the same way, which would have no end.
    names = [row["name"] for row in rows if row["name"].partition(".")[0] in PACKAGES]
    if conn.execute(_queries("names")["module"], {"name": f"torch.{head}"}).fetchone():
        names.append(f"torch.{head}")
    return [f"{name}.{rest}" for name in dict.fromkeys(names)]
