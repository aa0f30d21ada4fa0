"""Opening an index for reading: only what is torchtalk's, and never to write."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from urllib.parse import quote

from torchtalk.config import index_command
from torchtalk.dbfile import APPLICATION_ID, SCHEMA_VERSION, check_sqlite
from torchtalk.kept import Connection, identity, keep


class IndexUnavailable(Exception):
    """There is no index that can be asked; the message says what to do."""


class IndexMissing(IndexUnavailable):
    """The file is not there (yet)."""


_CACHE_KB = 16_000
"""Of pages for each connection, as far as they are used: a thread of the server has one."""


def connect(path: Path) -> sqlite3.Connection:
    """Open an index read-only.

    Args:
        path: of the database file; its folder may be read-only.

    Raises:
        IndexMissing: there is no such file.
        IndexUnavailable: the file is damaged, not torchtalk's, or of another version.
    """
    check_sqlite()
    if not path.is_file():
        raise IndexMissing(
            f"there is no index at {path}; build it with: {index_command(path, None)}"
        )
    conn: Connection | None = None
    before = identity(path)
    try:
        # The file is only ever replaced, never written to, so SQLite need not lock it. A path
        # with `?` or `#` in it must not end the URI.
        conn = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True,
            check_same_thread=False, factory=Connection,
        )  # fmt: skip
        conn.execute("PRAGMA query_only = ON")
        # One question's pages are more than SQLite's usual 2 MB, which it would read anew each time.
        conn.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        # Each recursion, DISTINCT and window has a table of its own: as files they take more time than what is asked.
        conn.execute("PRAGMA temp_store = MEMORY")
        application = int(conn.execute("PRAGMA application_id").fetchone()[0])
        version = int(conn.execute("PRAGMA user_version").fetchone()[0])
        if application == APPLICATION_ID and version == SCHEMA_VERSION:
            conn.execute("SELECT value FROM meta LIMIT 1").fetchone()
    # A message of SQLite's that names damaged text cannot even be decoded.
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if conn is not None:
            conn.close()
        raise IndexUnavailable(
            f"{path} cannot be read as an index ({error}); give another --db, or build it again with: "
            f"{index_command(path, None)}"
        ) from error
    problem = _not_ours(path, application, version)
    if problem is not None:
        conn.close()
        raise IndexUnavailable(problem)
    conn.row_factory = sqlite3.Row
    keep(conn, before if before == identity(path) else None)
    return conn


def _not_ours(path: Path, application: int, version: int) -> str | None:
    if application != APPLICATION_ID:
        return f"{path} is not a torchtalk index; give another --db, or remove the file"
    if version > SCHEMA_VERSION:
        return (
            f"{path} was written by a newer torchtalk (schema {version}, this one reads "
            f"{SCHEMA_VERSION}); upgrade torchtalk, or give another --db"
        )
    if version < SCHEMA_VERSION:
        return (
            f"{path} was written by an older torchtalk (schema {version}, this one reads "
            f"{SCHEMA_VERSION}); build it again with: {index_command(path, None)}"
        )
    return None


class _Opened:
    """A thread's connection to one file, closed when the thread has ended."""

    def __init__(self, conn: sqlite3.Connection, identity: tuple[int, int, int] | None) -> None:
        self.conn = conn
        self.identity = identity

    def __del__(self) -> None:
        self.conn.close()


class Index:
    """An index that threads ask at the same time and that may be replaced meanwhile.

    Each thread has a connection of its own. When the file at the path is another one than the
    connection was opened on, the next question is asked of the new one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()

    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection to the present file.

        Raises:
            IndexUnavailable: as `connect` does.
        """
        identity = self.identity()
        opened: _Opened | None = getattr(self._local, "opened", None)
        if opened is None or identity is None or identity != opened.identity:
            self.close()
            opened = self._local.opened = _Opened(connect(self.path), identity)
        return opened.conn

    def identity(self) -> tuple[int, int, int] | None:
        """What tells one file from the next at the same path; None where there is none."""
        return identity(self.path)

    def close(self) -> None:
        """Close the calling thread's connection."""
        opened: _Opened | None = getattr(self._local, "opened", None)
        if opened is not None:
            opened.conn.close()
        self._local.opened = None
