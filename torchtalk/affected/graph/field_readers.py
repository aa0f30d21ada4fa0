"""Which generic tests read a field of OpInfos: by its name in their bodies, or by that of a helper that reads it.

`error_inputs_func` is read by OpInfo.error_inputs (torch/testing/_internal/opinfo/core.py), and so by what calls that.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Set

from torchtalk.affected import queries
from torchtalk.testing.bodies import in_any_way

# A field that most of them read tells nothing of one.
_MOST = 1 / 2
# From a field to the helper that reads it, to a test that calls this, and once more between.
_STEPS = 3
# In so many bodies a name is that of other things.
_MOST_BODIES = 400

GenericTest = tuple[str, str]
"""A generic test: the path of its file, and its name."""


def reading(conn: sqlite3.Connection, field: str, every: Set[GenericTest]) -> Set[GenericTest]:
    """Those of some generic tests that read a field; none where most of them do.

    Args:
        conn: an index.
        field: its name.
        every: the tests.
    """
    found = every & set(_readers(conn, field))
    return found if len(found) <= len(every) * _MOST else frozenset()


def _readers(conn: sqlite3.Connection, field: str) -> Iterator[GenericTest]:
    """Tests that have a field's name in their bodies or decorators, or that of what reads it."""
    sql = queries("python_graph")
    done: set[str] = set()
    names = {field}
    for _ in range(_STEPS):
        done |= names
        helpers: set[str] = set()
        for name in sorted(names):
            values = {"name": in_any_way(name), "most": _MOST_BODIES + 1}
            rows = conn.execute(sql["bodies_reading"], values).fetchall()
            if len(rows) > _MOST_BODIES:
                continue
            for row in rows:
                if row["test"] is not None:
                    yield row["path"], row["test"]
                elif not row["name"].endswith("__"):
                    helpers.add(row["name"].rpartition(".")[2])
            form = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
            for row in conn.execute(sql["tests_choosing"], {"name": name}):
                if form.search(row["condition"]):
                    yield row["path"], row["test"]
        names = helpers - done
