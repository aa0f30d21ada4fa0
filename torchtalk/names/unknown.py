"""Why a name may be unknown to an index that knows what stands around it, and what it is like."""

from __future__ import annotations

import difflib
import sqlite3
from pathlib import Path

from torchtalk.names.closest import closest
from torchtalk.names.forms import Form
from torchtalk.names.imported import OWNERS
from torchtalk.names.local_classes import find_local_classes
from torchtalk.names.macros import macro_places
from torchtalk.names.options import options_called
from torchtalk.names.pythons_own import module_of_python
from torchtalk.names.tests_called import tests_called
from torchtalk.names.torchscript import of_torchscript
from torchtalk.sqlfile import statements
from torchtalk.testing.installed import is_installed

_SQL = Path(__file__).parent / "names.sql"
_MOST = 5
_INSTALLED = "this is the index of an installed package, which has no C++ sources: "


def why_unknown(conn: sqlite3.Connection, form: Form) -> tuple[str, ...]:
    """What an index leaves out that a name without a meaning could be.

    Args:
        conn: an index.
        form: of the name.
    """
    if find_local_classes(conn, form.text) or options_called(conn, form.text):
        return ()  # it is known, as what has no row
    installed = is_installed(conn)
    if form.kind != "python":
        if own := module_of_python(conn, form.text):
            return (f"{own} is a module of Python's own, and what it has is not in the index",)
        if tests := tests_called(conn, form.text):
            return tests
        left_out = "operators that C++ registers and C++ functions are not in it"
        return (f"{_INSTALLED}{left_out}",) if installed else of_torchscript(conn, form)
    row = _module(conn, form.text)
    notes = []
    of_operator = _overloads(conn, form.text)
    if of_operator:
        function = form.text.rpartition(".")[0]
        whole = f"{of_operator[0].partition('.')[0]}.OVERLOAD"
        notes.append(
            f"{function} is a Python function; overloads of its operator are called {whole}"
        )
    if row is not None:
        notes.append(
            f"{row['path']} has no function, class or import from the tree of this name; plain values,"
            " aliases of types and what it takes from other packages are not in the index"
        )
    owner = form.text.rpartition(".")[0]
    if installed and (row is not None or owner in OWNERS or f"{owner}.".startswith("torch._C.")):
        notes.append(f"{_INSTALLED}names that C++ alone gives are not in it")
    return tuple(notes)


def like_unknown(conn: sqlite3.Connection, form: Form) -> tuple[str, ...]:
    """Names like one that is not known; what is wrong with `aten::sofmax.int` does not stand behind its dot.

    Args:
        conn: an index.
        form: of the name, as `torchtalk.names.forms.parse` gives it.

    Returns:
        The likest first; none where it is known as a macro or a local class, or where nothing is like it.
    """
    if form.kind == "python" and (found := _overloads(conn, form.text)):
        return found
    if (
        macro_places(conn, form.text)
        or find_local_classes(conn, form.text)
        or options_called(conn, form.text)
    ):
        return ()  # it is known, as what is no function, or has no row
    owner, _, last = form.text.rpartition(".")
    if form.kind == "python" and _is_overload(conn, last):
        # `torch.cumsumm.out`: of an operator's overload it is the operator's name that is wrong.
        return closest(conn, owner)
    if form.overload is None:
        return closest(conn, form.text)
    if form.namespace is not None:
        return closest(conn, f"{form.namespace}::{form.base}")
    # `sofmax.int`, or `Lniear.forward`, or `linear.Lniear`; but `x.unsqueeze` is of a tensor, whatever x is called.
    method = f"torch.Tensor.{form.overload}"
    is_method = conn.execute(statements(_SQL)["api"], {"api": method}).fetchone() is not None
    if form.kind == "bare" and is_method and not _is_overload(conn, form.overload):
        return (method, *closest(conn, form.overload, count=_MOST - 1))
    alike = dict.fromkeys((*closest(conn, form.base, count=3), *closest(conn, form.text)))
    # What differs in case only is what is meant: TORCH.SOFTMAX.
    return tuple(sorted(alike, key=lambda name: name.lower() != form.text.lower()))[:_MOST]


def _overloads(conn: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """The overloads of the operator that a Python function is named after which a name goes on from: `torch.bmm.out`.

    Those come first whose own name is most like what stands behind the last dot.
    """
    function, _, asked = name.rpartition(".")
    base = function.rpartition(".")[2]
    found = [row["name"] for row in conn.execute(statements(_SQL)["api"], {"api": function})]
    packets = {overload.partition(".")[0] for overload in found}
    # torch.linalg.solve is aten::linalg_solve; what a function calls besides is not asked for.
    own = [p for p in packets if p.endswith(("::" + base, "_" + base))]
    if len(own) != 1:
        return ()
    matcher = difflib.SequenceMatcher(b=asked.lower())

    def unlike(overload: str) -> tuple[float, str]:
        matcher.set_seq1(overload.partition(".")[2].lower())
        return -matcher.ratio(), overload

    return tuple(sorted((o for o in found if o.partition(".")[0] == own[0]), key=unlike)[:_MOST])


def _is_overload(conn: sqlite3.Connection, name: str) -> bool:
    """Whether any operator has an overload of this name."""
    query = statements(_SQL)["is_overload"]
    return bool(name) and conn.execute(query, {"overload": name}).fetchone() is not None


def _module(conn: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    """The module that a dotted name asks for something of its own."""
    query = statements(_SQL)["module_file"]
    row: sqlite3.Row | None = conn.execute(query, {"name": name.rpartition(".")[0]}).fetchone()
    return row
