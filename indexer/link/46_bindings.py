"""Which C++ function does each binding call?

Most are found by their names alone, in SQL. The rest are written as the file's using-directives, aliases and bases of
classes have it (`&GradInterpreterPtr::prevGradMode`), or are one of several overloads that a cast picks.
"""

from __future__ import annotations

import re
import sqlite3

from indexer.extract.cpp.parameters import parameters_of, split_parameters
from indexer.link import run_statements
from indexer.link.cpp.declarations import Asked, Definition
from indexer.link.cpp.lookup import Lookup
from indexer.workers import WorkerPool

_OPEN = """
SELECT id, cpp_name, scope, file_id FROM bindings
WHERE function_id IS NULL AND cpp_name GLOB '[A-Za-z_:]*'
  AND cpp_name NOT GLOB '*::lambda' AND cpp_name NOT GLOB 'py::*' AND cpp_name NOT GLOB '*::init<*'
  AND form IN ('function', 'method', 'static_method', 'property', 'property_static', 'method_table', 'getset', 'setter',
               'slot')
ORDER BY id
"""
_TEMPLATE = re.compile(r"<[^<>]*>")
_SCOPE = re.compile(r"\b\w+::|\s+")
_NO_FUNCTION = ("constructor", "lambda")


def link(conn: sqlite3.Connection, _: WorkerPool) -> None:
    """Set `bindings.function_id` in the database `conn`, and `cpp_name` to what that is called."""
    run_statements(conn, "bound_functions.sql")
    rows = conn.execute(_OPEN).fetchall()
    if rows:
        conn.executemany(
            "UPDATE bindings SET cpp_name = ?, function_id = ? WHERE id = ?", _found(conn, rows)
        )
    run_statements(conn, "bound_names.sql")


def _found(
    conn: sqlite3.Connection, rows: list[tuple[int, str, str, int]]
) -> list[tuple[str, int | None, int]]:
    """For each binding its name without what a cast says of parameters, and its function, if it is known."""
    named = [_named(cpp_name) for _, cpp_name, _, _ in rows]
    names = [_plain(name) for name, _ in named]
    asked = Asked({file_id for *_, file_id in rows}, {n.rpartition("::")[2] for n in names})
    lookup = Lookup(conn, asked)
    found = []
    for name, (written, types), row in zip(names, named, rows, strict=True):
        identity, _, scope, file_id = row
        meant = lookup.find(name, scope, file_id) or _only_one(lookup, name, file_id)
        meant = [d for d in meant if d.kind not in _NO_FUNCTION and _is_used(lookup, d, file_id)]
        chosen = _overload(meant, types)
        found.append((written, None if chosen is None else chosen.id, identity))
    return found


def _named(cpp_name: str) -> tuple[str, tuple[str, ...] | None]:
    """A name, and what a cast to a function's pointer says that it takes."""
    if not cpp_name.endswith(")"):
        return cpp_name, None
    name, _, types = cpp_name.partition("(")
    return name, tuple(split_parameters(types[:-1]))


def _plain(name: str) -> str:
    """A name without template arguments."""
    while (plain := _TEMPLATE.sub("", name)) != name:
        name = plain
    return name


def _is_used(lookup: Lookup, definition: Definition, file_id: int) -> bool:
    return not definition.is_of_test or file_id in lookup.test_files


def _only_one(lookup: Lookup, name: str, file_id: int) -> list[Definition]:
    """The functions of the only qualified name that ends so: a using-directive of the body around may lead there."""
    if name.startswith("::"):
        return []
    ending = f"::{name}"
    named = [
        d for same in lookup.by_last.get(name.rpartition("::")[2], {}).values() for d in same
        if d.name.endswith(ending) and lookup.is_seen(d, file_id) and _is_used(lookup, d, file_id)
        and ("::" in name or d.owner not in lookup.classes)
    ]  # fmt: skip
    return named if len({d.name for d in named}) == 1 else []


def _overload(found: list[Definition], types: tuple[str, ...] | None) -> Definition | None:
    """The one of several overloads that has these types, or the first."""
    if types is not None:
        taken = [(d, parameters_of(d.signature, d.name) or []) for d in found]
        as_many = [(d, have) for d, have in taken if len(have) == len(types)]
        same = [d for d, have in as_many if all(map(_is_of, have, types))]
        found = same or [d for d, _ in as_many] or found
    return found[0] if found else None


def _is_of(parameter: str, wanted: str) -> bool:
    """Whether a parameter, with its name or without, is of a type, whatever their namespaces are written like."""
    have, want = _SCOPE.sub("", parameter), _SCOPE.sub("", wanted)
    return have.startswith(want) and (have == want or have[len(want) :].isidentifier())
