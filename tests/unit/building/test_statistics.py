"""What SQLite plans by: a value that fills a sample is not taken for the rule."""

from __future__ import annotations

import sqlite3

from indexer.target import analyse

ROWS = 20_000
COMMON = 1_500  # rows of each of the first two values


def test_what_most_rows_have_is_not_what_all_have(memory: sqlite3.Connection) -> None:
    memory.isolation_level = None
    memory.execute("CREATE TABLE calls (caller INTEGER, target INTEGER)")
    memory.executemany(
        "INSERT INTO calls VALUES (?, ?)",
        ((n, n // COMMON if n < 2 * COMMON else n) for n in range(ROWS)),
    )
    memory.execute("CREATE INDEX calls_target ON calls (target)")
    memory.execute("CREATE INDEX calls_caller ON calls (caller)")
    analyse(memory)
    stats = dict(
        memory.execute("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'calls'").fetchall()
    )
    rows, of_a_target = map(int, stats["calls_target"].split())
    assert rows == ROWS
    assert of_a_target < 5
    assert stats["calls_caller"].split()[1] == "1"
