"""What comes from elsewhere may be damaged, foreign or made to harm: refused, and nothing is left."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import resource
import sqlite3
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.snapshot.archive import Archive
from indexer.snapshot.errors import Refused
from indexer.snapshot.manifest import Manifest, read_manifest
from indexer.snapshot.send import export_index
from indexer.snapshot.store import Store
from tests.unit.support.tries import tries

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def good(fixture_db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("good") / "good.tar.gz"
    export_index(fixture_db, None, file)
    return file


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def _parts(file: Path) -> tuple[dict[str, Any], bytes]:
    with tarfile.open(file) as archive:
        manifest, database = (archive.extractfile(name) for name in archive.getnames())
        assert manifest is not None
        assert database is not None
        return json.load(manifest), database.read()


def _pack(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT, compresslevel=1) as archive:
        for member, data in members:
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def _made(path: Path, manifest: dict[str, Any], database: bytes, honest: bool = True) -> Path:
    """An archive as torchtalk writes it, of whatever it is given."""
    if honest:
        manifest = {
            **manifest,
            "size": len(database),
            "sha256": hashlib.sha256(database).hexdigest(),
        }
    return _pack(
        path,
        (tarfile.TarInfo("manifest.json"), json.dumps(manifest).encode()),
        (tarfile.TarInfo("torchtalk.db"), database),
    )


def _refused(store: Store, file: Path, why: str) -> None:
    with pytest.raises(Refused, match=why):
        store.take_in(file)
    assert not store.folder.exists() or os.listdir(store.folder) == []


def test_what_is_good_is_taken(store: Store, good: Path, tmp_path: Path) -> None:
    """The other tests would pass with a store that refuses everything."""
    file = _made(tmp_path / "x.tar.gz", *_parts(good))
    assert store.take_in(file, "x").manifest == store.take_in(good, "y").manifest
    assert [kept.name for kept in store.kept()] == ["x", "y"]


@pytest.mark.parametrize(
    ("name", "kind", "why"),
    [
        ("../../etc/passwd", tarfile.REGTYPE, "was expected"),
        ("/etc/passwd", tarfile.REGTYPE, "was expected"),
        ("torchtalk.db", tarfile.SYMTYPE, "was expected"),
        ("torchtalk.db", tarfile.LNKTYPE, "was expected"),
        ("torchtalk.db", tarfile.DIRTYPE, "was expected"),
        ("torchtalk.db", tarfile.CHRTYPE, "was expected"),
        ("torchtalk.db", tarfile.XHDTYPE, "was expected"),
        ("torchtalk.db", tarfile.GNUTYPE_LONGNAME, "was expected"),
        ("torchtalk.db", tarfile.GNUTYPE_SPARSE, "was expected"),
    ],
)
def test_members_that_lead_elsewhere(
    store: Store, good: Path, tmp_path: Path, name: str, kind: bytes, why: str
) -> None:
    manifest, database = _parts(good)
    entry = tarfile.TarInfo(name)
    entry.size, entry.type, entry.linkname = len(database), kind, "/etc/passwd"
    text = json.dumps(manifest).encode()
    first = tarfile.TarInfo("manifest.json")
    first.size = len(text)
    data = first.tobuf() + text + bytes(-len(text) % 512) + entry.tobuf(tarfile.GNU_FORMAT)
    (tmp_path / "x.tar.gz").write_bytes(gzip.compress(data + database))
    _refused(store, tmp_path / "x.tar.gz", why)


def test_members_in_another_order_or_number(store: Store, good: Path, tmp_path: Path) -> None:
    manifest, database = _parts(good)
    text = json.dumps(manifest).encode()
    one, two = tarfile.TarInfo("manifest.json"), tarfile.TarInfo("torchtalk.db")
    third = tarfile.TarInfo("more")
    _refused(store, _pack(tmp_path / "a.tar.gz", (two, database), (one, text)), "was expected")
    _refused(store, _pack(tmp_path / "b.tar.gz", (one, text)), "tar file|was expected|not as long")
    more = _pack(tmp_path / "c.tar.gz", (one, text), (two, database), (third, b"more"))
    _refused(store, more, "stands behind")


@pytest.mark.slow
def test_bombs_are_not_unpacked(store: Store, good: Path, tmp_path: Path) -> None:
    manifest, _ = _parts(good)
    zeros = 300_000_000
    text = json.dumps({**manifest, "size": zeros}).encode()
    head = tarfile.TarInfo("manifest.json")
    head.size = len(text)
    body = tarfile.TarInfo("torchtalk.db")
    body.size = zeros
    bomb = tmp_path / "bomb.tar.gz"
    with gzip.open(bomb, "wb", 1) as packed:
        packed.write(head.tobuf() + text + bytes(-len(text) % 512) + body.tobuf())
        for _ in range(zeros // 1_000_000):
            packed.write(bytes(1_000_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = "it ends too early, or would unpack to far more than an index can: 1.3 MB for a database of 300.0 MB"
    _refused(store, bomb, said)
    # The same behind a good database, and as a manifest without end.
    with gzip.open(bomb, "wb", 1) as packed, gzip.open(good, "rb") as whole:
        packed.write(whole.read())
        for _ in range(100):
            packed.write(bytes(1_000_000))
    _refused(store, bomb, "stands behind")
    head.size = 1 << 32
    bomb.write_bytes(gzip.compress(head.tobuf(tarfile.GNU_FORMAT) + b"{" * 5_000_000))
    _refused(store, bomb, "too long")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000  # KiB


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda m: m.clear(), "not one of torchtalk's"),
        (lambda m: m.update(format=2), "newer torchtalk"),
        (lambda m: m.update(format=True), "not one of torchtalk's"),
        (lambda m: m.update(schema_version=2), "has schema 1, and its manifest says 2"),
        (lambda m: m.update(schema_version="1"), "impossible schema_version"),
        (lambda m: m.update(size=-1), "impossible size"),
        (lambda m: m.update(size=1 << 60), "impossible size"),
        (lambda m: m.update(content="0" * 64), "made from other files"),
        (lambda m: m.update(content="../x"), "impossible content"),
        (lambda m: m.update(sha256="0" * 64), "checksum"),
        (lambda m: m.update(git_commit="HEAD; rm -rf /"), "impossible git_commit"),
        (lambda m: m.update(git_commit="--upload-pack=x"), "impossible git_commit"),
        (lambda m: m.update(torch_version="\x1b[31m"), "impossible torch_version"),
        (lambda m: m.update(layers=["x"] * 51), "impossible layers"),
        (lambda m: m.pop("built_by"), "impossible built_by"),
    ],
)
def test_manifests_that_do_not_hold(
    store: Store, good: Path, tmp_path: Path, change: Change, why: str
) -> None:
    manifest, database = _parts(good)
    change(manifest)
    _refused(store, _made(tmp_path / "x.tar.gz", manifest, database, honest=False), why)


def _edited(database: bytes, tmp_path: Path, *statements: str) -> bytes:
    path = tmp_path / "edited.db"
    path.write_bytes(database)
    conn = sqlite3.connect(path)
    for statement in statements:
        conn.execute(statement)
    conn.commit()
    conn.close()
    return path.read_bytes()


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("PRAGMA application_id = 1", "not an index of torchtalk's"),
        ("PRAGMA user_version = 99", "has schema 99"),
        ("PRAGMA journal_mode = WAL", "not an index of torchtalk's"),
        ("CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM operators; END", "not those of schema 1 .t."),
        ("CREATE VIEW v_extra AS SELECT load_extension('x')", "v_extra"),
        ("DROP VIEW v_operators", "v_operators"),
        ("ALTER TABLE meta ADD COLUMN extra TEXT", "meta"),
        ("DELETE FROM source_files WHERE id = (SELECT max(id) FROM source_files)", "made from other files"),
    ],
)  # fmt: skip
def test_databases_that_are_not_ours(
    store: Store, good: Path, tmp_path: Path, statement: str, why: str
) -> None:
    manifest, database = _parts(good)
    database = _edited(database, tmp_path, statement)
    _refused(store, _made(tmp_path / "x.tar.gz", manifest, database), why)


def test_a_newer_schema_asks_for_an_upgrade(store: Store, good: Path, tmp_path: Path) -> None:
    manifest, database = _parts(good)
    newer = _edited(database, tmp_path, "PRAGMA user_version = 99")
    file = _made(tmp_path / "x.tar.gz", {**manifest, "schema_version": 99}, newer)
    _refused(store, file, "newer torchtalk .*upgrade torchtalk")


def test_a_damaged_page_is_found(store: Store, good: Path, tmp_path: Path) -> None:
    manifest, database = _parts(good)
    for page in (3, 40, 100):
        damaged = bytearray(database)
        damaged[page * 4096 : page * 4096 + 200] = os.urandom(200)
        file = _made(tmp_path / "x.tar.gz", manifest, bytes(damaged))
        _refused(store, file, "damaged|cannot be read|made from other files|not those of schema")


@settings(
    max_examples=tries(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_damage_to_the_file_is_found(good: Path, tmp_path: Path, data: st.DataObject) -> None:
    whole = good.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    piece = data.draw(st.binary(max_size=40))
    damaged = data.draw(
        st.sampled_from([whole[:at], whole[:at] + piece + whole[at + len(piece) :],
                         whole[:at] + piece + whole[at:], whole + piece, piece])
    )  # fmt: skip
    file = tmp_path / "x.tar.gz"
    file.write_bytes(damaged)
    target = tmp_path / "out.db"
    try:
        with Archive(file) as archive:
            archive.unpack(target)
    except Refused:
        return
    # gzip's own header has bytes that mean nothing (a time, a name).
    assert hashlib.sha256(target.read_bytes()).hexdigest() == archive.manifest.sha256


@pytest.mark.slow
@settings(deadline=None)
@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from([*Manifest.__dataclass_fields__, "format"]), inner),
).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_manifest_is_read_or_refused(data: bytes) -> None:
    try:
        assert isinstance(read_manifest(data), Manifest)
    except Refused as error:
        assert len(str(error)) < 400


def test_the_store_lists_what_cannot_be_used(store: Store, good: Path) -> None:
    store.take_in(good, "good")
    (store.folder / "bad.tar.gz").write_bytes(b"not gzip")
    (store.folder / "bad name!.tar.gz").write_bytes(b"")
    bad, fine = store.kept()
    assert (bad.name, bad.manifest) == ("bad", None)
    assert "not what gzip wrote" in bad.problem
    assert fine.manifest is not None
    with pytest.raises(Refused):
        store.load("bad", store.folder / "x.db", None)
    assert not (store.folder / "x.db").exists()
