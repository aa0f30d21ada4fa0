"""What calls of torch.compile's registering functions register.

The rules are those of `torch/_decomp/__init__.py` (`register_decomposition`, `get_decompositions`,
`remove_decompositions`), `torch/_inductor/lowering.py` (`register_lowering`, `make_fallback`,
`fallback_handler`, `_register_foreach_lowering`), `torch/_subclasses/fake_impls.py`
(`register_op_impl`), `torch/_refs/__init__.py` (`_make_inplace`,
`_make_elementwise_unary_reference`) and `torch/_inductor/pattern_matcher.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from indexer.extract.python.compile.bodies import Bodies
from indexer.extract.python.compile.collected import Fact, shown
from indexer.extract.python.compile.decomposition_tables import TableCalls
from indexer.extract.python.compile.patterns import PatternCalls, operators_in
from indexer.extract.python.compile.values import (
    PassValue,
    PatternValue,
    TablePart,
    TableValue,
    named_operator,
)
from indexer.extract.python.registrations_builtins import leaves
from indexer.extract.python.registrations_values import UNKNOWN, Bound, Function, Pending, Ref
from indexer.facts.compile import OperatorListing

__all__ = ["CompileApi", "Fact"]

_DECOMP = "torch._decomp"
_LOWERING = "torch._inductor.lowering"
_LOWERINGS = f"{_LOWERING}.lowerings"
_FAKE = "torch._subclasses.fake_impls"
_MATCHER = "torch._inductor.pattern_matcher"
_REGISTRY = f"{_DECOMP}.global_decomposition_table"


class CompileApi(TableCalls, PatternCalls):
    """Collects what one file registers.

    Args:
        module: its dotted name.
        bodies: what its functions' texts hold.
    """

    def __init__(self, module: str, bodies: Bodies) -> None:
        super().__init__(module, bodies)
        self._calls: dict[str, Callable[[tuple[Any, ...], dict[str, Any], int], Any]] = {
            f"{_DECOMP}.register_decomposition": self._register_decomposition,
            f"{_DECOMP}.get_decompositions": self.get_decompositions,
            f"{_DECOMP}.remove_decompositions": self.remove_decompositions,
            f"{_LOWERING}.register_lowering": self._register_lowering,
            f"{_LOWERING}._register_foreach_lowering": self._foreach_lowering,
            f"{_LOWERING}.make_fallback": self._make_fallback,
            f"{_LOWERING}.fallback_handler": self._fallback_handler,
            f"{_FAKE}.register_op_impl": self._register_fake,
            f"{_FAKE}.register_fast_op_impl": self._register_fast,
            "torch._refs._make_inplace": self._make_inplace,
            "torch._refs._make_elementwise_unary_reference": self._make_reference,
            "torch._refs._make_elementwise_binary_reference": self._make_reference,
            f"{_MATCHER}.PatternMatcherPass": lambda *given: PassValue(given[2]),
            f"{_MATCHER}.register_graph_pattern": self.graph_pattern,
            f"{_MATCHER}.register_lowering_pattern": self.lowering_pattern,
            f"{_MATCHER}.register_replacement": self.replacement,
            f"{_MATCHER}.gen_register_replacement": self.named_replacement,
        }

    # What the interpreter asks

    def knows(self, path: str) -> bool:
        """Whether `path` is the dotted name of a function whose calls are told of, not followed.

        The makers of torch._refs are followed all the same.
        """
        return path in self._calls and not path.startswith("torch._refs.")

    def schema(self, operator: Ref) -> Any:
        """UNKNOWN for every `operator`: nothing that torch.compile registers asks for a schema."""
        return UNKNOWN

    def call(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """What a call gives, after what it registers was kept.

        Args:
            callee: what is called, as a value of the file.
            arguments: the values given by their order.
            keywords: the values given by name.
            line: the 1-based line that what is registered is said to stand on.

        Returns:
            UNKNOWN where nobody knows.
        """
        if isinstance(callee, Pending):
            return self._complete(callee, arguments)
        if isinstance(callee, Bound) and isinstance(callee.owner, TableValue):
            return self.table_method(callee, arguments, line)
        if not isinstance(callee, Ref):
            return UNKNOWN
        path = callee.path
        found = self._calls.get(path)
        if found is not None:
            return found(arguments, keywords, line)
        owner, _, last = path.rpartition(".")
        whole = path in ("builtins.dict.fromkeys", "builtins.frozenset")
        if whole and arguments and isinstance(arguments[0], (list, tuple)):
            return list(arguments[0])
        if last == "overloads":
            return ["*"]  # `for overload in packet.overloads()`: all of them
        if last == "op_overloads":
            return [Ref(owner)]
        if owner == _MATCHER:
            return PatternValue(
                tuple(dict.fromkeys(operators_in((*arguments, *keywords.values()))))
            )
        if last == "pointwise_ops":
            return [Ref("torch.ops.aten.<tag:pointwise>")]  # torch/_functorch/partitioners.py
        if last == "CustomDecompTable" or (
            "decomp" in last and last.endswith(("decompositions", "decomps", "decomp_table"))
        ):
            return TableValue((TablePart("merge", f"{path}()", (), line),))
        if last.endswith("set") and len(arguments) > 1:
            return list(arguments)  # ordered_set(a, b, …)
        if last == "OrderedSet" and arguments and isinstance(arguments[0], (list, tuple)):
            return list(arguments[0])
        if last in ("cast", "no_type_check") and arguments:
            return arguments[-1]
        return UNKNOWN

    def assigned(self, name: str, value: Any, line: int) -> None:
        """Keep the steps of a module's table, or the operators that a list names.

        Args:
            name: of the variable within the module; in a function `function.name`, whose tables are not kept.
            value: that it was set to.
            line: 1-based, of the assignment.
        """
        if isinstance(value, TableValue):
            if "." not in name:
                self.steps(f"{self.module}.{name}", value)
            return
        for item in leaves(value):
            operator = named_operator(item)
            if operator is not None and "::" in operator[0]:
                self.add(OperatorListing(f"{self.module}.{name}", *operator, line))

    def returned(self, function: Function, value: Any) -> None:
        """Keep the steps of the table that a function made.

        Args:
            function: one of the file's; of one within another nothing is kept.
            value: that it gave; nothing is kept of what is no table.
        """
        if isinstance(value, TableValue) and ".<locals>." not in function.name:
            self.steps(f"{self.module}.{function.name}()", value)

    # Registrations

    def _register_decomposition(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        registry = arguments[1] if len(arguments) > 1 else keywords.get("registry")
        if registry is None or not arguments:
            return Pending("ignored", (), {}, line)  # the reader of Python registrations has it
        table = self.table_name(registry)
        if keywords.get("unsafe") is True:
            # torch/_decomp/__init__.py: "unsafe kwarg is for reuse of this function for registering
            # non-function things". A pass looks its operators up there (torch/_inductor/fx_passes/
            # post_grad.py: `if node.target in noop_registry`), nothing is decomposed.
            return Pending("looked up", (arguments[0], Ref(table)), {}, line)
        return Pending("decomposition", (arguments[0], table), {}, line)

    def _make_inplace(self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int) -> Any:
        function = arguments[0] if arguments else UNKNOWN
        if isinstance(function, Function):
            self.emit(
                "decomposition", Ref(f"torch.ops.aten.{shown(function)}_"), function, line,
                f"{_REGISTRY}[post_autograd]", "_make_inplace",
            )  # fmt: skip
        return UNKNOWN

    def _make_reference(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        given = keywords.get("aten_op", UNKNOWN)
        listed = keywords.get("should_register_decomposition", True)
        return Pending("ignored" if listed is False else "reference", (given,), {}, line)

    def _register_lowering(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        operators = arguments[0] if arguments else keywords.get("aten_fn", UNKNOWN)
        registry = keywords.get("lowering_dict")
        table = _LOWERINGS if registry is None else self.table_name(registry) or _LOWERINGS
        return Pending("lowering", (operators, table), {}, line)

    def _foreach_lowering(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        if len(arguments) < 2:
            return UNKNOWN
        self.emit("lowering", arguments[0], arguments[1], line, _LOWERINGS, "register_foreach")
        return arguments[1]

    def _make_fallback(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        handler = Ref(f"{_LOWERING}.fallback_handler.<locals>.handler")
        for role in ("lowering", "fallback"):
            self.emit(
                "lowering" if role == "lowering" else "fallback",
                arguments[0] if arguments else UNKNOWN, handler, line, _LOWERINGS, "make_fallback",
            )  # fmt: skip
        return None

    def _fallback_handler(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        handler = Ref(f"{_LOWERING}.fallback_handler.<locals>.handler")
        adds = arguments[1] if len(arguments) > 1 else keywords.get("add_to_fallback_set", True)
        how = "fallback_handler" if adds is True else "fallback_handler, not added to the set"
        if arguments and named_operator(arguments[0]) is not None:
            self.emit("fallback", arguments[0], handler, line, "", how)
        return handler

    def _register_fake(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        return Pending(
            "fake", (arguments[0] if arguments else UNKNOWN, "register_op_impl"), {}, line
        )

    def _register_fast(
        self, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        return Pending(
            "fake", (arguments[0] if arguments else UNKNOWN, "register_fast_op_impl"), {}, line
        )

    def _complete(self, pending: Pending, arguments: tuple[Any, ...]) -> Any:
        function = arguments[0] if arguments else UNKNOWN
        values, line = pending.arguments, pending.line
        if pending.call == "decomposition":
            self.emit(
                "decomposition", values[0], function, line, values[1], "register_decomposition"
            )
        elif pending.call == "reference":
            operator = values[0]
            if operator is UNKNOWN and isinstance(function, Function):
                # torch/_prims_common/__init__.py, get_aten_op: torch._refs.special.x is special_x
                owner = self.module.removeprefix("torch._refs").lstrip(".").replace(".", "_")
                operator = Ref(
                    f"torch.ops.aten.{owner}_{shown(function)}"
                    if owner
                    else f"torch.ops.aten.{shown(function)}"
                )
            if operator is not None:
                self.emit(
                    "decomposition", operator, function, line, f"{_REGISTRY}[post_autograd]",
                    "_make_elementwise_reference",
                )  # fmt: skip
        elif pending.call == "lowering":
            self.emit("lowering", values[0], function, line, values[1], "register_lowering")
        elif pending.call == "fake":
            self.emit("fake", values[0], function, line, f"{_FAKE}.op_implementations", values[1])
        elif pending.call == "looked up":
            given = [item for item in leaves(function) if isinstance(item, Function)]
            self.pattern(
                "graph", given[0] if given else UNKNOWN, "", values[1],
                tuple(dict.fromkeys(operators_in((values[0],)))), line,
            )  # fmt: skip
        elif pending.call == "pattern":
            form, pattern, passes = values
            operators = pattern.operators if isinstance(pattern, PatternValue) else ()
            self.pattern(form, function, "", passes, operators, line)
        return function
