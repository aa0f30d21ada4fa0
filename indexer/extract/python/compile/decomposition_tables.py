"""How a file makes tables of decompositions: `get_decompositions`, `remove_decompositions`, `pop`.

The rules are those of `torch/_decomp/__init__.py`.
"""

from __future__ import annotations

from typing import Any

from indexer.extract.python.compile.collected import Collected
from indexer.extract.python.compile.values import TablePart, TableValue
from indexer.extract.python.registrations_values import UNKNOWN, Bound
from indexer.facts.compile import TableStep


class TableCalls(Collected):
    """Calls that make tables."""

    def steps(self, table: str, value: TableValue) -> None:
        """Keep the steps that make a table.

        Args:
            table: its dotted name; that of a function ends with `()`.
            value: that the steps are taken from, in their order.
        """
        for part in value.parts:
            if part.action == "merge":
                self.add(TableStep(table, "merge", part.source, "", False, part.line))
            for operator, packet in part.operators:
                self.add(TableStep(table, "get", part.source, operator, packet, part.line))

    def get_decompositions(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """What `get_decompositions(aten_ops, type)` gives; the rule is that of `torch/_decomp/__init__.py`.

        Args:
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.

        Returns:
            A table of one part, from the registry `type` or else that of post_autograd.
        """
        kind = keywords.get("type", arguments[1] if len(arguments) > 1 else "post_autograd")
        operators = self.named(arguments[0] if arguments else keywords.get("aten_ops"), line)
        return TableValue((TablePart("get", str(kind), tuple(operators), line),))

    def remove_decompositions(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Keep what `remove_decompositions(table, operators)` (`torch/_decomp/__init__.py`) takes out of a named table.

        Args:
            arguments: the values given by their order; nothing is kept of a call that has not both so.
            keywords: those given by name.
            line: 1-based, of the call.
        """
        if len(arguments) == 2:
            table = self.table_name(arguments[0])
            for operator, packet in self.named(arguments[1], line) if table else ():
                self.add(TableStep(table, "remove", "", operator, packet, line))
        return None

    def table_method(self, callee: Bound, arguments: tuple[Any, ...], line: int) -> Any:
        """Keep what `table.pop(operator)` and `table.update(other)` do to a named table.

        Args:
            callee: the method, with the table that it is of.
            arguments: the values given by their order.
            line: 1-based, of the call.

        Returns:
            UNKNOWN.
        """
        table = self.table_name(callee.owner)
        if table and callee.name == "pop" and arguments:
            for operator, packet in self.named(arguments[0], line):
                self.add(TableStep(table, "remove", "", operator, packet, line))
        if table and callee.name == "update" and isinstance(arguments[0], TableValue):
            self.steps(table, arguments[0])
        return UNKNOWN
