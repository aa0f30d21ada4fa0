"""Building: whole or not at all, and the same from the same tree."""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import socket
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer import schema, target
from indexer.build import build
from indexer.checking import EarlyCheck
from indexer.errors import BusyError, SourceError, TargetError, UnsoundError
from indexer.scan.files import SourceFile, Unreadable, blob_id, list_files
from indexer.scan.tree import NotAPyTorchTree, open_tree
from indexer.target import building_lock, is_being_built
from indexer.words import split_words
from tests.unit.support.index_dump import differences, dump
from torchtalk.db import Index, IndexMissing, IndexUnavailable, connect
from torchtalk.render import to_text
from torchtalk.tools import all_tools

TRACE = all_tools()["trace"]


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fixture_tree, tmp_path / "a tree 'of' \"test\" files"))


def _dump(path: Path) -> list[str]:
    conn = sqlite3.connect(path)
    try:
        return list(conn.iterdump())
    finally:
        conn.close()


def test_two_builds_are_the_same_whatever_the_workers(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    build(open_tree(tree), tmp_path / "one.db", workers=0)
    build(open_tree(tree), tmp_path / "two.db", workers=2)
    assert _dump(tmp_path / "one.db") == _dump(tmp_path / "two.db")


@pytest.mark.slow
def test_a_tree_with_the_line_ends_of_windows_says_the_same(tree: Path, tmp_path: Path) -> None:
    build(open_tree(tree), tmp_path / "one.db", workers=0)
    for path in tree.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    build(open_tree(tree), tmp_path / "two.db", workers=0)
    one, two = dump(tmp_path / "one.db"), dump(tmp_path / "two.db")
    for table in ("meta", "source_files"):  # when they were built, and the files' sizes and hashes
        assert len(one.pop(table)) == len(two.pop(table))
    assert differences(one, two) == []


def test_a_byte_order_mark_is_none_of_a_files_text(tree: Path, tmp_path: Path) -> None:
    build(open_tree(tree), tmp_path / "one.db", workers=0)
    for path in tree.rglob("*"):
        if path.is_file():
            path.write_bytes(codecs.BOM_UTF8 + path.read_bytes())
    build(open_tree(tree), tmp_path / "two.db", workers=0)
    one, two = dump(tmp_path / "one.db"), dump(tmp_path / "two.db")
    for table in ("meta", "source_files"):  # when they were built, and the files' sizes and hashes
        assert len(one.pop(table)) == len(two.pop(table))
    assert differences(one, two) == []


def test_only_the_database_its_lock_and_what_was_seen_are_left(tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    build(open_tree(tree), folder / "x.db", workers=0)
    assert sorted(os.listdir(folder)) == ["x.db", "x.db.lock", "x.db.stat"]


def test_a_broken_yaml_names_its_line_and_keeps_the_old_file(tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.db"
    build(open_tree(tree), target, workers=0)
    before = target.read_bytes()
    yaml = tree / "aten/src/ATen/native/native_functions.yaml"
    yaml.write_text(yaml.read_text() + "- func: [\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"native_functions\.yaml:\d+: "):
        build(open_tree(tree), target, workers=0)
    assert target.read_bytes() == before
    assert sorted(p.name for p in tmp_path.glob("*x.db*")) == [
        "x.db",
        "x.db.lock",
        "x.db.stat",
    ]


def test_a_target_that_cannot_be_written(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(TargetError, match="cannot write"):
        build(open_tree(tree), tmp_path / "file" / "x.db", workers=0)
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(TargetError, match="cannot write"):
        build(open_tree(tree), tmp_path / "folder.db", workers=0)


def test_two_builds_of_one_target_exclude_each_other(tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.db"
    assert not is_being_built(target)
    with building_lock(target):
        assert is_being_built(target)
        with pytest.raises(BusyError, match="another torchtalk"):
            build(open_tree(tree), target, workers=0)
    assert not is_being_built(target)


@pytest.mark.slow
def test_who_waits_for_a_lock_waits_on_where_another_was_quicker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.db"
    held = contextlib.ExitStack()
    held.enter_context(building_lock(path))
    # As if it had been taken since it was seen to be free.
    monkeypatch.setattr(target, "is_being_built", lambda _: False)
    release = threading.Timer(0.3, held.close)
    release.start()
    with target.waiting_lock(path), pytest.raises(BusyError), building_lock(path):
        pass
    release.join()


@pytest.mark.slow
def test_what_a_killed_build_left_behind_is_removed(tree: Path, tmp_path: Path) -> None:
    names = (".x.db.1234.building", ".x.db.1234.building.compact", ".x.db.stat.1234.building")
    for name in names:
        (tmp_path / name).write_text("half", encoding="utf-8")
    build(open_tree(tree), tmp_path / "x.db", workers=0)
    assert [name for name in names if (tmp_path / name).exists()] == []


@pytest.mark.parametrize(
    ("built", "other"), [("x.db", "x.db.new"), ("x.db", "x.db.1"), ("[xo]ther.db", "other.db")]
)
def test_what_another_build_is_writing_is_left_alone(
    tree: Path, tmp_path: Path, built: str, other: str
) -> None:
    writing = tmp_path / f".{other}.1234.building"
    left = tmp_path / f".{built}.1234.building"
    for path in (writing, left):
        path.write_text("half", encoding="utf-8")
    build(open_tree(tree), tmp_path / built, workers=0)
    assert writing.exists()
    assert not left.exists()


def test_a_folder_that_is_no_tree(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing", Path(__file__)):
        with pytest.raises(NotAPyTorchTree):
            open_tree(folder)


def test_a_folder_inside_a_tree_finds_its_root(tree: Path) -> None:
    assert open_tree(tree / "aten" / "src").root == tree.resolve()


def test_an_installed_package_is_a_tree_without_sources(tree: Path, tmp_path: Path) -> None:
    packages = tmp_path / "site-packages"
    packaged = packages / "torchgen" / "packaged"
    (packaged / "ATen").mkdir(parents=True)
    shutil.copytree(tree / "aten/src/ATen/native", packaged / "ATen/native")
    shutil.copytree(tree / "tools/autograd", packaged / "autograd")
    shutil.copy(tree / "torchgen/model.py", packages / "torchgen")
    (packages / "torch").mkdir()
    (packages / "torch/version.py").write_text("__version__ = '9.9.1+cpu'\n", encoding="utf-8")
    found = open_tree(packages / "torch")
    assert (found.root, found.is_installed, found.version) == (packages, True, "9.9.1+cpu")
    report = build(found, tmp_path / "x.db", workers=0)
    assert report.counts["operators"]["operators"] == 18


@pytest.mark.parametrize("packaged_formulas", [False, True])
def test_a_package_without_formulas_says_so(
    tree: Path, tmp_path: Path, packaged_formulas: bool
) -> None:
    packages = tmp_path / "site-packages"
    packaged = packages / "torchgen" / "packaged"
    (packaged / "ATen").mkdir(parents=True)
    shutil.copytree(tree / "aten/src/ATen/native", packaged / "ATen/native")
    if packaged_formulas:
        shutil.copytree(tree / "tools/autograd", packaged / "autograd")
    shutil.copy(tree / "torchgen/model.py", packages / "torchgen")
    (packages / "torch").mkdir()
    (packages / "torch/version.py").write_text("__version__ = '2.0.1'\n", encoding="utf-8")
    build(open_tree(packages / "torch"), tmp_path / "x.db", workers=0, layers=("operators",))
    with contextlib.closing(connect(tmp_path / "x.db")) as conn:
        text = to_text(TRACE.run(conn, name="softcap"))
    said = "note: this package has no derivatives.yaml: gradient formulas are not known"
    assert (said in text) != packaged_formulas


def test_files_are_listed_in_order_and_oddities_are_said(tree: Path) -> None:
    (tree / "aten/x.cpp").mkdir()
    (tree / "aten/latin.py").write_bytes(b"\xff\xfe")
    (tree / "aten/loop").symlink_to(tree / "aten")
    (tree / "aten/out.h").symlink_to("/etc/hostname")
    (tree / "third_party/inner").mkdir(parents=True)
    (tree / "third_party/inner/a.cpp").write_text("", encoding="utf-8")
    (tree / "aten/third_party").mkdir()
    (tree / "aten/third_party/b.cpp").write_text("", encoding="utf-8")
    listed = list(list_files(open_tree(tree)))
    files = [entry.path for entry in listed if isinstance(entry, SourceFile)]
    assert files == sorted(files, key=lambda path: path.split("/"))
    assert "aten/third_party/b.cpp" in files
    assert not any(path.startswith(("third_party", "aten/loop")) for path in files)
    assert [entry for entry in listed if isinstance(entry, Unreadable)] == [
        Unreadable("aten/out.h", "a link that leads out of the tree")
    ]


def test_blob_ids_are_those_of_git() -> None:
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_words() -> None:
    words = split_words("at::native::LayerNormKernelImpl").split()
    assert words[:6] == ["at", "native", "layer", "norm", "kernel", "impl"]
    assert {"layernorm", "normkernel"} <= set(words)
    assert "conv2d" in split_words("slow_conv2d_forward").split()


@pytest.mark.slow
def test_the_server_sees_a_replaced_file(tree: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.db"
    index = Index(target)
    with pytest.raises(IndexMissing, match="torchtalk index"):
        index.connection()
    build(open_tree(tree), target, workers=0)
    first = index.connection()
    assert index.connection() is first
    build(open_tree(tree), target, workers=0, full=True)
    assert index.connection() is not first
    index.close()


def test_foreign_damaged_and_newer_files_are_refused(fixture_db: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    sqlite3.connect(foreign).execute("CREATE TABLE t (x)").connection.close()
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"not a database at all, but long enough to be one" * 40)
    newer = tmp_path / "newer.db"
    shutil.copy(fixture_db, newer)
    conn = sqlite3.connect(newer)
    conn.execute("PRAGMA user_version = 999")
    conn.close()
    for path, reason in ((foreign, "not a torchtalk index"), (damaged, "cannot be read"),
                         (newer, "newer torchtalk")):  # fmt: skip
        with pytest.raises(IndexUnavailable, match=reason):
            connect(path)


def test_an_index_opens_from_a_read_only_folder_and_cannot_be_written(
    fixture_db: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "read only? #1"
    folder.mkdir()
    shutil.copy(fixture_db, folder / "x.db")
    folder.chmod(0o555)
    conn = connect(folder / "x.db")
    with pytest.raises(sqlite3.OperationalError):
        conn.execute("DELETE FROM operators")
    conn.close()
    assert os.listdir(folder) == ["x.db"]
    folder.chmod(0o755)


def test_the_schema_equals_all_migrations_applied() -> None:
    import sqlite_utils

    database = sqlite_utils.Database(memory=True)
    assert schema.migrate(database) == [path.stem for path in schema.migration_files()]
    fresh = sqlite3.connect(":memory:")
    schema.create(fresh)
    schema.create_indexes(fresh)
    text = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name"
    assert database.conn is not None
    assert database.conn.execute(text).fetchall() == fresh.execute(text).fetchall()
    versions = [c.execute("PRAGMA user_version").fetchone() for c in (database.conn, fresh)]
    assert versions[0] == versions[1]
    fresh.close()
    database.close()


def test_the_check_follows_references(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    conn = sqlite3.connect(path)
    conn.executescript(
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p INTEGER REFERENCES p (id));"
        "INSERT INTO c VALUES (1);"
    )
    conn.close()
    with pytest.raises(UnsoundError, match="table c"):
        target.check(path)


def test_a_small_file_is_opened_once_for_all_its_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.db"
    sqlite3.connect(path).close()
    monkeypatch.setattr("indexer.checking._MOMENT", 30.0)
    opened = []
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda *given, **more: [opened.append(given), connect(*given, **more)][1],
    )
    target.check(path)
    assert len(opened) == 1


def test_an_early_check_leaves_what_is_written_later_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    conn = sqlite3.connect(path, isolation_level=None)
    conn.executescript(
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p INTEGER REFERENCES p (id));"
        "CREATE TABLE d (p INTEGER REFERENCES p (id)); INSERT INTO d VALUES (7);"
    )
    conn.execute("BEGIN")
    conn.execute("INSERT INTO c VALUES (?)", (7,))
    early = EarlyCheck(["c", "d"])
    conn.execute("DELETE FROM c")
    early.begin(conn)
    conn.execute("INSERT INTO c VALUES (?)", (7,))
    early.wait()
    conn.execute("COMMIT")
    with pytest.raises(UnsoundError, match="table [cd]"):
        early.check_rest()
    early = EarlyCheck()
    conn.execute("BEGIN")
    early.begin(conn)
    with pytest.raises(UnsoundError, match="table [cd]"):
        early.wait()
    conn.execute("DELETE FROM c")
    conn.execute("DELETE FROM d")
    early = EarlyCheck()
    early.begin(conn)
    conn.execute("INSERT INTO c VALUES (?)", (7,))
    early.wait()
    conn.execute("COMMIT")
    with pytest.raises(UnsoundError, match="table c"):
        early.check_rest()
    conn.close()


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


@pytest.mark.parametrize(
    ("make", "what"), [(os.mkfifo, "a pipe"), (_socket, "a socket"), (os.mkdir, "a folder")]
)
def test_what_is_no_file_is_left_alone(
    fixture_tree: Path, make: Callable[[Path], None], what: str
) -> None:
    # The name of a socket has to be short.
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "x.db")
        make(target)
        before = os.lstat(target)
        with pytest.raises(TargetError, match=f"it is {what}; give another --db"):
            build(open_tree(fixture_tree), target, workers=0)
        link = Path(folder, "link.db")
        link.symlink_to(target)
        with pytest.raises(TargetError, match=what):
            build(open_tree(fixture_tree), link, workers=0)
        assert os.lstat(target) == before
        assert sorted(os.listdir(folder)) == ["link.db", "x.db"]
