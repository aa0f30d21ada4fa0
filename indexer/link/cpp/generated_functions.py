"""What functions and methods of the generated API return (torchgen/api/cpp.py, returns_type)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

_OF_STRUCTS = ("call", "redispatch")

_TYPES = {"Tensor": "::at::Tensor", "Scalar": "at::Scalar", "Tensor[]": "std::vector<::at::Tensor>"}
"""What C++ has of those that have methods (torchgen/api/cpp.py, returntype_type)."""


def returned_types(conn: sqlite3.Connection) -> tuple[dict[str, str], set[str]]:
    """What functions and methods return, by the names of their operators.

    Args:
        conn: a database that holds operators.

    Returns:
        The type that all overloads of a name return, where it has methods; and the names of those whose overloads that
        return several things return tensors.
    """
    found: dict[str, list[list[str]]] = {}
    last = -1
    for operator, base, of_type in conn.execute(
        "SELECT o.id, o.base, r.type FROM operators AS o JOIN returns AS r ON r.operator_id = o.id"
        " WHERE o.namespace = 'aten' AND o.origin = 'yaml' AND o.kind <> 'out' ORDER BY o.id, r.position"
    ):
        each = found.setdefault(base, [])
        if operator != last:
            each.append([])
            last = operator
        each[-1].append(of_type)
    one = {
        base: each[0][0]
        for base, each in found.items()
        if all(e == each[0] for e in each) and len(each[0]) == 1
    }
    several = {base: [e for e in each if len(e) > 1] for base, each in found.items()}
    return (
        {base: _TYPES[of_type] for base, of_type in one.items() if of_type in _TYPES},
        {base for base, each in several.items() if each and all({*e} == {"Tensor"} for e in each)},
    )


def generated_name(name: str, functions: Collection[str]) -> str:
    """The operator that a generated function is called like, `at::add` or `at::cpu::add`; "" where it is none.

    Of an operator's struct too, which has the overload behind the name: `at::_ops::add_Tensor::call`.

    Args:
        name: as written, of what the tree does not define.
        functions: the names of some operators.
    """
    scope, _, last = name.removeprefix("::").rpartition("::")
    space, _, struct = scope.rpartition("::")
    if space.rpartition("::")[2] == "_ops":
        parts = struct.split("_")
        names = ("_".join(parts[:end]) for end in range(len(parts), 0, -1))
        return next(filter(functions.__contains__, names), "") if last in _OF_STRUCTS else ""
    # A key has a namespace of its own (torchgen/api/types/signatures.py, `at::{dispatch_namespace}`).
    is_api = scope in ("at", "torch", "") or (space == "at" and struct.islower())
    last = last.removesuffix("_symint")
    return last if is_api and last in functions else ""
