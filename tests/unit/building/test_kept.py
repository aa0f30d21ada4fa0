"""What is read of an index once for all questions."""

from __future__ import annotations

import gc
import shutil
import sqlite3
from pathlib import Path

from torchtalk import kept
from torchtalk.db import connect
from torchtalk.tools import all_tools

_read: list[sqlite3.Connection] = []


def _tables(conn: sqlite3.Connection) -> int:
    _read.append(conn)
    return int(conn.execute("SELECT count(*) FROM meta").fetchone()[0])


def _times(conn: sqlite3.Connection) -> int:
    before = len(_read)
    assert kept.once(conn, _tables) == conn.execute("SELECT count(*) FROM meta").fetchone()[0]
    return len(_read) - before


def test_connections_to_one_file_read_it_once(fixture_db: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    shutil.copy(fixture_db, path)
    first, second = connect(path), connect(path)
    assert [_times(conn) for conn in (first, second, first)] == [1, 0, 0]
    first.close()
    assert _times(second) == 0


def test_what_stands_in_its_place_is_another_file(fixture_db: Path, tmp_path: Path) -> None:
    path, new = tmp_path / "one.db", tmp_path / "two.db"
    shutil.copy(fixture_db, path)
    old = connect(path)
    assert _times(old) == 1
    shutil.copy(fixture_db, new)
    with sqlite3.connect(new) as copy:
        copy.execute("INSERT INTO meta VALUES ('more', '1')")
    copy.close()
    new.replace(path)
    later = connect(path)
    assert [_times(conn) for conn in (later, old)] == [1, 0]
    assert kept.once(later, _tables) == kept.once(old, _tables) + 1


def test_it_goes_with_the_last_connection(fixture_db: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    shutil.copy(fixture_db, path)
    conn = connect(path)
    assert _times(conn) == 1
    _read.clear()
    conn.close()
    del conn
    gc.collect()
    assert _times(connect(path)) == 1


def test_other_connections_read_anew(fixture_db: Path) -> None:
    plain = sqlite3.connect(fixture_db)
    assert [_times(plain), _times(plain)] == [1, 1]
    plain.close()


def test_a_file_that_was_replaced_meanwhile_is_nobody_elses(fixture_db: Path) -> None:
    first, second = (connect(fixture_db) for _ in range(2))
    for conn in (first, second):
        assert isinstance(conn, kept.Connection)
        kept.keep(conn, None)
    assert [_times(conn) for conn in (first, second, first)] == [1, 1, 0]


def test_answers_are_those_of_a_first_question(fixture_db: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    shutil.copy(fixture_db, path)
    tool = all_tools()["find_similar_tests"]
    names = [row[0] for row in sqlite3.connect(path).execute(
        "SELECT m.name || '.' || p.name FROM python_functions AS p JOIN python_modules AS m"
        " ON m.id = p.module_id WHERE m.name GLOB 'torch*' ORDER BY p.id LIMIT 30"
    )]  # fmt: skip
    kept_answers = [tool.ask(conn, query=name) for conn in [connect(path)] for name in names]
    for name, answer in zip(names, kept_answers, strict=True):
        alone = connect(path)
        assert isinstance(alone, kept.Connection)
        kept.keep(alone, None)
        assert tool.ask(alone, query=name) == answer
    assert any(answer.hits for answer in kept_answers)
