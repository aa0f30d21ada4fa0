"""Names of operators: packets, overloads, what C++ calls their out overloads."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from torchtalk.names.forms import Form
from torchtalk.names.meaning import Resolution, Target
from torchtalk.names.torchscript import of_torchscript
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"


class OperatorNames:
    """Finds them in an index.

    Args:
        conn: the index.
        query: as given.
        form: of the name in it.
    """

    def __init__(self, conn: sqlite3.Connection, query: str, form: Form) -> None:
        self._conn = conn
        self._query = query
        self._form = form
        self._sql = statements(_SQL)

    def _rows(self, statement: str, /, **values: str | None) -> list[sqlite3.Row]:
        rows: list[sqlite3.Row] = self._conn.execute(self._sql[statement], values).fetchall()
        return rows

    def _overloads(
        self, base: str, namespace: str | None, overload: str | None
    ) -> list[sqlite3.Row]:
        return self._rows("operator", base=base, namespace=namespace, overload=overload)

    def _found(self, rows: list[sqlite3.Row], *notes: str, api: str | None = None) -> Resolution:
        """The packet of the first row; packets of other namespaces become a note."""
        first = f"{rows[0]['namespace']}::{rows[0]['base']}"
        names = tuple(r["name"] for r in rows if f"{r['namespace']}::{r['base']}" == first)
        others = dict.fromkeys(
            f"{r['namespace']}::{r['base']}" for r in rows if r["name"] not in names
        )
        if others:
            notes = (*notes, f"other operators of this name: {', '.join(others)}")
        single = self._form.overload is not None and len(names) == 1
        return Resolution(
            self._query,
            Target("operator", names[0] if single else first, names),
            api=api,
            notes=notes,
        )

    def _other_overloads(self, rows: list[sqlite3.Row]) -> Resolution | None:
        if not rows or self._form.overload is None:
            return None
        wanted = self._form.overload or "default (the one without a name)"
        note = f"{rows[0]['namespace']}::{rows[0]['base']} has no overload {wanted}"
        form = replace(self._form, namespace=rows[0]["namespace"])
        notes = (note, *of_torchscript(self._conn, form, any_overload=False))
        return Resolution(self._query, candidates=tuple(r["name"] for r in rows), notes=notes)

    def _out(self, base: str) -> list[sqlite3.Row]:
        """`add_out` means the out overloads of `add`."""
        if not base.endswith("_out"):
            return []
        rows = self._overloads(base[: -len("_out")], None, None)
        return [row for row in rows if row["overload"].endswith("out")]

    def _found_or_out(self, rows: list[sqlite3.Row]) -> Resolution:
        """Operators of a library may be called as C++ calls aten's out overloads: both are meant, aten's first."""
        aten = [row for row in self._out(self._form.base) if row["namespace"] == "aten"]
        if not aten or rows[0]["namespace"] == "aten" or self._form.overload is not None:
            return self._found(rows)
        return self._found([*aten, *rows], f"at::{self._form.base} stands for the out overloads")
