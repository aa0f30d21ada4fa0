"""Adding the semantic layer to an index whose other layers are in place.

The parser takes minutes, so it works while the index already answers from the syntax, and its result replaces the file
in one step. What it read is kept by content (`indexer.clang`): a build that is killed goes on where it was, and after a
change only the units that see it are parsed again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

from indexer import link
from indexer.clang.cache_folder import parsing_lock
from indexer.clang.environment import ToolchainMissing
from indexer.clang.library import LibclangMissing
from indexer.clang.made_folder import CodegenError
from indexer.clang.semantic import (
    Options,
    SemanticFacts,
    outside_digest,
    semantic,
)
from indexer.clang.settings import settings_digest
from indexer.facts.operators import Shortfall
from indexer.layers import LAYERS, NO_UNITS, SEMANTIC, layer_counts, step_numbers
from indexer.progress import Clock, Progress, Silent
from indexer.report import SemanticReport, layer_status
from indexer.scan.statfile import database_stamp, note_database
from indexer.scan.tree import SourceTree
from indexer.semantic_cache import keep
from indexer.target import (
    busy,
    changed_database,
    is_being_built,
    waiting_lock,
)
from indexer.update import coverage
from indexer.words import add_functions
from indexer.workers import WorkerPool, default_workers, without_collector
from indexer.write.clang_base import keep_base, remove_semantic
from indexer.write.files import write_coverage, write_meta
from torchtalk.dbfile import check_sqlite

_LAYER = next(layer for layer in LAYERS if layer.name == SEMANTIC)
FACTS = "semantic.facts"
SETTINGS = "semantic.settings"
OUTSIDE = "semantic.outside"
_SKIPPED = "skipped"
_TRIES = 3


def default_cache() -> Path:
    """The folder in the user's cache where parsed units are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("torchtalk", appauthor=False) / "clang"


def add_semantic(
    tree: SourceTree,
    target: Path,
    *,
    options: Options | None = None,
    cache: Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    unchanged: bool = False,
    retry: bool = False,
) -> SemanticReport:
    """Read a tree's C++ through libclang and add its call graph to an index.

    The result depends on the other layers' rows and the tree alone: it is the same whether the index had the layer
    before or not. Where nothing has changed since, the file is left alone.

    Args:
        tree: what the index was made from.
        target: an index; replaced when all went well.
        options: how units are parsed.
        cache: where what was parsed is kept; None means the user's cache folder.
        workers: processes that parse; 0 parses in this one; None means one a core.
        progress: told what is being done.
        unchanged: neither the tree nor the other layers have changed since the index was made, as `indexer.build`
            has found out: where the options are the same, there is nothing to do.
        retry: parse what crashed or took too long the last time, though nothing of it has changed.

    Returns:
        What was added, or why nothing could be: without libclang the index says so and stays as it is otherwise.

    Raises:
        BuildError: the database is being built by somebody else or cannot be written; it stands as it was.
        SqliteTooOld: this Python's SQLite cannot do it.
    """
    check_sqlite()
    job = _Job(
        tree, target, options or Options(), cache or default_cache(),
        default_workers() if workers is None else workers, progress or Silent(), unchanged, retry,
    )  # fmt: skip
    if is_being_built(target):
        raise busy(target)
    with without_collector():
        for _ in range(_TRIES):
            report = job.run()
            if report is not None:
                return report
        # Somebody changes it again and again; with everything at hand it takes seconds.
        with waiting_lock(target):
            return job.run_alone()


class _Job:
    """One run."""

    def __init__(
        self,
        tree: SourceTree,
        target: Path,
        options: Options,
        cache: Path,
        workers: int,
        progress: Progress,
        unchanged: bool,
        retry: bool,
    ) -> None:
        self._tree = tree
        self._target = target
        self._options = options
        self._cache = cache
        self._workers = workers
        self._progress = progress
        self._unchanged = unchanged
        self._retry = retry
        self._settings = ""

    def run(self) -> SemanticReport | None:
        """Read the tree, and write the result if the database is still the one it was; None where it is not.

        The database may be built anew meanwhile: it is locked only while it is written.
        """
        before = database_stamp(self._target)
        found = self._read()
        if isinstance(found, SemanticReport):
            return found
        with waiting_lock(self._target):
            if database_stamp(self._target) != before:
                self._unchanged = False
                return None
            return self._write(found)

    def run_alone(self) -> SemanticReport:
        """The same while the lock is held already."""
        found = self._read()
        return found if isinstance(found, SemanticReport) else self._write(found)

    def _read(self) -> SemanticFacts | str | SemanticReport:
        """The facts, or why there are none, or a report where nothing is to be done."""
        if self._tree.is_installed:
            return NO_UNITS
        try:
            self._settings = settings_digest(self._tree.root, self._options)
            same = self._unchanged and stored(self._target, SETTINGS) == self._settings
            if same and self._is_same_outside():
                return _kept(self._target)
            with parsing_lock(self._cache, self._tree.root, self._progress):
                facts = semantic(
                    self._tree, self._cache, self._workers, self._progress, self._options,
                    retry=self._retry,
                )  # fmt: skip
        except (LibclangMissing, ToolchainMissing, CodegenError) as error:
            return str(error)
        except OSError as error:
            return f"{error.filename or self._cache}: {error.strerror or error}"
        return facts if facts.results else "the tree has no C++ sources"

    def _is_same_outside(self) -> bool:
        """Whether what only a compile database leads to is what it was for this index."""
        now = outside_digest(self._cache, self._tree.root, self._options)
        return now == "" or (now is not None and now == stored(self._target, OUTSIDE))

    def _write(self, found: SemanticFacts | str) -> SemanticReport:
        if isinstance(found, str):
            return _skip(self._target, found)
        facts, target, progress = found, self._target, self._progress
        digest = digest_of(facts)
        seconds = dict(facts.seconds)
        clock = Clock(seconds)
        if stored(target, FACTS) == digest:
            return report_of(target, facts, seconds, changed=False)
        from indexer.write.clang import write_semantic

        progress.stage("write calls", 0)
        with changed_database(target, compact=True) as conn:
            remove_semantic(conn)
            keep_base(conn)
            clock.done("copy")
            state = write_semantic(conn, facts.units())
            clock.done("write")
            link_steps(conn, semantic_steps(conn), progress)
            clock.done("link calls")
            describe(conn, facts)
            # Without settings the next run does not take the layer for what it would make.
            settings = None if facts.lacks_headers else self._settings
            write_meta(conn, {FACTS: digest, SETTINGS: settings})
            write_meta(conn, outside(self._cache, self._tree.root, self._options))
            progress.stage("check", 0)
        note_database(target)
        if facts.plan is not None:
            facts.plan.settings = self._settings
            keep(self._cache.resolve(), target, facts.plan, state)
        clock.done("check calls")
        return report_of(target, facts, seconds, changed=True)


def _skip(target: Path, reason: str) -> SemanticReport:
    if _coverage(target) != (_SKIPPED, reason):
        with changed_database(target) as conn:
            if remove_semantic(conn):
                link_steps(conn, steps_again(conn), Silent())
                _count(conn)
            _set_coverage(conn, _SKIPPED, reason)
    return SemanticReport(_SKIPPED, reason, size=target.stat().st_size)


def semantic_steps(conn: sqlite3.Connection) -> list[int]:
    """Numbers of the link steps of this layer and of those others in the database `conn` that stand on it."""
    return [*_LAYER.steps, *steps_again(conn)]


def steps_again(conn: sqlite3.Connection) -> list[int]:
    """Numbers of the link steps of other layers in the database `conn` that stand on what this one changes."""
    return [number for number in _LAYER.again if number in step_numbers(_layers(conn))]


def _layers(conn: sqlite3.Connection) -> list[str]:
    """Names of the layers that were built."""
    row = conn.execute("SELECT value FROM meta WHERE key = 'layers'").fetchone()
    return str(row[0]).split(",")


def link_steps(conn: sqlite3.Connection, numbers: list[int], progress: Progress) -> None:
    """Run link steps, in this process.

    Args:
        conn: the database that is changed.
        numbers: of the steps.
        progress: told of each.
    """
    steps = link.steps(numbers)
    add_functions(conn)
    progress.stage("link calls", len(steps))
    with WorkerPool(0) as pool:
        for _, run in steps:
            run(conn, pool)
            progress.advance(1)


def describe(conn: sqlite3.Connection, facts: SemanticFacts) -> dict[str, dict[str, int]]:
    """Write how much there is now of the layer and of those whose rows it replaced, and how it went.

    Args:
        conn: the database, with the layer.
        facts: of the layer.

    Returns:
        Rows of each layer, by the name of the count.
    """
    counts = _count(conn)
    values: dict[str, str | None] = {"semantic.libclang": facts.libclang}
    if facts.missing:
        values["semantic.missing_headers"] = ", ".join(facts.missing)
    write_meta(conn, values)
    units = facts.statuses()
    short = [f"{number} {status}" for status, number in units.items() if status != "ok"]
    detail = f"{sum(units.values())} units read by {facts.libclang}: " + ", ".join(
        [f"{units.get('ok', 0)} without an error", *short]
    )
    if facts.note:
        detail += f"; {facts.note}"
    # Errors in some files are told file by file; the layer as a whole is there.
    _set_coverage(conn, "ok" if units.get("ok") else "partial", detail)
    return counts


def _count(conn: sqlite3.Connection) -> dict[str, dict[str, int]]:
    """Say of every layer how much of it there is now."""
    values: dict[str, str | None] = {}
    counts = layer_counts(conn)
    built = _layers(conn)
    for layer in LAYERS:
        for table, number in counts[layer.name].items():
            values[f"count.{layer.name}.{table}"] = str(number)
        if layer.name != SEMANTIC:
            conn.execute(
                "UPDATE coverage SET status = ?, detail = ? WHERE layer = ? AND file IS NULL AND step = ?",
                (*layer_status(layer, built, counts), layer.name, coverage.LAYERS_STEP),
            )
    write_meta(conn, values)
    return counts


def _set_coverage(conn: sqlite3.Connection, status: str, detail: str) -> None:
    conn.execute("DELETE FROM coverage WHERE layer = ? AND file IS NULL", (SEMANTIC,))
    last = coverage.last(conn)
    write_coverage(conn, None, [Shortfall(SEMANTIC, status, detail)])
    # An update of the other layers forgets it and says that this one is to come.
    coverage.belongs_to(conn, last, coverage.LAYERS_STEP)


def digest_of(facts: SemanticFacts) -> str:
    """A digest of all that the layer's rows are made from, besides the other layers.

    Args:
        facts: of the layer; the names of their files stand for what is in them.
    """
    state = hashlib.sha256()
    for path, file, outcome in facts.results:
        # The file's name is the content that the facts were made from.
        state.update(f"{path}\0{file.name}\0{outcome.status}\n".encode("utf-8", "surrogateescape"))
    state.update(facts.note.encode())
    return state.hexdigest()[:32]


def outside(cache: Path, root: Path, options: Options) -> dict[str, str | None]:
    """What `meta` says of the files that only a compile database leads to.

    Args:
        cache: the folder that everything parsed is kept in.
        root: of the tree.
        options: as units were parsed.
    """
    found = outside_digest(cache, root, options)
    return {OUTSIDE: "another by now" if found is None else found}


def stored(target: Path, key: str) -> str | None:
    """The value of `key` in the table `meta` of the index `target`; None where there is no such row.

    Raises:
        sqlite3.Error: `target` is not there, or no index.
    """
    row = _ask(target, "SELECT value FROM meta WHERE key = ?", key)
    return None if row is None else str(row[0])


def _coverage(target: Path) -> tuple[str, str] | None:
    sql = "SELECT status, detail FROM coverage WHERE layer = ? AND file IS NULL"
    row = _ask(target, sql, SEMANTIC)
    return None if row is None else (str(row[0]), str(row[1]))


def _ask(target: Path, sql: str, key: str) -> tuple[object, ...] | None:
    conn = sqlite3.connect(f"{target.absolute().as_uri()}?mode=ro", uri=True)
    try:
        row: tuple[object, ...] | None = conn.execute(sql, (key,)).fetchone()
    finally:
        conn.close()
    return row


def _kept(target: Path) -> SemanticReport:
    status, detail = _coverage(target) or (_SKIPPED, "")
    return SemanticReport(status, detail, changed=False, size=target.stat().st_size)


def report_of(
    target: Path, facts: SemanticFacts, seconds: dict[str, float], *, changed: bool
) -> SemanticReport:
    """What was done.

    Args:
        target: the index, in its place.
        facts: that were written.
        seconds: what each stage took.
        changed: whether the index is another than before.

    Raises:
        sqlite3.Error: the index cannot be read.
    """
    status, detail = _coverage(target) or (_SKIPPED, "")
    prefix = f"count.{SEMANTIC}."
    conn = sqlite3.connect(f"{target.absolute().as_uri()}?mode=ro", uri=True)
    try:
        rows = conn.execute(
            "SELECT substr(key, length(:prefix) + 1), CAST(value AS INTEGER) FROM meta"
            " WHERE substr(key, 1, length(:prefix)) = :prefix",
            {"prefix": prefix},
        ).fetchall()
    finally:
        conn.close()
    return SemanticReport(
        status, detail, changed, facts.statuses(), facts.reused, dict(rows), facts.missing,
        facts.libclang, seconds, round(facts.cpu, 1), round(facts.memory, 1), target.stat().st_size,
    )  # fmt: skip
