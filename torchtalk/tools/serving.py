"""Which operators do the work of a composite one on a backend?"""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from torchtalk.tools import queries
from torchtalk.tools.operator_calls import kernels_of, operator_calls

_DEEPEST = 5
_MOST = 200


@dataclass(frozen=True)
class Serving:
    """An operator that a composite one ends at.

    Args:
        base: its name in aten.
        path: the operators on the way, the one asked for first.
    """

    base: str
    path: tuple[str, ...]


def serving(conn: sqlite3.Connection, base: str, key: str) -> list[Serving]:
    """Follow the calls of composite kernels to operators that have an entry for a key.

    Args:
        conn: an index with calls; without that layer nothing is found.
        base: an operator of aten without an entry for the key.
        key: the dispatch key.

    Returns:
        Operators of the same family (their names share the first word) where there are any,
        else all; those nearest to the start first. Views, factories and what a hundred places use count only where
        there is nothing else: `linear` transposes, which for some layouts ends at `index_select`, and that is not its
        work. A kernel may take only some of these ways on the backend.
    """
    found = _followed(conn, base, key, with_helpers=False) or _followed(
        conn, base, key, with_helpers=True
    )
    stem = _stem(base)
    family = [serving for serving in found if stem and stem in serving.base]
    return family or found


def _followed(
    conn: sqlite3.Connection, base: str, key: str, *, with_helpers: bool
) -> list[Serving]:
    sql = queries("serving")
    found: list[Serving] = []
    seen = {base}
    level = [Serving(base, (base,))]
    for _ in range(_DEEPEST):
        following: list[Serving] = []
        for step in level:
            for row in operator_calls(conn, kernels_of(conn, step.base)):
                called = str(row["base"])
                if not with_helpers and (row["is_helper"] or row["is_common"]):
                    continue
                if row["namespace"] != "aten" or called in seen or len(seen) > _MOST:
                    continue
                seen.add(called)
                further = Serving(called, (*step.path, called))
                if conn.execute(sql["has_key"], {"base": called, "key": key}).fetchone():
                    found.append(further)
                else:
                    following.append(further)
        level = following
    return found


def _stem(base: str) -> str:
    match = re.search(r"[A-Za-z]{3,}", base)
    return match[0] if match else ""
