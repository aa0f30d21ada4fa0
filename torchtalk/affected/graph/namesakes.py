"""Bodies of tests that have a function's name, of which it is known that it is something else's there.

`torch.cuda.default_stream()` is no call of torch.mtia's: whatever a name is looked up in, Python finds what the file
imports, and that is known. Of a value's method only the name is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from torchtalk.affected import queries
from torchtalk.sqlfile import listed

_TESTS = "test."


def meaning_others(
    conn: sqlite3.Connection,
    name: str,
    bodies: Collection[int],
    functions: Collection[int] = (),
    native: str = "",
) -> frozenset[int]:
    """The bodies in which a name is that of something else.

    What overrides a method, or is overridden by it, is no other; and neither is a function of a module in the method's
    own package, which may hand on to it: `guard_bool(a)` of torch/fx/experimental/symbolic_shapes.py is
    `a.node.guard_bool(…)`. An operator's tests are known as such.

    Args:
        conn: an index.
        name: the last part of the function's.
        bodies: ids of the functions whose bodies have it.
        functions: ids of the functions that may be meant.
        native: or the name that C++ binds.

    Returns:
        The ids of those.
    """
    sql = queries("python_graph")
    of = {"name": name, "bodies": listed(tuple(bodies))}
    rows = conn.execute(sql["bodies_meaning"], of).fetchall()
    rows = [row for row in rows if _ends(row["target"], name)]
    others: set[int] = set()
    if functions:
        found = conn.execute(sql["bodies_of_operator"], of)
        others = {row["body"] for row in found}
    if not rows:
        return frozenset(others)
    wanted = {"functions": listed(tuple(functions)), "name": name}
    same = {row["id"] for row in conn.execute(sql["same_method"], wanted)}
    own = conn.execute(sql["places_of_functions"], wanted).fetchall()
    packages = {_package(row["module"]) for row in own if row["class_id"] is not None}
    meant: set[int] = set()
    for row in rows:
        is_same = row["function_id"] in same or (row["native"] == native != "")
        if is_same or _hands_on(row, packages, is_native=bool(native)):
            meant.add(row["body"])
        else:
            others.add(row["body"])
    return frozenset(others - meant)


def _ends(target: str, name: str) -> bool:
    """Whether a target's last part is a name, whatever the case of its letters."""
    before = target[: len(target) - len(name)]
    return not before or before[-1] in ".:"


def _hands_on(row: sqlite3.Row, packages: Collection[str], *, is_native: bool) -> bool:
    """Whether what is called may call a method of the same name on a value that nothing tells the type of."""
    module = row["module"]
    if module is None or module.startswith(_TESTS):
        return False
    if is_native:
        # It has its wrapper anywhere, which calls it on something that C++ made.
        return bool(row["is_unfollowed"])
    return row["class_id"] is None and _package(module) in packages


def _package(module: str) -> str:
    return module.rpartition(".")[0]
