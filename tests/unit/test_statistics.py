"""What SQLite plans by: a value that fills a sample is not taken for the rule."""

from __future__ import annotations

import sqlite3

from indexer.target import analyse

ROWS = 20_000
COMMON = 1_500  # rows of each of the first two values


def test_what_most_rows_have_is_not_what_all_have() -> None:
    conn = sqlite3.connect(":memory:", isolation_level=None)
    conn.execute("CREATE TABLE calls (caller INTEGER, target INTEGER)")
    conn.executemany(
        "INSERT INTO calls VALUES (?, ?)",
        ((n, n // COMMON if n < 2 * COMMON else n) for n in range(ROWS)),
    )
    conn.execute("CREATE INDEX calls_target ON calls (target)")
    conn.execute("CREATE INDEX calls_caller ON calls (caller)")
    analyse(conn)
    stats = dict(conn.execute("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'calls'").fetchall())
    rows, of_a_target = map(int, stats["calls_target"].split())
    assert rows == ROWS
    assert of_a_target < 5
    assert stats["calls_caller"].split()[1] == "1"
