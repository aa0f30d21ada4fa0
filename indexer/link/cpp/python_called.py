"""Which functions and classes of Python does C++ take from the modules that it imports, and call?

    py::module::import("torch._jit_internal").attr("_qualified_name")(obj)

`operator_calls` has them by their full names, as C++ has them: imports are followed here. What is called on the spot
is an edge `python`, what is only taken (to be kept, handed on or compared with) a `reference`; both are known from
syntax. A method that C++ calls on an object names no class: where a class of C++ calls many, it is a candidate of each
class of Python that has most of them, or few others (`PythonSymNodeImpl` those of `SymNode`).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from indexer.extract.cpp.python_names import OF_OBJECT, PYTHON_TYPE

CALLED, TAKEN, CANDIDATE = 50, 51, 15
_LEAST = 10  # methods that a class of C++ calls on objects of Python, and that a class of Python has of these
_MOST_OF_ASKED, _MOST_OF_OWN = 0.5, 0.75
_MOST_IMPORTS = 6  # a name that is imported from where it is imported …

_WRITTEN = """
SELECT c.caller_id, c.callee, c.arguments IS NOT NULL, u.file_id, c.line
FROM operator_calls AS c JOIN functions AS u ON u.id = c.caller_id
WHERE c.receiver = ?
ORDER BY 1, 2, 5
"""
_CALLERS = """
SELECT id, name FROM functions WHERE id IN (SELECT value FROM json_each(?))
"""
_METHODS = """
SELECT p.class_id, p.name, p.id
FROM python_classes AS k
JOIN python_functions AS p ON p.class_id = k.id
WHERE k.name GLOB 'torch.*' AND k.category <> 'test' AND p.kind NOT IN ('overload', 'setter')
ORDER BY p.id
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
    _link_methods(conn, [row for row in rows if row[1].startswith(OF_OBJECT)])
    nodes = _nodes(conn, {row[1] for row in rows if not row[1].startswith(OF_OBJECT)})
    conn.executemany(
        _INSERT,
        (
            (nodes[name], caller * 16, CALLED if called else TAKEN, file_id, line)
            for caller, name, called, file_id, line in rows
            if name in nodes
        ),
    )


def _link_methods(conn: sqlite3.Connection, rows: list[tuple[int, str, int, int, int]]) -> None:
    """Add what classes of C++ call on objects of Python."""
    by_class: dict[str, list[tuple[int, str, int, int]]] = {}
    names = dict(conn.execute(_CALLERS, (json.dumps(sorted({row[0] for row in rows})),)).fetchall())
    for caller, callee, _, file_id, line in rows:
        owner = names[caller].rpartition("::")[0]
        row = caller, callee[len(OF_OBJECT) :], file_id, line
        by_class.setdefault(owner, []).append(row)
    asked = {owner: {row[1] for row in called} for owner, called in by_class.items()}
    asked = {owner: methods for owner, methods in asked.items() if len(methods) >= _LEAST}
    if not asked:
        return
    classes: dict[int, dict[str, int]] = {}
    for class_id, name, function in conn.execute(_METHODS):
        method = name.rpartition(".")[2]
        if not method.startswith("__"):
            classes.setdefault(class_id, {})[method] = function
    for owner, methods in asked.items():
        for own in classes.values():
            shared = len(methods & own.keys())
            is_most = shared >= _MOST_OF_ASKED * len(methods) or shared >= _MOST_OF_OWN * len(own)
            if shared >= _LEAST and is_most:
                conn.executemany(
                    _INSERT,
                    (
                        (own[method] * 16 + 4, caller * 16, CANDIDATE, file_id, line)
                        for caller, method, file_id, line in by_class[owner]
                        if method in own
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
