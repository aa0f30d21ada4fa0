"""What tables of decompositions hold in the end: their steps carried out in order.

The rules are those of torch/_decomp/__init__.py (`get_decompositions`, `remove_decompositions`) and
of torch/export/decomp_utils.py (`CustomDecompTable`), which adds the operators that are
CompositeImplicitAutograd and neither alias nor mutate (torch/_export/utils.py,
`_is_preservable_cia_op`) and that newer versions do not keep on purpose (`PRESERVED_ATEN_CIA_OPS`). One operator
is always decomposed, since its schema does not say that it mutates: torch/_decomp/__init__.py
(`_should_decompose_because_unsafe_op`) names it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from indexer.facts.decomposition_tables import INDUCTOR_TABLE, POST_AUTOGRAD_TABLE
from indexer.link.compile.operators import Operators

_CUSTOM = "CustomDecompTable()"
_SCHEMA_IS_WRONG = "aten::native_batch_norm"


class Row(NamedTuple):
    """One operator of a table: where it comes from, or where it is taken out.

    Args:
        entry_id: of the row of `compile_entries` that it has in the table, or None.
        removed: it is taken out.
        file_id: of the file with the step.
        line: of the step, 1-based.
    """

    entry_id: int | None
    removed: bool
    file_id: int | None
    line: int | None


class Tables:
    """Carries out the steps of the tables.

    Args:
        conn: the index, with `compile_entries` filled.
        operators: its operators.
    """

    def __init__(self, conn: sqlite3.Connection, operators: Operators) -> None:
        self._conn = conn
        self._operators = operators
        self._done: dict[str, dict[str, Row]] = {}
        self._steps: dict[str, list[tuple[str, str, str, bool, int, int]]] = {}
        for table, *step in conn.execute(
            "SELECT table_name, action, source, operator, all_overloads, file_id, line"
            " FROM compile_table_steps ORDER BY id"
        ):
            self._steps.setdefault(table, []).append(tuple(step))
        self._registries: dict[str, dict[str, int]] = {}
        self._own: dict[str, list[tuple[str, int, int, int]]] = {}
        for identity, table, operator, file_id, line in conn.execute(
            "SELECT id, table_name, operator, file_id, line FROM compile_entries"
            " WHERE role IN ('decomposition', 'meta') AND table_name IS NOT NULL AND NOT is_conditional ORDER BY id"
        ):
            self._registries.setdefault(table, {}).setdefault(operator, identity)
            self._own.setdefault(table, []).append((operator, identity, file_id, line))

    @property
    def names(self) -> list[str]:
        """Every table that has steps."""
        return list(self._steps)

    def rows(self, table: str) -> dict[str, Row]:
        """The operators of a table, in the order in which they came in."""
        if table in self._done:
            return self._done[table]
        found: dict[str, Row] = {}
        self._done[table] = found  # a table that merges itself ends here
        if table.endswith(_CUSTOM):
            found.update(self.rows(POST_AUTOGRAD_TABLE))
            found.update(self._composite())
            return found
        short = "inductor" if table == INDUCTOR_TABLE else table
        pending = sorted(self._own.get(short, ()), key=lambda own: own[3])
        for action, source, operator, packet, file_id, line in self._steps.get(table, ()):
            while pending and pending[0][3] < line and not table.endswith("()"):
                self._register(found, *pending.pop(0))
            if action == "merge":
                found.update(self.rows(self._known(source)))
            elif action == "get":
                registry = self._registries.get(source, {})
                for name in self._operators.overloads(operator, packet):
                    if name in registry:
                        found[name] = Row(registry[name], False, file_id, line)
            else:
                for name in self._operators.overloads(operator, packet):
                    if name in found:
                        found[name] = Row(found[name].entry_id, True, file_id, line)
        for own in pending:
            self._register(found, *own)
        return found

    @staticmethod
    def _register(
        found: dict[str, Row], operator: str, identity: int, file_id: int, line: int
    ) -> None:
        found[operator] = Row(identity, False, file_id, line)

    def _known(self, source: str) -> str:
        """A table by the name it has where it is made; modules hand functions on."""
        if source in self._steps or source.endswith(_CUSTOM):
            return source
        last = source.rpartition(".")[2]
        fitting = [name for name in self._steps if name.rpartition(".")[2] == last]
        return fitting[0] if fitting else source

    def _composite(self) -> Iterator[tuple[str, Row]]:
        rows = self._conn.execute(
            # A Python kernel (py_impl) goes before the C++ one: it is registered later.
            "SELECT e.operator, max(e.id), e.file_id, e.line FROM compile_entries AS e"
            " JOIN operators AS o ON o.id = e.operator_id"
            " JOIN source_files AS f ON f.id = e.file_id"
            " WHERE e.table_name = 'CompositeImplicitAutograd'"
            # What libtorch itself has; other libraries' operators come when they are loaded.
            " AND (f.path LIKE 'aten/%' OR f.path LIKE 'torch/%' OR f.path LIKE 'torchgen/%')"
            " AND NOT EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id"
            "                 AND a.alias_annotation IS NOT NULL)"
            " AND NOT EXISTS (SELECT 1 FROM operator_tags AS t WHERE t.operator_id = o.id"
            "                 AND t.tag = 'maybe_aliasing_or_mutating')"
            " AND e.operator <> ?"
            " AND NOT EXISTS (SELECT 1 FROM compile_lists AS l WHERE l.operator = e.operator"
            "                 AND (l.name LIKE '%.metadata_fns' OR l.name LIKE '%.PRESERVED_ATEN_CIA_OPS'))"
            " GROUP BY e.operator ORDER BY max(e.id)",
            (_SCHEMA_IS_WRONG,),
        ).fetchall()
        for operator, identity, file_id, line in rows:
            yield operator, Row(identity, False, file_id, line)
