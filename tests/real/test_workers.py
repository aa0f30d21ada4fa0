"""A whole tree is indexed to the same rows, however many processes read it."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.real.conftest import Real


def _digests(conn: sqlite3.Connection) -> dict[str, str]:
    """A digest of each table's rows, in the order in which they stand."""
    digests = {}
    for (table,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        digest = hashlib.sha256()
        order = "" if table.startswith(("sqlite_", "names_", "tests_")) else " ORDER BY rowid"
        try:
            rows = conn.execute(f'SELECT * FROM "{table}"{order}')
        except sqlite3.OperationalError:  # without a rowid: it stands in the order of its key
            rows = conn.execute(f'SELECT * FROM "{table}"')
        for row in rows:
            digest.update(repr(tuple(row)).encode())
        digests[table] = digest.hexdigest()
    return digests


def test_rows_are_the_same(old: Real, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built_at = old.conn.execute("SELECT value FROM meta WHERE key = 'built_at'").fetchone()[0]
    monkeypatch.setattr("indexer.build._build_time", lambda: built_at)
    again = tmp_path / "again.db"
    build(open_tree(old.root), again, workers=0)
    conn = sqlite3.connect(again)
    try:
        assert _digests(conn) == _digests(old.conn)
    finally:
        conn.close()
