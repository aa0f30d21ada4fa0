"""Operators that TorchScript's interpreter has and no dispatcher knows: `aten::len.t`, `prim::Print`.

It has a registry of its own (torch/csrc/jit/runtime/operator.h), most of which register_prim_ops.cpp fills.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from torchtalk.counted import few
from torchtalk.names.forms import Form, parse
from torchtalk.sqlfile import statements

_SQL = Path(__file__).with_suffix(".sql")
_MOST_OF_TORCHSCRIPT = 6
_MOST_LINES = 400
"""No entry of a table goes on for longer."""

OF_TORCHSCRIPT = "is an operator of TorchScript's interpreter, which no dispatcher knows"
"""What to say of one."""


def of_torchscript(
    conn: sqlite3.Connection, form: Form, *, any_overload: bool = True
) -> tuple[str, ...]:
    """Notes on what TorchScript's interpreter has under a name that no dispatcher knows: `aten::len.t`, `prim::Print`.

    Args:
        conn: an index.
        form: of the name.
        any_overload: others will do where there is none of the overload asked for.
    """
    namespace, base = form.namespace, form.base
    if namespace is None:
        namespace, _, base = form.text.rpartition("::")
        base = base.partition(".")[0]
    packet = f"{namespace}::{base}"
    overload = form.overload if form.namespace is not None else form.text.rpartition(".")[2]
    rows = conn.execute(statements(_SQL)["torchscript"], {"packet": packet}).fetchall()
    own = [row for row in rows if row["operator"] == f"{packet}.{overload}"]
    rows = own or (rows if any_overload else [])
    notes = [
        f"{row['operator']} is an operator of TorchScript alone  {row['path']}:{row['line']}"
        + (f", which runs {row['kernel']}" if row["kernel"] else "")
        for row in rows[:_MOST_OF_TORCHSCRIPT]
    ]
    if len(rows) > _MOST_OF_TORCHSCRIPT:
        notes.append(f"{len(rows) - _MOST_OF_TORCHSCRIPT} more overloads of {packet} are so")
    return tuple(notes)


def is_of_torchscript(conn: sqlite3.Connection, text: str) -> bool:
    """Whether a text is the name of an operator, or of an overload, that TorchScript alone has.

    Args:
        conn: an index.
        text: as it was asked for.
    """
    form = parse(text, frozenset()) if text.count("::") == 1 else None
    # Another overload's operator is not what was asked for.
    return form is not None and bool(of_torchscript(conn, form, any_overload="." not in form.text))


def run_for(conn: sqlite3.Connection, functions: Iterable[int]) -> list[str]:
    """The operators that TorchScript alone has and that some functions are the kernels of.

    Args:
        conn: an index.
        functions: ids.
    """
    asked = {"functions": json.dumps(sorted(functions))}
    return [row["operator"] for row in conn.execute(statements(_SQL)["torchscript_of"], asked)]


def registered_on(
    conn: sqlite3.Connection, file: int, first: int, last: int, lines: Sequence[str]
) -> tuple[str, ...]:
    """Notes on what lines of a file register with TorchScript's interpreter: no operator of the dispatcher.

    Args:
        conn: an index.
        file: its id.
        first: the first of the lines.
        last: the last of them.
        lines: the file's text.
    """
    rows = conn.execute(statements(_SQL)["torchscript_on"], {"file": file, "last": last}).fetchall()
    above = max((row["line"] for row in rows if row["line"] <= first), default=0)
    if above and _end(lines, above) < first:
        above = first
    found = [row for row in rows if row["line"] >= (above or first)]
    if not found:
        return ()
    names = few(tuple(dict.fromkeys(row["operator"] for row in found)), _MOST_OF_TORCHSCRIPT)
    kernels = tuple(dict.fromkeys(row["kernel"] for row in found if row["kernel"]))
    runs = f", which runs {few(kernels, 1)}" if kernels else ""
    return (
        f"there TorchScript's interpreter is given {names}, of which no dispatcher knows{runs}",
    )


def _end(lines: Sequence[str], begin: int) -> int:
    """The line in which the bracket closes that opens first from a line on."""
    from indexer.extract.cpp.lexical import blanked, closing

    text = blanked("\n".join(lines[begin - 1 : begin + _MOST_LINES]).encode())
    opening = text.find(b"(")
    end = closing(text, opening) if opening >= 0 else -1
    return begin + text.count(b"\n", 0, end) if end >= 0 else begin
