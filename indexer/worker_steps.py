"""Link steps whose long part a worker does from the file as it stands, while this process goes on writing.

What a worker reads stays as it is: until the next snapshot this process keeps its changes in memory.
"""

from __future__ import annotations

import functools
import itertools
import sqlite3
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from indexer.update.kept import put_back
from indexer.workers import WorkerPool


class Divided(Protocol):
    """A link step of two parts.

    Args:
        KEPT: tables that its long part reads as the files filled them (`indexer.update.kept`).
    """

    KEPT: tuple[str, ...]

    def prepare(self, conn: sqlite3.Connection) -> Any:
        """What all parts need: a worker makes it once, from the database `conn`, which it only reads."""

    def compute(self, conn: sqlite3.Connection, known: Any, part: int, parts: int) -> Any:
        """Its long part, or one of several of that; writes nothing.

        Args:
            conn: the database.
            known: what `prepare` gave.
            part: the 0-based number of the part.
            parts: how many there are.
        """

    def finish(self, conn: sqlite3.Connection, results: Iterable[Any]) -> None:
        """Write what came of it.

        Args:
            conn: the database.
            results: of `compute`, in the order of the parts.
        """


class Begun:
    """A step that workers are at.

    Args:
        module: the step's.
        waiting: for each part, whether it is done, and what waits for it.
    """

    def __init__(
        self, module: Divided, waiting: list[tuple[Callable[[], bool], Callable[[], Any]]]
    ) -> None:
        self._module = module
        self._waiting = waiting
        self._results: list[Any] | None = None

    def is_ready(self) -> bool:
        """Whether nothing has to be waited for."""
        return all(is_done() for is_done, _ in self._waiting)

    def wait(self) -> None:
        """Wait until the workers are done with it, and with the file.

        Raises:
            WorkerError: a worker was killed or crashed.
        """
        self._results = [result() for _, result in self._waiting]

    def run(self, conn: sqlite3.Connection, _: WorkerPool) -> None:
        """Write what came of it: the step itself, as `indexer.link.steps` has it.

        Args:
            conn: the database.

        Raises:
            WorkerError: a worker was killed or crashed.
        """
        if self._results is not None:
            self._module.finish(conn, self._results)
        else:
            self._module.finish(conn, (result() for _, result in self._waiting))


def take_snapshot(conn: sqlite3.Connection) -> None:
    """Write everything to the file, and nothing from here on until it is called again or the build is done.

    No worker may be reading the file.

    Args:
        conn: in a transaction, and again when this returns.
    """
    conn.execute("COMMIT")
    conn.execute("PRAGMA cache_spill = OFF")
    conn.execute("BEGIN")


def begin(
    conn: sqlite3.Connection, pool: WorkerPool, name: str, workers: int = 1, each: int = 1
) -> Begun:
    """Have a step's long part done from the last snapshot.

    Args:
        conn: whose file it is.
        pool: whose workers do it.
        name: of the step.
        workers: that share it.
        each: parts for each of them, one behind the other, for what one remembers of the first helps with the next.

    Raises:
        WorkerError: a worker was killed or crashed.
    """
    path = conn.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[0]
    number = next(_BEGUN)
    parts = workers * each
    begun = {
        part: pool.begin(_compute, (number, str(path), name, part, parts))
        for first in range(each)
        for part in range(first, parts, each)
    }
    return Begun(_module(name), [begun[part] for part in range(parts)])


@functools.cache
def _module(name: str) -> Divided:
    return cast(Divided, import_module(f"indexer.link.{name}"))


_BEGUN = itertools.count()
"""Numbers what is begun."""

_prepared: tuple[int, Any] = (-1, None)
"""In a worker: of what was begun last, what its parts need."""


def _compute(task: tuple[int, str, str, int, int]) -> Any:
    global _prepared
    number, path, name, part, parts = task
    module = _module(name)
    conn = sqlite3.connect(f"{Path(path).as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        conn.execute("PRAGMA temp_store = MEMORY")
        for table in module.KEPT:
            put_back(conn, table)
        if _prepared[0] != number:
            _prepared = number, module.prepare(conn)
        return module.compute(conn, _prepared[1], part, parts)
    finally:
        conn.close()
