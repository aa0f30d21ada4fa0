"""What becomes of each overload in torch.compile: decomposition, meta, fake, lowering, fallback?

First every stage's function of every overload (`compile_entries`), then what the tables of
decompositions hold once their steps are carried out (`compile_tables`).
"""

from __future__ import annotations

import sqlite3

from indexer.facts.compile import WHERE_THERE
from indexer.facts.operators import Shortfall
from indexer.link.compile.entries import entries
from indexer.link.compile.operators import Operators, Places
from indexer.link.compile.tables import Tables
from indexer.workers import WorkerPool
from indexer.write.files import write_coverage

_STAGES = ("pre_grad", "joint_graph", "post_grad", "freezing")


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Fill `compile_entries` and `compile_tables` of the database `conn`, and join what else refers to other files."""
    operators = Operators(conn)
    conn.executemany(
        "INSERT INTO compile_entries (operator, operator_id, role, table_name, function, function_file_id,"
        " function_line, how, kernels, condition, is_conditional, file_id, line)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (entry.operator, operators.identity(entry.operator), *entry[1:])
            for entry in entries(conn, operators, Places(conn))
        ],
    )
    tables = Tables(conn, operators)
    for table in tables.names:
        conn.executemany(
            "INSERT INTO compile_tables VALUES (?, ?, ?, ?, ?, ?)",
            [(table, operator, *row) for operator, row in sorted(tables.rows(table).items())],
        )
    _link_patterns(conn)
    _link_codes(conn)
    _cover_unknown(conn, operators)


def _link_patterns(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT p.id, coalesce(p.passes, ''), f.path FROM compile_patterns AS p"
        " JOIN source_files AS f ON f.id = p.file_id ORDER BY p.id"
    ).fetchall()
    for identity, passes, path in rows:
        named = next((stage for stage in _STAGES if stage in passes.lower()), None)
        stage = named or next((stage for stage in _STAGES if stage in path), None)
        conn.execute("UPDATE compile_patterns SET stage = ? WHERE id = ?", (stage, identity))


def _link_codes(conn: sqlite3.Connection) -> None:
    known = conn.execute(
        "SELECT count(*) FROM temp.sqlite_master WHERE name = 'graph_break_codes'"
    ).fetchone()[0]
    if known:
        conn.execute(
            "UPDATE graph_breaks SET code = (SELECT min(c.code) FROM graph_break_codes AS c"
            " WHERE c.message = graph_breaks.message)"
        )
        conn.execute("DROP TABLE graph_break_codes")


def _cover_unknown(conn: sqlite3.Connection, operators: Operators) -> None:
    """Registrations for operators that nothing in the tree defines."""
    rows = conn.execute(
        "SELECT f.path, r.line, r.role, r.operator, r.all_overloads FROM compile_registrations AS r"
        " JOIN source_files AS f ON f.id = r.file_id"
        " WHERE r.operator LIKE '%::%' AND substr(coalesce(r.condition, ''), 1, ?) <> ? ORDER BY r.id",
        (len(WHERE_THERE), WHERE_THERE),
    ).fetchall()
    for path, line, role, operator, packet in rows:
        if not operators.overloads(operator, bool(packet)):
            detail = f"line {line}: {role} for {operator}, which nothing in the tree defines"
            write_coverage(conn, path, [Shortfall("compile", "partial", detail)])
