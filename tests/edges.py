"""Is the public view of edges whole?"""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any


def edges_not_in_view(conn: sqlite3.Connection) -> Counter[tuple[Any, ...]]:
    """Rows of `edges` that `v_edges` lacks, which has an arm for each pair of tables that edges join.

    Args:
        conn: an index.

    Returns:
        How many are lacking, by kind, origin, file and line.
    """
    kept = conn.execute(
        "SELECT k.kind, k.origin, f.path, e.line FROM edges AS e"
        " JOIN edge_kinds AS k ON k.id = e.kind_id JOIN source_files AS f ON f.id = e.file_id"
    )
    shown = conn.execute("SELECT kind, origin, file, line FROM v_edges")
    return Counter(map(tuple, kept)) - Counter(map(tuple, shown))
