"""From a name, a file or a line to the nodes that are meant."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace

from torchtalk.affected.declared import declared_on
from torchtalk.affected.diffs import Span
from torchtalk.affected.places import seeds_at
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.names import Resolution, Target, resolve
from torchtalk.names.files import Written, files_named, written
from torchtalk.names.forms import module_called, parse
from torchtalk.names.methods import find_method
from torchtalk.names.signatures import taking

_WHOLE_FILE = 1_000_000_000
_MOST_PACKETS = 4
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
        is_class: it is a C++ class; what its functions have to do with each other is its own affair.
        instead: what the name is, where that is nothing in the graph.
    """

    nodes: tuple[int, ...] = ()
    what: str = ""
    notes: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()
    is_place: bool = False
    is_class: bool = False
    instead: str = ""


_NOT_IN_THE_GRAPH = {
    "module": "is a module of Python: ask for a name in it, or for its file",
    "value": "is a value that a module of Python makes by a call, which is not in the graph",
}


def find(conn: sqlite3.Connection, text: str) -> Seeds:
    """Find what is meant; of overloads those whose signature is given.

    Args:
        conn: an index.
        text: an operator, C++ function, kernel, stub, Python function or class in any usual form;
            a file, `file:line` or `file:first-last`.
    """
    found = _find(conn, text)
    functions = [n >> 4 for n in found.nodes if n & 15 == nodes.FUNCTION]
    if found.is_place or "(" not in text or len(functions) < 2:
        return found
    rows = conn.execute(nodes.sql()["signatures"], {"ids": json.dumps(functions)})
    last = found.what.rpartition("::")[2]
    chosen = taking(text, last, [(row["id"], row["signature"]) for row in rows])
    if not chosen or len(chosen) == len(functions):
        return found
    note = (
        f"{len(chosen)} of the {counted(len(functions), 'definition')} of this name, by its parameters;"
        f" calls of which it is not known which they mean may stand at another: ask {found.what}"
    )
    codes = tuple(nodes.code(nodes.FUNCTION, n) for n in chosen)
    return replace(found, nodes=codes, notes=(*found.notes, note))


def _find(conn: sqlite3.Connection, text: str) -> Seeds:
    name = text.strip()
    if not name.endswith("operator()"):
        name = name.removesuffix("()").strip()
    elif called := _functions(conn, name):
        return Seeds(tuple(called), name)
    file = written(name)
    if file is not None and file.is_plain:
        return _place(conn, file)
    found = _python(conn, name) or _method(conn, name)
    if found is not None:
        return found
    # `torch.mm` has the look of a file: it is one where there is such a file, and no such name.
    resolution = resolve(conn, name)
    named = _named(conn, name, resolution)
    place = _place(conn, file) if named is None and file is not None else None
    if place is not None and (place.what or place.candidates):
        return place
    named = named or _class(conn, name, resolution) or _several(conn, name, resolution)
    if named is not None:
        return named
    last = _last(conn, name, resolution)
    if place is not None and not last.nodes and not last.candidates and _is_no_path_in_python(name):
        return replace(place, closest=last.closest)
    return last


def _is_no_path_in_python(name: str) -> bool:
    form = parse(name, frozenset())
    return form is None or form.kind == "bare"


def _place(conn: sqlite3.Connection, file: Written) -> Seeds:
    rows, notes = files_named(conn, file.path)
    if len(rows) != 1:
        paths = tuple(row["path"] for row in rows)
        notes = () if paths else (f"no file of this index is called {file.path}",)
        return Seeds(candidates=paths, notes=notes, is_place=True)
    row = rows[0]
    first = 1 if file.first is None else file.first
    last = _WHOLE_FILE if file.last is None else file.last
    found: list[int] = []
    for seed in seeds_at(conn, row, Span(first, max(first, last))):
        found += _of_change(conn, seed.node.kind, seed.node.key)
    where = row["path"] if file.first is None else f"{row['path']}:{file.first}"
    where += f"-{file.last}" if file.last != file.first else ""
    if file.first is not None and len(found) > 1:
        found = _innermost(conn, found)
    if file.first is None or found:
        return Seeds(tuple(dict.fromkeys(found)), where, notes, is_place=True)
    nothing = Seeds((), where, notes, is_place=True)
    inside = _in_class(conn, row["path"], first, nothing)
    if not inside.nodes and row["kind"] not in ("python", "yaml", "metal"):
        functions, told = declared_on(conn, row, first, max(first, last))
        if functions:
            codes = tuple(nodes.code(nodes.FUNCTION, function) for function in functions)
            return replace(nothing, nodes=codes, notes=(*notes, *told))
    near = () if inside.nodes else _near(conn, row["id"], first)
    return replace(inside, notes=(*inside.notes, *near))


def _near(conn: sqlite3.Connection, file: int, line: int) -> tuple[str, ...]:
    """Which definitions stand next above and below a line."""
    rows = conn.execute(nodes.sql()["next_to"], {"file": file, "line": line}).fetchall()
    told = [
        f"{row['name']} ends above it in line {row['end_line']}" if row["end_line"] < line
        else f"{row['name']} begins below it in line {row['line']}"
        for row in rows
    ]  # fmt: skip
    return (", ".join(told),) if told else ()


def _in_class(conn: sqlite3.Connection, path: str, line: int, nothing: Seeds) -> Seeds:
    """The C++ class whose head a line is; a line in the body of one, which no function has, says of which."""
    asked = {"path": path, "line": line}
    row = conn.execute(nodes.sql()["class_at"], asked).fetchone()
    if row is None:
        return nothing
    if row["line"] == line:
        found = _cpp_class(conn, row["name"], nothing.notes)
        return replace(found, is_place=True) if found.nodes else nothing
    note = (
        f"it stands in the body of the C++ class {row['name']} ({path}:{row['line']}): ask for that"
    )
    return replace(nothing, notes=(*nothing.notes, note))


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
    if form is not None and form.kind == "operator":
        return None
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


def _named(conn: sqlite3.Connection, name: str, resolution: Resolution) -> Seeds | None:
    """An operator, C++ function, kernel or stub, or what a name in Python stands for."""
    target = resolution.target
    if target is None or target.kind == "cpp_class":
        return None
    # What is imported under this name has a name of its own, and a Python function stands before its operators.
    found = _python(conn, resolution.api) if resolution.api else None
    if found is not None:
        return replace(found, notes=resolution.notes)
    nodes_found = _target(conn, target)
    if target.kind == "operator" and name.startswith("torch.ops."):
        nodes_found += _bound(conn, name)
    if not nodes_found:
        return None
    by_hand = _by_hand(conn, name) if target.kind == "operator" and "::" in name else []
    if by_hand:
        note = f"{name} is also a function that PyTorch's authors wrote; both are meant"
        return Seeds((*by_hand, *nodes_found), name, (*resolution.notes, note))
    if target.kind == "kernel" and all(node & 15 == nodes.OPERATOR for node in nodes_found):
        packets = list(dict.fromkeys(o.partition(".")[0] for o in target.overloads))
        note = (
            f"no definition of {target.name} is in this index; this is of what it is a kernel of: "
            f"{few(packets, _MOST_PACKETS)}"
        )
        return Seeds(tuple(nodes_found), target.name, (*resolution.notes, note))
    return Seeds(tuple(nodes_found), target.name, resolution.notes)


def _by_hand(conn: sqlite3.Connection, name: str) -> list[int]:
    """The functions called like an operator's in C++ that are not generated: `at::Tensor::contiguous`.

    See `manual_cpp_binding` in torchgen/model.py (NativeFunction).
    """
    rows = conn.execute(nodes.sql()["functions_by_hand"], {"name": name})
    return [nodes.code(nodes.FUNCTION, row["id"]) for row in rows]


def _several(conn: sqlite3.Connection, name: str, resolution: Resolution) -> Seeds | None:
    """Functions that an ambiguous name may be, as long as they are no question about everything; or a C++ class."""
    target = resolution.target
    if target is not None and target.kind == "cpp_class":
        return _cpp_class(conn, target.name, resolution.notes)
    found = [n for candidate in resolution.candidates for n in _written(conn, candidate)]
    if found and len(found) <= _MOST:
        number = len(resolution.candidates)
        listed = few(resolution.candidates, 8)
        note = f"{name} is {number} functions, all of which are meant here: {listed}"
        return Seeds(tuple(found), name, (note, *resolution.notes))
    return None


def _cpp_class(conn: sqlite3.Connection, name: str, notes: tuple[str, ...]) -> Seeds:
    """The constructors and methods of a C++ class, which stand for it."""
    rows = conn.execute(nodes.sql()["members"], {"name": name, "beyond": f"{name}:;"}).fetchall()
    bases = [row["base"] for row in conn.execute(nodes.sql()["bases"], {"name": name})]
    note = f"{name} is a C++ class ({counted(len(rows), 'function')} of its own)"
    if bases:
        note += f"; what it inherits is asked for by its bases: {', '.join(bases)}"
    return Seeds(
        tuple(nodes.code(nodes.FUNCTION, row["id"]) for row in rows),
        name,
        (note, *notes),
        is_class=True,
    )


def _target(conn: sqlite3.Connection, target: Target) -> list[int]:
    kind, name = target.kind, target.name
    if kind in ("kernel", "function"):
        found = _functions(conn, name)
        if found or kind == "function":
            return found
    if target.overloads:
        names = json.dumps(target.overloads)
        rows = conn.execute(nodes.sql()["operators_named"], {"names": names})
        return [nodes.code(nodes.OPERATOR, row["id"]) for row in rows]
    if kind == "stub":
        rows = conn.execute(nodes.sql()["stub_named"], {"name": name})
        return [nodes.code(nodes.STUB, row["id"]) for row in rows]
    if kind in ("class", "python", "internal"):
        rows = conn.execute(nodes.sql()["python_named"], {"name": name})
        return [row["node"] for row in rows]
    return _bound(conn, name) if kind == "binding" else []


def _bound(conn: sqlite3.Connection, name: str) -> list[int]:
    return [row["node"] for row in conn.execute(nodes.sql()["bound_named"], {"name": name})]


def _functions(conn: sqlite3.Connection, name: str) -> list[int]:
    rows = conn.execute(nodes.sql()["functions_named"], {"name": name})
    return [nodes.code(nodes.FUNCTION, row["id"]) for row in rows]


def _written(conn: sqlite3.Connection, name: str) -> list[int]:
    """The functions of C++ of a full name, else those of Python."""
    found = _functions(conn, name)
    if found or "::" in name:
        return found
    return [row["node"] for row in conn.execute(nodes.sql()["python_named"], {"name": name})]


def _class(conn: sqlite3.Connection, name: str, resolution: Resolution) -> Seeds | None:
    """`Linear`: the public class of torch.nn or torch.optim, else the only one."""
    if not name.isidentifier() or name == name.lower() or module_called(name):
        return None
    rows = conn.execute(nodes.sql()["classes_named"], {"name": name}).fetchall()
    if not rows:
        return None
    first = rows[0]
    others = tuple(row["public_name"] for row in rows[1:])
    in_cpp = resolution.candidates
    if resolution.target is not None and resolution.target.kind == "cpp_class":
        in_cpp = (resolution.target.name,)
    others += in_cpp
    if others and first["public_name"] not in (f"torch.nn.{name}", f"torch.optim.{name}"):
        return Seeds(candidates=(first["public_name"], *others))
    notes = (f"also of this name: {', '.join(others[:8])}",) if others else ()
    return Seeds((nodes.code(nodes.CLASS, first["id"]),), first["public_name"], notes)


def _last(conn: sqlite3.Connection, name: str, resolution: Resolution) -> Seeds:
    """A kernel that is no function, else what the name could be, or names like it."""
    rows = conn.execute(nodes.sql()["kernels_named"], {"name": name}).fetchall()
    if rows:
        return Seeds(tuple(nodes.code(nodes.KERNEL, row["id"]) for row in rows[:_MOST]), name)
    target = resolution.target
    known = _NOT_IN_THE_GRAPH.get(target.kind) if target is not None else None
    return Seeds(
        notes=resolution.notes,
        candidates=resolution.candidates,
        closest=resolution.closest,
        instead=f"{target.name} {known}" if target is not None and known else "",
    )
