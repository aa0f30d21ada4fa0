"""Whether the index that is there can be brought up to date, or has to be built anew, and why."""

from __future__ import annotations

import functools
import hashlib
import sqlite3
import sys
from collections.abc import Collection
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.parse import quote

import indexer
from indexer.layers import SEMANTIC
from indexer.scan.statfile import database_stamp
from indexer.scan.tree import SourceTree
from indexer.target import is_foreign
from torchtalk.dbfile import APPLICATION_ID, SCHEMA_VERSION

# What reads the files; another version may read them differently.
_READERS = ("tree-sitter", "tree-sitter-cpp", "tree-sitter-cuda", "tree-sitter-python", "pyyaml")


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open the database `path`, a file that is only ever replaced: no lock is taken, nothing is written beside it.

    Raises:
        sqlite3.OperationalError: it cannot be opened.
    """
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)


@functools.cache
def indexer_digest() -> str:
    """What the present code makes of a tree depends on: its own text, the schema, the parsers."""
    digest = hashlib.sha1(usedforsecurity=False)
    folder = Path(indexer.__file__).parent
    for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.sql")]):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    from indexer.schema import schema_sql

    digest.update(schema_sql().encode())
    for package in _READERS:
        try:
            digest.update(f"{package} {version(package)}\n".encode())
        except PackageNotFoundError:
            continue
    digest.update(f"{sys.version_info[:2]} {sqlite3.sqlite_version}".encode())
    return digest.hexdigest()


def why_full(
    target: Path, tree: SourceTree, layers: Collection[str], stamp: list[int] | None
) -> str | None:
    """Why an index has to be built anew; None where it can be brought up to date.

    Args:
        target: the file.
        tree: that it is to be an index of.
        layers: that are wanted.
        stamp: what the file was like when it was written, where that is known.
    """
    if not target.is_file():
        return "there was none"
    if is_foreign(target):
        return f"{target} was no torchtalk index"
    try:
        conn = connect_read_only(target)
        try:
            return _why(conn, tree, layers, stamp == database_stamp(target))
        finally:
            conn.close()
    except sqlite3.Error as error:
        return f"the one that was there was damaged ({error})"


def _fast(layers: Collection[str]) -> list[str]:
    """Without the layer that is added to the others and taken out again."""
    return [name for name in layers if name != SEMANTIC]


def _why(
    conn: sqlite3.Connection, tree: SourceTree, layers: Collection[str], is_as_written: bool
) -> str | None:
    application = conn.execute("PRAGMA application_id").fetchone()[0]
    schema_version = conn.execute("PRAGMA user_version").fetchone()[0]
    if (application, schema_version) != (APPLICATION_ID, SCHEMA_VERSION):
        return "the one that was there had another schema"
    meta = dict(conn.execute("SELECT key, value FROM meta"))
    if meta.get("indexer") != indexer_digest():
        return "the one that was there was made by another torchtalk"
    if _fast((meta.get("layers") or "").split(",")) != _fast(layers):
        return "other layers were asked for"
    if meta.get("source_kind") != ("installed" if tree.is_installed else "checkout"):
        return "the tree is of another kind"
    # A file that nobody touched since it was written and checked need not be checked again.
    if not is_as_written:
        found = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            return f"the one that was there was damaged ({found})"
    return None
