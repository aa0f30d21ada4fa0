"""Which layers an index lacks, so that no answer takes what was not read for what is not there."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from indexer.layers import LAYERS, NOT_ASKED

_SQL = """
SELECT layer, detail FROM coverage
WHERE file IS NULL AND status = 'skipped' AND layer <> 'semantic'
"""


def lacking(conn: sqlite3.Connection, layers: Collection[str], is_found: bool) -> tuple[str, ...]:
    """What to say of layers that are not in an index.

    Args:
        conn: an index.
        layers: those that an answer stands on.
        is_found: whether there is an answer; of a tree that has nothing for a layer only what is missing speaks.
    """
    if not layers:
        return ()
    details = {row[0]: row[1] for row in conn.execute(_SQL) if row[0] in layers}
    by_reason: dict[str, list[str]] = {}
    for layer in LAYERS:
        detail = details.get(layer.name)
        if detail is not None and (detail == NOT_ASKED or not is_found):
            by_reason.setdefault(detail, []).append(f"{layer.name} ({layer.title})")
    return tuple(
        f"not in this index: {', '.join(names)}: {reason}" for reason, names in by_reason.items()
    )


def is_built(conn: sqlite3.Connection, layer: str) -> bool:
    """Whether a layer was read, though there may have been nothing for it in the tree."""
    return not any(row[0] == layer and row[1] == NOT_ASKED for row in conn.execute(_SQL))
