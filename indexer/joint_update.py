"""Updating all layers at once: a few edited units are parsed while the other layers are brought up to date.

Where that is not enough (a header changed, or what is generated), the other layers go first and
`indexer.semantic.add_semantic` writes the semantic one anew.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexer.checking import EarlyCheck
from indexer.clang.again import Again, Planned, again, load_plan
from indexer.clang.cache_folder import texts_path
from indexer.clang.ended import how_it_ended
from indexer.clang.environment import ToolchainMissing
from indexer.clang.library import LibclangMissing
from indexer.clang.made_folder import CodegenError
from indexer.clang.semantic import Options, SemanticFacts, database_of, generated_folder
from indexer.clang.settings import settings_digest
from indexer.clang.setup import Outcome
from indexer.clang.units import is_test, is_unit
from indexer.facts.clang import UnitFacts
from indexer.progress import Clock
from indexer.report import SemanticReport
from indexer.scan.statfile import database_stamp
from indexer.scan.tree import SourceTree
from indexer.semantic import (
    FACTS,
    SETTINGS,
    describe,
    digest_of,
    outside,
    report_of,
    semantic_steps,
    stored,
)
from indexer.semantic_cache import keep, plan_path, state_path
from indexer.update import calls
from indexer.update.changes import Changes
from indexer.update.exact import ExactSteps
from indexer.update.hidden import Hidden
from indexer.words import add_functions
from indexer.write.clang import LAYER
from indexer.write.clang_base import put_base
from indexer.write.clang_change import change_semantic
from indexer.write.clang_merge import told
from indexer.write.clang_state import State, load_state
from indexer.write.clang_told import Fast, TooFar
from indexer.write.files import write_meta

_MOST = 20
"""So many units may be parsed again; for more, what has to be linked again is most of it."""

_SEEN = frozenset((".h", ".hpp", ".hh", ".inl", ".cuh", ".cu", ".cpp", ".cc", ".cxx", ".c", ".hip"))
"""Files of these kinds may be included by units."""

_SHOWN = ("operator_functions", "stub_callers", "stub_registrations", "coverage", "meta")
"""Tables that have the other layers' rows again once the layer's own were changed."""


@dataclass
class Together:
    """How the semantic layer is brought up to date with the others.

    Args:
        options: how units are parsed.
        cache: where what was parsed is kept.
        workers: how many processes parse; 0 parses in this one.
    """

    options: Options
    cache: Path
    workers: int

    def begin(self, tree: SourceTree, target: Path, changes: Changes) -> Update:
        """Begin to parse what changed.

        Args:
            tree: that changed.
            target: its index.
            changes: what changed.

        Raises:
            TooFar: the layer cannot be brought up to date in place.
        """
        edited = [file.path for file in changes.edited]
        units = [path for path in edited if is_unit(path)]
        others = [path for path in (*edited, *(f.path for f in changes.added), *changes.removed)
                  if path not in units]  # fmt: skip
        if len(units) > _MOST:
            raise TooFar(f"more than {_MOST} C++ sources were edited")
        for path in others:
            if os.path.splitext(path)[1] in _SEEN:
                raise TooFar(f"{path} may be seen by other units")
        folder = self.cache.resolve()
        try:
            settings = settings_digest(tree.root, self.options)
            if stored(target, SETTINGS) != settings:
                raise TooFar("it was made with other options, or another library")
            plan = load_plan(plan_path(folder, target), settings)
            if plan is None or plan.setup.root != str(tree.root):
                raise TooFar("the plan of the last time is not in the cache")
            if digest_of(_facts(folder, plan)) != stored(target, FACTS):
                raise TooFar("the plan in the cache is another index's")
            gave_nothing = (row for row in plan.results if row[2] not in ("ok", "partial"))
            limits = self.options.time_limit, plan.setup.memory
            if not all(how_it_ended(folder / row[1], *limits) for row in gave_nothing):
                raise TooFar("units that gave nothing are tried again")
            has_commands = bool(database_of(tree.root, self.options)[0].commands)
            made = generated_folder(tree.root, folder, self.options, has_commands)
            if str(made.folder) != plan.generated:
                raise TooFar("generated headers are others")
            planned = [path for path in units if path in {row[0] for row in plan.results}]
            left = [path for path in units if path not in planned]
            if not all(self._is_left_out(path) and path not in plan.units for path in left):
                raise TooFar("a unit was edited that was not parsed")
            todo = again(folder, plan, texts_path(folder, tree.root), planned, left)
            stamp = database_stamp(target)
            state = load_state(state_path(folder, target), [*stamp]) if stamp else None
        except (LibclangMissing, ToolchainMissing, CodegenError, OSError) as error:
            # Whoever adds the layer then says why it cannot be.
            raise TooFar(str(error)) from error
        if todo is None:
            raise TooFar("more than the text of the edited units may be another for the parser")
        if state is None:
            raise TooFar("what was merged the last time is not in the cache")
        update = Update(self, tree, target, changes, todo, state)
        update.start()
        return update

    def _is_left_out(self, path: str) -> bool:
        """Whether a unit is not parsed because of what it is, whatever it says."""
        return is_test(path) and not self.options.tests


@dataclass
class Update:
    """One update of all layers.

    Args:
        how: the options.
        tree: that changed.
        target: its index.
        changes: what changed.
        todo: what is parsed.
        state: of the database.
    """

    how: Together
    tree: SourceTree
    target: Path
    changes: Changes
    todo: Again
    state: State
    _outcomes: dict[str, Outcome] = field(default_factory=dict)
    _failure: list[Exception] = field(default_factory=list)
    _thread: threading.Thread | None = None
    _hidden: Hidden | None = None
    _steps: ExactSteps | None = None
    _functions: dict[int, tuple[str, int, bool]] = field(default_factory=dict)
    _callees: Mapping[int, list[calls.Function]] = field(default_factory=dict)

    def start(self) -> None:
        """Parse in worker processes meanwhile; without them, now."""

        def run() -> None:
            try:
                self._outcomes = self.todo.run(self.how.workers, self.how.options.time_limit)
            except (LibclangMissing, OSError) as error:
                self._failure.append(error)

        if self.how.workers > 0:
            self._thread = threading.Thread(target=run, daemon=True)
            self._thread.start()
        else:
            run()

    def hide(self, conn: sqlite3.Connection) -> None:
        """Let the other layers be brought up to date as if this one were not there.

        Args:
            conn: the database, before they change it.
        """
        ids: dict[str, int] = dict(conn.execute("SELECT path, id FROM source_files"))
        paths = [*(f.path for f in self.changes.edited), *self.changes.removed]
        old = {ids[path] for path in paths}
        self._functions = {
            identity: (name, file_id, origin == "clang")
            for file_id in old
            for identity, name, origin in conn.execute(
                "SELECT id, name, origin FROM functions WHERE file_id = ? AND id < ?",
                (file_id, self.state.first),
            )
        }
        self._steps = ExactSteps(conn, old)
        self._hidden = Hidden(conn)
        self._callees = calls.functions_of(conn, old)

    def load(self, callers: set[int] | None, callees: set[int]) -> None:
        """Have calls at hand in the hidden database; without effect before `hide`.

        Args:
            callers: ids of the functions whose calls are wanted; None for all calls.
            callees: ids of functions whose callers are wanted besides.
        """
        if self._hidden is not None:
            self._hidden.load(callers, callees)

    def apply(
        self, conn: sqlite3.Connection, relinked: list[str], clock: Clock, early: EarlyCheck
    ) -> dict[str, dict[str, int]]:
        """Bring this layer up to date behind the others.

        Args:
            conn: the database; `hide` was called on it and the other layers are up to date.
            relinked: names of the link steps that ran.
            clock: of the stages of this layer.
            early: begun as soon as little is left to be written.

        Returns:
            Rows of each layer, by the name of the count.

        Raises:
            TooFar: it has to be written anew.
        """
        hidden, steps = self._hidden, self._steps
        if hidden is None or steps is None:
            raise TooFar("the layer was not hidden")
        ids: dict[str, int] = dict(conn.execute("SELECT path, id FROM source_files"))
        read = {ids[file.path] for file in self.changes.read}
        files = read | {file_id for _, file_id, _ in self._functions.values()}
        _, moved = calls.compare(self._callees, calls.functions_of(conn, files))
        shown = hidden.show(all_calls="calls" in relinked)
        if "macro_functions" in relinked:
            raise TooFar("macros changed")
        units = self._parsed()
        clock.done("parse")
        said = _said_of_units(conn)
        for table, rows in shown.rows.items():
            if rows != hidden.before[table]:
                put_base(conn, table, rows)
        hidden.calls.change(conn, shown.removed, shown.added)
        fast = Fast(
            files, self._functions, moved, hidden.calls, shown.removed | shown.added,
            (hidden.before["operator_calls"], shown.rows["operator_calls"]),
        )  # fmt: skip
        change_semantic(conn, self.state, units, fast)
        for table in _SHOWN:
            _replace(conn, table, shown.rows[table])
        fresh = {now.unit: (now.unit, now.status, told(now)) for _, now in units}
        conn.executemany(
            "INSERT INTO coverage (layer, file, status, detail) VALUES (?, ?, ?, ?)",
            ((LAYER, *fresh.get(row[0], row)) for row in said),
        )
        # What calls it no more is a variable again.
        conn.execute(
            "UPDATE functions SET kind = 'variable' WHERE kind = 'stub' AND id >= ?",
            (self.state.first,),
        )
        clock.done("write")
        add_functions(conn)
        before, after = (
            _stub_callers(conn, rows["stub_callers"]) for rows in (hidden.before, shown.rows)
        )
        steps.run(
            semantic_steps(conn), relinked, read, same_stubs=before == after,
            before_edges=lambda: early.begin(conn),
        )  # fmt: skip
        clock.done("link calls")
        return self._describe(conn)

    def _parsed(self) -> list[tuple[UnitFacts, UnitFacts]]:
        """Wait for what is parsed: of each unit its facts as they were, and as they are now."""
        self._join()
        if self._failure:
            raise TooFar(str(self._failure[0]))
        if self._outcomes.keys() != self.todo.tasks.keys():
            raise TooFar("not all units were read")
        units = self.todo.facts(self._outcomes)
        if units is None:
            raise TooFar("a unit could not be read")
        return units

    def _describe(self, conn: sqlite3.Connection) -> dict[str, dict[str, int]]:
        """Write what the database says of this layer as a whole; the rows of each layer, by the name of the count."""
        facts = _facts(self.todo.folder, self.todo.plan)
        counts = describe(conn, facts)
        settings = settings_digest(self.tree.root, self.how.options)
        write_meta(conn, {FACTS: digest_of(facts), SETTINGS: settings})
        write_meta(conn, outside(self.how.cache, self.tree.root, self.how.options))
        return counts

    def finish(self, seconds: dict[str, float]) -> SemanticReport:
        """Keep what the next update starts from, when the database is in its place.

        Args:
            seconds: what each stage took, for the report.

        Returns:
            What was done.
        """
        keep(self.todo.folder, self.target, self.todo.plan, self.state)
        facts = _facts(self.todo.folder, self.todo.plan)
        facts.reused = sum(facts.statuses().values()) - len(self.todo.tasks)
        facts.cpu = sum(outcome.seconds for outcome in self._outcomes.values())
        facts.memory = max((outcome.memory for outcome in self._outcomes.values()), default=0.0)
        return report_of(self.target, facts, seconds, changed=True)

    @contextlib.contextmanager
    def waited_for(self) -> Iterator[None]:
        """A block that ends when nothing is being parsed any more, however it ends: what was parsed is kept."""
        try:
            yield
        finally:
            self._join()

    def _join(self) -> None:
        if self._thread is not None:
            self._thread.join()


def _facts(folder: Path, plan: Planned) -> SemanticFacts:
    rows = [
        (path, folder / name, Outcome(-1, status, detail))
        for path, name, status, detail in plan.results
    ]
    return SemanticFacts(
        rows, note=plan.note, libclang=plan.libclang, missing=tuple(plan.missing), plan=plan
    )


def _said_of_units(conn: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """What the database says of each unit: its path, status and detail, in order."""
    return conn.execute(
        "SELECT file, status, detail FROM coverage WHERE layer = ? AND file IS NOT NULL ORDER BY id",
        (LAYER,),
    ).fetchall()


def _replace(conn: sqlite3.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    conn.execute(f"DELETE FROM {table}")
    if rows:
        places = ", ".join("?" * len(rows[0]))
        conn.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


def _stub_callers(conn: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> set[Any]:
    """The functions that rows of that table tell of."""
    names = [str(row[1]) for row in conn.execute("PRAGMA table_info(stub_callers)")]
    at = names.index("function_id")
    return {row[at] for row in rows}
