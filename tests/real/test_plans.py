"""How SQLite answers on a whole index: no large table is read through for a handful of rows.

A Bloom filter over a table, or an index that is made for one statement, costs all of the table's rows each time.
Neither answers nor a fixture's few rows show it: `forward` of one class took two hundred times as long as finding it.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import torchtalk
from indexer.words import add_functions
from tests.real.conftest import Real
from torchtalk.db import connect
from torchtalk.sqlfile import statements

_MANY = 20_000  # rows
_BUILT = re.compile(r"BLOOM FILTER ON (\w+)|(\w+) USING AUTOMATIC ")
_PARAMETER = re.compile(r"(?<![\w:]):([a-z_]\w*)")


def _statements() -> dict[str, str]:
    folder = Path(torchtalk.__file__).parent
    return {
        f"{path.relative_to(folder)}: {name}": text
        for path in sorted(folder.rglob("*.sql"))
        # The names of two databases are put into the one, and the other is put into statements.
        if path.name not in ("diff.sql", "conditions.sql")
        for name, text in statements(path).items()
    }


def _built_over(conn: sqlite3.Connection, text: str) -> set[str]:
    """The tables that a statement has a filter or an index made of."""
    values = dict.fromkeys(_PARAMETER.findall(text))
    found = set()
    for row in conn.execute(f"EXPLAIN QUERY PLAN {text}", values):
        for names in _BUILT.findall(row["detail"]):
            alias = "".join(names)
            of = re.findall(rf"(\w+) AS {alias}\b", text)
            found.update(of or [alias])
    return found


def test_no_statement_reads_a_large_table_through_for_a_few_rows(new: Real) -> None:
    conn = connect(new.db)
    add_functions(conn)
    tables = {row["name"] for row in conn.execute("SELECT name FROM sqlite_master")}
    sizes: dict[str, int] = {}
    wrong = []
    asked = _statements()
    assert len(asked) > 200
    for name, text in asked.items():
        for table in _built_over(conn, text) & tables:
            if table not in sizes:
                row = conn.execute(f"SELECT count(*) AS number FROM {table}").fetchone()
                sizes[table] = row["number"]
            if sizes[table] > _MANY:
                wrong.append(f"{name}: {table}")
    assert wrong == []
    # A plan that is wrong is seen.
    assert _built_over(
        conn,
        "WITH RECURSIVE up (id) AS (SELECT :id UNION SELECT p.class_id FROM up CROSS JOIN python_functions AS p"
        " ON p.id = up.id WHERE p.kind = 'x') SELECT * FROM up",
    ) == {"python_functions"}
    conn.close()
