"""Names in Python that stand for what is defined under another: imports, and the types that C++ fills."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from torchtalk.answers.base import Place
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_MOST = 24  # names that are tried; chains of imports are short

OWNERS = {
    "torch": ("torch._C._VariableFunctions",),
    "torch.Tensor": ("torch._C.TensorBase", "torch._C._TensorBase"),
    "torch._VF": ("torch._C._VariableFunctions",),
    "torch.nn.functional": ("torch._C._nn", "torch._C._VariableFunctions"),
    "torch.return_types": ("torch._C._return_types",),
}
"""Where the bindings of a module's or a class's functions stand (tools/autograd/gen_python_functions.py);
torch/__init__.py copies those of `_VariableFunctions`, torch/return_types.py those of `_return_types`.
"""


@dataclass(frozen=True)
class Spelling:
    """Another name of something.

    Args:
        name: in full.
        place: of the import that leads to it; None for a type that C++ fills.
        maker: what makes the one of the other, in the place: `add = register_pointwise(aten.add)`. Empty where they
            are the same.
    """

    name: str
    place: Place | None = None
    maker: str = ""

    def said_of(self, name: str) -> str:
        """How another name is one of this thing, for people."""
        where = f"  {self.place}" if self.place else ""
        made = f"made of {self.name} by {self.maker}" if self.maker else self.name
        return f"{name} is {made}{where}"


def spellings(conn: sqlite3.Connection, name: str) -> list[Spelling]:
    """Other full names of what a dotted name in Python may mean, the nearest first.

    They follow imports, star imports and assignments; whether there is such a thing is for the caller to find out.

    Args:
        conn: an index.
        name: `torch.svd_lowrank`, `torch.Tensor.numel`.
    """
    found: dict[str, Spelling] = {}
    waiting = [name]
    while waiting and len(found) < _MOST:
        current = waiting.pop(0)
        owner, _, last = current.rpartition(".")
        for base in OWNERS.get(owner, ()):
            found.setdefault(f"{base}.{last}", Spelling(f"{base}.{last}"))
        before = found.get(current)
        for spelling in _imported(conn, current):
            if spelling.name != name and spelling.name not in found:
                # What was made of something on the way is no other name of where that leads.
                is_made = before is not None and before.maker and not spelling.maker
                found[spelling.name] = (
                    replace(before, name=spelling.name) if before and is_made else spelling
                )
                waiting.append(spelling.name)
    return list(found.values())


def _imported(conn: sqlite3.Connection, name: str) -> list[Spelling]:
    """What the innermost module that the name goes through imports or assigns under its next part.

    A star brings no module of the tree, which the module below it is: `torch.quantization.stubs`.
    """
    parts = name.split(".")
    is_inside = False
    for at in range(len(parts) - 1, 0, -1):
        module = {"module": ".".join(parts[:at]), "name": parts[at]}
        rows = conn.execute(statements(_SQL)["imported"], module).fetchall()
        if is_inside:
            rows = [row for row in rows if row["kind"] != "star"]
        else:
            is_inside = (
                conn.execute(statements(_SQL)["module"], {"name": module["module"]}).fetchone()
                is not None
            )
        if rows:
            rest = parts[at + 1 :]
            return [
                Spelling(".".join((target, *rest)), Place(row["path"], row["line"]), _maker(row))
                for row in rows
                for target in _targets(conn, row, parts[at])
            ]
    return []


def _maker(row: sqlite3.Row) -> str:
    """What makes a value of what it is given; documenting that makes nothing (torch/csrc/Module.cpp, addDocStr)."""
    callee = str(row["target"]).partition("|")[0] if row["kind"] == "call" else ""
    return "" if callee.rpartition(".")[2].endswith("add_docstr") else callee


def _targets(conn: sqlite3.Connection, row: sqlite3.Row, name: str) -> list[str]:
    target = str(row["target"])
    if row["kind"] == "star":
        return [f"{target}.{name}"]
    if row["kind"] == "call":
        # A call documents or wraps what it is given; what it makes of a value has no name, and what a
        # class or a method of one makes is an object of its own.
        callee, *given = target.split("|")
        return [value.replace(":", ".") for value in given[:1] if not _is_of_class(conn, callee)]
    return [target.replace(":", ".")] if target else []


def _is_of_class(conn: sqlite3.Connection, callee: str) -> bool:
    names = json.dumps([callee, callee.rpartition(".")[0]])
    return conn.execute(statements(_SQL)["classes_of"], {"names": names}).fetchone() is not None


def assigned(conn: sqlite3.Connection, name: str) -> str | None:
    """The full name of what a module makes by a call, which a dotted name means by itself or through imports.

    Args:
        conn: an index.
        name: in full: torch.ao.quantization.default_observer.
    """
    for full in (name, *(spelling.name for spelling in spellings(conn, name))):
        module, _, last = full.rpartition(".")
        names = {"module": module, "name": last}
        if conn.execute(statements(_SQL)["assigned"], names).fetchone() is not None:
            return full
    return None
