"""By which names in a body a method is run: its own, or what runs it where no call names it.

`repr(module)` runs `__repr__`, and that `extra_repr`; `pickle.dumps` runs `__getstate__`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Set

from torchtalk.affected.graph.field_readers import GenericTest
from torchtalk.affected.graph.nodes import Node
from torchtalk.sqlfile import beside, listed
from torchtalk.testing.bodies import in_any_way

_queries = beside(__file__)
# What most of them have in their bodies tells nothing of one.
_MOST = 1 / 2

# What runs methods that no call names: Python's data model, and the modules `copy` and `pickle`.
_PICKLING = ("deepcopy", "pickle", "dumps", "loads", "dump", "load", "save")
_SHOWING = ("repr", "str", "print", "format")
_RUN_BY = {
    "__getstate__": _PICKLING,
    "__setstate__": _PICKLING,
    "__reduce__": _PICKLING,
    "__reduce_ex__": _PICKLING,
    "__getnewargs__": _PICKLING,
    "__deepcopy__": ("deepcopy",),
    "__copy__": ("copy",),
    "__repr__": _SHOWING,
    "__str__": _SHOWING,
    "__format__": _SHOWING,
    "__len__": ("len",),
    "__iter__": ("iter", "list", "tuple", "next"),
    "__next__": ("next", "list", "tuple"),
    "__reversed__": ("reversed",),
    "__hash__": ("hash",),
    "__dir__": ("dir",),
    "__bool__": ("bool",),
    "__int__": ("int",),
    "__index__": ("int", "range"),
    "__float__": ("float",),
    "__complex__": ("complex",),
    "__abs__": ("abs",),
    "__round__": ("round",),
    "__instancecheck__": ("isinstance",),
    "__subclasscheck__": ("issubclass",),
    "__getattr__": ("getattr", "hasattr"),
    "__setattr__": ("setattr",),
    "__delattr__": ("delattr",),
}


def names_that_run(method: str) -> tuple[str, ...]:
    """The names by which a method is run; none of a special method that syntax runs.

    Args:
        method: its name, with or without its class.
    """
    last = method.rpartition(".")[2]
    return _RUN_BY.get(last, () if last.startswith("__") else (last,))


def running(
    conn: sqlite3.Connection, method: Node, every: Set[GenericTest]
) -> frozenset[GenericTest]:
    """Those of some generic tests whose bodies have what runs a method; none where most do.

    Args:
        conn: an index.
        method: of a class of Python.
        every: the tests.
    """
    sql = _queries("method_names")
    names = names_far_off(conn, method)
    wanted = {"names": listed(tuple({name for _, name in every}))}
    functions = {
        row["id"]: (row["path"], row["name"])
        for row in conn.execute(sql["functions_of_tests"], wanted)
        if (row["path"], row["name"]) in every
    }
    if not names or not functions:
        return frozenset()
    having = {"names": " OR ".join(map(in_any_way, names)), "functions": listed(tuple(functions))}
    found = {functions[row["id"]] for row in conn.execute(sql["bodies_with_any"], having)}
    return frozenset(found) if len(found) <= len(every) * _MOST else frozenset()


def names_far_off(conn: sqlite3.Connection, method: Node) -> tuple[str, ...]:
    """The names that run a method, with those of the special methods of its class that call it, and of what runs these.

    Args:
        conn: an index.
        method: of a class of Python: of `extra_repr` also `__repr__`, `repr`, `str` and the like.
    """
    sql, own = _queries("method_names"), method.name.rpartition(".")[2]
    above = conn.execute(sql["same_above"], {"id": int(method.key), "last": own}).fetchall()
    among = {
        "methods": listed(tuple({row["id"] for row in above} - {None})),
        "classes": listed(tuple({row["class_id"] for row in above})),
    }
    callers = (
        row["name"].rpartition(".")[2] for row in conn.execute(sql["special_callers"], among)
    )
    found = [*names_that_run(own), *((own,) if own in _RUN_BY else ())]
    for name in callers:
        found += [name, *_RUN_BY[name]] if name in _RUN_BY else []
    return tuple(dict.fromkeys(found))
