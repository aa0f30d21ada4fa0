"""What C++ has of one name: at file scope, in namespaces, beside an operator; what the word alone may mean."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from torchtalk.graph.aside import is_aside
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_GLOBAL = "::"
_SOURCES = (".c", ".cc", ".cpp", ".cu", ".m", ".mm")
_STATIC = re.compile(r"\bstatic\b")
# `at::split` is what the generator writes around the operator (torchgen/gen.py, Functions.h), by `symint` too, and
# `at::native::ufunc::add` what its kernels are generated of (torchgen/dest/ufunc.py, `compute_ufunc_cuda`).
_AROUND = frozenset(("at", "at::symint", "at::native::ufunc", "std"))
# torch/csrc/api/include keeps what is no part of its API in namespaces of this name.
_NOT_PUBLIC = "::detail::"
_FRONTEND = "torch/csrc/api/"  # in an installed package below torch/include


def is_global(query: str) -> bool:
    """Whether somebody asks for what stands in no namespace, as C++ writes it: `::initModule`.

    Args:
        query: as given.
    """
    return query.strip("`'\" ").startswith(_GLOBAL)


def in_full(name: str) -> str:
    """A name of C++ by which nothing else is meant: `::initModule` of what stands in no namespace.

    Args:
        name: without a leading `::`; a dotted one is Python's, and stays.
    """
    return name if _GLOBAL in name or "." in name else f"{_GLOBAL}{name}"


def is_apart(conn: sqlite3.Connection, name: str) -> bool:
    """Whether what has a name at file scope can hardly be meant by it where namespaces have the same.

    That is what only its own file can name ([basic.link] in C++'s standard: `static`, unnamed namespaces), and what
    stands in tests, benchmarks and the like. What a header has so belongs to all that include it.

    Args:
        conn: an index.
        name: of functions, variables or classes, without namespaces.

    Returns:
        Whether all that have this name are such; False where the index has none.
    """
    rows = conn.execute(statements(_SQL)["defined"], {"name": name}).fetchall()
    return bool(rows) and all(
        is_aside(row["path"])
        or (
            row["path"].endswith(_SOURCES)
            and (row["is_anonymous"] or _STATIC.search(row["signature"].partition("(")[0]))
        )
        for row in rows
    )


def beside_operator(conn: sqlite3.Connection, base: str) -> tuple[str, ...]:
    """The functions of the library that are called like an operator and are neither it nor its kernels.

    Args:
        conn: an index.
        base: of the operator: `softshrink`.

    Returns:
        Their full names, those of the C++ frontend first: `torch::nn::functional::softshrink`.
    """
    rows = conn.execute(statements(_SQL)["functions_beside"], {"last": base}).fetchall()
    found: dict[str, bool] = {}
    for row in rows:
        name = row["name"]
        if name.rpartition(_GLOBAL)[0] in _AROUND or _NOT_PUBLIC in name or is_aside(row["path"]):
            continue
        name = in_full(name)
        found[name] = found.get(name, False) or _FRONTEND in row["path"]
    return tuple(sorted(found, key=lambda name: (not found[name], name)))
