"""Which functions and classes of Python does C++ take from the modules that it imports, and call?

    py::module::import("torch._jit_internal").attr("_qualified_name")(obj)

`operator_calls` has them by their full names, as C++ has them: imports are followed here. What is called on the spot
is an edge `python`, what is only taken (to be kept, handed on or compared with) a `reference`; both are known from
syntax. A method that C++ calls on an object (`PyObject_CallMethod`, PYBIND11_OVERRIDE) names no class and is no edge.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from indexer.extract.cpp.python_names import PYTHON_TYPE

CALLED, TAKEN = 50, 51
_MOST_IMPORTS = 6  # a name that is imported from where it is imported …

_WRITTEN = """
SELECT c.caller_id, c.callee, c.arguments IS NOT NULL, u.file_id, c.line
FROM operator_calls AS c JOIN functions AS u ON u.id = c.caller_id
WHERE c.receiver = ?
ORDER BY 1, 2, 5
"""
_MODULES = """
SELECT id, name FROM python_modules WHERE name IN (SELECT value FROM json_each(?))
"""
_FUNCTIONS = """
SELECT m.name || '.' || p.name, p.id * 16 + 4
FROM json_each(?) AS j
JOIN python_modules AS m ON m.id = json_extract(j.value, '$[0]')
JOIN python_functions AS p ON p.module_id = m.id AND p.name = json_extract(j.value, '$[1]')
WHERE p.kind <> 'overload'
ORDER BY p.guarded DESC, p.line DESC
"""
_CLASSES = """
SELECT public_name, id * 16 + 5, guarded, line FROM python_classes
WHERE public_name IN (SELECT value FROM json_each(:names))
UNION ALL
SELECT name, id * 16 + 5, guarded, line FROM python_classes WHERE name IN (SELECT value FROM json_each(:names))
ORDER BY guarded DESC, line DESC
"""
_APIS = """
SELECT api, function_id * 16 + 4 FROM python_apis
WHERE api IN (SELECT value FROM json_each(?)) AND function_id IS NOT NULL
ORDER BY function_id DESC
"""
_IMPORTED = """
SELECT m.name || '.' || b.name, replace(b.target, ':', '.')
-- They have no index of modules: one pass over all of them.
FROM python_bindings AS b
CROSS JOIN python_modules AS m ON m.id = b.module_id
WHERE b.scope = '' AND b.kind IN ('from', 'alias', 'import') AND b.target <> ''
  AND (b.module_id, b.name) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))
ORDER BY b.guarded DESC, b.id DESC
"""
_INSERT = (
    "INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)"
    " VALUES (?, ?, ?, ?, ?, 1)"
)


def link(conn: sqlite3.Connection) -> None:
    """Add the edges to the database `conn`; step 80 has removed what there was."""
    rows = conn.execute(_WRITTEN, (PYTHON_TYPE,)).fetchall()
    if not rows:
        return
    nodes = _nodes(conn, {row[1] for row in rows})
    conn.executemany(
        _INSERT,
        (
            (nodes[name], caller * 16, CALLED if called else TAKEN, file_id, line)
            for caller, name, called, file_id, line in rows
            if name in nodes
        ),
    )


def _nodes(conn: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
    """What the names mean, by what is defined under them or imported."""
    found: dict[str, int] = {}
    meant = {name: name for name in names}  # what is asked for, and what that is called by now
    for _ in range(_MOST_IMPORTS):
        places = _places(conn, meant.values())
        split = json.dumps(sorted({place[:2] for place in places.values() if place[1]}))
        whole = json.dumps(sorted(meant.values()))
        nodes = dict(conn.execute(_APIS, (whole,)).fetchall())
        nodes |= dict(conn.execute(_FUNCTIONS, (split,)).fetchall())
        nodes |= {name: node for name, node, *_ in conn.execute(_CLASSES, {"names": whole})}
        found |= {name: nodes[now] for name, now in meant.items() if now in nodes}
        heads = sorted({(place[0], place[1].partition(".")[0]) for place in places.values()})
        imported = dict(conn.execute(_IMPORTED, (json.dumps(heads),)).fetchall())
        following = {
            name: imported[head] + now[len(head) :]
            for name, now in meant.items()
            if now not in nodes and now in places and (head := places[now][2]) in imported
        }
        if not following or following == meant:
            break
        meant = following
    return found


def _places(conn: sqlite3.Connection, names: Iterable[str]) -> dict[str, tuple[int, str, str]]:
    """The innermost module that each name goes through, what is left of the name, and the name up to the next dot."""
    asked = list(names)
    above = {name[:at] for name in asked for at, sign in enumerate(name) if sign == "."}
    modules = {
        name: number for number, name in conn.execute(_MODULES, (json.dumps(sorted(above)),))
    }
    found = {}
    for name in asked:
        module = max((m for m in modules if name.startswith(f"{m}.")), key=len, default="")
        if module:
            rest = name[len(module) + 1 :]
            found[name] = modules[module], rest, f"{module}.{rest.partition('.')[0]}"
    return found
