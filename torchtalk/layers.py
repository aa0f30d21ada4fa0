"""Which layers an index lacks, so that no answer takes what was not read for what is not there."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from indexer.layers import LAYERS, NOT_ASKED
from torchtalk.db import IndexUnavailable

_SQL = """
SELECT layer, detail FROM coverage
WHERE file IS NULL AND status = 'skipped' AND layer <> 'semantic'
"""

_HOMES = (
    ("python", "torch/__init__.py", "little or none of PyTorch's Python is in it"),
    ("compile", "torch/_inductor/", "nothing that Inductor does is known"),
    ("tests", "test/", "few or none of PyTorch's tests are in it"),
)
_HAS = """
SELECT 1 FROM source_files WHERE path = :path OR path GLOB :inside
UNION ALL SELECT 1 FROM meta WHERE key = 'source_kind' AND value = 'installed'
UNION ALL SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM source_files) LIMIT 1
"""


class LayersMissing(IndexUnavailable):
    """An index lacks what a question cannot be answered without; the message says how to add it."""


def demand(conn: sqlite3.Connection, layers: Collection[str]) -> None:
    """Make sure that layers were read into an index.

    Args:
        conn: an index.
        layers: those without which any answer would be wrong: no tests would be taken for no tests to run.

    Raises:
        LayersMissing: one was not asked for when the index was built.
    """
    if layers and any(not is_built(conn, layer) for layer in layers):
        raise LayersMissing("; ".join(lacking(conn, layers, True)))


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
    notes = tuple(
        f"not in this index: {', '.join(names)}: {reason}" for reason, names in by_reason.items()
    )
    rest = set(layers).difference(details)
    return notes if is_found else (*notes, *_of_a_part(conn, rest))


def _of_a_part(conn: sqlite3.Connection, layers: Collection[str]) -> tuple[str, ...]:
    """What to say of layers that were read in the part of a PyTorch tree that there is, which lacks their own folder.

    Scripts beside kernels are Python, too, and aten/src/ATen/test has tests.
    """
    lacks = [
        f"the indexed tree has no {path}: {what}"
        for layer, path, what in _HOMES
        if layer in layers
        and conn.execute(_HAS, {"path": path, "inside": f"{path}*"}).fetchone() is None
    ]
    return tuple(lacks)


def is_built(conn: sqlite3.Connection, layer: str) -> bool:
    """Whether a layer was read, though there may have been nothing for it in the tree.

    Args:
        conn: an index.
        layer: its name, as `indexer.layers` has it.
    """
    return not any(row[0] == layer and row[1] == NOT_ASKED for row in conn.execute(_SQL))
