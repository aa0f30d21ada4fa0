"""Running the link steps that an edit makes necessary: in part where that is known to be enough."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from importlib import import_module

from indexer import link, worker_steps
from indexer.sql_lists import INSIDE, chosen
from indexer.update import calls, coverage
from indexer.update.differences import Differences
from indexer.update.needs import needs
from indexer.update.steps import UNDO
from indexer.workers import WorkerPool

_macro_functions = import_module("indexer.link.15_macro_functions")
_calls_step = import_module("indexer.link.25_calls")

_BESIDE = 62
"""The step that a worker does while the others run."""

_MANY_TESTS = 5_000
"""What so many call takes longer to find out than a worker takes to start."""

_READS_CALLS = 43
"""The step that follows calls of the text from what is handed a lambda."""

_DEEP = 4
"""So many calls it follows."""

_HANDED = "SELECT DISTINCT launcher_id FROM launches WHERE handed_to IS NOT NULL AND launcher_id IS NOT NULL"


class Relink:
    """The link steps of one update, in their order.

    Args:
        conn: the copy of the index.
        layers: of the index.
        edit: what is known of the files that changed.
        load: has calls at hand, where not all are.

    Attributes:
        done: names of the steps that ran.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        layers: Collection[str],
        edit: Differences,
        load: calls.Load | None,
    ) -> None:
        self._conn = conn
        self._layers = layers
        self._edit = edit
        self._load = load
        self._begun: worker_steps.Begun | None = None
        self.done: list[str] = []

    def run(self, name: str, step: link.Step, pool: WorkerPool) -> None:
        """Run a step, or leave it to a worker, if its result can be another than before.

        Args:
            name: the step's, with its number before a `_`.
            step: what it does.
            pool: of the workers.
        """
        number = link.number_of(name)
        edit = self._edit
        if not needs(number, edit):
            return
        conn = self._conn
        if number in (50, _BESIDE) and self._has_many_tests():
            pool.prepare()  # its processes start while classes and names are resolved
            if number == _BESIDE and self._sees_the_same():
                self._begin(name, pool)
                return
        in_part = {15: self._macro_functions, 25: self._calls}
        # Where all were resolved anew, they are at hand; loading would bring back those of before.
        if number == _READS_CALLS and self._load is not None and 25 not in edit.ran:
            self._load_handed(self._load)
        last = coverage.last(conn)
        if number == 15 and edit.changed["macros"]:
            edit.remember_gtests()
        if number == 16:
            edit.remember_operators()
        if number not in in_part or not in_part[number]():
            if number == 25:
                edit.remember_gtests()
            coverage.forget(conn, number)
            UNDO[number].run(conn)
            step(conn, pool)
            self._ran(number, name)
        coverage.belongs_to(conn, last, number)
        if number == 15:
            edit.compare_functions()

    def _ran(self, number: int, name: str) -> None:
        self._edit.ran.add(number)
        self.done.append(name.partition("_")[2])

    def _load_handed(self, load: calls.Load) -> None:
        """Have the calls at hand that lead away from launches whose kernel a lambda is given."""
        known: set[int] = set()
        last = {n for (n,) in self._conn.execute(_HANDED)}
        for _ in range(_DEEP):
            load(last, set())
            known |= last
            found = self._conn.execute(
                f"SELECT DISTINCT callee_id FROM calls WHERE caller_id {INSIDE}", (chosen(last),)
            )
            last = {n for (n,) in found} - known

    def finish(self, pool: WorkerPool) -> None:
        """Write what a worker did meanwhile, if one was begun.

        Args:
            pool: of the workers.

        Raises:
            WorkerError: it was killed or crashed.
        """
        if self._begun is not None:
            last = coverage.last(self._conn)
            self._begun.run(self._conn, pool)
            coverage.belongs_to(self._conn, last, _BESIDE)

    def _begin(self, name: str, pool: WorkerPool) -> None:
        """Leave a step to a worker; none of those that follow needs it."""
        coverage.forget(self._conn, _BESIDE)
        for statement in UNDO[_BESIDE].statements:  # the worker itself puts back what was kept
            self._conn.execute(statement)
        worker_steps.take_snapshot(self._conn)
        self._begun = worker_steps.begin(self._conn, pool, name)
        self._ran(_BESIDE, name)

    def _has_many_tests(self) -> bool:
        found = self._conn.execute(
            "SELECT 1 FROM tests LIMIT 1 OFFSET ?", (_MANY_TESTS,)
        ).fetchone()
        return "tests" in self._layers and found is not None

    def _sees_the_same(self) -> bool:
        """Whether the tests' calls in the file, which a worker reads, are those that this process sees.

        They are not where a layer that is hidden from this process alone has replaced them, or where they changed
        behind it.
        """
        if self._load is None:
            return True
        seen, written = (
            self._conn.execute(
                "SELECT t.id, c.callee, c.is_member FROM tests AS t"
                f" JOIN {schema}.operator_calls AS c ON c.caller_id = t.cpp_function_id ORDER BY 1, 2, 3"
            ).fetchall()
            for schema in ("temp", "main")
        )
        return seen == written

    # Steps that need not do everything again: true where they did what is needed ----------------

    def _macro_functions(self) -> bool:
        """Expand the macro uses of the files that were read, unless macros changed."""
        self._unmake_methods()
        if self._edit.changed["macros"]:
            return False
        coverage.forget(self._conn, 15, self._edit.paths)
        _macro_functions.link_files(self._conn, WorkerPool(0), self._edit.read)
        return True

    def _unmake_methods(self) -> None:
        """What was a method because of a class that is gone is a function again; files that were read say themselves.

        A class whose end is missing is none, though what stands in it are methods.
        """
        self._conn.execute(
            "UPDATE functions SET kind = 'function' WHERE kind = 'method' AND name LIKE '%::%'"
            f" AND rtrim(rtrim(name, replace(name, ':', '')), ':') {INSIDE} AND NOT file_id {INSIDE}",
            (chosen(self._edit.gone_classes()), chosen(self._edit.read)),
        )

    def _calls(self) -> bool:
        """Resolve the calls that name what changed, unless that could be any."""
        edit = self._edit
        wide = ("classes", "holders", "macros", "headers' usings", "headers' fields", "slots")
        if 15 in edit.ran or any(edit.changed[name] for name in wide):
            return False
        if edit.bases_changed() or calls.made_classes(edit.before) != calls.made_classes(edit.now):
            return False
        if edit.names:
            edit.remember_gtests()  # tests in other files may call what changed
        try:
            calls.relink(self._conn, edit.files, edit.before, edit.names, edit.moved, self._load)
        except calls.TooFar:
            return False
        coverage.forget(self._conn, 25)
        _calls_step.report(self._conn)
        self.done.append("calls of what changed")
        return True
