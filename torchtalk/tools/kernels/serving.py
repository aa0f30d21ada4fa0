"""Which operators do the work of a composite one on a backend?"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from torchtalk.tools.kernels import queries
from torchtalk.tools.kernels.operator_calls import CALLS, kernels_of, operator_calls

_DEEPEST = 5
_MOST = 200


@dataclass(frozen=True)
class Serving:
    """An operator that a composite one ends at.

    Args:
        base: its name in aten.
        path: the operators on the way, the one asked for first.
        is_registered: what it is reached from is registered in a stub for the backend.
        is_of_view: one of those on the way is always a view.
        is_view: it returns a part of its argument.
        is_composite: it has no entry, but a stub: what it calls besides may do the work as well.
    """

    base: str
    path: tuple[str, ...]
    is_registered: bool = False
    is_of_view: bool = False
    is_view: bool = False
    is_composite: bool = False


class _Ways(NamedTuple):
    """Which calls count as work.

    Args:
        common: those of operators that a hundred places use.
        helpers: those of views, and of what returns no tensor.
        factories: those of what makes tensors from options.
    """

    common: bool = False
    helpers: bool = False
    factories: bool = False


_HELPED = _Ways(common=True, helpers=True)


def serving(conn: sqlite3.Connection, base: str, key: str) -> list[Serving]:
    """Follow the calls of composite kernels to operators that have an entry for a key, or whose own stubs have.

    Args:
        conn: an index with calls; without that layer nothing is found.
        base: an operator of aten without an entry for the key.
        key: the dispatch key.

    Returns:
        Operators of the same family (their names share the first word) where there are any,
        else all; those nearest to the start first. What the operator's own stubs call counts to its family: `lstm` has
        `lstm_cudnn_stub`, whose kernel for CUDA calls `_cudnn_rnn`. A view ends at views alone: `transpose` makes
        others of sparse tensors. Views and what a hundred places use count only where there is nothing else, factories
        only of a factory: `linear` transposes, which for some layouts ends at `index_select`, and that is not its work;
        `contiguous` copies into what it makes before. A kernel may take only some of these ways on the backend.
    """
    found = _followed(conn, base, key, _Ways()) or _followed(conn, base, key, _HELPED)
    if not found and _makes(conn, base):
        found = _followed(conn, base, key, _HELPED._replace(factories=True))
    stem = _stem(base)
    family = [step for step in found if stem and (stem in step.base or step.is_registered)]
    # Where `reshape` returns a view nothing is computed: its work is the copy that it makes else.
    if all(step.is_registered or step.is_view or step.is_composite for step in family):
        return found
    return family or found


def _makes(conn: sqlite3.Connection, base: str) -> bool:
    """Whether an operator makes a tensor and does nothing else: by what it takes, or since all that it calls does so.

    `_dim_arange` is `arange`. Who calls `empty`, or another that leaves its memory unset, fills it by itself.
    """
    if conn.execute(queries("serving")["is_factory"], {"base": base}).fetchone() is not None:
        return True
    called = _wanted(conn, kernels_of(conn, base), _HELPED._replace(factories=True))
    return all(
        row["is_view"] or (row["is_factory"] and "empty" not in row["base"]) for row in called
    )


def _followed(conn: sqlite3.Connection, base: str, key: str, ways: _Ways) -> list[Serving]:
    sql = queries("serving")
    found: list[Serving] = []
    seen = {base}
    level = [Serving(base, (base,))]
    for _ in range(_DEEPEST):
        following: list[Serving] = []
        for step in level:
            is_view = (
                step.is_of_view
                or conn.execute(sql["is_view"], {"base": step.base}).fetchone() is not None
            )
            for row, is_registered in _calls(conn, step.base, key, ways):
                called = str(row["base"])
                if (is_view and not row["is_view"]) or called in seen or len(seen) > _MOST:
                    continue
                seen.add(called)
                of_own = step.is_registered or (is_registered and step.base == base)
                path = (*step.path, called)
                further = Serving(called, path, of_own, is_view, bool(row["is_view"]))
                if conn.execute(sql["has_key"], {"base": called, "key": key}).fetchone():
                    found.append(further)
                    continue
                wanted = {
                    "functions": json.dumps(kernels_of(conn, called)),
                    "key": key,
                    "calls": CALLS,
                }
                if conn.execute(sql["has_stub"], wanted).fetchone():
                    found.append(replace(further, is_composite=True))
                following.append(further)
        level = following
    return found


def _calls(
    conn: sqlite3.Connection, base: str, key: str, ways: _Ways
) -> Iterator[tuple[sqlite3.Row, bool]]:
    """What the composite kernels of an operator call, and then what each kernel of its stubs for a device does: of that
    the nearest alone, since beside `_cudnn_rnn` a state for dropout may have to be made.
    """
    kernels = kernels_of(conn, base)
    for row in _wanted(conn, kernels, ways):
        yield row, False
    wanted = {"functions": json.dumps(kernels), "key": key}
    for kernel in conn.execute(queries("serving")["stub_kernels"], wanted).fetchall():
        rows = _wanted(conn, [kernel["id"]], ways)
        for row in rows:
            if row["depth"] == rows[0]["depth"]:
                yield row, True


def _wanted(conn: sqlite3.Connection, functions: list[int], ways: _Ways) -> list[sqlite3.Row]:
    """The operators of aten that some functions call, the nearest first."""
    return [
        row
        for row in operator_calls(conn, functions)
        if row["namespace"] == "aten"
        and (ways.helpers or not row["is_helper"])
        and (ways.factories or not row["is_factory"])
        and (ways.common or not row["is_common"])
    ]


def _stem(base: str) -> str:
    match = re.search(r"[A-Za-z]{3,}", base)
    return match[0] if match else ""
