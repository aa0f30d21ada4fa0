"""The file that is built: written beside its place, checked, and put there in one step."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from indexer import schema
from indexer.checking import EarlyCheck, check
from indexer.errors import BusyError, TargetError
from indexer.replacing import leftovers, replacing, sync
from indexer.scan.statfile import stat_path
from torchtalk.dbfile import APPLICATION_ID

_LOCK = ".lock"
_TRIES = 200  # to get the lock from somebody who only asks whether it is held
_MOMENT = 0.005  # seconds between two of them
_SAMPLE = 2_000  # rows of each index
_PATIENCE = 600.0  # seconds that another build may take
_PAUSE = 0.1
_KINDS = {
    stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_REFUSED = ("disk is full", "disk I/O error", "readonly database", "unable to open database")


def lock_path(target: Path) -> Path:
    """The file that is locked while `target` is being built."""
    return target.with_name(target.name + _LOCK)


@contextlib.contextmanager
def building_lock(target: Path) -> Iterator[None]:
    """Hold the lock of the index `target`, whose folder is made; the kernel frees it however this process ends.

    Raises:
        BusyError: another process holds it.
        TargetError: the folder cannot be written, or what stands there is no file.
    """
    _refuse_special(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(lock_path(target), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise cannot_write(target, error) from error
    try:
        if not _lock(descriptor):
            raise busy(target)
        yield
    finally:
        os.close(descriptor)


def _refuse_special(target: Path) -> None:
    """Leave a device, a pipe or a folder alone: who may do so would move it aside, and reading it may never end."""
    with contextlib.suppress(
        OSError
    ):  # Nothing is there, or whoever writes will say what is wrong.
        mode = os.stat(target).st_mode
        if not stat.S_ISREG(mode):
            raise TargetError(
                f"cannot write {target}: it is {_KINDS.get(stat.S_IFMT(mode), 'no regular file')};"
                " give another --db. Nothing was changed."
            )


def busy(target: Path) -> BusyError:
    """What to raise where another process holds the lock of the index `target`."""
    return BusyError(f"another torchtalk is building {target}; wait for it, or give another --db")


@contextlib.contextmanager
def waiting_lock(target: Path) -> Iterator[None]:
    """Hold the lock of the index `target`, once whoever has it is done with it.

    Raises:
        BusyError: another process holds it for very long.
        TargetError: the folder cannot be written.
    """
    ends = time.monotonic() + _PATIENCE
    with contextlib.ExitStack() as stack:
        while True:
            try:
                stack.enter_context(building_lock(target))
                break
            except BusyError:  # also where somebody else was quicker than we to see it free
                if time.monotonic() >= ends:
                    raise
            time.sleep(_PAUSE)
        yield


def _lock(descriptor: int) -> bool:
    """Take the lock; false where a builder has it, which a shared lock beside ours tells from asking."""
    for _ in range(_TRIES):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        with contextlib.suppress(BlockingIOError):
            # Free to be shared: whoever has it only asks.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            time.sleep(_MOMENT)
            continue
        return False
    return False


def is_being_built(target: Path) -> bool:
    """Whether some process holds the lock of the index `target`.

    Asking takes a shared lock for a moment. Builders wait for such a moment to pass, so that nobody
    is refused because somebody asked.
    """
    try:
        descriptor = os.open(lock_path(target), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def cannot_write(target: Path, error: OSError | sqlite3.Error) -> TargetError:
    """The error that a person gets when a folder refuses.

    Args:
        target: the index that was to be written.
        error: what the system or SQLite said.
    """
    reason = getattr(error, "strerror", None) or str(error)
    if getattr(error, "errno", None) in _NO_SPACE or "full" in reason:
        advice = "free some space, or give another --db"
    else:
        advice = "give another --db"
    return TargetError(f"cannot write {target}: {reason}; {advice}. Nothing was changed.")


@contextlib.contextmanager
def new_database(
    target: Path, aside: Path | None, early: EarlyCheck
) -> Iterator[sqlite3.Connection]:
    """A fresh database that replaces `target` when the block ends well.

    The file is built beside its place, checked, analysed and synced before it gets its name, so
    that a reader sees the old file or the new one. To be used while `building_lock` is held.

    Args:
        target: where it is put.
        aside: a name that the file which is there gets then, instead of being lost; None where it may be.
        early: a check that the block may begin, so that what it writes later alone is left to be checked.

    Raises:
        TargetError: it cannot be written; the old file stands as it was.
    """
    with _beside(target, aside) as temporary:
        with _connected(temporary) as conn:
            conn.execute("PRAGMA cache_size = -65536")
            schema.create(conn)
            conn.execute("BEGIN")
            with _checked(early):
                yield conn
            conn.execute("COMMIT")
            analyse(conn)
        _check_rest(early, temporary)


def analyse(conn: sqlite3.Connection) -> None:
    """Have the statistics that SQLite plans by.

    A sample takes a tenth of the time. It is of the first rows of each index: where two values fill it (what most
    functions call, or NULL), these are taken for the rule, and tables are searched the wrong way round. Such tables are
    looked at as a whole.

    Args:
        conn: with all its rows and indexes, in no transaction.
    """
    conn.execute(f"PRAGMA analysis_limit = {_SAMPLE}")
    conn.execute("ANALYZE")
    misled = set()
    for table, numbers in conn.execute("SELECT tbl, stat FROM sqlite_stat1 WHERE idx IS NOT NULL"):
        # Rows of the index, then how many have the same value in its first column, on average.
        of_a_value = numbers.split()[1:2]
        if any(number.isdigit() and int(number) > _SAMPLE / 5 for number in of_a_value):
            misled.add(table)
    conn.execute("PRAGMA analysis_limit = 0")
    for table in sorted(misled):
        conn.execute(f'ANALYZE "{table}"')


@contextlib.contextmanager
def changed_database(
    target: Path, *, compact: bool = False, early: EarlyCheck | None = None
) -> Iterator[sqlite3.Connection]:
    """A copy of `target` that replaces it when the block ends well, as `new_database` does.

    A copy of damaged pages is found by the check. The statistics stay those of the full build; an edit changes no plan.

    Args:
        target: the file that is changed.
        compact: leave no room between rows, for a change that writes most of the file.
        early: a check that the block may begin, so that what it writes later alone is left to be checked.

    Raises:
        TargetError: it cannot be written; the old file stands as it was.
    """
    with _beside(target, None) as temporary:
        early = early or EarlyCheck()
        shutil.copyfile(target, temporary)
        with _connected(temporary) as conn:
            conn.execute("PRAGMA cache_size = -65536")
            conn.execute("BEGIN")
            with _checked(early):
                yield conn
            conn.execute("COMMIT")
            if compact:
                _compact(conn, temporary)
        _check_rest(early, temporary)


@contextlib.contextmanager
def _checked(early: EarlyCheck) -> Iterator[None]:
    """Wait for a check that the block began."""
    try:
        yield
    except BaseException:
        early.give_up()
        raise
    early.wait()


def _check_rest(early: EarlyCheck, temporary: Path) -> None:
    if early.has_begun:
        early.check_rest()
    else:
        check(temporary)


def _compact(conn: sqlite3.Connection, temporary: Path) -> None:
    """Write a file anew, row after row: a twentieth smaller after a million rows were put between others."""
    compacted = temporary.with_name(f"{temporary.name}.compact")
    try:
        conn.execute("VACUUM INTO ?", (str(compacted),))
        os.replace(compacted, temporary)
    finally:
        with contextlib.suppress(OSError):
            compacted.unlink()


@contextlib.contextmanager
def _beside(target: Path, aside: Path | None) -> Iterator[Path]:
    """A name for a file that gets the target's name when the block ends well."""
    sweep(target)
    try:
        with replacing(target) as temporary:
            yield temporary
            sync(temporary)
            if aside is not None:
                _keep_aside(target, aside)
        sync(target.parent)
    except OSError as error:
        raise cannot_write(target, error) from error
    except sqlite3.OperationalError as error:
        # What SQLite says of the disk; anything else is a defect of ours and looks like one.
        if is_of_the_disk(error):
            raise cannot_write(target, error) from error
        raise


@contextlib.contextmanager
def _connected(temporary: Path) -> Iterator[sqlite3.Connection]:
    conn = sqlite3.connect(temporary, isolation_level=None)
    try:
        # Nobody reads this file before it is finished, and an unfinished one is thrown away.
        conn.execute("PRAGMA journal_mode = OFF")
        conn.execute("PRAGMA synchronous = OFF")
        conn.execute("PRAGMA locking_mode = EXCLUSIVE")
        yield conn
    finally:
        conn.close()


def is_of_the_disk(error: sqlite3.Error) -> bool:
    """Whether `error` is SQLite's complaint of the disk rather than of what is on it."""
    return any(reason in str(error) for reason in _REFUSED)


def is_foreign(target: Path) -> bool:
    """Whether a file stands at `target` that no torchtalk wrote: it is not to be overwritten.

    Empty files, and those that cannot be read, are not foreign.
    """
    try:
        with target.open("rb") as file:
            header = file.read(100)
    except OSError:
        return False  # It is not there, or writing will say what is wrong with it.
    # Where the file format has the application id: https://www.sqlite.org/fileformat.html
    ours = header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION_ID.to_bytes(
        4, "big"
    )
    return bool(header) and not ours


def aside_path(target: Path) -> Path:
    """A free name beside `target`, a file that is not to be overwritten: `.bak` or `.bakN` behind its own."""
    names = (f"{target.name}.bak{n or ''}" for n in itertools.count())
    return next(path for path in map(target.with_name, names) if not path.exists())


def _keep_aside(target: Path, aside: Path) -> None:
    try:
        # With a second name first, the place is never empty.
        os.link(target, aside)
    except OSError:
        os.rename(target, aside)


def sweep(target: Path) -> None:
    """Remove what earlier builds of `target` left behind that were killed.

    Whoever calls holds the target's lock, so none of them is alive. What cannot be removed stays.
    """
    for left in (*leftovers(target), *leftovers(stat_path(target))):
        with contextlib.suppress(OSError):
            left.unlink()
