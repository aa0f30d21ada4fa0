"""Why a name may be unknown to an index that knows what stands around it, and what it is like."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from torchtalk.names.closest import closest
from torchtalk.names.forms import Form
from torchtalk.names.imported import OWNERS
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_TORCHSCRIPT = frozenset(("aten", "prim", "prims"))
_INSTALLED = "this is the index of an installed package, which has no C++ sources: "


def why_unknown(conn: sqlite3.Connection, form: Form) -> tuple[str, ...]:
    """What an index leaves out that a name without a meaning could be.

    Args:
        conn: an index.
        form: of the name.
    """
    installed = _is_installed(conn)
    if form.kind != "python":
        left_out = "operators that C++ registers and C++ functions are not in it"
        scope = form.namespace or form.text.rpartition("::")[0]
        return (f"{_INSTALLED}{left_out}",) if installed else of_torchscript(conn, scope)
    row = _module(conn, form.text)
    notes = []
    if row is not None:
        notes.append(
            f"{row['path']} has no function, class or import from the tree of this name; plain values,"
            " aliases of types and what it takes from other packages are not in the index"
        )
    if installed and (row is not None or form.text.rpartition(".")[0] in OWNERS):
        notes.append(f"{_INSTALLED}names that C++ alone gives are not in it")
    return tuple(notes)


def like_unknown(conn: sqlite3.Connection, form: Form) -> tuple[str, ...]:
    """Names like one that is not known; what is wrong with `aten::sofmax.int` does not stand behind its dot."""
    if form.overload is None:
        return closest(conn, form.text)
    if form.namespace is not None:
        return closest(conn, f"{form.namespace}::{form.base}")
    # `sofmax.int`, or `Lniear.forward`, or `linear.Lniear`.
    found = (*closest(conn, form.base, count=3), *closest(conn, form.text))
    return tuple(dict.fromkeys(found))[:5]


def of_torchscript(conn: sqlite3.Connection, namespace: str) -> tuple[str, ...]:
    """A note that TorchScript has operators of a namespace that no dispatcher knows: `aten::len.t`, `prim::Print`.

    They are lists of `OperatorGeneratorArgs` and `Operator` in C++ (torch/csrc/jit/runtime/operator.h).
    """
    if namespace not in _TORCHSCRIPT:
        return ()
    row = conn.execute(statements(_SQL)["torchscript"]).fetchone()
    if row["path"] is None:
        return ()
    return (
        f"operators of TorchScript alone ({row['path']} and its neighbours) are not in the index: "
        "look there for their names with grep",
    )


def _module(conn: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    """The module that a dotted name asks for something of its own."""
    query = statements(_SQL)["module_file"]
    row: sqlite3.Row | None = conn.execute(query, {"name": name.rpartition(".")[0]}).fetchone()
    return row


def _is_installed(conn: sqlite3.Connection) -> bool:
    row = conn.execute("SELECT value FROM meta WHERE key = 'source_kind'").fetchone()
    return row is not None and row[0] == "installed"
