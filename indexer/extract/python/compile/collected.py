"""What a file's registrations are collected in: facts, and what could not be read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from indexer.extract.python.compile.bodies import Bodies, on_one_line
from indexer.extract.python.compile.values import named_function, named_operator
from indexer.extract.python.registrations_builtins import leaves
from indexer.extract.python.registrations_values import Function, Partial, Ref
from indexer.facts.compile import (
    CompileRegistration,
    CompileRole,
    GraphPattern,
    OperatorListing,
    TableStep,
)

Fact = CompileRegistration | TableStep | OperatorListing | GraphPattern


class Collected:
    """Facts of one file, in the order in which they were found, each once.

    Args:
        module: the file's dotted name.
        bodies: what its functions' texts hold.
    """

    def __init__(self, module: str, bodies: Bodies) -> None:
        self.module = module
        self.bodies = bodies
        self.found: dict[Fact, None] = {}
        self.unread: dict[tuple[int, str], None] = {}
        self.within: Callable[[], str] = lambda: ""
        self.globals: Callable[[], dict[str, Any]] = dict
        self._without = ""
        self._under = ""

    def assume(self, field: str) -> None:
        """Have what is kept from now on hold only for records without `field`; for all again with ""."""
        self._without = field

    def under(self, condition: str) -> None:
        """Have what is kept from now on stand under `condition`, the text of a module's `if`; under none with ""."""
        self._under = condition

    def table_name(self, value: Any) -> str:
        """The dotted name of `value`, a registry: a dictionary of this file is known by its variable; "" for others."""
        if isinstance(value, Ref):
            return value.path
        for name, known in self.globals().items():
            if known is value:
                return f"{self.module}.{name}"
        return ""

    def add(self, fact: Fact) -> None:
        """Keep a fact, if it is new."""
        self.found.setdefault(fact)

    def named(self, value: Any, line: int) -> list[tuple[str, bool]]:
        """The operators among the items of a value; those that are none are kept as unread.

        Args:
            value: an operator, or nested lists of such.
            line: 1-based, of the statement.

        Returns:
            Each operator's name, and whether it stands for all overloads, as `named_operator` has them.
        """
        found = []
        for item in leaves(value):
            operator = named_operator(item)
            if operator is None:
                self.unread.setdefault((line, "an operator that only a run tells"))
            else:
                found.append(operator)
        return found

    def emit(
        self, role: CompileRole, operators: Any, function: Any, line: int, table: str, how: str
    ) -> None:
        """Keep what a function is given to, operator by operator.

        Args:
            role: what the function is for.
            operators: one, or nested lists of such; of the role `fake` it may be a predicate of the file.
            function: as a value of the file.
            line: 1-based, of the statement.
            table: dotted name of the registry.
            how: name of the call that registers.
        """
        name, function_line = named_function(function, self.module)
        within = self.within()
        condition = (
            f"when {within}() runs" if within else f"if {self._under}" if self._under else ""
        )
        kernels = self.bodies.kernels(_node(function)) if role == "lowering" else ""
        if role == "fake" and isinstance(operators, Function):
            lambda_only = isinstance(operators.node, ast.Lambda)
            condition = (
                f"if {on_one_line(operators.node) if lambda_only else shown(operators) + '(func)'}"
            )
            self.add(
                CompileRegistration(
                    role, "", False, name, function_line, table, how, "", condition, line
                )
            )
            return
        for operator, packet in self.named(operators, line):
            if self._without:
                operator = operator.replace("}", f"!{self._without}}}")
            if role == "fake" and "::" not in operator:
                condition, operator = f"if {operator}(func)", ""
            self.add(
                CompileRegistration(
                    role,
                    operator,
                    packet,
                    name,
                    function_line,
                    table,
                    how,
                    kernels,
                    condition,
                    line,
                )
            )


def shown(function: Function) -> str:
    """A function's `__name__`."""
    return function.shown or function.name.rsplit(".", 1)[-1]


def _node(function: Any) -> ast.AST | None:
    while isinstance(function, Partial):
        function = function.callee
    return function.node if isinstance(function, Function) else None
