"""Queries of somebody's own: what they may, how far they get, and what is said otherwise."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.support.command import Command
from tests.unit.support.tries import tries
from torchtalk.answers.sql import SqlAnswer
from torchtalk.arguments import BadArgument
from torchtalk.db import connect
from torchtalk.query import child
from torchtalk.query.documents import examples
from torchtalk.query.process import QueryFailed, run_query
from torchtalk.render import to_json, to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server.resources import schema_text
from torchtalk.tools import all_tools


def ask(conn: sqlite3.Connection, query: str, limit: int = 50) -> SqlAnswer:
    answer = all_tools()["sql"].ask(conn, query=query, limit=limit)
    assert isinstance(answer, SqlAnswer)
    return answer


def refusal(conn: sqlite3.Connection, query: str) -> str:
    with pytest.raises(BadArgument) as caught:
        ask(conn, query)
    return str(caught.value)


def test_rows_as_text_and_as_json(conn: sqlite3.Connection) -> None:
    query = (
        "SELECT operator, line, NULL AS missing FROM v_operators WHERE base = 'softcap' ORDER BY 1"
    )
    answer = ask(conn, query)
    assert to_text(answer).splitlines() == [
        "2 rows",
        "operator | line | missing",
        "aten::softcap.int | 47 | NULL",
        "aten::softcap.int_out | 51 | NULL",
    ]
    data = json.loads(to_json(answer))
    assert data["columns"] == ["operator", "line", "missing"]
    assert data["rows"][0] == ["aten::softcap.int", 47, None]
    assert (data["total"], data["is_total_exact"]) == (2, True)


def test_a_value_gives_the_terminal_no_orders(conn: sqlite3.Connection) -> None:
    text = to_text(ask(conn, "SELECT char(27) || '[2J' || char(9) || 'ä' || char(155) AS x"))
    assert text.splitlines()[2] == "\\x1b[2J\tä\\x9b"


def test_a_value_stays_on_its_line(conn: sqlite3.Connection) -> None:
    text = to_text(ask(conn, "SELECT 'a' || char(10) || 'b\\n' AS x, x'00ff' AS y"))
    assert text.splitlines()[2] == "a\\nb\\\\n | x'00ff'"


def test_the_limit_is_said_with_the_total(conn: sqlite3.Connection) -> None:
    total = conn.execute("SELECT count(*) FROM v_operators").fetchone()[0]
    answer = ask(conn, "SELECT operator FROM v_operators", 3)
    assert len(answer.rows) == 3
    assert answer.finding.startswith(f"3 of {total} rows")


def test_no_row_ends_with_one_and_wrong_sql_with_two(
    capsys: pytest.CaptureFixture[str], fixture_db: Path
) -> None:
    torchtalk = Command(capsys)
    assert torchtalk("sql", "SELECT 1 AS one", "--db", fixture_db).out == "1 row\none\n1\n"
    assert torchtalk("sql", "SELECT 1 WHERE 0", "--db", fixture_db).code == 1
    ended = torchtalk("sql", "SELEC 1", "--db", fixture_db)
    assert (ended.code, ended.out) == (2, "")
    assert 'near "SELEC": syntax error' in ended.err


@pytest.mark.slow
def test_reading_in_many_forms(conn: sqlite3.Connection) -> None:
    for query in (
        "WITH RECURSIVE t (n) AS (SELECT 1 UNION SELECT n + 1 FROM t WHERE n < 9) SELECT max(n) FROM t",
        "WITH c AS (SELECT 1 AS n) SELECT count(*) FROM c",
        "VALUES (1), (2)",
        "EXPLAIN QUERY PLAN SELECT * FROM v_dispatch",
        "PRAGMA table_info(v_tests)",
        "SELECT name FROM pragma_table_info('v_tests')",
        "SELECT name FROM sqlite_master",
        "SELECT value FROM json_each('[1, 2]')",
        "SELECT rank() OVER (ORDER BY operator) FROM v_operators",
        "SELECT n.name FROM names_trigrams AS t JOIN names AS n ON n.id = t.rowid"
        " WHERE names_trigrams MATCH '\"softcap\"' ORDER BY t.rank",
        "SELECT highlight(names_trigrams, 0, '[', ']') FROM names_trigrams WHERE names_trigrams MATCH 'softcap'",
        "SELECT name FROM tests_words JOIN tests ON tests.id = tests_words.rowid"
        " WHERE tests_words MATCH 'cap*'",
        "/* comment */ SELECT 1; -- more",
    ):
        assert ask(conn, query).total > 0, query


WRITES = (
    "DELETE FROM meta", "INSERT INTO meta VALUES ('a', 'b')", "UPDATE meta SET value = 1",
    "REPLACE INTO meta VALUES ('a', 'b')", "DROP TABLE meta", "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)", "CREATE VIEW x AS SELECT 1", "ALTER TABLE meta RENAME TO x",
    "WITH x AS (SELECT 1) INSERT INTO meta SELECT 'a', 'b' FROM x",
    "INSERT INTO names_words (names_words) VALUES ('rebuild')",
    "ATTACH 'other.db' AS other", "ATTACH ':memory:' AS other", "DETACH main", "VACUUM",
    "VACUUM INTO 'other.db'", "REINDEX", "ANALYZE", "BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT x", "COMMIT",
    "PRAGMA user_version = 9", "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = WAL", "PRAGMA temp_store_directory = '.'", "PRAGMA database_list",
    "PRAGMA hard_heap_limit = 1", "SELECT * FROM pragma_database_list", "SELECT * FROM dbstat",
    "CREATE VIRTUAL TABLE x USING fts5 (a)", "EXPLAIN DELETE FROM meta",
)  # fmt: skip


@pytest.mark.slow
def test_everything_else_is_refused(fixture_db: Path, tmp_path: Path) -> None:
    """In a folder and on a file that could be written."""
    path = tmp_path / "x.db"
    shutil.copy(fixture_db, path)
    path.chmod(0o600)
    before = hashlib.sha256(path.read_bytes()).digest()
    conn = connect(path)
    try:
        for query in WRITES:
            assert "only reading is allowed" in refusal(conn, query), query
    finally:
        conn.close()
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.db"]


def test_the_file_is_opened_for_reading_only(fixture_db: Path, tmp_path: Path) -> None:
    """Should the authorizer fail, the file still cannot be written."""
    path = tmp_path / "x.db"
    shutil.copy(fixture_db, path)
    program = (
        "import sys, sqlite3; sys.path.insert(0, sys.argv[1]); import child\n"
        "child.Guard.__call__ = lambda *a: sqlite3.SQLITE_OK\n"
        "print(child.run(sys.argv[2], 'DELETE FROM meta', 5)['error'])"
    )
    folder = Path(child.__file__).parent
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, folder, path],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "readonly" in ended.stdout


@pytest.mark.parametrize(
    "call",
    ["load_extension('x')", "zeroblob(1)", "randomblob(1)", "fts3_tokenizer('x')", "fts5(1)",
     "sqlite_compileoption_get(1)", "readfile('/etc/passwd')", "writefile('x', 'y')"],
)  # fmt: skip
def test_functions_that_are_not_allowed(conn: sqlite3.Connection, call: str) -> None:
    assert f"the function {call.partition('(')[0]} " in refusal(conn, f"SELECT {call}")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "SELECT opertor FROM v_operators",
            "closest: operator; v_operators has operator, namespace,",
        ),
        ("SELECT d.kernl FROM v_dispatch AS d", "closest: kernel"),
        ("SELECT file FROM v_tests JOIN v_opinfos", "v_opinfos has name, variant"),
        ("SELECT * FROM v_operatr", "there is no table or view 'v_operatr'; closest: v_operators"),
        ("SELECT * FROM tests_of", "closest: "),
        ("SELECT * FROM qqqqqq", "views there are: v_"),
        ("SELECT group_cat(1)", "closest: group_concat"),
        ("SELECT 1; SELECT 2", "exactly one statement"),
        ("SELECT ?", "write them out"),
        ("SELECT (", "incomplete input"),
        ("  ", "give a query"),
        ("-- nothing", "this is no query"),
        ("SELECT '\0'", "null character"),
    ],
)
def test_errors_say_what_there_is(conn: sqlite3.Connection, query: str, said: str) -> None:
    text = refusal(conn, query)
    assert said in text
    assert len(text) < 2_000


ENDLESS = (
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION SELECT n + 1 FROM t) SELECT max(n) FROM t",
    "WITH RECURSIVE t (s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t) SELECT max(length(s)) FROM t",
    "WITH RECURSIVE t (s, n) AS (SELECT printf('%.*c', 90000, 'x'), 1 UNION SELECT s, n + 1 FROM t)"
    " SELECT max(n) FROM t",
    "SELECT length(printf('%.*c', 2000000000, 'x'))",
    "SELECT " + "hex(" * 15 + "printf('%.*c', 90000, 'x')" + ")" * 15,
    "SELECT replace(replace(replace(printf('%.*c', 9000, 'x'), 'x', printf('%.*c', 9000, 'x')), 'x',"
    " printf('%.*c', 9000, 'x')), 'x', printf('%.*c', 9000, 'x'))",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)"
    " SELECT group_concat(printf('%.*c', 1000, 'x')) FROM t",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)"
    " SELECT json_group_array(n) FROM t",
    "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)"
    " SELECT n FROM t ORDER BY printf('%.*c', 1000, n)",
    "SELECT count(*) FROM v_methods a, v_methods b, v_methods c, v_methods d, v_methods e",
    "SELECT 1 FROM v_methods WHERE signature LIKE '" + "%a" * 1_000 + "'",
)


@pytest.mark.slow
@pytest.mark.parametrize("query", ENDLESS, ids=lambda query: query[:60])
def test_bombs_end_with_a_reason(conn: sqlite3.Connection, query: str) -> None:
    """That this test ends is the point; what the kernel's timer allows is asserted below."""
    text = refusal(conn, query)
    assert any(
        reason in text for reason in ("took longer", "too big", "more memory", "too complex")
    ), text


@pytest.mark.slow
@pytest.mark.parametrize("query", ENDLESS, ids=lambda query: query[:60])
def test_bombs_end_without_sqlites_own_limits(fixture_db: Path, query: str) -> None:
    """Python 3.10 cannot set them: the kernel's have to do."""
    program = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); import child\n"
        "child._LIMITS = {}\n"
        "child._confine()\n"
        "found = child.run(sys.argv[2], sys.argv[3], 5)\n"
        "print(found.get('error', found.get('total')))"
    )
    folder = Path(child.__file__).parent
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, folder, fixture_db, query],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    # Ended by the timer, or for want of memory, or by the progress handler.
    assert ended.returncode in (-14, 0), ended.stderr
    assert ended.stdout.strip() not in ("1", "2")


@pytest.mark.slow
def test_no_more_than_a_few_at_once(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torchtalk.query import process

    monkeypatch.setattr(process, "_WAIT", 0.01)
    for _ in range(process._MOST_AT_ONCE):
        assert process._running.acquire(timeout=5)
    try:
        assert "too many queries" in refusal(conn, "SELECT 1")
    finally:
        for _ in range(process._MOST_AT_ONCE):
            process._running.release()
    # Whatever becomes of a query, its place is free again.
    for query in ("SELECT 1", "SELEC"):
        for _ in range(process._MOST_AT_ONCE + 1):
            with contextlib.suppress(BadArgument):
                ask(conn, query)
    assert ask(conn, "SELECT 1").total == 1


def test_single_steps_are_bounded(conn: sqlite3.Connection) -> None:
    """Patterns that make one step of SQLite quadratic: answered, since values are short."""
    long = "printf('%.*c', 90000, 'a')"
    for expression in (
        f"instr({long}, printf('%.*c', 45000, 'a') || 'b')",
        f"{long} LIKE '{'%a' * 200}b'",
        f"{long} LIKE '{'%_' * 200}b'",
        f"{long} GLOB '{'*[a-z]' * 80}b'",
    ):
        assert ask(conn, f"SELECT {expression} AS x").rows == ((0,),)


def test_the_bounds_are_those_that_are_promised() -> None:
    assert child.SECONDS < child._ALARM < 2
    assert child._MEMORY <= 512 << 20


@pytest.mark.slow
def test_a_process_that_sqlite_holds_is_ended_by_the_timer(fixture_db: Path) -> None:
    """Where nothing but one long step runs, neither the progress handler nor Python has a say."""
    program = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); import child\n"
        "child._ALARM = 0.2; child._confine()\n"
        "import ctypes; ctypes.PyDLL(None).sleep(60)"
    )
    folder = Path(child.__file__).parent
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, folder], timeout=30, check=False
    )
    assert ended.returncode == -14


@pytest.mark.slow
def test_rows_stay_within_their_caps(conn: sqlite3.Connection) -> None:
    series = "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 500)"
    answer = ask(conn, f"{series} SELECT printf('%.*c', 50000, 'x') AS x FROM t", 200)
    assert all(len(row[0]) <= 4_001 for row in answer.rows)
    assert len(answer.rows) < 200
    assert answer.total == 500
    text = to_text(answer)
    assert len(text) <= MAX_CHARACTERS
    assert "cut at 200 characters" in text
    assert "rows were left out for their size" in text
    wide = ", ".join(f"printf('%.*c', 9000, 'x') AS c{i}" for i in range(150))
    assert len(to_text(ask(conn, f"{series} SELECT {wide} FROM t", 200))) <= MAX_CHARACTERS


@pytest.mark.slow
def test_an_endless_query_that_gives_rows_is_counted_for_a_while(conn: sqlite3.Connection) -> None:
    answer = ask(
        conn, "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t", 2
    )
    assert answer.rows == ((1,), (2,))
    assert not answer.is_total_exact
    assert answer.finding.startswith("2 of more than ")


def test_a_file_that_is_gone_or_foreign(tmp_path: Path) -> None:
    with pytest.raises(QueryFailed, match="unable to open"):
        run_query(str(tmp_path / "none.db"), "SELECT 1", 1)
    (tmp_path / "other.db").write_bytes(b"something else" * 500)
    with pytest.raises(QueryFailed, match="not a database"):
        run_query(str(tmp_path / "other.db"), "SELECT 1", 1)


@pytest.mark.slow
def test_the_resource_has_every_view_with_a_query_that_runs(conn: sqlite3.Connection) -> None:
    text = schema_text()
    views = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    for view in views:
        if view.startswith("v_") and view in examples():
            section = text.partition(f"\n{view}(")[2].split("\nv_")[0]
            query = section.partition("  -- ")[2].partition("\n")[2].partition(";")[0]
            assert view in query
            ask(conn, query)
    ask(conn, text.partition("Full text search")[2].partition("\n")[2].partition(";")[0])
    assert "python_functions" in text


_pieces = st.sampled_from(
    """SELECT * FROM WHERE v_operators v_dispatch meta operator key count(*) , ( ) ; ' " ` [ ] = < LIKE
    MATCH '%a%' 1 -1 9e999 x'00' NULL AND OR NOT ORDER BY GROUP LIMIT UNION ALL WITH RECURSIVE t(n) AS
    JOIN ON printf('%.*c',99999999,'x') || -- /* */ DELETE INSERT INTO UPDATE SET DROP TABLE CREATE
    ATTACH 'x.db' PRAGMA user_version = 1 VACUUM BEGIN VALUES (1) names_words load_extension('x') ?1 :a
    json_each('[1]') sqlite_master EXPLAIN randomblob(9) \x00 é""".split()
)
_sqlish = st.lists(_pieces, max_size=20).map(" ".join)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=tries(25),
)
@given(
    query=st.text(max_size=200) | _sqlish | _sqlish.map("SELECT {}".format),
    limit=st.integers(1, 200),
)
def test_any_text_is_answered_or_refused_and_never_writes(
    conn: sqlite3.Connection, fixture_db: Path, query: str, limit: int
) -> None:
    before = (fixture_db.stat().st_mtime_ns, sorted(fixture_db.parent.iterdir()))
    try:
        answer = ask(conn, query, limit)
    except BadArgument as error:
        assert 0 < len(str(error)) < 4_000
    else:
        assert len(answer.rows) <= limit
        assert 0 < len(to_text(answer)) <= MAX_CHARACTERS
        json.loads(to_json(answer))
    assert (fixture_db.stat().st_mtime_ns, sorted(fixture_db.parent.iterdir())) == before
