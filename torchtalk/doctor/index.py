"""The tree and its index: are they there, whole, complete, and do they fit each other?"""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from torchtalk import __version__
from torchtalk.config import NoSource, SettingsError, find_database, find_tree, index_command
from torchtalk.db import IndexMissing, IndexUnavailable, connect
from torchtalk.dbfile import SqliteTooOld
from torchtalk.doctor.findings import FAIL, OK, WARN, Finding
from torchtalk.testing.installed import is_installed
from torchtalk.tools.get_status import get_status
from torchtalk.treestate import tree_state

_BUILD = "torchtalk index"


def tree(source: Path | None, database: Path | None) -> Finding:
    """Check that a tree is configured.

    Args:
        source: what --pytorch-source says.
        database: what --db says; with it one can do without a tree.
    """
    try:
        found = find_tree(source)
    except (NoSource, SettingsError) as error:
        return Finding("tree", FAIL if database is None else WARN, str(error), "torchtalk init DIR")
    version = found.version or "of unknown version"
    return Finding("tree", OK, f"{found.root} (PyTorch {version})")


def index(database: Path | None, source: Path | None) -> Iterator[Finding]:
    """Check the index: that it can be read, its damage, age and gaps, and who is building it.

    Args:
        database: what --db says.
        source: what --pytorch-source says.

    Returns:
        The findings one by one; none more behind the one that says that the file is missing, unreadable or damaged.
    """
    try:
        path = find_database(database, source)
    except (NoSource, SettingsError) as error:
        yield Finding("database", FAIL, f"not known without a tree ({error})", "give --db FILE")
        return
    yield _lock(path)
    build = index_command(database, source)
    try:
        conn = connect(path)
    except IndexMissing:
        yield Finding("database", FAIL, f"there is none at {path}", build)
        return
    except (IndexUnavailable, SqliteTooOld) as error:
        what, _, advice = str(error).partition("; ")
        yield Finding("database", FAIL, what, advice or build)
        return
    try:
        yield from _contents(conn, path, build)
    except sqlite3.DatabaseError as error:
        yield Finding("database", FAIL, f"{path} is damaged ({error})", build)
    finally:
        conn.close()


def _lock(path: Path) -> Finding:
    from indexer.replacing import leftovers
    from indexer.target import is_being_built, lock_path

    if is_being_built(path):
        return Finding(
            "lock", WARN, f"a build of {path} is running (it holds {lock_path(path)})",
            "wait for it; the kernel frees the lock when it ends, however it ends",
        )  # fmt: skip
    left = leftovers(path)
    if left:
        return Finding(
            "lock", WARN, f"free; a build that was killed left {left[0]}",
            f"the next {_BUILD} removes it",
        )  # fmt: skip
    return Finding("lock", OK, "free: nobody is building the index")


def _contents(conn: sqlite3.Connection, path: Path, build: str) -> Iterator[Finding]:
    size = path.stat().st_size / 1e6
    problem = conn.execute("PRAGMA integrity_check(1)").fetchone()[0]
    reference = conn.execute("PRAGMA foreign_key_check").fetchone()
    if problem != "ok" or reference is not None:
        what = problem if problem != "ok" else f"a reference of {reference[0]} leads nowhere"
        yield Finding("database", FAIL, f"{path} is damaged ({what})", build)
        return
    status = get_status(conn)
    yield Finding(
        "database", OK, f"{path} ({size:.1f} MB, schema {status.schema_version}), undamaged"
    )
    yield _age(conn, build)
    if status.built_by and status.built_by.rpartition(" ")[2] != __version__:
        yield Finding(
            "version", WARN, f"built by {status.built_by}, this is {__version__}",
            f"{build}, to have what is new in it",
        )  # fmt: skip
    layers = status.layers
    if is_installed(conn):
        layers = tuple(layer for layer in layers if layer.name != "semantic")
    missing = [layer for layer in layers if layer.status != "ok"]
    if missing:
        said = "; ".join(f"{layer.name}: {layer.status}" for layer in missing)
        yield Finding(
            "layers", WARN, f"{len(missing)} of {len(layers)} not complete: {said}",
            _completing([layer.name for layer in missing if not layer.status.startswith("skipped")], build)
        )  # fmt: skip
    else:
        yield Finding("layers", OK, f"all {len(layers)}")
    yield _coverage(conn, build)


def _asking(build: str) -> str:
    """The command that asks the index which another command builds."""
    return f"torchtalk sql{build.removeprefix(_BUILD)}"


def _completing(partial: list[str], build: str) -> str:
    """What to do about layers that are not complete: to build again helps those that were left out."""
    if not partial:
        return f"{build} without --layers and --no-clang, if the tree has what they are made from"
    names = ", ".join(f"'{name}'" for name in partial)
    return (
        f'{_asking(build)} "SELECT file, detail FROM v_coverage WHERE layer IN ({names})'
        " AND status <> 'ok'\" tells what is missing and why"
    )


def _age(conn: sqlite3.Connection, build: str) -> Finding:
    meta = dict(conn.execute("SELECT key, value FROM meta").fetchall())
    built = datetime.datetime.fromisoformat(str(meta["built_at"]))
    days = (datetime.datetime.now(datetime.timezone.utc) - built).days
    age = "today" if days < 1 else f"{days} day{'' if days == 1 else 's'} ago"
    state = tree_state(conn)
    if state.state == "changed":
        return Finding(
            "age", WARN, f"built {age}; {state.changed} files of the tree have changed since, such "
            f"as {', '.join(state.examples[:2])}", build,
        )  # fmt: skip
    if state.state == "absent":
        return Finding(
            "age", WARN, f"built {age}; its tree {meta.get('source_root')} is not on this machine",
            "nothing, where the index came from another one; answers describe the tree as it was",
        )  # fmt: skip
    return Finding("age", OK, f"built {age}; the tree is unchanged")


def _coverage(conn: sqlite3.Connection, build: str) -> Finding:
    rows = conn.execute(
        "SELECT status, count(*) FROM coverage WHERE file IS NOT NULL AND status <> 'ok' "
        "GROUP BY status ORDER BY 2 DESC"
    ).fetchall()
    listed = ", ".join(f"{number:,} {status}" for status, number in rows)
    text = f"what fell short, as v_coverage lists it: {listed}" if listed else "nothing fell short"
    bad = sum(number for status, number in rows if status in ("failed", "crashed", "timeout"))
    if bad:
        return Finding(
            "coverage", WARN, text,
            f"{_asking(build)} \"SELECT * FROM v_coverage WHERE status IN ('failed', 'crashed', 'timeout')\"",
        )  # fmt: skip
    return Finding("coverage", OK, text)
