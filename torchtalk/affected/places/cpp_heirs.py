"""Which classes of C++ derive from one, by any number of classes between; those from a namesake of it do not."""

from __future__ import annotations

import sqlite3
from collections.abc import Set

from torchtalk.affected import queries

_MOST = 100


def cpp_heirs(conn: sqlite3.Connection, name: str) -> Set[str]:
    """The classes that derive from one.

    Args:
        conn: an index.
        name: of the class, in full.

    Returns:
        Their names in full; of very many some.
    """
    sql = queries("places")
    classes = {row[0] for row in conn.execute(sql["cpp_class_names"])}
    below: dict[str, set[str]] = {}
    for heir, written in conn.execute(sql["cpp_bases"]):
        below.setdefault(_resolved(heir, written, classes), set()).add(heir)
    found, waiting = set[str](), [name]
    while waiting and len(found) < _MOST:
        of = waiting.pop()
        # What a `using namespace` hides may be any class of that name.
        new = (below.get(of, set()) | below.get(f"?{of.rpartition('::')[2]}", set())) - found
        found |= new
        waiting += sorted(new)
    return found


def _resolved(heir: str, written: str, classes: Set[str]) -> str:
    """The base that a name in a class's head means, of the innermost namespace that has such a class; behind a question
    mark its last part, where the tree has none.
    """
    scope = heir.rpartition("::")[0]
    while scope:
        if f"{scope}::{written}" in classes:
            return f"{scope}::{written}"
        scope = scope.rpartition("::")[0]
    name = written.removeprefix("::")
    # What is written from the outermost on is none of another namespace.
    return name if name in classes or name != written else f"?{name.rpartition('::')[2]}"
