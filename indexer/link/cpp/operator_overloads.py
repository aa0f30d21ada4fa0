"""Which overloads of an operator a C++ call of so many arguments can mean."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from typing import NamedTuple

_OPTIONS = ("dtype", "layout", "device", "pin_memory")
"""Arguments that the C++ API takes as one TensorOptions (torchgen/model.py, TensorOptionsArguments)."""


class _Overload(NamedTuple):
    """An overload and the numbers of arguments that it takes.

    Args:
        operator: its id.
        kind: of the operator.
        variants: function, method or both.
        least: arguments of a C++ call without those that have a default.
        most: all, with one TensorOptions in the place of four.
        faithful: all, each on its own.
        by_hand: it has a C++ function that PyTorch's authors wrote, in the place of a generated one.
    """

    operator: int
    kind: str
    variants: str
    least: int
    most: int
    faithful: int
    by_hand: bool


class Overloads:
    """The overloads of every operator with the number of arguments that their C++ functions take.

    Args:
        conn: a database with operators and arguments.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._by_base: dict[str, list[_Overload]] = defaultdict(list)
        arguments: dict[int, list[tuple[str, bool, bool]]] = defaultdict(list)
        for operator, name, default, is_out in conn.execute(
            "SELECT operator_id, name, default_value, is_out FROM arguments ORDER BY operator_id, position"
        ):
            arguments[operator].append((name, default is not None, bool(is_out)))
        for operator, base, kind, variants, by_hand in conn.execute(
            "SELECT id, base, kind, variants, manual_cpp_binding FROM operators"
            " WHERE namespace = 'aten' AND origin <> 'library' ORDER BY id"
        ):
            self._by_base[base].append(
                _overload(
                    operator, kind, variants or "function", arguments[operator], bool(by_hand)
                )
            )

    def of_function(
        self, name: str, arguments: int | None, *, all_variants: bool = False
    ) -> list[int]:
        """Ids of the operators that `at::NAME(…)` can mean.

        Args:
            name: as called: a base, with `_out`, `_outf` or `_symint` behind it where it is one of these
                (torchgen/api/cpp.py, name).
            arguments: how many; None where that is not known.
            all_variants: whether those that are methods alone have a function there too.
        """
        for suffix, wants_out in (("", False), ("_symint", False), ("_out", True), ("_outf", True)):
            known = self._by_base.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
            found = [o for o in known or () if (o.kind == "out") == wants_out]
            if found:
                return [
                    o.operator
                    for o in found
                    if (all_variants or "function" in o.variants) and _fits(o, arguments)
                ]
        return []

    def of_redispatch(self, name: str, arguments: int | None) -> list[int]:
        """Ids of the operators that `at::redispatch::NAME(keys, …)` can mean.

        See torchgen/gen.py, ComputeRedispatchFunction.

        Args:
            name: as called.
            arguments: how many, the keys among them; None for not known.
        """
        count = None if arguments is None else arguments - 1
        return self.of_function(name, count, all_variants=True) or self.of_function(
            name, None, all_variants=True
        )

    def of_method(self, name: str, arguments: int | None) -> list[int]:
        """Ids of the operators that `tensor.NAME(…)` can mean.

        Args:
            name: as called.
            arguments: how many, the tensor not among them; None for not known.
        """
        known = self._by_base.get(name.removesuffix("_symint"), ())
        count = None if arguments is None else arguments + 1
        # `self.size(0)`: what aten::size.int is as a method, TensorBase.h has, and that calls no operator.
        if any(o.by_hand and "method" not in o.variants and _fits(o, count) for o in known):
            return []
        return [
            o.operator
            for o in known
            if o.kind != "out" and "method" in o.variants and _fits(o, count)
        ]


def _overload(
    operator: int,
    kind: str,
    variants: str,
    arguments: list[tuple[str, bool, bool]],
    by_hand: bool,
) -> _Overload:
    names = tuple(name for name, _, _ in arguments)
    grouped = 0
    if all(option in names for option in _OPTIONS):
        grouped = len(_OPTIONS) - 1
    required = sum(not has_default for _, has_default, _ in arguments)
    options = [has_default for name, has_default, _ in arguments if name in _OPTIONS]
    if grouped:
        # One TensorOptions in the place of four; it may be left out where all of them may.
        required -= sum(not has_default for has_default in options)
        required += not all(options)
    return _Overload(operator, kind, variants, required, len(names) - grouped, len(names), by_hand)


def _fits(overload: _Overload, arguments: int | None) -> bool:
    return (
        arguments is None
        or overload.least <= arguments <= overload.most
        or arguments == overload.faithful
    )
