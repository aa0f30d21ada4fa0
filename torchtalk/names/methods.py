"""Methods of Python classes, by the names that users give to both: `torch.nn.Linear.forward`, `Adam.step`."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from torchtalk.names.forms import parse
from torchtalk.names.inheritance import ancestors
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"


@dataclass(frozen=True)
class Method:
    """A method as it is found on a class.

    Args:
        function_id: of `python_functions`.
        name: in full, with the class that defines it: `torch.optim.optimizer.Optimizer.zero_grad`.
        owner: the class that was asked for, by its public name if it has one.
        owner_id: the same class, of `python_classes`.
        inherited: whether another class defines it.
        class_id: the class that defines it, of `python_classes`.
    """

    function_id: int
    name: str
    owner: str
    owner_id: int
    inherited: bool
    class_id: int


def find_method(conn: sqlite3.Connection, text: str) -> Method | None:
    """Find the method that a dotted name means, on its class or on the base that Python finds it on.

    Of several classes of a bare name, the one of
    torch.nn or torch.optim, then the one with the shortest public name.

    Args:
        conn: an index.
        text: class and method, the class with its module, as users import it or bare.

    Returns:
        The method, or None where there is no such class or none of its bases has the method.
    """
    form = parse(text, frozenset())
    written = form.text if form is not None else text
    for name in dict.fromkeys((text, written)):
        owner, _, member = name.rpartition(".")
        if not owner or not member.isidentifier():
            continue
        rows = conn.execute(
            statements(_SQL)["method"],
            {"owner": owner, "last": owner.rpartition(".")[2], "member": member},
        ).fetchall()
        if rows:
            owner_id = rows[0]["owner_id"]
            at = {entry.class_id: n for n, entry in enumerate(ancestors(conn, owner_id))}
            row = min(rows, key=lambda found: at[found["class_id"]])
            inherited = row["class_id"] != owner_id
            return Method(
                row["id"], row["name"], row["owner"], owner_id, inherited, row["class_id"]
            )
    return None


def find_bound(conn: sqlite3.Connection, name: str, method: Method | None) -> str | None:
    """What a class has under a name from a base that C++ fills: `torch._C.TensorBase.add` of `torch.nn.Parameter.add`.

    Args:
        conn: an index.
        name: in full: torch.UntypedStorage.copy_.
        method: what `find_method` found; a class that stands before its own in the order comes first.
    """
    owner, _, member = name.rpartition(".")
    row = conn.execute(statements(_SQL)["class_id"], {"name": owner}).fetchone()
    for entry in ancestors(conn, row["id"]) if row is not None else ():
        if method is not None and entry.class_id == method.class_id:
            return None
        if entry.class_id is None:
            names = json.dumps([f"{entry.name}.{member}"])
            bound = conn.execute(statements(_SQL)["bound_in"], {"names": names}).fetchone()
            if bound is not None:
                return str(bound["name"])
    return None
