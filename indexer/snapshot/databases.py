"""The database inside a snapshot: described when it goes, checked and upgraded when it comes."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote

from indexer import schema
from indexer.layers import SEMANTIC
from indexer.scan.tree import SourceTree
from indexer.snapshot.errors import NoDatabase, Refused
from indexer.snapshot.fingerprint import content_id, database_files, fingerprint, git_state
from indexer.snapshot.manifest import Manifest
from torchtalk import dbfile
from torchtalk.db import IndexUnavailable, connect

_PIECE = 1 << 20
_COMMENT = re.compile(r"--[^\n]*")


@contextlib.contextmanager
def opened(database: Path) -> Iterator[tuple[sqlite3.Connection, IO[bytes]]]:
    """An index for asking, and the bytes of the same file, whatever takes its place meanwhile.

    Args:
        database: the index's file.

    Raises:
        NoDatabase: there is none that can be read.
    """
    while True:
        try:
            with database.open("rb") as file:
                conn = connect(database)
                try:
                    if os.path.samestat(os.fstat(file.fileno()), database.stat()):
                        yield conn, file
                        return
                finally:
                    conn.close()
        except IndexUnavailable as error:
            raise NoDatabase(str(error)) from error
        except FileNotFoundError as error:
            raise NoDatabase(
                f"there is no index at {database}; build it with: torchtalk index --db {shlex.quote(str(database))}"
            ) from error


def describe(conn: sqlite3.Connection, file: IO[bytes], tree: SourceTree | None) -> Manifest:
    """The manifest of an index.

    Args:
        conn: the index.
        file: its bytes; read from the beginning and left there.
        tree: that it was made from, if it is here: git knows the commit's tree.
    """
    meta = dict(conn.execute("SELECT key, value FROM meta").fetchall())
    files = database_files(conn)
    content = content_id(files)
    commit = meta.get("git_commit")
    git = git_state(tree, commit, files) if tree is not None and commit else None
    digest, size = hashlib.sha256(), 0
    while piece := file.read(_PIECE):
        digest.update(piece)
        size += len(piece)
    file.seek(0)
    return Manifest(
        content=content,
        fingerprint=fingerprint(content, git),
        git_commit=commit,
        git_tree=git.tree if git else None,
        changed_files=git.changed if git else None,
        torch_version=meta.get("torch_version"),
        layers=_layers(conn, meta),
        schema_version=int(conn.execute("PRAGMA user_version").fetchone()[0]),
        size=size,
        sha256=digest.hexdigest(),
        built_at=meta.get("built_at") or "unknown",
        built_by=meta.get("built_by") or "unknown",
    )


def _layers(conn: sqlite3.Connection, meta: dict[str, str]) -> tuple[str, ...]:
    """The layers that were asked for, and the semantic one where it has been added to them."""
    found = conn.execute(
        "SELECT 1 FROM coverage WHERE layer = ? AND file IS NULL AND status = 'ok'", (SEMANTIC,)
    ).fetchone()
    names = [*(meta.get("layers") or "").split(","), SEMANTIC if found else ""]
    return tuple(dict.fromkeys(filter(None, names)))


def check_and_upgrade(path: Path, manifest: Manifest) -> list[str]:
    """Make sure that a file is an index of this torchtalk, leading an older one to it.

    Args:
        path: a file of our own that nobody else has open; changed in place.
        manifest: what it is said to be.

    Returns:
        The migrations that were applied.

    Raises:
        Refused: it is damaged, not an index, or not what the manifest says.
    """
    with path.open("rb") as file:
        header = file.read(100)
    # https://www.sqlite.org/fileformat.html: 1, 1 at byte 18 is a journal; a log beside the file
    # (2, 2) is nothing that an index has, and opening it would make one.
    if not header.startswith(b"SQLite format 3\0") or header[18:20] != b"\1\1":
        raise Refused("its database is not an index of torchtalk's")
    with contextlib.closing(_writable(path)) as conn:
        # A file from elsewhere: what its schema calls is not to be trusted until it is known.
        conn.execute("PRAGMA trusted_schema = OFF")
        conn.execute("PRAGMA cell_size_check = ON")
        try:
            _check_marks(conn, manifest)
            result = conn.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if result != "ok":
                raise Refused(f"its database is damaged ({result:.200})")
            applied = _upgraded(conn, manifest.schema_version)
            _check_schema(conn, manifest.schema_version)
            if content_id(database_files(conn)) != manifest.content:
                raise Refused("its database was made from other files than its manifest says")
        except sqlite3.Error as error:
            raise Refused(f"its database cannot be read ({error})") from error
    return applied


def move_to_tree(path: Path, tree: SourceTree) -> None:
    """Note in an index which folder its paths are relative to on this machine.

    Args:
        path: the index's file, which nobody reads yet.
        tree: that has the folder.
    """
    with contextlib.closing(_writable(path)) as conn:
        conn.execute("UPDATE meta SET value = ? WHERE key = 'source_root'", (str(tree.root),))


def _writable(path: Path) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode=rw"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def _check_marks(conn: sqlite3.Connection, manifest: Manifest) -> None:
    application = int(conn.execute("PRAGMA application_id").fetchone()[0])
    version = int(conn.execute("PRAGMA user_version").fetchone()[0])
    if application != dbfile.APPLICATION_ID:
        raise Refused("its database is not an index of torchtalk's")
    if version != manifest.schema_version:
        raise Refused(
            f"its database has schema {version}, and its manifest says {manifest.schema_version}"
        )
    if version > dbfile.SCHEMA_VERSION:
        raise Refused(
            f"it was written by a newer torchtalk (schema {version}, this one reads "
            f"{dbfile.SCHEMA_VERSION}); upgrade torchtalk"
        )


def _upgraded(conn: sqlite3.Connection, version: int) -> list[str]:
    if version >= dbfile.SCHEMA_VERSION:
        return []
    import sqlite_utils

    applied = schema.migrate(sqlite_utils.Database(conn))
    conn.execute(
        "UPDATE meta SET value = ? WHERE key = 'schema_version'", (str(dbfile.SCHEMA_VERSION),)
    )
    return applied


def schema_of(conn: sqlite3.Connection) -> dict[str, str]:
    """Every table, index, view and trigger of the database `conn` by its name, as SQL without comments and layout."""
    rows = conn.execute(
        "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
        " AND name NOT LIKE 'sqlite\\_stat_' ESCAPE '\\'"
    )
    return {name: " ".join(_COMMENT.sub("", sql).split()) for name, sql in rows}


def _check_schema(conn: sqlite3.Connection, version: int) -> None:
    """Nothing but our tables and views may be there: a view or a trigger runs when it is asked."""
    with contextlib.closing(sqlite3.connect(":memory:")) as fresh:
        schema.create(fresh)
        schema.create_indexes(fresh)
        expected = schema_of(fresh)
    found = schema_of(conn)
    if found != expected:
        names = sorted(
            name for name in {*expected, *found} if expected.get(name) != found.get(name)
        )
        raise Refused(
            f"its tables are not those of schema {version} ({', '.join(names[:5])}"
            f"{' …' if len(names) > 5 else ''}): it was made by another development version"
        )
