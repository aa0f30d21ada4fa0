"""Tests whose decorators have a name that a changed line of Python assigns: `requires_cuda = unittest.skipUnless(…)`.

It is no function, so that the graph has nothing of it; `IS_WINDOWS` may as well stand among a decorator's arguments.
"""

from __future__ import annotations

import sqlite3

from torchtalk.affected import queries
from torchtalk.affected.graph.decorators import Decorators
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.answers.base import Place
from torchtalk.counted import counted

_WEIGHT = 0.85
_MOST = 100


def take_decorated(
    conn: sqlite3.Connection,
    decorators: Decorators,
    file: sqlite3.Row,
    name: str,
    line: int,
    changes: Changes,
) -> bool:
    """Add the tests that are decorated with what has a name.

    Args:
        conn: an index.
        decorators: of its tests.
        file: row of the file of Python that assigns it.
        name: as it stands there.
        line: of the change.
        changes: to be added to.

    Returns:
        Whether there are any.
    """
    row = conn.execute(queries("texts")["module_of"], {"file": file["id"]}).fetchone()
    tests = decorators.using(f"{row['name']}.{name}") if row is not None else []
    for test, _ in tests[:_MOST]:
        place = Place(file["path"], line)
        how = f"{name} is in its decorators"
        changes.add(Seed(Node("test", test, ""), _WEIGHT * spread(len(tests)), place, how=how))
    if tests:
        some = f" ({_MOST} of them taken)" if len(tests) > _MOST else ""
        verb = "has" if len(tests) == 1 else "have"
        changes.notes.append(
            f"{file['path']}: {name} changed, which {counted(len(tests), 'test')} {verb} in decorators{some}"
        )
    return bool(tests)
