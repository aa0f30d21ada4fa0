"""Indexes of earlier schemas are led to the present one, each step by a migration."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer import schema
from indexer.snapshot.archive import write_archive
from indexer.snapshot.databases import check_and_upgrade, schema_of
from indexer.snapshot.errors import Refused
from indexer.snapshot.fingerprint import content_id, database_files
from indexer.snapshot.manifest import Manifest
from indexer.snapshot.store import Store
from tests.data.make_schema_database import stored
from torchtalk import dbfile
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.tools import all_tools

OUT_OF_DATE = (
    "schema.sql is no longer what tests/data/schema-{0}.db.gz was made with. If schema {0} is not "
    "released yet: make schema. If it is: leave that file, write migrations/{1:04}_*.sql, and "
    "raise SCHEMA_VERSION to {1}."
)


def _stored(version: int, target: Path) -> Manifest:
    """A stored index as a file, and what a snapshot of it would say."""
    target.write_bytes(gzip.decompress(stored(version).read_bytes()))
    with contextlib.closing(sqlite3.connect(target)) as conn:
        content = content_id(database_files(conn))
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    size = target.stat().st_size
    return Manifest(
        content, f"content:{content}", None, None, None, "1.0.0", (), version, size, digest,
        "then", "torchtalk 0.1.0",
    )  # fmt: skip


@pytest.mark.parametrize("version", range(1, dbfile.SCHEMA_VERSION + 1))
def test_every_schema_that_ever_was_is_led_to_this_one(version: int, tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    manifest = _stored(version, path)
    try:
        applied = check_and_upgrade(path, manifest)
    except Refused as error:
        pytest.fail(f"{OUT_OF_DATE.format(version, version + 1)} ({error})")
    assert len(applied) == dbfile.SCHEMA_VERSION - version
    conn = connect(path)
    try:
        assert "aten::kept" in to_text(all_tools()["trace"].ask(conn, name="kept"))
        assert conn.execute("SELECT count(*) FROM v_dispatch").fetchone()[0] >= 2
    finally:
        conn.close()


def test_there_is_one_migration_for_each_version() -> None:
    numbers = [int(path.name[:4]) for path in schema.migration_files()]
    assert numbers == list(range(1, dbfile.SCHEMA_VERSION + 1))


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A torchtalk whose schema is one further: a column, a table and a view more."""
    place = tmp_path / "next"
    shutil.copytree(schema.migration_files()[0].parent, place / "migrations")
    number = dbfile.SCHEMA_VERSION + 1
    new = (
        "CREATE TABLE later (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;\n"
        "CREATE INDEX later_note ON later (note);\n"
        "-- What is new; it replaces nothing.\n"
        "CREATE VIEW v_later AS SELECT note FROM later;\n"
    )
    (place / "schema.sql").write_text(schema.schema_sql() + "\n" + new, encoding="utf-8")
    migration = place / "migrations" / f"{number:04}_later.sql"
    migration.write_text(new + "INSERT INTO later (note) VALUES ('led on');\n", encoding="utf-8")
    monkeypatch.setattr(schema, "_PLACES", (place,))
    for module in (dbfile, schema):
        monkeypatch.setattr(module, "SCHEMA_VERSION", number)
    monkeypatch.setattr("torchtalk.db.SCHEMA_VERSION", number)
    yield migration


def test_an_older_snapshot_is_upgraded_when_it_is_loaded(
    next_version: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.db"
    manifest = _stored(dbfile.SCHEMA_VERSION - 1, old)
    sent = tmp_path / "sent.tar.gz"
    with old.open("rb") as file:
        write_archive(manifest, file, sent)
    store = Store(tmp_path / "store")
    store.take_in(sent, "old")
    target = tmp_path / "loaded.db"
    assert store.load("old", target, None)[1] == [next_version.stem]
    conn = connect(target)
    try:
        assert conn.execute("SELECT note FROM v_later").fetchall()[0][0] == "led on"
        assert "aten::kept" in to_text(all_tools()["trace"].ask(conn, name="kept"))
        meta = dict(map(tuple, conn.execute("SELECT key, value FROM meta")))
    finally:
        conn.close()
    assert meta["schema_version"] == str(dbfile.SCHEMA_VERSION)
    assert not [path.name for path in tmp_path.iterdir() if "journal" in path.name]


@pytest.mark.parametrize(
    "lacking", ["", "CREATE TABLE later (id INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;\n"]
)
def test_an_upgrade_that_lacks_something_is_found(
    next_version: Path, tmp_path: Path, lacking: str
) -> None:
    next_version.write_text(lacking, encoding="utf-8")
    path = tmp_path / "x.db"
    manifest = _stored(dbfile.SCHEMA_VERSION - 1, path)
    with pytest.raises(Refused, match="v_later"):
        check_and_upgrade(path, manifest)


def test_a_migration_that_fails_changes_nothing(next_version: Path, tmp_path: Path) -> None:
    next_version.write_text("CREATE TABLE half (x);\nSELECT nonsense;\n", encoding="utf-8")
    path = tmp_path / "x.db"
    manifest = _stored(dbfile.SCHEMA_VERSION - 1, path)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        before = schema_of(conn)
    with pytest.raises(Refused, match="nonsense"):
        check_and_upgrade(path, manifest)
    with contextlib.closing(sqlite3.connect(path)) as conn:
        conn.execute("DROP TABLE IF EXISTS _sqlite_migrations")
        assert schema_of(conn) == before
        assert conn.execute("PRAGMA user_version").fetchone()[0] == manifest.schema_version
