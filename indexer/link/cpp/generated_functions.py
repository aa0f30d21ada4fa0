"""What functions and methods of the generated API return (torchgen/api/cpp.py, returns_type)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection


def tensor_functions(conn: sqlite3.Connection) -> tuple[set[str], set[str]]:
    """Functions and methods that return tensors, by the names of their operators.

    Args:
        conn: a database that holds operators.

    Returns:
        Those that return one tensor, whichever overload is meant; and those whose overloads that return several things
        return tensors.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for base, count, are_tensors in conn.execute(
        "SELECT o.base, count(*), min(r.type = 'Tensor') FROM operators AS o"
        " JOIN returns AS r ON r.operator_id = o.id"
        " WHERE o.namespace = 'aten' AND o.origin = 'yaml' AND o.kind <> 'out' GROUP BY o.id"
    ):
        found.setdefault(base, []).append((count, are_tensors))
    one = {base for base, each in found.items() if all(count == 1 and are for count, are in each)}
    several = {base: [are for count, are in each if count > 1] for base, each in found.items()}
    return one, {base for base, are in several.items() if are and all(are)}


def is_generated(name: str, functions: Collection[str]) -> bool:
    """Whether a name is that of a generated function: `at::add`, `at::cpu::add`.

    Of an operator's struct too, which has the overload behind the name: `at::_ops::add_Tensor::call`.

    Args:
        name: as written, of what the tree does not define.
        functions: the names of some operators.
    """
    scope, _, last = name.removeprefix("::").rpartition("::")
    space, _, struct = scope.rpartition("::")
    if space.rpartition("::")[2] == "_ops":
        parts = struct.split("_")
        return last in ("call", "redispatch") and any(
            "_".join(parts[:end]) in functions for end in range(len(parts), 0, -1)
        )
    # A key has a namespace of its own (torchgen/api/types/signatures.py, `at::{dispatch_namespace}`).
    is_api = scope in ("at", "torch", "") or (space == "at" and struct.islower())
    return is_api and last.removesuffix("_symint") in functions
