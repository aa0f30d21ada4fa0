"""Making sure that a finished file is sound: at its end, or in part while the last of it is still being made."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import deque
from collections.abc import Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from pathlib import Path

from indexer.errors import UnsoundError
from indexer.replacing import sync

_CHECKERS = 2  # threads; the longest part takes a third of all
_MOMENT = 0.01  # seconds that the first has alone: a small file's checks take less than opening it once more
_WRITES = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)


def check(temporary: Path) -> None:
    """Make sure that a finished file is sound, on its way to the disk.

    Every page and row is looked at. What `integrity_check` adds, comparing indexes with their tables, is left to
    `torchtalk doctor`: SQLite wrote both in this very process. SQLite and the kernel let other threads work meanwhile.

    Args:
        temporary: the file; nobody writes it.

    Raises:
        UnsoundError: it is not.
    """
    _Checks(temporary, ["quick_check", "foreign_key_check"]).end()


class EarlyCheck:
    """The check of all that is in its place while the rest is made: in the end only what was written since is left.

    Args:
        open_tables: those whose references may lead nowhere when it begins.
    """

    def __init__(self, open_tables: Collection[str] = ()) -> None:
        self._open = open_tables
        self._written = set(open_tables)
        self._path = Path()
        self._conn: sqlite3.Connection | None = None
        self._checks: _Checks | None = None

    @property
    def has_begun(self) -> bool:
        """Whether anything was checked early."""
        return self._checks is not None

    def begin(self, conn: sqlite3.Connection) -> None:
        """Check the file as it is; what is written from here on goes into it when `wait` was called.

        Args:
            conn: of the file that is changed, in a transaction. Nobody else reads or writes the file.
        """
        path = conn.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[
            0
        ]
        referring = conn.execute(
            "SELECT name FROM main.sqlite_master AS t WHERE type = 'table'"
            " AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(t.name)) ORDER BY name <> 'calls', name"
        ).fetchall()
        from indexer.worker_steps import take_snapshot

        take_snapshot(conn)
        self._path, self._conn = Path(path), conn
        # What is prepared already is so again then: nothing is written unnoticed.
        conn.set_authorizer(self._note)
        references = (f"foreign_key_check('{t}')" for (t,) in referring if t not in self._open)
        self._checks = _Checks(self._path, ["quick_check", *references])

    def _note(self, action: int, table: str | None, *rest: str | None) -> int:
        if action in _WRITES and rest[1] == "main" and table is not None:
            self._written.add(table)
        elif action == sqlite3.SQLITE_CREATE_INDEX and rest[0] is not None:
            self._written.add(rest[0])
        return sqlite3.SQLITE_OK

    def wait(self) -> None:
        """Wait for it, before what was changed since goes into the file.

        Raises:
            UnsoundError: the file is not sound.
        """
        if self._conn is not None and self._checks is not None:
            # Python 3.10 knows no way to have none.
            self._conn.set_authorizer(lambda *_: sqlite3.SQLITE_OK)
            self._checks.end()

    def give_up(self) -> None:
        """Wait for the threads, whatever they find: the file is thrown away."""
        with contextlib.suppress(UnsoundError, sqlite3.Error, OSError):
            self.wait()

    def check_rest(self) -> None:
        """Check what was written since, in the finished file.

        Raises:
            UnsoundError: it is not sound.
        """
        tables = sorted(t for t in self._written if not t.startswith("sqlite_"))
        _Checks(
            self._path,
            [f"{pragma}('{table}')" for table in tables for pragma in ("quick_check", "foreign_key_check")],
        ).end()  # fmt: skip


class _Checks:
    """Checks of a file that nobody writes, done by threads, and the file's way to the disk."""

    def __init__(self, temporary: Path, pragmas: Iterable[str]) -> None:
        waiting = deque(pragmas)
        self._threads = ThreadPoolExecutor(max_workers=_CHECKERS + 1)
        self._parts: list[Future[None]] = []
        for _ in range(_CHECKERS):
            ahead = self._parts[:1]
            self._parts.append(self._threads.submit(_answer_all, temporary, waiting, ahead))
        self._parts.append(self._threads.submit(sync, temporary))

    def end(self) -> None:
        """Wait for all of them."""
        with self._threads:
            for part in self._parts:
                part.result()


def _answer_all(temporary: Path, pragmas: deque[str], ahead: list[Future[None]]) -> None:
    """In a thread: take checks off a list that others take from, too, until it is empty.

    Args:
        temporary: the file.
        pragmas: the checks.
        ahead: who may be done with all of them in a moment.
    """
    wait_for(ahead, timeout=_MOMENT)
    if not pragmas:
        return
    conn = sqlite3.connect(f"{temporary.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        while pragmas:
            try:
                pragma = pragmas.popleft()
            except IndexError:
                break  # another thread was quicker
            answer = conn.execute(f"PRAGMA {pragma}").fetchone()
            if pragma.startswith("foreign_key_check"):
                if answer is not None:
                    raise UnsoundError(
                        f"a reference of table {answer[0]} leads nowhere; this is a defect"
                    )
            elif answer != ("ok",):
                raise UnsoundError(f"the new database is damaged ({answer[0]}); is the disk well?")
    finally:
        conn.close()
