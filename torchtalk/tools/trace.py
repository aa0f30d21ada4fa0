"""trace: an operator's overloads, schema, dispatch table, formulas and Python names."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import DispatchLine
from torchtalk.answers.drawn import PictureEdge
from torchtalk.answers.trace import (
    Derivative,
    FormulaLine,
    OverloadTrace,
    TraceAnswer,
)
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.names import Resolution, operator_around, resolve
from torchtalk.names.files import written
from torchtalk.tools import queries
from torchtalk.tools.kernels.called_operators import CalledOperators
from torchtalk.tools.kernels.dispatch_table import DispatchTables
from torchtalk.tools.kernels.unplaced import unplaced
from torchtalk.tools.no_operator import no_operator
from torchtalk.tools.python_side.python_part import PythonPart, python_part
from torchtalk.tools.trace_picture import picture
from torchtalk.tools.walks.notes import DRAWN, nothing
from torchtalk.tools.walks.question import Seeds
from torchtalk.tools.walks.seeds import find

_FEW_PACKETS = 3
_MOST_PACKETS = 20

# Fields of an entry that are shown where they are not what the generator assumes.
_DEFAULTS: dict[str, Any] = {
    "structured": 0,
    "structured_delegate": None,
    "structured_inherits": None,
    "python_module": None,
    "category_override": None,
    "device_check": "ExactSame",
    "device_guard": 1,
    "manual_kernel_registration": 0,
    "manual_cpp_binding": 0,
    "use_const_ref_for_mutable_tensors": 0,
    "generated_from": None,
}
_GENERATED_SETTINGS = ("device_check", "device_guard")


def trace(
    conn: sqlite3.Connection,
    name: str,
    focus: str = "full",
    format: str = "text",  # noqa: A002  named for people
) -> TraceAnswer:
    """Follow a name to its kernels.

    Args:
        conn: an index.
        name: in any form that `torchtalk.names` understands.
        focus: `full`; `yaml` for entries and formulas alone; `dispatch` for the tables alone.
        format: text, json, mermaid or dot.
    """
    at = written(name.strip())
    if at is not None and at.first is not None:
        return _of_line(conn, name, focus, format)
    resolution = operator_around(conn, resolve(conn, name))
    target = resolution.target
    if target is None or not target.overloads:
        return replace(no_operator(conn, name, focus, resolution), form=format)
    sql = queries("trace")
    part = PythonPart() if resolution.api is None else python_part(conn, resolution.api)
    wanted, notes = _chosen(resolution, part.operators)
    names = json.dumps(wanted)
    rows = conn.execute(sql["overloads"], {"names": names}).fetchall()
    called = CalledOperators(conn, DispatchTables(conn), {row["name"] for row in rows})
    overloads = tuple(_overload(conn, row, focus, resolution.api, called) for row in rows)
    variants = tuple(
        row["name"] for row in conn.execute(sql["variants"], {"names": names})
        if row["name"] not in wanted
    )  # fmt: skip
    if focus != "dispatch" and conn.execute(sql["lacks_formulas"]).fetchone()[0]:
        notes = (*notes, "this package has no derivatives.yaml: gradient formulas are not known")
    what = resolution.api or target.name
    notes = (*notes, *part.notes) if focus == "full" else notes
    arrows: tuple[PictureEdge, ...] = ()
    if format not in DRAWN:
        notes = (*notes, *unplaced(conn, (line for each in overloads for line in each.dispatch)))
    else:
        arrows, left = picture(overloads)
        if left:
            notes = (*notes, f"{left} more arrows, of what matters less, are not drawn")
    return TraceAnswer(
        query=name,
        finding=_finding(what, target.kind, overloads, target.overloads, part.operators),
        notes=notes,
        form=format,
        picture=arrows,
        focus=focus,
        overloads=overloads,
        variants=variants,
        python=part.steps if focus == "full" else (),
        python_left_out=part.left_out if focus == "full" else 0,
        python_operators=part.operators if focus == "full" else (),
    )


def _of_line(conn: sqlite3.Connection, name: str, focus: str, form: str) -> TraceAnswer:
    """The way from what stands in a line of a file, `SoftMax.cu:1091`."""
    seeds = find(conn, name)
    about = _named(conn, seeds)
    # What is called after its place would be asked for without end.
    if not about or written(about) is not None:
        if seeds.is_place and not seeds.nodes and (seeds.what or seeds.candidates or seeds.instead):
            return TraceAnswer(**nothing(conn, name, seeds), focus=focus, form=form)
        found = no_operator(conn, name, focus, resolve(conn, name, near=False))
        return replace(found, form=form)
    found = trace(conn, about, focus, form)
    note = (f"{name} is in {about}",) if written(seeds.what) is not None else ()
    return replace(found, query=name, notes=(*note, *seeds.notes, *found.notes))


def _named(conn: sqlite3.Connection, seeds: Seeds) -> str:
    """What stands in a line: of several overloads of one operator, what is called like all of them."""
    if seeds.nodes and written(seeds.what) is None:
        return seeds.what
    named = [node.name for node in nodes.describe(conn, seeds.nodes).values()]
    packets = {name.partition(".")[0] for name in named}
    is_packet = len(named) > 1 and all(node & 15 == nodes.OPERATOR for node in seeds.nodes)
    if is_packet and len(packets) == 1:
        return packets.pop()
    if not named or seeds.nodes[0] & 15 != nodes.OPERATOR or "." in named[0]:
        return named[0] if named else ""
    return f"{named[0]}.default"  # alone it would be all overloads


def _packets(overloads: Iterable[str]) -> list[str]:
    """Operators without their overloads."""
    return list(dict.fromkeys(name.partition(".")[0] for name in overloads))


def _chosen(
    resolution: Resolution, below: tuple[str, ...] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The overloads whose tables are shown, and the notes that say so.

    A Python function may call dozens of operators. It is about those that it is named after; the
    Python part of the answer has the others.

    Args:
        resolution: of the name.
        below: all operators that its steps in Python end at.
    """
    target = resolution.target
    if target is None:
        return (), resolution.notes
    packets = _packets(target.overloads)
    if resolution.api is None or len(packets) == 1:
        return target.overloads, resolution.notes
    last = resolution.api.rpartition(".")[2].strip("_")
    named = [packet for packet in packets if packet.partition("::")[2].strip("_") == last]
    if len(named) == len(packets) or (not named and len(packets) <= _FEW_PACKETS):
        near = sorted(
            target.overloads, key=lambda name: not _is_called_like(name, resolution.api or "")
        )
        return tuple(near), resolution.notes
    note = f"tables of {', '.join(named)} alone" if named else "too many for their tables here"
    everything = _packets((*packets, *below))
    reached = f"{resolution.api} reaches {few(everything, _MOST_PACKETS, 'operators')}"
    wanted = tuple(name for name in target.overloads if name.partition(".")[0] in named)
    return wanted, (reached, f"{note}; trace an operator by its name to see it")


def _finding(
    what: str,
    kind: str,
    overloads: tuple[OverloadTrace, ...],
    reached: tuple[str, ...],
    below: tuple[str, ...],
) -> str:
    """The first line.

    Args:
        what: is traced.
        kind: of what it means.
        overloads: whose tables are shown.
        reached: overloads in the nearest calls, as `v_python_api` has them.
        below: all that the steps in Python end at.
    """
    near, everything = _packets(reached), _packets((*reached, *below))
    is_more = kind != "kernel" and len(everything) > len(near)
    where = " in its nearest calls" if is_more else ""
    in_all = f", {counted(len(everything), 'operator')} in all" if is_more else ""
    if not overloads:
        packets = f"{counted(len(near), 'operator')}{where}"
        return f"{what} reaches {packets}, {counted(len(reached), 'overload')}{in_all}"
    noun = counted(len(overloads), "overload")
    keys = dict.fromkeys(
        key for overload in overloads for line in overload.dispatch for key in line.keys
    )
    listed = f"; dispatch keys: {', '.join(sorted(keys))}" if keys else ""
    others = _named_otherwise(what, overloads) if "." in what and "::" not in what else ()
    if others:  # a function that happens to call them, or that runs in their place
        verb = "is a kernel of" if kind == "kernel" else "reaches"
        return f"{what} {verb} {few(others, _FEW_PACKETS)}{where}{in_all}: {noun}{listed}"
    if kind == "kernel":
        return f"{what} is a kernel of {noun}{listed}"
    return f"{what}: {noun}{listed}"


def _named_otherwise(api: str, overloads: tuple[OverloadTrace, ...]) -> tuple[str, ...]:
    """The operators, if some of them have no name like the API's; those that have one come first."""
    packets = _packets(overload.operator for overload in overloads)
    near = [packet for packet in packets if _is_called_like(packet, api)]
    return () if len(near) == len(packets) else (*near, *(p for p in packets if p not in near))


def _is_called_like(operator: str, api: str) -> bool:
    """Whether an operator's name has the API's in it, or the other way: `all_reduce` runs c10d::allreduce_."""
    base = operator.partition("::")[2].partition(".")[0].replace("_", "")
    last = api.rpartition(".")[2].replace("_", "")
    return base in last or last in base


def _overload(
    conn: sqlite3.Connection,
    row: sqlite3.Row,
    focus: str,
    api: str | None,
    called: CalledOperators,
) -> OverloadTrace:
    sql = queries("trace")
    at = {"id": row["id"]}
    yaml = focus != "dispatch"
    dispatch: tuple[DispatchLine, ...] = ()
    if focus != "yaml":
        dispatch = called.table(row["id"], row["name"])
    python, left_out = _python_names(conn, row, api) if yaml else ((), 0)
    return OverloadTrace(
        operator=row["name"],
        schema=row["schema"],
        place=Place(row["path"], row["line"]),
        origin=row["origin"],
        kind=row["kind"],
        tags=tuple(tag for (tag,) in conn.execute(sql["tags"], at)) if yaml else (),
        fields=_fields(conn, row) if yaml else {},
        python=python,
        python_left_out=left_out,
        dispatch=dispatch,
        derivative=_derivative(conn, row["id"]) if yaml else None,
        declared_by=row["declared_by"],
    )


def _fields(conn: sqlite3.Connection, row: sqlite3.Row) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, default in _DEFAULTS.items():
        value = row[name]
        # Settings that every generated overload has tell nothing about this one.
        if value == default or (row["origin"] == "autogen" and name in _GENERATED_SETTINGS):
            continue
        if value is not None:
            found[name] = str(bool(value)) if isinstance(value, int) else str(value)
    for field, key, value in conn.execute(queries("trace")["fields"], {"id": row["id"]}):
        text = f"{key}: {value}" if key else value
        found[field] = f"{found[field]}; {text}" if field in found else text
    return found


def _python_names(
    conn: sqlite3.Connection, row: sqlite3.Row, api: str | None
) -> tuple[tuple[str, ...], int]:
    """The public names of an overload, and how many more there are."""
    wanted = {"name": row["name"], "asked": api}
    rows = conn.execute(queries("trace")["python_names"], wanted).fetchall()
    return tuple(found["api"] for found in rows), rows[0]["total"] - len(rows) if rows else 0


def _derivative(conn: sqlite3.Connection, operator_id: int) -> Derivative | None:
    sql = queries("trace")
    row = conn.execute(sql["derivative"], {"id": operator_id}).fetchone()
    if row is None:
        return None
    formulas = tuple(
        FormulaLine(
            formula["inputs"],
            formula["formula"],
            formula["dispatch_key"],
            Place(formula["path"], formula["line"]),
            tuple(n for (n,) in conn.execute(sql["formula_functions"], {"id": formula["id"]})),
        )
        for formula in conn.execute(sql["formulas"], {"entry": row["entry"]})
    )
    return Derivative(row["entry"], row["how"], row["output_differentiability"], formulas)
