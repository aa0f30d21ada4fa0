"""The database's file and its disk: full, read-only, deleted, replaced, damaged, wanted by two."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexer import target
from indexer.build import build
from indexer.errors import TargetError
from indexer.scan.tree import open_tree
from tests.unit.support.command import Command, Ended, start
from tests.unit.support.killing import built_at
from tests.unit.survive.test_trees import give_up_privileges
from torchtalk.server.answers import CannotAnswer, ask
from torchtalk.server.source import IndexSource
from torchtalk.tools import all_tools

# Hostile input, for `make survive`.
pytestmark = pytest.mark.slow

NATIVE = "aten/src/ATen/native/native_functions.yaml"
LEFT = {"x.db", "x.db.lock", "x.db.stat"}


@pytest.fixture
def tree(fixture_tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fixture_tree, tmp_path / "tree"))


@pytest.fixture
def database(tree: Path, tmp_path: Path) -> Path:
    """An index of the tree; the tree has changed since."""
    target = tmp_path / "out" / "x.db"
    build(open_tree(tree), target, workers=0)
    _edit(tree)
    return target


def _edit(tree: Path) -> None:
    with (tree / NATIVE).open("a", encoding="utf-8") as file:
        file.write(f"\n- func: edited_{random.getrandbits(60)}(Tensor self) -> Tensor\n")


def _index(
    tree: Path,
    database: Path,
    *more: str,
    before: Callable[[], None] | None = None,
    most: int | None = None,
) -> Ended:
    process = start(
        "index", "--pytorch-source", tree, "--db", database, "--workers", 0, "--quiet",
        "--no-clang", *more, most=most, preexec_fn=before,
    )  # fmt: skip
    out, err = process.communicate(timeout=120)
    return Ended(process.returncode, out, err)


@pytest.mark.slow
@pytest.mark.parametrize("fresh", [False, True], ids=["update", "new"])
def test_a_disk_that_is_full_at_any_moment(tree: Path, database: Path, fresh: bool) -> None:
    size = database.stat().st_size
    if fresh:
        database.unlink()
    before = database.read_bytes() if database.exists() else None
    for share in (0.001, 0.01, 0.3, 0.6, 0.8, 0.95):
        ended = _index(tree, database, most=int(share * size))
        assert (ended.code, ended.out, ended.err.count("\n")) == (5, "", 1), (share, ended)
        assert "Nothing was changed" in ended.err
        assert (database.read_bytes() if database.exists() else None) == before
        assert {path.name for path in database.parent.iterdir()} <= LEFT
    assert _index(tree, database).code == 0
    built_at(database)


@pytest.mark.slow
@pytest.mark.parametrize("fresh", [False, True], ids=["update", "new"])
def test_a_disk_that_sqlite_finds_full(
    tree: Path, database: Path, fresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `write` answers where no space is left (ENOSPC), SQLite calls SQLITE_FULL, as it does past this limit."""
    with contextlib.closing(sqlite3.connect(database)) as conn:
        pages = conn.execute("PRAGMA page_count").fetchone()[0]
    if fresh:
        database.unlink()
    before = database.read_bytes() if database.exists() else None
    connected = target._connected
    for share in (0.05, 0.5, 0.9):
        most = int(share * pages) if fresh else pages

        @contextlib.contextmanager
        def with_limit(path: Path, most: int = most) -> Iterator[sqlite3.Connection]:
            with connected(path) as conn:
                conn.execute(f"PRAGMA max_page_count = {most}")
                yield conn

        monkeypatch.setattr(target, "_connected", with_limit)
        with pytest.raises(TargetError, match="full; free some space, or give another --db"):
            build(open_tree(tree), database, workers=0)
        assert (database.read_bytes() if database.exists() else None) == before
        assert {path.name for path in database.parent.iterdir()} <= LEFT
        # An update that needs a page more than there are is refused each time.
        for _ in range(0 if fresh else 40):
            _edit(tree)
    monkeypatch.setattr(target, "_connected", connected)
    assert build(open_tree(tree), database, workers=0).action in ("built", "updated")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_the_kernel_finds_full(
    tree: Path, database: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the file is copied for an update, the kernel answers us and not SQLite."""
    before = database.read_bytes()

    def copy(source: Path, target: Path) -> None:
        Path(target).write_bytes(Path(source).read_bytes()[:4_096])
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(shutil, "copyfile", copy)
    with pytest.raises(TargetError, match="free some space, or give another --db"):
        build(open_tree(tree), database, workers=0)
    assert database.read_bytes() == before
    assert {path.name for path in database.parent.iterdir()} <= LEFT


def test_a_read_only_folder_is_answered_from_and_not_written(
    tree: Path, database: Path, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    before = database.read_bytes()
    database.parent.chmod(0o555)
    try:
        ended = _index(tree, database, before=give_up_privileges)
        assert (ended.code, ended.err.count("\n")) == (5, 1), ended
        asked = start("trace", "softcap", "--db", database, preexec_fn=give_up_privileges)
        out, err = asked.communicate(timeout=60)
        assert (asked.returncode, err) == (0, "")
        assert out.startswith("aten::softcap")
    finally:
        database.parent.chmod(0o755)
    assert database.read_bytes() == before


@pytest.mark.slow
def test_two_indexers_at_once(tree: Path, database: Path) -> None:
    before = built_at(database)
    command = (
        "index", "--pytorch-source", tree, "--db", database, "--workers", 1, "--quiet", "--no-clang"
    )  # fmt: skip
    several = [start(*command) for _ in range(4)]
    ends = [(process.communicate(timeout=120)[1], process.returncode) for process in several]
    codes = sorted(code for _, code in ends)
    assert codes[0] == 0
    assert set(codes) <= {0, 6}
    assert all("another torchtalk is building" in err for err, code in ends if code == 6)
    built_at(database)
    assert {path.name for path in database.parent.iterdir()} == LEFT
    assert before


def _damages() -> dict[str, Callable[[Path], object]]:
    def half(path: Path) -> None:
        os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)

    def odd(path: Path) -> None:
        os.truncate(path, 5_000)

    def pages(path: Path) -> None:
        rng = random.Random(3)
        with path.open("r+b") as file:
            for _ in range(path.stat().st_size // 4096 // 2):
                file.seek(rng.randrange(1, path.stat().st_size // 4096) * 4096)
                file.write(rng.randbytes(4096))

    def foreign(path: Path) -> None:
        path.unlink()
        sqlite3.connect(path).execute("CREATE TABLE t (x)").connection.close()

    def folder(path: Path) -> None:
        path.unlink()
        path.mkdir()

    return {
        "empty": lambda path: os.truncate(path, 0),
        "one byte": lambda path: os.truncate(path, 1),
        "a header": lambda path: os.truncate(path, 100),
        "half": half,
        "odd": odd,
        "text": lambda path: path.write_text("not a database\n" * 1_000, encoding="ascii"),
        "zeros": lambda path: path.write_bytes(bytes(100_000)),
        "pages": pages,
        "foreign": foreign,
        "folder": folder,
        "deleted": lambda path: path.unlink(),
    }


@pytest.mark.parametrize("damage", list(_damages()))
def test_a_file_that_is_damaged_under_a_server(
    fixture_db: Path, tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    """Whatever stands there: a reason that says what to do; and answers again when all is well."""
    database = tmp_path / "x.db"
    shutil.copyfile(fixture_db, database)
    source = IndexSource(database, None)
    trace = all_tools()["trace"]
    try:
        good = ask(source, trace, {"name": "softcap"})
        _damages()[damage](database)
        # In place, so that connections which are open see it, as after a disk's failure.
        reasons = []
        for name, tool in all_tools().items():
            try:
                ask(source, tool, dict(tool.examples[0]) if tool.examples else {})
            except CannotAnswer as error:
                reasons.append(str(error))
                assert "Traceback" not in str(error), name
                assert re.search("torchtalk index|--db|--pytorch-source", str(error)), error
        assert len(reasons) > (2 if damage == "pages" else len(all_tools()) - 2), reasons
        ended = Command(capsys)("trace", "softcap", "--db", database)
        # A folder is a wrong value of --db.
        codes = {"pages": (8, 0), "folder": (2,)}.get(damage, (8,))
        assert ended.code in codes, ended
        assert "Traceback" not in ended.err
        if database.is_dir():
            database.rmdir()
        shutil.copyfile(fixture_db, tmp_path / "new")
        (tmp_path / "new").replace(database)
        assert ask(source, trace, {"name": "softcap"}) == good
    finally:
        source.close()


def test_single_damaged_bytes_are_answered_or_refused(fixture_db: Path, tmp_path: Path) -> None:
    """What a disk that forgets does: no tool may end otherwise than by an answer or a reason."""
    whole = fixture_db.read_bytes()
    rng = random.Random(11)
    database = tmp_path / "x.db"
    for _ in range(25):
        damaged = bytearray(whole)
        for _ in range(rng.choice((1, 20, 400))):
            damaged[rng.randrange(100, len(damaged))] = rng.randrange(256)
        database.write_bytes(damaged)
        source = IndexSource(database, None)
        try:
            for name in ("get_status", "trace", "search", "called_by", "trace_module"):
                tool = all_tools()[name]
                try:
                    ask(source, tool, dict(tool.examples[0]) if tool.examples else {})
                except CannotAnswer as error:
                    assert str(error)
        finally:
            source.close()


@pytest.mark.slow
def test_a_server_is_asked_while_builds_replace_the_index(tree: Path, database: Path) -> None:
    source = IndexSource(database, None)
    failures: list[str] = []
    answers = 0
    ended = threading.Event()

    def ask_on() -> None:
        nonlocal answers
        while not ended.is_set():
            try:
                text = ask(source, all_tools()["trace"], {"name": "softcap"})
                if not text.startswith("aten::softcap"):
                    failures.append(text)
                answers += 1
            except CannotAnswer as error:
                failures.append(str(error))
        source.close()

    threads = [threading.Thread(target=ask_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for number in range(6):
            _edit(tree)
            build(open_tree(tree), database, workers=0, full=number % 2 == 0)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert answers > 20
