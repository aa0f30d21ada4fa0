"""From a name, a file or a line to the nodes that are meant."""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import dataclass

from torchtalk.graph import nodes
from torchtalk.names import resolve
from torchtalk.names.forms import parse
from torchtalk.names.methods import find_method

_FILE = re.compile(
    r"(?P<path>\S*[\w.-]+\.(?:py|pyi|cpp|cc|cxx|c|h|hpp|cuh|cu|mm|m|metal|yaml|inl))"
    r"(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?"
)
_WHOLE_FILE = 1_000_000_000
_MOST = 400
"""More definitions than this of one name are no question about one thing."""


@dataclass(frozen=True)
class Seeds:
    """What a question is about.

    Args:
        nodes: what is meant; empty where nothing is.
        what: it, for people.
        notes: how the name was understood.
        candidates: what an ambiguous name could be.
        closest: names like it, where it is not known.
        is_place: it was a file or a line of one, not a name.
    """

    nodes: tuple[int, ...] = ()
    what: str = ""
    notes: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()
    is_place: bool = False


def find(conn: sqlite3.Connection, text: str) -> Seeds:
    """Find what is meant.

    Args:
        conn: an index.
        text: an operator, C++ function, kernel, stub, Python function or class in any usual form;
            a file, `file:line` or `file:first-last`.
    """
    name = text.strip()
    if not name.endswith("operator()"):
        name = name.removesuffix("()").strip()
    elif called := _functions(conn, name):
        return Seeds(tuple(called), name)
    match = _FILE.fullmatch(name)
    if match:
        return _place(conn, match)
    return (
        _python(conn, name)
        or _method(conn, name)
        or _named(conn, name)
        or _class(conn, name)
        or _last(conn, name)
    )


def _place(conn: sqlite3.Connection, match: re.Match[str]) -> Seeds:
    from torchtalk.affected.diffs import Span
    from torchtalk.affected.places import seeds_at
    from torchtalk.tools import queries

    path = match["path"].removeprefix("./")
    rows = conn.execute(queries("affected")["files_like"], {"path": path}).fetchall()
    exact = [row for row in rows if row["path"] == path]
    if len(exact or rows) != 1:
        paths = tuple(row["path"] for row in rows)
        notes = () if paths else (f"no file of this index is called {path}",)
        return Seeds(candidates=paths, notes=notes, is_place=True)
    row = (exact or rows)[0]
    first = int(match["first"] or 1)
    last = int(match["last"] or (match["first"] or _WHOLE_FILE))
    found: list[int] = []
    for seed in seeds_at(conn, row, Span(first, max(first, last))):
        found += _of_change(conn, seed.node.kind, seed.node.key)
    where = row["path"] if match["first"] is None else f"{row['path']}:{match['first']}"
    where += f"-{match['last']}" if match["last"] else ""
    if match["first"] is not None and len(found) > 1:
        found = _innermost(conn, found)
    return Seeds(tuple(dict.fromkeys(found)), where, is_place=True)


def _of_change(conn: sqlite3.Connection, kind: str, key: int | str) -> list[int]:
    """The nodes of something that `affected` knows."""
    if kind in ("operator", "aspect"):
        namespace, _, base = str(key).partition("\t")[0].partition("::")
        rows = conn.execute(
            "SELECT id FROM operators WHERE base = ? AND namespace = ? ORDER BY id",
            (base, namespace),
        )
        return [nodes.code(nodes.OPERATOR, row["id"]) for row in rows]
    if kind == "stub":
        rows = conn.execute(nodes.sql()["stub_named"], {"name": key})
        return [nodes.code(nodes.STUB, row["id"]) for row in rows]
    numbers = {
        "cpp": nodes.FUNCTION,
        "kernel": nodes.KERNEL,
        "python": nodes.PYTHON,
        "class": nodes.CLASS,
    }
    return [nodes.code(numbers[kind], int(key))] if kind in numbers else []


def _innermost(conn: sqlite3.Connection, found: list[int]) -> list[int]:
    """Without Python functions and classes that only stand around another that is meant."""
    known = nodes.describe(conn, found)
    python = [known[n] for n in found if n & 15 in (nodes.PYTHON, nodes.CLASS) and n in known]
    around = {
        outer.code for outer in python for inner in python
        if inner.code != outer.code and inner.name.startswith(f"{outer.name}.")
    }  # fmt: skip
    return [n for n in found if n not in around]


def _python(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """A Python function or class by its public or full name, or a name that C++ binds."""
    if "." not in name or "::" in name:
        return None
    form = parse(name, frozenset())
    full = form.text if form is not None else name
    for statement in ("python_named", "bound_named"):
        rows = conn.execute(nodes.sql()[statement], {"name": full}).fetchall()
        if rows:
            return Seeds(tuple(row["node"] for row in rows), full)
    return None


def _method(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """A method of a Python class, which may be a base's."""
    found = find_method(conn, name) if "." in name and "::" not in name else None
    if found is None:
        return None
    notes = (f"{found.owner} inherits it",) if found.inherited else ()
    return Seeds((nodes.code(nodes.PYTHON, found.function_id),), found.name, notes)


def _named(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """An operator, C++ function, kernel or stub."""
    resolution = resolve(conn, name)
    target = resolution.target
    if target is not None:
        found = _target(conn, target.kind, target.name, target.overloads)
        if found:
            return Seeds(tuple(found), target.name, resolution.notes)
    found = [n for candidate in resolution.candidates for n in _functions(conn, candidate)]
    if found and len(found) <= _MOST:
        listed = ", ".join(resolution.candidates[:8]) + (
            " …" if len(resolution.candidates) > 8 else ""
        )
        note = f"{name} is {len(resolution.candidates)} functions, all of which are meant here: {listed}"
        return Seeds(tuple(found), name, (note, *resolution.notes))
    return None


def _target(
    conn: sqlite3.Connection, kind: str, name: str, overloads: tuple[str, ...]
) -> list[int]:
    if kind in ("kernel", "function"):
        found = _functions(conn, name)
        if found or kind == "function":
            return found
    if overloads:
        rows = conn.execute(nodes.sql()["operators_named"], {"names": json.dumps(overloads)})
        return [nodes.code(nodes.OPERATOR, row["id"]) for row in rows]
    if kind == "stub":
        rows = conn.execute(nodes.sql()["stub_named"], {"name": name})
        return [nodes.code(nodes.STUB, row["id"]) for row in rows]
    if kind == "class":
        rows = conn.execute(nodes.sql()["python_named"], {"name": name})
        return [row["node"] for row in rows]
    return []


def _functions(conn: sqlite3.Connection, name: str) -> list[int]:
    rows = conn.execute(nodes.sql()["functions_named"], {"name": name})
    return [nodes.code(nodes.FUNCTION, row["id"]) for row in rows]


def _class(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """`Linear`: the public class of torch.nn or torch.optim, else the only one."""
    if not name.isidentifier() or name == name.lower():
        return None
    rows = conn.execute(nodes.sql()["classes_named"], {"name": name}).fetchall()
    if not rows:
        return None
    first = rows[0]
    others = tuple(row["public_name"] for row in rows[1:])
    if others and first["public_name"] not in (f"torch.nn.{name}", f"torch.optim.{name}"):
        return Seeds(candidates=(first["public_name"], *others))
    notes = (f"also of this name: {', '.join(others[:8])}",) if others else ()
    return Seeds((nodes.code(nodes.CLASS, first["id"]),), first["public_name"], notes)


def _last(conn: sqlite3.Connection, name: str) -> Seeds:
    """A kernel that is no function, else what the name could be, or names like it."""
    rows = conn.execute(nodes.sql()["kernels_named"], {"name": name}).fetchall()
    if rows:
        return Seeds(tuple(nodes.code(nodes.KERNEL, row["id"]) for row in rows[:_MOST]), name)
    resolution = resolve(conn, name)
    return Seeds(
        notes=resolution.notes, candidates=resolution.candidates, closest=resolution.closest
    )
