"""Operators whose very name, or that of an overload, a text is."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from torchtalk.names.forms import parse
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"


@dataclass(frozen=True)
class Overloads:
    """What a text names.

    Args:
        base: of the operators: `add`; empty where it names none.
        packets: the operators, aten's first: `aten::add`.
        overloads: the overloads, where it names one of those: `aten::add.Tensor`.
        missing: what to say of an overload that there is not.
    """

    base: str = ""
    packets: tuple[str, ...] = ()
    overloads: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def named_overloads(conn: sqlite3.Connection, text: str) -> Overloads:
    """Find them; of a bare word alone, which may be the name of anything, none.

    Args:
        conn: an index.
        text: `aten::add`, `add.Tensor`, `torch.ops.aten.add.Tensor`.
    """
    sql = statements(_SQL)
    form = parse(text, frozenset(row[0] for row in conn.execute(sql["namespaces"])))
    if form is None or (form.kind != "operator" and form.overload is None):
        return Overloads()
    wanted = {"base": form.base, "namespace": form.namespace, "overload": form.overload}
    rows = conn.execute(sql["operator"], wanted).fetchall()
    exact = bool(rows)
    if not exact and form.overload is not None:
        rows = conn.execute(sql["operator"], {**wanted, "overload": None}).fetchall()
    if not rows:
        return Overloads()
    packets = tuple(dict.fromkeys(f"{row['namespace']}::{row['base']}" for row in rows))
    if exact:
        names = tuple(row["name"] for row in rows) if form.overload else ()
        return Overloads(form.base, packets, names)
    overload = form.overload or "without a name"
    return Overloads(
        form.base, packets, (), tuple(f"{p} has no overload {overload}" for p in packets)
    )
