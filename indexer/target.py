"""The file that is built: written beside its place, checked, and put there in one step."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from indexer import schema
from indexer.errors import BusyError, TargetError

_BUILDING = ".building"
_LOCK = ".lock"
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_REFUSED = ("disk is full", "disk I/O error", "readonly database", "unable to open database")


def lock_path(target: Path) -> Path:
    """The file that is locked while `target` is being built."""
    return target.with_name(target.name + _LOCK)


@contextlib.contextmanager
def building_lock(target: Path) -> Iterator[None]:
    """Hold the lock of a target; the kernel frees it however this process ends.

    Raises:
        BusyError: another process holds it.
        TargetError: the folder cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(lock_path(target), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise cannot_write(target, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError(
                f"another torchtalk is building {target}; wait for it, or give another --db"
            ) from error
        yield
    finally:
        os.close(descriptor)


def is_being_built(target: Path) -> bool:
    """Whether some process holds the lock of a target."""
    try:
        descriptor = os.open(lock_path(target), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def cannot_write(target: Path, error: OSError | sqlite3.Error) -> TargetError:
    """The error that a person gets when the target's folder refuses."""
    reason = getattr(error, "strerror", None) or str(error)
    if getattr(error, "errno", None) in _NO_SPACE or "full" in reason:
        advice = "free some space, or give another --db"
    else:
        advice = "give another --db"
    return TargetError(f"cannot write {target}: {reason}; {advice}. Nothing was changed.")


@contextlib.contextmanager
def new_database(target: Path) -> Iterator[sqlite3.Connection]:
    """A fresh database that replaces `target` when the block ends well.

    The file is built beside its place, checked, analysed and synced before it gets its name, so
    that a reader sees the old file or the new one. To be used while `building_lock` is held.

    Raises:
        TargetError: it cannot be written; the old file stands as it was.
    """
    with _replacing(target, copied=False) as conn:
        schema.create(conn)
        conn.execute("BEGIN")
        yield conn
        conn.execute("COMMIT")


@contextlib.contextmanager
def changed_database(target: Path) -> Iterator[sqlite3.Connection]:
    """A copy of `target` to be changed, which replaces it when the block ends well.

    As `new_database`, with the same promises.

    Raises:
        TargetError: it cannot be written; the old file stands as it was.
    """
    with _replacing(target, copied=True) as conn:
        conn.execute("BEGIN")
        yield conn
        conn.execute("COMMIT")


@contextlib.contextmanager
def _replacing(target: Path, *, copied: bool) -> Iterator[sqlite3.Connection]:
    _sweep(target)
    temporary = target.with_name(f".{target.name}.{os.getpid()}{_BUILDING}")
    try:
        if copied:
            shutil.copyfile(target, temporary)
        conn = sqlite3.connect(temporary, isolation_level=None)
        try:
            # Nobody reads this file before it is finished, and an unfinished one is thrown away.
            conn.execute("PRAGMA journal_mode = OFF")
            conn.execute("PRAGMA synchronous = OFF")
            conn.execute("PRAGMA locking_mode = EXCLUSIVE")
            conn.execute("PRAGMA cache_size = -65536")
            yield conn
            # A sample is enough to plan by, and takes a tenth of the time.
            conn.execute("PRAGMA analysis_limit = 2000")
            conn.execute("ANALYZE")
            _check(conn)
        finally:
            conn.close()
        _sync(temporary)
        os.replace(temporary, target)
        _sync(target.parent)
    except OSError as error:
        raise cannot_write(target, error) from error
    except sqlite3.OperationalError as error:
        # What SQLite says of the disk; anything else is a defect of ours and looks like one.
        if any(reason in str(error) for reason in _REFUSED):
            raise cannot_write(target, error) from error
        raise
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _sweep(target: Path) -> None:
    """Remove what earlier builds left behind that were killed; the lock says none is alive."""
    for left in target.parent.glob(f".{target.name}.*{_BUILDING}*"):
        with contextlib.suppress(OSError):
            left.unlink()


def _check(conn: sqlite3.Connection) -> None:
    broken = conn.execute("PRAGMA foreign_key_check").fetchone()
    if broken is not None:
        raise TargetError(f"a reference of table {broken[0]} leads nowhere; this is a defect")
    result = conn.execute("PRAGMA integrity_check").fetchone()[0]
    if result != "ok":
        raise TargetError(f"the new database is damaged ({result}); is the disk well?")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
