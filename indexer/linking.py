"""The link steps of a full build: in an order that leaves no core idle, with the rows of the order of their numbers.

The first run while workers read Python files: of what these hold they see what is registered, and nothing else. The
long parts of some are left to workers (`indexer.worker_steps`), and what is independent of them is linked meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from indexer import link, worker_steps
from indexer.progress import Progress
from indexer.update import coverage
from indexer.worker_steps import Begun
from indexer.workers import WorkerPool

_LAST_FIRST_STEP = 42
"""The last that needs nothing of the second reading (44 asks which names Python code leaves out)."""

_CALLS = 25
"""Begun when all functions and operators are known, and ended when those that stand on it have to wait."""

_BEFORE_CALLS = 16
"""The last that adds some of either."""

_PARTS = 2
"""Of the calls for each worker: what the first came to is written while the others are resolved."""

_ON_CALLS = (43, 47, 48, 62, 80, 82, 83, 84, 85)
"""Those that need the calls, all or in part."""

_BESIDE = 62
"""That of them whose long part needs none: a worker does it while the calls are written, and what stands on them."""

_NAMES = 90
"""Needs all that has names, and none of the calls."""

NOT_ASKED = ("names", "test_operators", "edges", "functions_last")
"""Tables of which no step asks anything, and an index that none asks: these are made behind all steps."""


class Linking:
    """Links a database that is being filled.

    Args:
        conn: the database, in a transaction.
        pool: for what is long.
        numbers: of the steps.
        progress: told what is being done.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        pool: WorkerPool,
        numbers: Collection[int],
        progress: Progress,
    ) -> None:
        self._conn = conn
        self._pool = pool
        self._progress = progress
        self._steps = {link.number_of(name): (name, run) for name, run in link.steps(numbers)}
        self._left = list(self._steps)
        self._calls: Begun | None = None

    def link_first(self) -> None:
        """Run the steps that can run while workers read Python files, and leave the calls to the workers."""
        first = [n for n in self._left if n <= _LAST_FIRST_STEP and n != _CALLS]
        before = [n for n in first if n <= _BEFORE_CALLS]
        self._run(before)
        if _CALLS in self._left:
            worker_steps.take_snapshot(self._conn)
            workers = self._pool.parts()
            each = _PARTS if workers > 1 else 1
            self._calls = worker_steps.begin(
                self._conn, self._pool, self._steps[_CALLS][0], workers, each
            )
        self._run(first[len(before) :])

    def link_rest(self) -> None:
        """Run all others."""
        self._progress.stage("link", len(self._steps))
        self._progress.advance(len(self._steps) - len(self._left))
        self._run([n for n in self._left if n not in (_CALLS, *_ON_CALLS, _NAMES)])
        if self._calls is not None:
            if not self._calls.is_ready():
                self._run([_NAMES])
            self._calls.wait()  # whoever resolves them reads the file, which the next snapshot writes
        tests: Begun | None = None
        if _BESIDE in self._left:
            worker_steps.take_snapshot(self._conn)
            tests = worker_steps.begin(self._conn, self._pool, self._steps[_BESIDE][0])
        if self._calls is not None:
            self._run([_CALLS], self._calls)
        self._run([n for n in self._left if n != _BESIDE])
        self._run([_BESIDE], tests)

    def _run(self, numbers: Iterable[int], begun: Begun | None = None) -> None:
        """Run steps, or end one that is begun, and note which of them says what."""
        for number in numbers:
            if number not in self._left:
                continue
            last = coverage.last(self._conn)
            run = self._steps[number][1] if begun is None else begun.run
            run(self._conn, self._pool)
            coverage.belongs_to(self._conn, last, number)
            self._left.remove(number)
            if number > _LAST_FIRST_STEP or number == _CALLS:
                self._progress.advance(1)
