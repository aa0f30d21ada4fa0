"""Building an index or bringing it up to date: scan, extract, write, link, and put the file in its place.

What reads, links and writes is imported where it is needed: mostly nothing has changed, and that is to be said at once.
"""

from __future__ import annotations

import datetime
import functools
import os
import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexer import schema
from indexer.errors import SourceError, UnsoundError
from indexer.facts.operators import Shortfall
from indexer.layers import (
    FAST_LAYERS,
    LAYERS,
    SEMANTIC,
    layer_counts,
    noted_counts,
    step_numbers,
    with_needs,
)
from indexer.progress import Clock, Progress, Silent
from indexer.report import BuildReport, shortfalls_of, write_layer_coverage
from indexer.scan.files import SourceFile, Unreadable, list_files
from indexer.scan.git import git_commit
from indexer.scan.hashes import Hashes
from indexer.scan.readahead import read_ahead
from indexer.scan.stamps import Stamps
from indexer.scan.statfile import stat_path
from indexer.scan.tree import SourceTree
from indexer.target import (
    aside_path,
    building_lock,
    changed_database,
    is_foreign,
    is_of_the_disk,
    new_database,
)
from indexer.update import coverage
from indexer.update.changes import CannotUpdate, Changes, find_changes
from indexer.update.previous import connect_read_only, indexer_digest, why_full
from indexer.update.seen import keep_seen
from indexer.words import add_functions
from indexer.workers import WorkerPool, default_workers, without_collector
from indexer.write.clang_base import keep_meta, remove_semantic
from indexer.write.clang_told import TooFar
from indexer.write.files import write_coverage, write_file, write_meta
from torchtalk import __version__
from torchtalk.dbfile import SCHEMA_VERSION, check_sqlite

if TYPE_CHECKING:
    from indexer.extract.plan import Extracted
    from indexer.joint_update import Together

LINKED_LAST = frozenset(n for layer in LAYERS if layer.name == SEMANTIC for n in layer.again)
"""Link steps that need not run for the other layers alone where the semantic one follows at once."""


def build(
    tree: SourceTree,
    target: Path,
    *,
    layers: Collection[str] = FAST_LAYERS,
    workers: int | None = None,
    progress: Progress | None = None,
    full: bool = False,
    together: Callable[[], Together] | None = None,
) -> BuildReport:
    """Index a tree into a database file, reading only what changed where the file is there.

    Args:
        tree: what to read.
        target: the file to write; one that is there is replaced when all went well. A file that
            is no index of torchtalk's is moved aside, not overwritten.
        layers: names of the layers to build; those they need are built with them. The semantic
            one is left to `indexer.semantic.add_semantic`, and coverage says that it is to come.
        workers: processes that read files; 0 reads in this one; None means one a core.
        progress: told what is being done.
        full: read everything, whatever is there.
        together: gives how the semantic layer, where the index has it, is brought up to date with the others; None
            takes it out where they changed.

    Returns:
        What was done.

    Raises:
        BuildError: one of `indexer.errors`; the old file, if any, stands as it was.
        SqliteTooOld: this Python's SQLite cannot do it.
    """
    check_sqlite()
    workers = default_workers() if workers is None else workers
    with building_lock(target), without_collector(), WorkerPool(workers) as pool:
        job = _Job(tree, target, with_needs(layers), pool, progress or Silent(), together)
        if full or not target.exists():
            pool.prepare()  # they start while the files are listed
        job.scan()
        reason = "asked for" if full else job.why_not_update()
        if reason is None:
            try:
                return job.update()
            except CannotUpdate as error:
                reason = str(error)
        return job.build(reason)


class _Job:
    """One run, while the lock is held.

    Args:
        tree: what to read.
        target: the file to write.
        layers: with those they need.
        pool: for what is long.
        progress: told what is being done.
        together: gives how the semantic layer is brought up to date with the others.
    """

    def __init__(
        self,
        tree: SourceTree,
        target: Path,
        layers: tuple[str, ...],
        pool: WorkerPool,
        progress: Progress,
        together: Callable[[], Together] | None,
    ) -> None:
        self._tree = tree
        self._target = target
        self._layers = layers
        self._pool = pool
        self._progress = progress
        self._together = together
        self._started = _build_time()
        self._seconds: dict[str, float] = {}
        self._clock = Clock(self._seconds)
        self._hashes = Hashes(tree, stat_path(target))
        self._stamps = Stamps()
        self._listed: list[SourceFile | Unreadable] = []
        self._anew = ""

    def scan(self) -> None:
        """List the tree's files."""
        self._progress.stage("scan", 0)
        self._listed = list(list_files(self._tree, self._stamps))
        self._clock.done("scan")

    def why_not_update(self) -> str | None:
        """Why what is there cannot be brought up to date; None if it can."""
        return why_full(self._target, self._tree, self._layers, self._hashes.database)

    def update(self) -> BuildReport:
        """Bring the index that is there up to date.

        Raises:
            CannotUpdate: a full build is needed.
        """
        try:
            conn = connect_read_only(self._target)
            try:
                changes = find_changes(conn, self._listed, self._hashes)
                meta = dict(conn.execute("SELECT key, value FROM meta"))
                row = conn.execute("SELECT 1 FROM semantic_base LIMIT 1").fetchone()
                too_much = row is not None and SEMANTIC not in self._layers
                is_unchanged = not (changes or too_much or self._moved(meta))
                if not (changes or too_much):
                    counts, shortfalls = noted_counts(meta), shortfalls_of(conn)
            finally:
                conn.close()
            self._clock.done("compare")
            if is_unchanged:
                self._keep_seen()
                return self._report("unchanged", counts, shortfalls)
            if changes and row is not None and self._together is not None and not too_much:
                report = self._update_together(self._together(), changes)
                if report is not None:
                    return report
            from indexer.update.run import update

            with changed_database(self._target) as conn:
                add_functions(conn)
                self._clock.done("copy")
                relinked: list[str] = []
                if changes or too_much:
                    # The semantic layer is added anew to those that are brought up to date.
                    remove_semantic(conn)
                    relinked = update(
                        conn, self._tree, self._layers, self._listed, changes, self._pool,
                        functools.partial(self._write, conn), self._progress,
                    )  # fmt: skip
                    counts, shortfalls = self._finish(conn)
                else:
                    values = {**self._about_tree(), "built_at": self._started}
                    write_meta(conn, values)
                    keep_meta(conn, values)
                self._clock.done("update")
            self._clock.done("check")
        except sqlite3.DatabaseError as error:
            if is_of_the_disk(error):
                raise
            raise CannotUpdate(f"the one that was there was damaged ({error})") from error
        except UnsoundError as error:
            raise CannotUpdate(f"bringing it up to date went wrong: {error}") from error
        self._keep_seen()
        return self._report("updated", counts, shortfalls, changes.paths(), relinked)

    def _update_together(self, together: Together, changes: Changes) -> BuildReport | None:
        """Bring all layers up to date in one go; None where the semantic one has to be written anew."""
        try:
            semantic = together.begin(self._tree, self._target, changes)
        except TooFar as error:
            self._anew = str(error)
            return None
        finally:
            self._clock.done("plan")
        from indexer.checking import EarlyCheck
        from indexer.update.exact import EDGES
        from indexer.update.run import update

        seconds: dict[str, float] = {}
        clock = Clock(seconds)
        try:
            early = EarlyCheck(EDGES)
            with semantic.waited_for(), changed_database(self._target, early=early) as conn:
                add_functions(conn)
                self._clock.done("copy")
                semantic.hide(conn)
                self._clock.done("hide")
                relinked = update(
                    conn, self._tree, self._layers, self._listed, changes, self._pool,
                    functools.partial(self._write, conn), self._progress, LINKED_LAST, semantic.load,
                )  # fmt: skip
                self._finish(conn)
                self._clock.done("update")
                clock.skip()
                counts = semantic.apply(conn, relinked, clock, early)
                shortfalls = shortfalls_of(conn)
                self._clock.skip()
            clock.done("check")
        except (CannotUpdate, TooFar) as error:
            self._anew = str(error)
            self._clock.skip()
            return None
        self._keep_seen()
        report = self._report("updated", counts, shortfalls, changes.paths(), relinked)
        return replace(report, semantic=semantic.finish(seconds))

    def build(self, reason: str) -> BuildReport:
        """Index everything.

        Args:
            reason: why.
        """
        from indexer.checking import EarlyCheck
        from indexer.linking import NOT_ASKED, Linking
        from indexer.reading import Filling
        from indexer.update.kept import keep

        aside = aside_path(self._target) if is_foreign(self._target) else None
        early = EarlyCheck()
        with new_database(self._target, aside, early) as conn:
            add_functions(conn)
            for entry in self._listed:
                if isinstance(entry, Unreadable):
                    write_coverage(conn, entry.path, [Shortfall("files", "skipped", entry.reason)])
            files = [entry for entry in self._listed if isinstance(entry, SourceFile)]
            read_ahead(self._tree.root / file.path for file in files)
            self._progress.stage("extract", len(files))
            write = functools.partial(self._write, conn)
            filling = Filling(conn, self._tree, files, self._layers, self._pool, write)
            filling.read_first(self._progress)
            self._clock.done("extract")
            linking = Linking(conn, self._pool, step_numbers(self._layers), self._progress)
            keep(conn, of_python=False)
            schema.create_indexes(conn, ("python_", *NOT_ASKED))
            self._clock.done("index")
            linking.link_first()
            self._clock.done("link")
            filling.read_rest(self._progress)
            self._clock.done("extract")
            keep(conn, of_python=True)
            schema.create_indexes(conn, NOT_ASKED)
            self._clock.done("index")
            linking.link_rest()
            self._pool.end()
            coverage.number_again(conn, self._listed)
            self._clock.done("link")
            early.begin(conn)
            schema.create_indexes(conn)
            self._clock.done("index")
            counts, shortfalls = self._finish(conn)
        self._clock.done("check")
        self._keep_seen()
        return self._report("built", counts, shortfalls, reason=reason, aside=aside)

    def _keep_seen(self) -> None:
        keep_seen(self._tree, self._target, self._hashes, self._stamps)

    def _finish(self, conn: sqlite3.Connection) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
        """Say what the index is of and what is in it."""
        counts = layer_counts(conn)
        conn.execute("DELETE FROM meta")
        write_meta(conn, self._meta(counts))
        coverage.forget(conn, coverage.LAYERS_STEP)
        last = coverage.last(conn)
        write_layer_coverage(conn, self._layers, counts)
        coverage.belongs_to(conn, last, coverage.LAYERS_STEP)
        self._progress.stage("check", 0)
        return counts, shortfalls_of(conn)

    def _report(
        self,
        action: str,
        counts: dict[str, dict[str, int]],
        shortfalls: dict[str, int],
        changes: dict[str, list[str]] | None = None,
        relinked: Collection[str] = (),
        reason: str = "",
        aside: Path | None = None,
    ) -> BuildReport:
        return BuildReport(
            database=str(self._target),
            source=str(self._tree.root),
            torch_version=self._tree.version,
            files=sum(isinstance(entry, SourceFile) for entry in self._listed),
            counts=counts,
            shortfalls=shortfalls,
            seconds=self._seconds,
            size=self._target.stat().st_size,
            action=action,
            reason=reason,
            changes=changes or {},
            relinked=list(relinked),
            moved_aside=str(aside) if aside else None,
            anew=self._anew,
        )

    def _write(self, conn: sqlite3.Connection, extracted: Extracted, file_id: int | None) -> None:
        """Insert what was read from a file, under an id or behind all others."""
        from indexer.write.facts import write_facts

        file = extracted.file
        if extracted.failure is not None:
            line = extracted.failed_line
            place = file.path if line is None else f"{file.path}:{line}"
            if file.path in (self._tree.native_functions, self._tree.derivatives, self._tree.tags):
                raise SourceError(f"{place}: {extracted.failure}. Nothing was changed.")
            write_coverage(conn, file.path, [Shortfall("files", "failed", extracted.failure)])
            if not extracted.sha:
                return
        self._hashes.remember(file, extracted.sha)
        file_id = write_file(conn, file.path, file.kind, file.size, extracted.sha, file_id)
        write_facts(conn, file.path, file_id, extracted.facts)

    def _meta(self, counts: dict[str, dict[str, int]]) -> dict[str, str | None]:
        values = {
            **self._about_tree(),
            "schema_version": str(SCHEMA_VERSION),
            "built_at": self._started,
            "built_by": f"torchtalk {__version__}",
            "indexer": indexer_digest(),
            "layers": ",".join(self._layers),
        }
        for layer, tables in counts.items():
            for table, number in tables.items():
                values[f"count.{layer}.{table}"] = str(number)
        return values

    def _about_tree(self) -> dict[str, str | None]:
        return {
            "torch_version": self._tree.version,
            "source_root": str(self._tree.root),
            "source_kind": "installed" if self._tree.is_installed else "checkout",
            "git_commit": git_commit(self._tree.root),
        }

    def _moved(self, meta: dict[str, str | None]) -> bool:
        """Whether the same files are now of another commit, version or folder."""
        return any(meta.get(key) != value for key, value in self._about_tree().items())


def _build_time() -> str:
    """When the build began; SOURCE_DATE_EPOCH makes two builds of one tree equal in this too."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isdigit() else int(time.time())
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat()
