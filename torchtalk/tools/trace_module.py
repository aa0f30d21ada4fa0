"""trace_module: a module's class, its methods, and the operators its forward ends at."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from torchtalk.answers.base import Place
from torchtalk.answers.module import BaseLine, MethodLine, ModuleAnswer
from torchtalk.counted import few
from torchtalk.names import in_imported, resolve
from torchtalk.names.closest import closest
from torchtalk.names.files import said_of_folder
from torchtalk.names.imported import spellings
from torchtalk.names.inheritance import ancestors
from torchtalk.names.local_classes import said_of_local_classes
from torchtalk.tools import queries
from torchtalk.tools.python_side.module_hooks import hook_notes
from torchtalk.tools.python_side.module_steps import Below, steps_below, unfollowed_notes

# What runs when an object of the category is used (torch/nn/modules/module.py `_call_impl`).
_ENTRIES = {"nn": "forward", "optim": "step", "lr_scheduler": "step"}
_PREFIXES = ("", "torch.", "torch.nn.", "torch.optim.", "torch.optim.lr_scheduler.")
_MOST_CANDIDATES = 40
_MOST_BASES = 6
_MOST_OTHERS = 12


def trace_module(conn: sqlite3.Connection, name: str, focus: str = "methods") -> ModuleAnswer:
    """Describe a class and follow it to its operators.

    Args:
        conn: an index.
        name: Linear, nn.Linear, torch.ao.nn.quantized.Linear, or where it is defined:
            torch.nn.modules.linear.Linear.
        focus: `methods`; `full` adds what is inherited and kernels of the operators.
    """
    found, others = _find(conn, name.strip())
    if found is None:
        return _nothing(conn, name, others, focus)
    full = focus == "full"
    bases = _bases(conn, found["id"])
    methods = _methods(conn, found["id"], None)
    inherited = _inherited(conn, bases)
    entry = _ENTRIES.get(found["category"], "")
    function = next(
        (at for line, at in (*methods, *inherited) if line.name == entry and _is_body(line)), None
    )
    below = Below()
    last = found["name"].rpartition(".")[2]
    if function is not None:
        below = steps_below(conn, function, last, found["id"], full=full)
    shown = [line for line, _ in methods]
    names = {line.name for line in shown}
    for line, _ in inherited:
        if line.name not in names and (full or line.name in ("__init__", entry)):
            names.add(line.name)
            shown.append(line)
    return ModuleAnswer(
        query=name,
        finding=_finding(found, below.operators, entry),
        notes=(
            *_notes(found, name, others),
            *(hook_notes(conn, found["id"], last) if entry == "forward" else ()),
            *_of_no_operator(entry if function is not None else "", below),
            *unfollowed_notes(below.unfollowed),
        ),
        name=found["name"],
        public_name=found["public_name"],
        category=found["category"],
        section=found["section"],
        place=Place(found["path"], found["line"]),
        doc=found["doc"] or "",
        decorators=tuple((found["decorators"] or "").splitlines()),
        bases=tuple(base for base, _ in bases),
        methods=tuple(shown),
        entry=entry if function is not None else "",
        steps=below.steps,
        steps_left_out=below.left_out,
        operators=below.operators,
        operators_left_out=below.unseen,
    )


def _find(conn: sqlite3.Connection, name: str) -> tuple[sqlite3.Row | None, tuple[str, ...]]:
    """The class that a name means, if it means one, and the others that it could mean."""
    sql = queries("trace_module")
    if "." in name:
        wanted = json.dumps([f"{prefix}{name}" for prefix in _PREFIXES])
        rows = conn.execute(sql["classes"], {"names": wanted}).fetchall()
        # `nn.Linear` is torch.nn.Linear before it is anything longer.
        for prefix in _PREFIXES:
            exact = [row for row in rows if row["asked"] == f"{prefix}{name}"]
            if exact:
                return exact[0], _names(exact[1:])
        # What a module imports, or a package shows of a private one: torch._subclasses.FakeTensorMode.
        imported = [each.name for each in spellings(conn, name)]
        rows = conn.execute(sql["classes"], {"names": json.dumps(imported)}).fetchall()
        if len({row["id"] for row in rows}) == 1:
            return rows[0], ()
    last = name.rpartition(".")[2]
    rows = conn.execute(sql["ending"], {"last": last}).fetchall()
    if "." in name:
        same = [row for row in rows if _ends_in(row, name)]
        rows = same or [row for row in rows if _ends_in(row, name, any_case=True)]
    exact = [row for row in rows if row["name"].rpartition(".")[2] == last]
    rows = exact or rows
    if "." not in name and not any(map(_is_public, exact)):
        # `DDP` is what files import DistributedDataParallel as, before it is a class of a private module.
        meant = in_imported(conn, name)
        found = conn.execute(sql["classes"], {"names": json.dumps(meant[:1])}).fetchone()
        if found is not None:
            return found, _names(row for row in exact if row["id"] != found["id"])
    documented = [row for row in rows if row["section"] is not None]
    if len(rows) == 1 or len(documented) == 1:
        found = documented[0] if documented else rows[0]
        return found, _names(row for row in rows if row["id"] != found["id"])
    short = [row for row in rows if row["public_name"] in {f"{p}{last}" for p in _PREFIXES}]
    if len(short) == 1:
        return short[0], _names(row for row in rows if row["id"] != short[0]["id"])
    return None, _names(rows)


def _is_public(row: sqlite3.Row) -> bool:
    return row["public_name"] is not None and "._" not in row["public_name"]


def _ends_in(row: sqlite3.Row, name: str, *, any_case: bool = False) -> bool:
    names = [f".{full}" for full in (row["public_name"], row["name"]) if full is not None]
    if any_case:
        return any(full.lower().endswith(f".{name.lower()}") for full in names)
    return any(full.endswith(f".{name}") for full in names)


def _names(rows: Iterable[sqlite3.Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["public_name"] or row["name"] for row in rows))


def _nothing(
    conn: sqlite3.Connection, name: str, candidates: tuple[str, ...], focus: str
) -> ModuleAnswer:
    if candidates:
        shown = candidates[:_MOST_CANDIDATES]
        more = len(candidates) - len(shown)
        notes = (f"{more} more are not shown",) if more else ()
        return ModuleAnswer(
            name, f"{len(candidates)} classes are called {name}; ask for one of them",
            notes, candidates=shown,
        )  # fmt: skip
    # `layer_norm` is what nn.LayerNorm runs, and may have been asked for in its place.
    last = name.rpartition(".")[2].rpartition("::")[2]
    resolution = resolve(conn, name, near=False)
    target = resolution.target
    if target is not None and target.kind == "class" and _find(conn, target.name)[0] is not None:
        # `nnq.Linear`, by what the tree's files import a module as.
        answer = trace_module(conn, target.name, focus)
        return replace(answer, query=name, notes=(*resolution.notes, *answer.notes))
    if target is None:
        if told := said_of_local_classes(conn, name) or said_of_folder(conn, name):
            return ModuleAnswer(name, told)
        return ModuleAnswer(
            name, f"no Python class in this index is called {name!r}",
            closest=closest(conn, last, ("class",)),
        )  # fmt: skip
    if target.kind == "module":
        return _module(conn, name, target.name)
    rows = conn.execute(queries("trace_module")["ending"], {"last": last.replace("_", "")})
    public = sorted(filter(None, (row["public_name"] for row in rows)), key=len)
    alike = f", or trace_module for {few(public, _MOST_OTHERS)}" if public else ""
    return ModuleAnswer(name, f"{name} is no class that Python defines: ask trace for it{alike}")


def _module(conn: sqlite3.Connection, asked: str, name: str) -> ModuleAnswer:
    """What is said of a module of Python, which is none of torch.nn's modules: the classes in it."""
    rows = conn.execute(queries("trace_module")["classes_in"], {"module": name})
    # What nobody but the module itself is to use comes last.
    classes = sorted((row["class"] for row in rows), key=lambda each: "._" in each)
    if not classes:
        return ModuleAnswer(asked, f"{name} is a Python file without classes: ask trace for it")
    more = len(classes) - _MOST_CANDIDATES
    return ModuleAnswer(
        asked, f"{name} is a Python file or package: ask for {_of_its(len(classes))}",
        (f"{more} more are not shown",) if more > 0 else (),
        candidates=tuple(classes[:_MOST_CANDIDATES]),
    )  # fmt: skip


def _of_its(classes: int) -> str:
    return "its class" if classes == 1 else f"one of its {classes} classes"


def _finding(found: sqlite3.Row, operators: tuple[str, ...], entry: str) -> str:
    name = found["public_name"] or found["name"]
    place = f"{found['path']}:{found['line']}"
    if not operators:
        return f"{name}  {place}"
    bases = list(dict.fromkeys(operator.partition(".")[0] for operator in operators))
    return f"{name}  {place}: {entry} ends at {few(bases, _MOST_BASES)}"


def _of_no_operator(entry: str, below: Below) -> tuple[str, ...]:
    """What is said of a `forward` or `step` that ends at nothing, which a reader would take for an answer cut off."""
    return (f"no operator is known that {entry} leads to",) if entry and not below.operators else ()


def _notes(found: sqlite3.Row, name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    is_other = found["is_alias"] or ("." in name and not _ends_in(found, name, any_case=True))
    notes = (f"{name} is another name of it",) if is_other else ()
    last = name.rpartition(".")[2]
    known = [(found[key] or "").rpartition(".")[2] for key in ("name", "public_name")]
    if not notes and last not in known and last.lower() in (each.lower() for each in known):
        notes = (f"there is no class {last}; {known[0]} differs in case only",)
    return (*notes, f"also of this name: {few(others, _MOST_OTHERS)}") if others else notes


def _bases(conn: sqlite3.Connection, class_id: int) -> list[tuple[BaseLine, int | None]]:
    found = ancestors(conn, class_id)[1:]
    ids = json.dumps([base.class_id for base in found if base.class_id is not None])
    places = {
        row["id"]: Place(row["path"], row["line"])
        for row in conn.execute(queries("trace_module")["places"], {"ids": ids})
    }
    # What torch._C has is bound in C++: torch._C.TensorBase.
    names = json.dumps([base.name for base in found if base.class_id is None])
    bound: dict[str, Place] = {}
    for row in conn.execute(queries("trace_module")["bound_classes"], {"names": names}):
        bound.setdefault(row["name"], Place(row["path"], row["line"]))
    return [
        (BaseLine(name, places.get(base) if base is not None else bound.get(name), distance), base)
        for base, name, distance in found
    ]


def _is_body(line: MethodLine) -> bool:
    return line.kind != "overload"


def _methods(
    conn: sqlite3.Connection, class_id: int, owner: str | None
) -> list[tuple[MethodLine, int]]:
    return [
        (
            MethodLine(
                name=row["name"].rpartition(".")[2],
                signature=row["signature"],
                kind=row["kind"],
                place=Place(row["path"], row["line"]),
                owner=owner,
                doc=row["doc"] or "",
            ),
            row["id"],
        )
        for row in conn.execute(queries("trace_module")["methods"], {"id": class_id})
    ]


def _inherited(
    conn: sqlite3.Connection, bases: list[tuple[BaseLine, int | None]]
) -> list[tuple[MethodLine, int]]:
    return [
        pair
        for base, class_id in bases
        if class_id is not None
        for pair in _methods(conn, class_id, base.name)
    ]
