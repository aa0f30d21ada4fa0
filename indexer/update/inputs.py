"""What link steps read that an edit may leave as it was: compared before and after, by digests of rows."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable

from indexer.link.python.fronts import fronts

_OPERATORS = (
    "SELECT * FROM operators ORDER BY id",
    "SELECT * FROM arguments ORDER BY operator_id, position",
    "SELECT * FROM returns ORDER BY operator_id, position",
    "SELECT * FROM operator_tags ORDER BY operator_id, tag",
)
_BASES = (
    "SELECT DISTINCT base FROM operators ORDER BY base",
    # The methods that a tensor has generated (indexer/link/cpp/declarations.py).
    "SELECT DISTINCT base FROM operators WHERE namespace = 'aten' AND origin = 'yaml'"
    " AND NOT manual_cpp_binding AND instr(variants, 'method') AND kind <> 'out' ORDER BY base",
)

# Of indexer/link/90_names.sql; kernels apart.
_NAMES = (
    "SELECT DISTINCT namespace, base FROM operators ORDER BY 1, 2",
    "SELECT DISTINCT kernel FROM dispatch ORDER BY 1",
    "SELECT dispatch_key, count(DISTINCT operator_id) FROM dispatch GROUP BY 1 ORDER BY 1",
    "SELECT DISTINCT name FROM derivative_functions WHERE NOT is_method ORDER BY 1",
    "SELECT DISTINCT name FROM stub_declarations ORDER BY 1",
    "SELECT DISTINCT platform, name FROM kernels WHERE platform <> 'cuda' ORDER BY 1, 2",
    "SELECT DISTINCT python_name FROM bindings WHERE python_name IS NOT NULL ORDER BY 1",
    "SELECT DISTINCT name, public_name FROM python_classes WHERE category <> 'test' ORDER BY 1, 2",
    "SELECT DISTINCT api FROM python_apis ORDER BY 1",
)

# Of indexer/link/python/natives.py, from C++.
_BOUND = (
    "SELECT DISTINCT python_name, form FROM bindings WHERE python_name IS NOT NULL ORDER BY 1, 2",
)

# Of indexer/link/tests, from C++.
_GTESTS = (
    "SELECT id, name, signature, file_id, line, end_line, macro FROM functions"
    " WHERE name GLOB '*_Test::TestBody' ORDER BY id",
    "SELECT c.* FROM operator_calls AS c JOIN functions AS u ON u.id = c.caller_id"
    " WHERE u.name GLOB '*_Test::TestBody' ORDER BY c.caller_id, c.rowid",
)


def operators(conn: sqlite3.Connection) -> str:
    """A digest of all of the operators in the database `conn` but how they dispatch."""
    return _digest(conn, _OPERATORS)


def operator_bases(conn: sqlite3.Connection) -> str:
    """A digest of the operators' names without overloads, and of which are methods of tensors, in the database `conn`.

    It is what calls may mean by them.
    """
    return _digest(conn, _BASES)


def names(conn: sqlite3.Connection) -> str:
    """A digest of what questions can name in the database `conn` beside C++ functions, of which they name kernels."""
    return _digest(conn, _NAMES)


def bound(conn: sqlite3.Connection) -> str:
    """A digest of the names that C++ gives to Python in the database `conn`, and of the operators that they run."""
    return _digest(conn, _BOUND) + repr(fronts(conn))


def is_gtest(name: str) -> bool:
    """Whether the function with the qualified name `name` is what a C++ test runs."""
    return name.endswith("_Test::TestBody")


def gtests(conn: sqlite3.Connection) -> str:
    """A digest of the C++ tests in the database `conn` and of what operators they call."""
    return _digest(conn, _GTESTS)


def _digest(conn: sqlite3.Connection, queries: Iterable[str]) -> str:
    digest = hashlib.sha1(usedforsecurity=False)
    for query in queries:
        digest.update(repr(conn.execute(query).fetchall()).encode() + b"\0")
    return digest.hexdigest()
