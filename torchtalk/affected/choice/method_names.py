"""By which names in a body a method is run: its own, or what runs it where no call names it.

`repr(module)` runs `__repr__`, and that `extra_repr`; `pickle.dumps` runs `__getstate__`.
"""

from __future__ import annotations

import sqlite3

from torchtalk.affected.graph.nodes import Node
from torchtalk.sqlfile import beside

_queries = beside(__file__)

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


def names_far_off(conn: sqlite3.Connection, method: Node) -> tuple[str, ...]:
    """The same, with what runs the special methods of its class that call it: `__repr__`, `repr` of `extra_repr`.

    Args:
        conn: an index.
        method: of a class of Python.
    """
    rows = conn.execute(_queries("method_names")["special_callers"], {"id": int(method.key)})
    special = [name for row in rows if (name := row["name"].rpartition(".")[2]) in _RUN_BY]
    own = method.name.rpartition(".")[2]
    found = [*names_that_run(own), *((own,) if own in _RUN_BY else ())]
    for name in special:
        found += [name, *_RUN_BY[name]]
    return tuple(dict.fromkeys(found))
