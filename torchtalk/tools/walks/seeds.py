"""From a name, a file or a line to the nodes that are meant."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.graph.aside import is_aside
from torchtalk.graph.metal import launches_of
from torchtalk.names import Resolution, Target, resolve
from torchtalk.names.attributes import find_attribute
from torchtalk.names.files import Written, written
from torchtalk.names.forms import module_called, parse
from torchtalk.names.imported import spellings
from torchtalk.names.methods import find_method
from torchtalk.names.namesakes import in_full
from torchtalk.names.signatures import taking
from torchtalk.tools.walks.question import Seeds, cpp_class

_MOST_PACKETS = 4
_MOST = 400
"""More definitions than this of one name are no question about one thing."""

_INSTANCE = "{} is an instance of {}: who launches one of its instances may launch this one"

_NOT_IN_THE_GRAPH = {
    "module": "is a module of Python: ask for a name in it, or for its file",
    "binding": "is bound in C++, known here from a stub or a use alone: its binding is not in this index's graph",
    "value": "is a value that a module of Python makes by a call, which is not in the graph",
    "gpu_library": "is a function of a library, which is not in the graph: cuda_kernels shows who calls it",
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
    if "<" in text and not found.is_place and len(functions) > 1:
        found = _of_arguments(conn, text, found, functions)
        functions = [n >> 4 for n in found.nodes if n & 15 == nodes.FUNCTION]
    if found.is_place or "(" not in text or len(functions) < 2:
        return found
    rows = conn.execute(nodes.sql()["signatures"], {"ids": json.dumps(functions)})
    last = found.what.rpartition("::")[2]
    chosen = taking(text, last, [(row["id"], row["signature"]) for row in rows])
    if not chosen and "::" not in found.what:
        return _elsewhere(conn, text, last) or found
    if not chosen or len(chosen) == len(functions):
        return found
    note = (
        f"{len(chosen)} of the {counted(len(functions), 'definition')} of this name, by its parameters;"
        f" calls of which it is not known which they mean may stand at another: ask {found.what}"
    )
    codes = tuple(nodes.code(nodes.FUNCTION, n) for n in chosen)
    return replace(found, nodes=codes, notes=(*found.notes, note))


def _elsewhere(conn: sqlite3.Connection, text: str, last: str) -> Seeds | None:
    """The functions of namespaces and classes whose parameters those are, where none without a namespace has them."""
    rows = conn.execute(nodes.sql()["functions_called"], {"last": last}).fetchall()
    chosen = taking(text, last, [(row["id"], row["signature"]) for row in rows])
    names = list(dict.fromkeys(row["name"] for row in rows if row["id"] in set(chosen)))
    if not names:
        return None
    note = (
        f"no {last} without a namespace has these parameters; taken as {few(names, _MOST_PACKETS)}"
    )
    codes = tuple(nodes.code(nodes.FUNCTION, n) for n in chosen)
    return Seeds(codes, names[0] if len(names) == 1 else last, (note,))


def _of_arguments(conn: sqlite3.Connection, text: str, found: Seeds, functions: list[int]) -> Seeds:
    """Without the definitions that a class template's arguments rule out; those that they mean come first."""
    # Loaded with the first name that has such arguments.
    from torchtalk.tools.walks.specialized import of_arguments

    chosen = of_arguments(conn, text, functions)
    if chosen is None:
        return found
    more = len(chosen.functions) - chosen.exact
    beside = f", and {counted(more, 'other')} of the template for any" if more else ""
    note = (
        f"{chosen.exact} of the {counted(len(functions), 'definition')} of this name, of {chosen.written}{beside};"
        f" ask {found.what} for all"
    )
    codes = tuple(nodes.code(nodes.FUNCTION, n) for n in chosen.functions)
    return replace(found, nodes=codes, notes=(*found.notes, note))


def _find(conn: sqlite3.Connection, text: str) -> Seeds:
    name = text.strip()
    if not name.endswith("operator()"):
        name = name.removesuffix("()").strip()
    elif called := _functions(conn, name):
        return Seeds(tuple(called), name)
    file = written(name)
    if file is not None and file.is_plain:
        return _at_place(conn, file)
    found = _python(conn, name) or _method(conn, name)
    if found is not None:
        return found
    # `torch.mm` has the look of a file: it is one where there is such a file, and no such name.
    resolution = resolve(conn, name)
    named = _named(conn, name, resolution)
    place = _standing_at(conn, file) if named is None and file is not None else None
    if place is not None and (place.what or place.candidates):
        return place
    named = named or _class(conn, name, resolution) or _several(conn, name, resolution)
    if named is not None:
        return named
    last = _last(conn, name, resolution)
    if not last.nodes and "::" in name and not resolution.candidates:
        return _field(conn, name) or _type(conn, name) or last
    if not last.nodes and name.isidentifier() and not resolution.candidates:
        return (
            _variable_called(conn, name)
            or (_type(conn, name) if name != name.lower() else None)
            or last
        )
    if not last.nodes and "." in name and not ("::" in name or resolution.candidates):
        target = resolution.target
        named = _variable(
            conn, (target.name, name) if target is not None and target.kind == "value" else (name,)
        )
        if named is not None:
            return named
    if place is not None and not last.nodes and not last.candidates and _is_no_path_in_python(name):
        return replace(place, closest=last.closest)
    return last


def _at_place(conn: sqlite3.Connection, file: Written) -> Seeds:
    """What stands in a file or on a line, else what the name is that a line of Python makes."""
    # Loaded with the first place that is asked for: what it stands on takes longer than an answer.
    from torchtalk.tools.walks.place_seeds import assigned_at

    place = _standing_at(conn, file)
    name = assigned_at(conn, file) if place.what and not place.nodes else None
    found = _find(conn, name) if name is not None else None
    if found is None or not found.nodes:
        return place
    verb = "declares" if file.path.endswith(".pyi") else "makes"
    return replace(found, notes=(f"{place.what} {verb} {name}", *found.notes), is_place=True)


def _standing_at(conn: sqlite3.Connection, file: Written) -> Seeds:
    from torchtalk.tools.walks.place_seeds import place_seeds

    return place_seeds(conn, file)


def _field(conn: sqlite3.Connection, name: str) -> Seeds | None:
    from torchtalk.tools.walks.field_seeds import field_seeds

    return field_seeds(conn, name)


def _type(conn: sqlite3.Connection, name: str) -> Seeds | None:
    from torchtalk.tools.walks.type_seeds import type_seeds

    return type_seeds(conn, name)


def _variable(conn: sqlite3.Connection, names: tuple[str, ...]) -> Seeds | None:
    from torchtalk.tools.walks.variable_seeds import variable_seeds

    return variable_seeds(conn, names)


def _variable_called(conn: sqlite3.Connection, name: str) -> Seeds | None:
    from torchtalk.affected.places.variables import variables_called
    from torchtalk.affected.sources import Sources

    found = variables_called(conn, name, Sources(conn))
    if len(found) == 1:
        return _find(conn, found[0])
    return Seeds(candidates=tuple(found)) if found else None


def _is_no_path_in_python(name: str) -> bool:
    form = parse(name, frozenset())
    return form is None or form.kind == "bare"


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
    if target.kind == "attribute":
        return _run_by_attribute(conn, target.name)
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


def _run_by_attribute(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """What runs where an attribute is read or set."""
    attribute = find_attribute(conn, name)
    runs = attribute.runs if attribute is not None else ()
    found = {run: _bound(conn, run) or _written(conn, run) for run in runs}
    known = [run for run in runs if found[run]]
    if not known:
        return None
    note = f"{name} runs {few(known, _MOST_PACKETS)} where it is read or set: that is meant here"
    return Seeds(tuple(node for run in known for node in found[run]), name, (note,))


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
        return cpp_class(conn, target.name, resolution.notes)
    found = [n for candidate in resolution.candidates for n in _written(conn, candidate)]
    if found and len(found) <= _MOST:
        paths = nodes.paths(conn, found)
        found.sort(key=lambda node: is_aside(paths.get(node) or ""))
        number = len(resolution.candidates)
        listed = few(resolution.candidates, 8)
        note = f"{name} is {number} functions, all of which are meant here: {listed}"
        return Seeds(tuple(found), name, (note, *resolution.notes))
    return None


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


def with_binding(conn: sqlite3.Connection, name: str, seeds: Seeds) -> Seeds:
    """The same, with what Python calls where a public name of Python was asked for that is an operator's.

    `torch.nn.functional.linear` is torch._C._nn.linear: who calls it in Python calls that, who calls it in C++ the
    operator.

    Args:
        conn: an index.
        name: as it was asked for.
        seeds: what is meant by it.
    """
    if "." not in name or not seeds.nodes or any(n & 15 != nodes.OPERATOR for n in seeds.nodes):
        return seeds
    api = resolve(conn, name).api
    for spelling in spellings(conn, api) if api else ():
        bound = _bound(conn, spelling.name)
        if bound:
            note = f"{api} is bound as {spelling.name}; callers in Python call that"
            return replace(seeds, nodes=(*bound, *seeds.nodes), notes=(*seeds.notes, note))
    return seeds


def _bound(conn: sqlite3.Connection, name: str) -> list[int]:
    return [row["node"] for row in conn.execute(nodes.sql()["bound_named"], {"name": name})]


def _functions(conn: sqlite3.Connection, name: str) -> list[int]:
    rows = conn.execute(nodes.sql()["functions_named"], {"name": name})
    return [nodes.code(nodes.FUNCTION, row["id"]) for row in rows]


def _written(conn: sqlite3.Connection, name: str) -> list[int]:
    """The functions of C++ of a full name, else those of Python."""
    found = _functions(conn, name.removeprefix("::"))
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
        in_cpp = (in_full(resolution.target.name), *resolution.others)
    others += in_cpp
    if others and first["public_name"] not in (f"torch.nn.{name}", f"torch.optim.{name}"):
        return Seeds(candidates=(first["public_name"], *others))
    notes = (f"also of this name: {', '.join(others[:8])}",) if others else ()
    return Seeds((nodes.code(nodes.CLASS, first["id"]),), first["public_name"], notes)


def _last(conn: sqlite3.Connection, name: str, resolution: Resolution) -> Seeds:
    """A kernel that is no function, else what the name could be, or names like it."""
    rows = conn.execute(nodes.sql()["kernels_named"], {"name": name}).fetchall()
    if rows:
        of = {one.kernel: one.name for one in launches_of(conn, name)}
        ids = [*(row["id"] for row in rows), *of][:_MOST]
        notes = (_INSTANCE.format(name, ", ".join(dict.fromkeys(of.values()))),) if of else ()
        return Seeds(tuple(nodes.code(nodes.KERNEL, identity) for identity in ids), name, notes)
    target = resolution.target
    known = _NOT_IN_THE_GRAPH.get(target.kind) if target is not None else None
    return Seeds(
        notes=resolution.notes,
        candidates=resolution.candidates,
        closest=resolution.closest,
        instead=f"{target.name} {known}" if target is not None and known else "",
    )
