"""Building an index: scan, extract, write, link, and put the file in its place."""

from __future__ import annotations

import datetime
import os
import sqlite3
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from indexer import link, schema
from indexer.errors import SourceError
from indexer.extract.plan import Extracted, batches, extract_batch
from indexer.facts.operators import Shortfall
from indexer.layers import FAST_LAYERS, LAYERS, SEMANTIC, layer_counts, with_needs
from indexer.progress import Progress, Silent
from indexer.scan.files import SourceFile, Unreadable, list_files
from indexer.scan.tree import SourceTree, git_commit
from indexer.target import building_lock, new_database
from indexer.words import last_component, split_words
from indexer.workers import WorkerPool, without_collector
from indexer.write.facts import write_facts
from indexer.write.files import write_coverage, write_file, write_meta
from torchtalk import __version__
from torchtalk.dbfile import SCHEMA_VERSION, check_sqlite


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
    """

    database: str
    source: str
    torch_version: str | None
    files: int
    counts: dict[str, dict[str, int]]
    shortfalls: dict[str, int]
    seconds: dict[str, float] = field(default_factory=dict)
    size: int = 0


def default_workers() -> int:
    """One worker for each core this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def build(
    tree: SourceTree,
    target: Path,
    *,
    layers: Collection[str] = FAST_LAYERS,
    workers: int | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Index a tree into a database file.

    Args:
        tree: what to read.
        target: the file to write; one that is there is replaced when all went well.
        layers: names of the layers to build; those they need are built with them. The semantic
            one is left to `indexer.semantic.add_semantic`, and coverage says that it is to come.
        workers: processes that read files; 0 reads in this one; None means one a core.
        progress: told what is being done.

    Returns:
        What was built.

    Raises:
        BuildError: one of `indexer.errors`; the old file, if any, stands as it was.
        SqliteTooOld: this Python's SQLite cannot do it.
    """
    check_sqlite()
    progress = progress or Silent()
    workers = default_workers() if workers is None else workers
    layers = with_needs(layers)
    with building_lock(target), without_collector(), WorkerPool(workers) as pool:
        started = _build_time()
        clock = _Clock()
        progress.stage("scan", 0)
        listed = list(list_files(tree))
        files = [entry for entry in listed if isinstance(entry, SourceFile)]
        clock.done("scan")
        with new_database(target) as conn:
            conn.create_function("split_words", 1, split_words, deterministic=True)
            conn.create_function("last_component", 1, last_component, deterministic=True)
            for entry in listed:
                if isinstance(entry, Unreadable):
                    write_coverage(conn, entry.path, [Shortfall("files", "skipped", entry.reason)])
            progress.stage("extract", len(files))
            for batch in pool.ordered_map(extract_batch, batches(tree, files, layers)):
                for extracted in batch:
                    _write(conn, tree, extracted)
                progress.advance(len(batch))
            clock.done("extract")
            schema.create_indexes(conn)
            clock.done("index")
            built = [layer for layer in LAYERS if layer.name in layers and layer.name != SEMANTIC]
            steps = link.steps([number for layer in built for number in layer.steps])
            progress.stage("link", len(steps))
            for _, run in steps:
                run(conn, pool)
                progress.advance(1)
            clock.done("link")
            counts = layer_counts(conn)
            write_meta(conn, _meta(tree, started, counts))
            _write_layer_coverage(conn, layers, counts)
            shortfalls = _shortfalls(conn)
            progress.stage("check", 0)
        clock.done("check")
    return BuildReport(
        str(target), str(tree.root), tree.version, len(files), counts, shortfalls,
        clock.seconds, target.stat().st_size,
    )  # fmt: skip


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def done(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage] = round(now - self._last, 3)
        self._last = now


def _build_time() -> str:
    """When the build began; SOURCE_DATE_EPOCH makes two builds of one tree equal in this too."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdigit() else int(time.time())
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat()


def _write(conn: sqlite3.Connection, tree: SourceTree, extracted: Extracted) -> None:
    file = extracted.file
    if extracted.failure is not None:
        place = (
            file.path if extracted.failed_line is None else f"{file.path}:{extracted.failed_line}"
        )
        if file.path in (tree.native_functions, tree.derivatives, tree.tags):
            raise SourceError(f"{place}: {extracted.failure}. Nothing was changed.")
        write_coverage(conn, file.path, [Shortfall("files", "failed", extracted.failure)])
        if not extracted.sha:
            return
    file_id = write_file(conn, file.path, file.kind, file.size, extracted.sha)
    write_facts(conn, file.path, file_id, extracted.facts)


def _meta(
    tree: SourceTree, started: str, counts: dict[str, dict[str, int]]
) -> dict[str, str | None]:
    values = {
        "schema_version": str(SCHEMA_VERSION),
        "torch_version": tree.version,
        "source_root": str(tree.root),
        "source_kind": "installed" if tree.is_installed else "checkout",
        "git_commit": git_commit(tree.root),
        "built_at": started,
        "built_by": f"torchtalk {__version__}",
    }
    for layer, tables in counts.items():
        for table, number in tables.items():
            values[f"count.{layer}.{table}"] = str(number)
    return values


def _write_layer_coverage(
    conn: sqlite3.Connection, layers: Collection[str], counts: dict[str, dict[str, int]]
) -> None:
    for layer in LAYERS:
        total = sum(counts[layer.name].values())
        if layer.name not in layers:
            status, detail = "skipped", "not asked for; build it with: torchtalk index"
        elif total:
            status, detail = "ok", f"{total} rows"
        else:
            status, detail = "skipped", layer.missing
        write_coverage(conn, None, [Shortfall(layer.name, status, detail)])


def _shortfalls(conn: sqlite3.Connection) -> dict[str, int]:
    rows = conn.execute(
        "SELECT layer || ': ' || status, count(*) FROM coverage"
        " WHERE status <> 'ok' GROUP BY layer, status ORDER BY layer, status"
    )
    return dict(rows.fetchall())
