"""What is said of a build: to whoever ran it, and in the index itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass, field

from indexer.facts.operators import Shortfall
from indexer.layers import LAYERS, NO_UNITS, NOT_ASKED, SEMANTIC, Layer
from indexer.write.files import write_coverage


@dataclass(frozen=True)
class SemanticReport:
    """What was done to the semantic layer.

    Args:
        status: ok; partial where some units could not be read whole; skipped.
        detail: why it was skipped; what fell short.
        changed: whether the database was replaced.
        units: how many there are, by status.
        reused: how many of them were read before and kept.
        counts: rows by table.
        missing: headers of others that the machine lacks.
        libclang: its version.
        seconds: wall time of each stage.
        cpu: CPU seconds of the workers.
        memory: the largest peak of a worker, in megabytes.
        size: of the database, in bytes.
    """

    status: str
    detail: str
    changed: bool = True
    units: dict[str, int] = field(default_factory=dict)
    reused: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    libclang: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    cpu: float = 0.0
    memory: float = 0.0
    size: int = 0


@dataclass(frozen=True)
class BuildReport:
    """What a build did.

    Args:
        database: where the file is.
        source: the tree's root.
        torch_version: of the tree, or None.
        files: how many were read.
        counts: rows by layer and table.
        shortfalls: what fell short: `layer: status` to a number of rows in coverage.
        seconds: wall time of each stage.
        size: of the database, in bytes.
        action: `built`, `updated` or `unchanged`.
        reason: why everything was read, where it was.
        changes: paths of the files that were `edited`, `added`, `removed`.
        relinked: names of the link steps that an update ran again.
        moved_aside: where a file that was no index was moved.
        semantic: what was done to the semantic layer, where it was brought up to date in the same go.
        anew: why it has to be written anew, where it could have been.
    """

    database: str
    source: str
    torch_version: str | None
    files: int
    counts: dict[str, dict[str, int]]
    shortfalls: dict[str, int]
    seconds: dict[str, float] = field(default_factory=dict)
    size: int = 0
    action: str = "built"
    reason: str = ""
    changes: dict[str, list[str]] = field(default_factory=dict)
    relinked: list[str] = field(default_factory=list)
    moved_aside: str | None = None
    semantic: SemanticReport | None = None
    anew: str = ""


def write_layer_coverage(
    conn: sqlite3.Connection, layers: Collection[str], counts: dict[str, dict[str, int]]
) -> None:
    """Say of each layer in `coverage` whether it was built and what came of it.

    Args:
        conn: the database, whose `meta` says what kind of tree it is of.
        layers: names of those that were built.
        counts: as the report has them.
    """
    installed = conn.execute(
        "SELECT 1 FROM meta WHERE key = 'source_kind' AND value = 'installed'"
    ).fetchone()
    for layer in LAYERS:
        status, detail = layer_status(layer, layers, counts)
        if installed and layer.name == SEMANTIC and status == "skipped":
            detail = NO_UNITS
        write_coverage(conn, None, [Shortfall(layer.name, status, detail)])


def layer_status(
    layer: Layer, layers: Collection[str], counts: dict[str, dict[str, int]]
) -> tuple[str, str]:
    """What coverage says of a layer as a whole: a status, and how much or why nothing.

    Args:
        layer: the layer.
        layers: names of those that were built.
        counts: as the report has them.
    """
    total = sum(counts[layer.name].values())
    if layer.name not in layers:
        return "skipped", NOT_ASKED
    return ("ok", f"{total} rows") if total else ("skipped", layer.missing)


def shortfalls_of(conn: sqlite3.Connection) -> dict[str, int]:
    """What fell short in the database `conn`: the number of rows of `coverage` by `layer: status`, sorted."""
    rows = conn.execute(
        "SELECT layer || ': ' || status, count(*) FROM coverage"
        " WHERE status <> 'ok' GROUP BY layer, status ORDER BY layer, status"
    )
    return dict(rows.fetchall())
