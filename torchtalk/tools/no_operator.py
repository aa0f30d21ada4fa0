"""What trace says of a name that is no operator's: what else it is, where that stands, and what runs it."""

from __future__ import annotations

import sqlite3

from torchtalk.affected.graph.upward import operators_above
from torchtalk.answers.base import Place
from torchtalk.answers.trace import TraceAnswer
from torchtalk.counted import few
from torchtalk.names import Resolution
from torchtalk.names.attributes import described, find_attribute
from torchtalk.names.bound_names import bound_as
from torchtalk.names.files import no_name, said_of_folder
from torchtalk.names.meaning import Target
from torchtalk.names.torchscript import OF_TORCHSCRIPT, is_of_torchscript
from torchtalk.testing.installed import is_installed
from torchtalk.tools import queries
from torchtalk.tools.python_side.made_objects import constructor_notes
from torchtalk.tools.python_side.overridden import overridden_notes
from torchtalk.tools.python_side.python_part import PythonPart, method_part

_FEW_STUBS = 3
_FEW_ABOVE = 6
_ASK = "ask calls, called_by or impact for it"
_NO_OPERATOR = {
    "function": f"is a C++ function, the kernel of no operator: {_ASK}",
    "stub": "is a DispatchStub; its kernels are",
    "class": "is a Python class: ask trace_module for it",
    "python": f"is a Python function: {_ASK}",
    "value": "is a value that a module of Python makes by a call",
    "attribute": f"is an attribute that runs something where it is read or set: {_ASK}",
    "module": "is a Python module: ask for a name in it",
    "binding": f"is bound in C++, without an operator: {_ASK}",
    "internal": f"is a Python function that is not among the index's public names: {_ASK}",
    "method": f"is a method of a Python class: {_ASK}",
    "cpp_class": "is a C++ class, no operator: ask calls, called_by or impact for it, or for one of its methods",
    "gpu_kernel": "is a GPU kernel: ask cuda_kernels what launches it",
    "gpu_library": "is a function of a library that launches GPU kernels: ask cuda_kernels who calls it",
}

_UNTOLD = "which does not say what it calls"  # as trace.sql says of a stub
# What a body does with values of which nobody knows what they are is no proof that it does nothing with tensors.
_NOTHING_BELOW = "no operator is found in what it calls, as far as the text tells what that is"


def no_operator(
    conn: sqlite3.Connection, name: str, focus: str, resolution: Resolution
) -> TraceAnswer:
    """The answer where no operator is meant.

    Args:
        conn: an index.
        name: as asked for.
        focus: as of `trace`.
        resolution: of the name.
    """
    elsewhere: tuple[str, ...] = ()
    part = PythonPart()
    notes = resolution.notes
    if resolution.candidates:
        finding = f"{name} could be: {few(resolution.candidates, 20)}; ask for one of them"
    elif resolution.target is not None:
        target = resolution.target
        finding = f"{target.name} {_NO_OPERATOR[target.kind]}"
        if target.kind == "binding" and resolution.api not in (None, target.name):
            finding = f"{resolution.api} is C++ without an operator, bound as {target.name}"
        if target.name.startswith("torch.ops."):
            finding = f"{target.name} is an operator that is called and that nothing in this index defines"
        attribute = find_attribute(conn, target.name) if target.kind == "attribute" else None
        rows = [] if attribute is not None else _rows(conn, target)
        is_open = target.kind == "binding" and not rows and is_installed(conn)
        is_open = is_open and not target.name.startswith("torch.ops.")
        if is_open or (rows and all(row["text"].endswith(_UNTOLD) for row in rows)):
            what = resolution.api or target.name
            bound = "" if what == target.name else f" as {target.name}"
            finding = f"{what} is bound in C++{bound}; whether that calls operators is not known"
        if target.kind == "function" and _is_variable(conn, target):
            finding = f"{target.name} is a variable of C++: {_ASK}"
            if is_of_torchscript(conn, name):
                finding = f"{name.strip()} {OF_TORCHSCRIPT}; {target.name} is its Symbol"
        if target.kind == "function":
            stubs = conn.execute(queries("trace")["behind_stub"], {"name": target.name}).fetchall()
            if stubs:
                listed = few(tuple(dict.fromkeys(row["stub"] for row in stubs)), _FEW_STUBS)
                finding = f"{target.name} is a C++ function, the kernel of {listed}: {_ASK}"
            rows += stubs
            if not stubs and (own := _of_backend(conn, target.name)):
                finding = f"{target.name} is a C++ function, {own}: {_ASK}"
        if target.kind in ("function", "stub"):
            functions = _functions(conn, target)
            notes = (*notes, *_run_by(conn, target, functions))
            if public := bound_as(conn, functions):
                notes = (
                    *notes,
                    f"bound as {few(public, _FEW_STUBS)}: trace that name for what it reaches",
                )
        elsewhere = tuple(f"{row['text']}  {Place(row['path'], row['line'])}" for row in rows)
        elsewhere += described(conn, attribute) if attribute is not None else ()
        if target.kind in ("method", "internal", "python") and focus == "full" and rows:
            last = target.name.rpartition(".")[2]
            part = method_part(conn, rows[0]["id"], last, target.class_id)
            if not part.steps:
                function = rows[0]["id"]
                notes = (*notes, _NOTHING_BELOW, *overridden_notes(conn, function))
                notes = (*notes, *constructor_notes(conn, function))
            notes = (*notes, *part.notes)
    else:
        finding = no_name(conn, name)
    closest = () if said_of_folder(conn, name) else resolution.closest
    return TraceAnswer(
        name, finding, notes, closest, focus,
        elsewhere=elsewhere, python=part.steps, python_left_out=part.left_out, python_operators=part.operators,
    )  # fmt: skip


def _rows(conn: sqlite3.Connection, target: Target) -> list[sqlite3.Row]:
    """Where a thing stands, and what is said of it there."""
    wanted = {"name": target.name, "last": target.name.rpartition(".")[2]}
    return conn.execute(queries("trace")[target.kind], wanted).fetchall()


def _of_backend(conn: sqlite3.Connection, name: str) -> str:
    """Which operators a function is a kernel of for a backend that registers its kernels when it is initialised."""
    rows = conn.execute(queries("trace")["of_backend"], {"name": name}).fetchall()
    if not rows:
        return ""
    named = few(tuple(dict.fromkeys(row["name"] for row in rows)), _FEW_ABOVE)
    return (
        f"the kernel of {named} for {rows[0]['backend']}, which registers it when it is initialised"
    )


def _functions(conn: sqlite3.Connection, target: Target) -> tuple[int, ...]:
    """The definitions of a C++ function."""
    if target.kind != "function":
        return ()
    rows = conn.execute("SELECT id FROM functions WHERE name = ? ORDER BY id", (target.name,))
    return tuple(row["id"] for row in rows)


def _is_variable(conn: sqlite3.Connection, target: Target) -> bool:
    """Whether a name is that of no function, but of variables whose values something is called for."""
    rows = conn.execute("SELECT DISTINCT kind FROM functions WHERE name = ?", (target.name,))
    return {row["kind"] for row in rows} <= {"variable", "field"}


def _run_by(
    conn: sqlite3.Connection, target: Target, functions: tuple[int, ...]
) -> tuple[str, ...]:
    """Of a DispatchStub or a C++ function the operators that it does something for: their traces show it."""
    above = operators_above(conn, functions, target.name if target.kind == "stub" else "")
    if not above.operators:
        return ()
    more = " …; impact has all" if len(above.operators) > _FEW_ABOVE else ""
    return (f"the nearest operators that run it: {', '.join(above.operators[:_FEW_ABOVE])}{more}",)
