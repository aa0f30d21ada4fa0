"""Rows of `compile_entries`: each stage's function of each overload."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from indexer.facts.compile import WHERE_THERE
from indexer.facts.decomposition_tables import GLOBAL_TABLE, INDUCTOR_TABLE
from indexer.link.compile.entry import Entry
from indexer.link.compile.lowered import Lowered, is_conditional
from indexer.link.compile.operators import Operators, Places
from indexer.link.compile.references import prims, references

_TAG = re.compile(r"torch\.Tag\.(\w+) in func\.tags")
_EXCEPT = re.compile(r"not in \[([^\]]*)\]")


def entries(conn: sqlite3.Connection, operators: Operators, places: Places) -> Iterator[Entry]:
    """Every entry, role by role.

    Args:
        conn: the database; its dispatch and Python layer must be linked.
        operators: its operators.
        places: where its Python functions stand.
    """
    yield from _python_tables(conn, operators, places)
    yield from _composite(conn, places)
    yield from _meta(conn, places)
    yield from _registered(conn, operators, places)
    yield from references(conn, places)
    yield from prims(conn, places)


def _python_tables(
    conn: sqlite3.Connection, operators: Operators, places: Places
) -> Iterator[Entry]:
    """Tables of torch/_decomp, read with the Python registrations; the meta table gives `meta`."""
    rows = conn.execute(
        "SELECT r.operator, r.all_overloads, r.kernel, r.via, r.condition, r.file_id, r.line"
        " FROM registrations AS r JOIN source_files AS f ON f.id = r.file_id"
        " WHERE r.origin = 'python' AND (r.via LIKE 'table:%'"
        " OR r.via IN ('register_fake', 'impl_abstract'))"
        # Only what nothing else has registered counts there (`maybe_register_decomposition`).
        " ORDER BY f.path = 'torch/_decomp/decompositions_for_jvp.py', r.id"
    ).fetchall()
    taken: set[tuple[str | None, str]] = set()
    for operator, packet, kernel, via, condition, file_id, line in rows:
        table = via.removeprefix("table:") if via.startswith("table:") else None
        role = "fake" if table is None else "meta" if table == "meta" else "decomposition"
        place = places.place(kernel, file_id, line)
        how = {"meta": "register_meta", "decomposition": "register_decomposition"}.get(role, via)
        for name in operators.overloads(operator, bool(packet)):
            # What a helper makes has no `def` of its own: the statement that makes it counts.
            file, at = place if place is not None else (file_id, line)
            # A table takes one function for an operator; a second registration raises an error,
            # which `maybe_register_decomposition` catches.
            late = table is not None and (table, name) in taken
            taken.add((table, name))
            said = "not used: the table has one already" if late else condition
            yield Entry(name, role, table, kernel, file, at, how, None, said, late, file_id, line)


def _composite(conn: sqlite3.Connection, places: Places) -> Iterator[Entry]:
    """CompositeImplicitAutograd kernels: what an operator is made of in C++ or Python."""
    rows = conn.execute(
        "SELECT o.name, d.kernel, d.origin, u.file_id, u.line, d.file_id, d.line"
        " FROM dispatch AS d JOIN operators AS o ON o.id = d.operator_id"
        " LEFT JOIN dispatch_kernels AS k ON k.dispatch_id = d.id AND k.is_primary"
        " LEFT JOIN functions AS u ON u.id = k.function_id"
        " WHERE d.dispatch_key = 'CompositeImplicitAutograd' ORDER BY d.id"
    ).fetchall()
    for name, kernel, origin, kernel_file, kernel_line, file_id, line in rows:
        how = "CompositeImplicitAutograd"
        if origin == "python":
            kernel_file, kernel_line = places.place(kernel, file_id, line) or (file_id, line)
            how = "py_impl(CompositeImplicitAutograd)"
        yield Entry(
            name, "decomposition", "CompositeImplicitAutograd", kernel, kernel_file, kernel_line,
            how, None, None, False, file_id, line,
        )  # fmt: skip


def _meta(conn: sqlite3.Connection, places: Places) -> Iterator[Entry]:
    """Meta kernels of the dispatcher, but those of the meta table, which are read above."""
    rows = conn.execute(
        "SELECT o.name, d.kernel, d.origin, d.structured, r.via, u.file_id, u.line, d.file_id, d.line,"
        " EXISTS (SELECT 1 FROM dispatch_replacements AS x WHERE x.dispatch_id = d.id)"
        " FROM dispatch AS d JOIN operators AS o ON o.id = d.operator_id"
        " LEFT JOIN dispatch_registrations AS l ON l.dispatch_id = d.id"
        " LEFT JOIN registrations AS r ON r.id = l.registration_id"
        " LEFT JOIN dispatch_kernels AS k ON k.dispatch_id = d.id AND k.is_primary"
        " LEFT JOIN functions AS u ON u.id = k.function_id"
        " WHERE d.dispatch_key = 'Meta' AND coalesce(r.via, '') NOT IN ('table:meta', 'register_fake')"
        " ORDER BY d.id"
    ).fetchall()
    for (
        name,
        kernel,
        origin,
        structured,
        via,
        kernel_file,
        kernel_line,
        file_id,
        line,
        replaced,
    ) in rows:
        how = "TORCH_META_FUNC" if structured else f"Meta kernel ({via or origin})"
        if origin == "python":
            if kernel is None:
                continue  # a custom operator's place for one
            kernel_file, kernel_line = places.place(kernel, file_id, line) or (file_id, line)
            if (via or "").startswith("table:"):
                how = "decomposition, used as Meta kernel"
        condition = "replaced by a Python Meta kernel at import" if replaced else None
        yield Entry(
            name,
            "meta",
            None,
            kernel,
            kernel_file,
            kernel_line,
            how,
            None,
            condition,
            False,
            file_id,
            line,
        )


def _registered(conn: sqlite3.Connection, operators: Operators, places: Places) -> Iterator[Entry]:
    """Decompositions of other tables, fake implementations, lowerings and fallbacks."""
    # The module that holds a registry registers first; those it imports at its end come behind.
    rows = conn.execute(
        "SELECT r.* FROM compile_registrations AS r JOIN source_files AS f ON f.id = r.file_id"
        " ORDER BY f.path <> 'torch/_inductor/lowering.py', r.id"
    ).fetchall()
    paths = dict(conn.execute("SELECT id, path FROM source_files").fetchall())
    seen: set[tuple[object, ...]] = set()
    lowered = Lowered(paths)
    known = {
        (name, kernel)
        for name, kernel in conn.execute(
            "SELECT operator, kernel FROM registrations WHERE via = 'table:post_autograd'"
        )
    }
    for row in rows:
        (
            _,
            role,
            operator,
            packet,
            function,
            own_line,
            table,
            how,
            kernels,
            condition,
            file_id,
            line,
        ) = row
        match = GLOBAL_TABLE.match(table or "")
        if match is not None and (operator, function) in known:
            continue
        names = operators.overloads(operator, bool(packet))
        if not operator:
            names = list(_predicated(conn, condition or ""))
        place = (file_id, own_line) if own_line else places.place(function, file_id, line)
        table_name = match[1] if match else "inductor" if table == INDUCTOR_TABLE else table
        if role in ("lowering", "fallback", "fake"):
            table_name = None
        if (condition or "").startswith(WHERE_THERE):
            condition = None  # of what is there it holds
        conditional = is_conditional(role, how, condition, paths[file_id])
        function_file, function_line = place or (None, None)
        for name in names:
            key = (name, role, function, line, file_id)
            if key in seen:
                continue
            seen.add(key)
            entry = Entry(
                name, role, table_name, function, function_file, function_line, how, kernels or None,
                condition, conditional, file_id, line,
            )  # fmt: skip
            if role == "lowering":
                lowered.add(entry, bool(packet) and how != "make_fallback")
            else:
                yield entry
    yield from lowered.entries


def _predicated(conn: sqlite3.Connection, condition: str) -> Iterator[str]:
    """Operators that a predicate over tags chooses (`torch.Tag.x in func.tags and func not in …`)."""
    tag = _TAG.search(condition)
    if tag is None:
        return
    listed = _EXCEPT.search(condition)
    excluded = set()
    for text in listed[1].split(",") if listed is not None else ():
        parts = text.strip().split(".")
        if len(parts) >= 3:
            overload = "" if parts[-1] == "default" else f".{parts[-1]}"
            excluded.add(f"{parts[-3]}::{parts[-2]}{overload}")
    for (name,) in conn.execute(
        "SELECT o.name FROM operators AS o JOIN operator_tags AS t ON t.operator_id = o.id"
        " WHERE t.tag = ? ORDER BY o.id",
        (tag[1],),
    ):
        if name not in excluded:
            yield name
