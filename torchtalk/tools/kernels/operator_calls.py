"""Which operators C++ functions call, by themselves and through functions of their file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from torchtalk.answers.dispatch import DispatchLine
from torchtalk.tools.kernels import queries

CALLS = 4
"""So many calls are followed, through functions of the same file."""
MOST_OVERRIDES = 16
"""Of one virtual method; what more override is no way to a device: the bases of structured kernels."""
# Places that use `copy_`, `mul` and the like: these say little of the operator that is asked for.
_COMMON = 100


def operator_calls(conn: sqlite3.Connection, functions: Iterable[int]) -> list[sqlite3.Row]:
    """The calls of operators that some functions make, those of themselves first.

    Args:
        conn: an index with calls; without that layer nothing is found.
        functions: their ids.

    Returns:
        For each call the operator's `id`, `name`, `packet` (its name without the overload), `base` and `kind`; `path`
        and `line`; `helper`, the function that makes it where that is another; and whether it `is_sure` which
        overload is called, the operator `is_helper` (a view, a factory, no tensor), `is_factory`, `is_view` or
        `is_common`.
    """
    wanted = {
        "functions": json.dumps(list(functions)),
        "calls": CALLS,
        "common": _COMMON,
        "overriding": MOST_OVERRIDES,
    }
    return conn.execute(queries("operator_calls")["called"], wanted).fetchall()


def called_in_python(
    conn: sqlite3.Connection, operator_id: int, line: DispatchLine
) -> tuple[str, ...]:
    """The operators that a kernel in Python calls, by itself and through functions of its file, the nearest first.

    Args:
        conn: an index with that layer; without it nothing is found.
        operator_id: of the overload whose kernel it is.
        line: of its table.

    Returns:
        Their names without overloads.
    """
    if not line.definitions or not line.registered:
        return ()
    place, registered = line.definitions[0], line.registered[0]
    wanted = {
        "path": place.file,
        "line": place.line,
        "calls": CALLS,
        "operator": operator_id,
        "registered": registered.file,
        "registered_line": registered.line,
        "is_made": "<locals>" in (line.kernel or ""),
    }
    rows = conn.execute(queries("operator_calls")["called_in_python"], wanted)
    return tuple(row["packet"] for row in rows)


def kernels_of(conn: sqlite3.Connection, base: str) -> list[int]:
    """The ids of the composite kernels that an operator of aten has.

    Args:
        conn: an index.
        base: its name, without overload.
    """
    rows = conn.execute(queries("operator_calls")["composite_kernels"], {"base": base})
    return [row["id"] for row in rows]


def of_main_keys(conn: sqlite3.Connection, operators: Iterable[int]) -> frozenset[int]:
    """Those of some overloads that have a kernel for CPU, for CUDA or for any device.

    Args:
        conn: an index.
        operators: their ids.
    """
    wanted = {"operators": json.dumps(list(operators))}
    rows = conn.execute(queries("operator_calls")["of_main_keys"], wanted)
    return frozenset(row["id"] for row in rows)


def functions_at(conn: sqlite3.Connection, path: str, line: int) -> list[int]:
    """The C++ functions that are written at a place.

    Args:
        conn: an index.
        path: of the file in the tree.
        line: 1-based, the function's own.

    Returns:
        Their ids; none where no function begins there.
    """
    rows = conn.execute(queries("operator_calls")["at"], {"path": path, "line": line})
    return [row["id"] for row in rows]
