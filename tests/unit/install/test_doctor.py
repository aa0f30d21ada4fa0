"""What the doctor finds, and what it says is to be done."""

from __future__ import annotations

import fcntl
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from indexer.target import lock_path
from tests.unit.support.command import Command, Ended
from torchtalk.cli import exits
from torchtalk.doctor import handshake as handshakes
from torchtalk.doctor import machine
from torchtalk.doctor.findings import FAIL, OK, WARN, Finding
from torchtalk.doctor.handshake import handshake
from torchtalk.doctor.index import index, tree
from torchtalk.tools import all_tools


def found(database: Path | None, source: Path | None = None) -> dict[str, Finding]:
    return {finding.name: finding for finding in index(database, source)}


@pytest.fixture
def copy(fixture_db: Path, tmp_path: Path) -> Path:
    """An index that a test may spoil."""
    path = tmp_path / "x.db"
    shutil.copy(fixture_db, path)
    path.chmod(0o600)
    return path


@pytest.mark.slow
def test_all_is_well(
    home: Path, capsys: pytest.CaptureFixture[str], fixture_db: Path, fixture_tree: Path
) -> None:
    arguments = ("doctor", "--db", fixture_db, "--pytorch-source", fixture_tree)
    ended: Ended = Command(capsys)(*arguments)
    assert (ended.code, ended.err) == (exits.FOUND, "")
    lines = ended.out.splitlines()
    assert lines[-1].endswith(" 0 fail")
    names = [line[6:].partition(":")[0] for line in lines[:-1] if not line.startswith("      ")]
    assert {
        "python",
        "packages",
        "sqlite",
        "libclang",
        "tree",
        "lock",
        "database",
        "age",
        "mcp",
    } <= set(names)
    data = json.loads(Command(capsys)(*arguments, "--json").out)
    assert [finding["name"] for finding in data["findings"]] == names
    assert data["fail"] == 0


@pytest.mark.slow
def test_without_an_index_it_says_how_to_build_one_and_builds_none(
    home: Path, capsys: pytest.CaptureFixture[str], fixture_tree: Path
) -> None:
    ended = Command(capsys)("doctor", "--pytorch-source", fixture_tree)
    assert ended.code == exits.UNWELL
    assert "fail  database: there is none at " in ended.out
    assert "→ torchtalk index" in ended.out
    assert "ok    mcp: " in ended.out
    assert not list((home / "cache").rglob("*.db"))


def test_nothing_is_configured(home: Path) -> None:
    finding = tree(None, None)
    assert (finding.status, finding.advice) == (FAIL, "torchtalk init DIR")
    assert tree(None, home / "x.db").status == WARN
    assert found(None)["database"].status == FAIL


def test_a_damaged_index(copy: Path) -> None:
    content = bytearray(copy.read_bytes())
    content[4096 * 4 :] = b"\x55" * (len(content) - 4096 * 4)
    copy.write_bytes(content)
    finding = found(copy)["database"]
    assert finding.status == FAIL
    assert finding.advice.endswith(f"build it again with: torchtalk index --db {copy}")


def test_an_index_that_is_not_its_tables(copy: Path) -> None:
    with sqlite3.connect(copy) as conn:
        conn.executescript(
            "PRAGMA writable_schema = ON; UPDATE sqlite_master"
            " SET sql = 'CREATE INDEX operators_base ON operators (overload, base)' WHERE name = 'operators_base';"
        )
    conn.close()
    finding = found(copy)["database"]
    assert (finding.status, finding.advice) == (FAIL, f"torchtalk index --db {copy}")
    assert "is damaged (" in finding.text


def test_a_reference_that_leads_nowhere(copy: Path) -> None:
    with sqlite3.connect(copy) as conn:
        conn.execute("DELETE FROM source_files WHERE id = (SELECT min(file_id) FROM operators)")
    conn.close()
    assert "leads nowhere" in found(copy)["database"].text


def test_a_foreign_and_a_newer_file(copy: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(b"something else" * 500)
    assert found(other)["database"].status == FAIL
    with sqlite3.connect(copy) as conn:
        conn.execute("PRAGMA user_version = 999")
    conn.close()
    newer = found(copy)["database"]
    assert "newer torchtalk" in newer.text
    assert newer.advice == "upgrade torchtalk, or give another --db"


def test_what_is_to_be_done_is_done_to_the_index_that_was_asked_about(tmp_path: Path) -> None:
    missing = tmp_path / "a b.db"
    assert found(missing)["database"].advice == f"torchtalk index --db '{missing}'"


def test_a_tree_that_has_changed_or_is_gone(fixture_tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    shutil.copytree(fixture_tree, root)
    database = tmp_path / "x.db"
    build(open_tree(root), database, workers=0)
    assert found(database)["age"].status == OK
    (root / "torch" / "new.py").write_text("x = 1\n", encoding="utf-8")
    age = found(database)["age"]
    assert (age.status, age.advice) == (WARN, f"torchtalk index --db {database}")
    assert "torch/new.py" in age.text
    shutil.rmtree(root)
    assert "not on this machine" in found(database)["age"].text


def test_layers_and_coverage(fixture_tree: Path, tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    build(open_tree(fixture_tree), database, layers=("operators",), workers=0)
    finding = found(database)["layers"]
    assert finding.status == WARN
    assert "tests: skipped (" in finding.text
    assert finding.advice.startswith(f"torchtalk index --db {database} without --layers")
    with sqlite3.connect(database) as conn:
        conn.execute(
            "UPDATE coverage SET status = 'partial' WHERE layer = 'tests' AND file IS NULL"
        )
    conn.close()
    advice = found(database)["layers"].advice
    query = advice.partition('"')[2].rpartition('"')[0]
    with sqlite3.connect(database) as conn:
        conn.execute(query)
    conn.close()
    assert "'tests'" in query
    with sqlite3.connect(database) as conn:
        conn.execute(
            "INSERT INTO coverage (layer, file, status, detail) VALUES ('x', 'y', 'crashed', '')"
        )
    conn.close()
    finding = found(database)["coverage"]
    assert finding.status == WARN
    assert "1 crashed" in finding.text
    query = finding.advice.partition('"')[2].rpartition('"')[0]
    with sqlite3.connect(database) as conn:
        assert len(conn.execute(query).fetchall()) == 1
    conn.close()


def test_another_version(copy: Path) -> None:
    assert "version" not in found(copy)
    with sqlite3.connect(copy) as conn:
        conn.execute("UPDATE meta SET value = 'torchtalk 0.0.1' WHERE key = 'built_by'")
    conn.close()
    assert "built by torchtalk 0.0.1" in found(copy)["version"].text


def test_who_is_building(copy: Path) -> None:
    assert found(copy)["lock"].status == OK
    with lock_path(copy).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "is running" in found(copy)["lock"].text
    left = copy.with_name(f".{copy.name}.123.building")
    left.touch()
    finding = found(copy)["lock"]
    assert (finding.status, left.name in finding.text) == (WARN, True)


@pytest.mark.slow
def test_the_handshake_counts_the_tools(fixture_db: Path) -> None:
    for database in (fixture_db, None):
        finding = handshake(database)
        assert finding.status == OK, finding.text
        assert f"with {len(all_tools())} tools" in finding.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; sys.exit('boom')", "it has ended; it says: boom"),
        ("print('hello', flush=True); input()", "what it writes is no JSON"),
        ("import time; time.sleep(60)", "nothing for 0 s"),
        ("print('{\"id\": 1, \"error\": \"no\"}', flush=True); input()", "it refuses: no"),
        ("input(); print('{\"id\": 1, \"result\": {}}', flush=True); input(); input();"
         " print('{\"id\": 2, \"result\": {}}', flush=True); input()", "it lists no tools"),
    ],
)  # fmt: skip
def test_a_server_that_does_not_answer(
    fixture_db: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    real = handshakes.subprocess.Popen

    def other(command: list[str], **options: Any) -> Any:
        return real([command[0], "-c", program], **options)

    monkeypatch.setattr(handshakes.subprocess, "Popen", other)
    if "nothing" in said:
        monkeypatch.setattr(handshakes, "_PATIENCE", 0.3)
    finding = handshake(fixture_db)
    assert finding.status == FAIL
    assert said in finding.text
    assert "mcp-serve" in finding.advice


def test_what_is_missing_on_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    by_name = {finding.name: finding for finding in machine.machine()}
    assert by_name["python"].status == by_name["sqlite"].status == by_name["packages"].status == OK
    monkeypatch.setenv("TORCHTALK_LIBCLANG", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(machine, "SQLITE_FLOOR", (99, 0, 0))
    monkeypatch.setattr(machine.importlib.metadata, "requires", lambda name: ["no-such-package>=1"])
    by_name = {finding.name: finding for finding in machine.machine()}
    assert by_name["libclang"].status == WARN
    assert "TORCHTALK_LIBCLANG" in by_name["libclang"].advice
    assert by_name["git"].status == WARN
    assert (by_name["sqlite"].status, "99.0.0" in by_name["sqlite"].advice) == (FAIL, True)
    assert by_name["packages"].advice == "pip install no-such-package"


def test_headers_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.clang.environment.probe", lambda *a: {"vector", "Python.h"})
    findings = [finding for finding in machine.machine() if finding.name == "headers"]
    assert [finding.status for finding in findings] == [WARN, WARN]
    assert any("g++" in finding.advice for finding in findings)


def test_every_warning_and_failure_says_what_to_do(home: Path, tmp_path: Path) -> None:
    for finding in (tree(None, None), *index(tmp_path / "none.db", None), *index(None, None)):
        assert bool(finding.advice) == (finding.status != OK), finding
