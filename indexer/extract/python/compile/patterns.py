"""Patterns that Inductor's passes look for (`torch/_inductor/pattern_matcher.py`)."""

from __future__ import annotations

from typing import Any

from indexer.extract.python.compile.bodies import mentioned
from indexer.extract.python.compile.collected import Collected
from indexer.extract.python.compile.values import (
    PassValue,
    PatternValue,
    named_function,
    named_operator,
)
from indexer.extract.python.registrations_values import UNKNOWN, Function, Partial, Pending, Ref
from indexer.facts.compile import GraphPattern


class PatternCalls(Collected):
    """Calls that register patterns."""

    def graph_pattern(self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int) -> Any:
        """What `register_graph_pattern(pattern, pass_dict=…)` gives: a decorator that waits for its function.

        Args:
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.
        """
        pattern = arguments[0] if arguments else keywords.get("pattern")
        return Pending("pattern", ("graph", pattern, keywords.get("pass_dict")), {}, line)

    def lowering_pattern(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """What `register_lowering_pattern(pattern, pass_dict=…)` gives: a decorator that waits for its function.

        Args:
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.
        """
        pattern = arguments[0] if arguments else keywords.get("pattern")
        return Pending("pattern", ("lowering", pattern, keywords.get("pass_dict")), {}, line)

    def named_replacement(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Keep what `gen_register_replacement(name, search_fn, …)` registers.

        Args:
            arguments: the values given by their order, the name first.
            keywords: those given by name.
            line: 1-based, of the call.

        Returns:
            UNKNOWN.
        """
        return self.replacement(arguments[1:], keywords, line)

    def replacement(self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int) -> Any:
        """Keep what `register_replacement(search_fn, replace_fn, inputs, trace_fn, passes)` registers.

        Args:
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.

        Returns:
            UNKNOWN.
        """
        searched = arguments[0] if arguments else keywords.get("search_fn", UNKNOWN)
        replaced = arguments[1] if len(arguments) > 1 else keywords.get("replace_fn", UNKNOWN)
        passes = arguments[4] if len(arguments) > 4 else keywords.get("pass_dicts")
        operators: tuple[str, ...] = ()
        while isinstance(searched, Partial):
            searched = searched.callee
        if isinstance(searched, Function):
            operators = mentioned(searched.node)
        name = named_function(replaced, self.module)[0]
        self.pattern("replacement", searched, name, passes, operators, line)
        return UNKNOWN

    def pattern(
        self,
        form: str,
        function: Any,
        replacement: str,
        passes: Any,
        operators: tuple[str, ...],
        line: int,
    ) -> None:
        """Keep a pattern, unless neither a function nor a replacement nor an operator of it is known.

        Args:
            form: `graph`, `lowering` or `replacement`.
            function: that is called for what fits, or that is searched for, as a value of the file.
            replacement: dotted name of the function that is put in place; "" where there is none.
            passes: the pass or passes that it is registered for, as a value of the file.
            operators: that the pattern names.
            line: 1-based, of the call.
        """
        name, function_line = named_function(function, self.module)
        if not (name or replacement or operators):
            return  # what hands its own arguments on, as gen_register_replacement does
        self.add(
            GraphPattern(
                form, name, function_line, replacement, self._pass_name(passes), operators, line
            )
        )

    def _pass_name(self, value: Any) -> str:
        listed = value if isinstance(value, (list, tuple)) else [value]
        names = []
        for item in listed:
            if isinstance(item, Ref):
                names.append(item.path)
                continue
            for name, known in self.globals().items():
                if known is item and isinstance(item, PassValue):
                    names.append(f"{self.module}.{name}")
                elif isinstance(known, list) and isinstance(item, PassValue) and item in known:
                    names.append(f"{self.module}.{name}[{known.index(item)}]")
        return ", ".join(dict.fromkeys(names))


def operators_in(values: tuple[Any, ...]) -> list[str]:
    """Names of the operators in `values`, the arguments of a pattern expression, nested ones included."""
    found: list[str] = []
    for value in values:
        if isinstance(value, PatternValue):
            found.extend(value.operators)
        elif isinstance(value, (list, tuple)):
            found.extend(operators_in(tuple(value)))
        elif isinstance(value, dict):
            found.extend(operators_in(tuple(value.values())))
        elif isinstance(value, Ref):
            operator = named_operator(value)
            if operator is not None and not value.path.startswith("builtins."):
                found.append(operator[0])
    return found
