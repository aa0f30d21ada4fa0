"""Names in Python that stand for what is defined under another: imports, and the types that C++ fills."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
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
}
"""Where the bindings of a module's or a class's functions stand (tools/autograd/gen_python_functions.py);
torch/__init__.py copies those of `_VariableFunctions`.
"""


@dataclass(frozen=True)
class Spelling:
    """Another name of something.

    Args:
        name: in full.
        place: of the import that leads to it; None for a type that C++ fills.
    """

    name: str
    place: Place | None = None


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
        for spelling in _imported(conn, current):
            if spelling.name != name and spelling.name not in found:
                found[spelling.name] = spelling
                waiting.append(spelling.name)
    return list(found.values())


def _imported(conn: sqlite3.Connection, name: str) -> list[Spelling]:
    """What the innermost module that the name goes through imports or assigns under its next part."""
    parts = name.split(".")
    for at in range(len(parts) - 1, 0, -1):
        module = {"module": ".".join(parts[:at]), "name": parts[at]}
        rows = conn.execute(statements(_SQL)["imported"], module).fetchall()
        if rows:
            rest = parts[at + 1 :]
            return [
                Spelling(".".join((target, *rest)), Place(row["path"], row["line"]))
                for row in rows
                for target in _targets(row, parts[at])
            ]
    return []


def _targets(row: sqlite3.Row, name: str) -> list[str]:
    target = str(row["target"])
    if row["kind"] == "star":
        return [f"{target}.{name}"]
    # A call documents or wraps what it is given; what it makes of a value has no name.
    if row["kind"] == "call":
        return [value.replace(":", ".") for value in target.split("|")[1:2] if value]
    return [target.replace(":", ".")] if target else []
