"""What the tables have of operators and of names that are bound in C++, as `natives` wants it."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

TENSOR_BASE = "torch._C.TensorBase"
OLD_TENSOR_BASE = "torch._C._TensorBase"
"""Its name in 1.13."""
# What Python calls of the rest that C++ binds (`bindings.form`).
_BOUND_CLASSES = ("class", "type")
_BOUND_FORMS = ("function", "method", "static_method", "method_table", *_BOUND_CLASSES)


class OperatorRow(NamedTuple):
    """What of an operator matters for its bindings: a row of `operators`, `func` being the schema's text.

    Args:
        id: and name, namespace, base, overload, kind, variants, python_module, origin, func: as in the table.
        is_hidden: the generator made it, and not as a view's copy: Python sees it in torch.ops alone.
        is_manual: its C++ binding is written by hand.
        is_inline: that, and it returns no tensor.
    """

    id: int
    name: str
    namespace: str
    base: str
    overload: str
    kind: str
    variants: str
    python_module: str | None
    origin: str
    func: str
    is_hidden: bool
    is_manual: bool
    is_inline: bool


def read_written(
    conn: sqlite3.Connection, modules: set[str]
) -> list[tuple[str, str, str, str, int, int]]:
    """What sources and stubs write, the stubs last.

    A stub says no more than a name, and most of its classes and modules are pybind11's: their `add`
    is no operator. So it counts only for the tensor's class and for the modules that
    tools/autograd/gen_python_functions.py fills with operators.

    Args:
        conn: the database.
        modules: dotted names of those modules.

    Returns:
        Owner, name, operators, how it is known, file and line.
    """
    found = []
    for owner, *rest in conn.execute(
        "SELECT owner, name, operators, how, file_id, line FROM python_native_bindings"
        " WHERE how NOT IN ('class', 'value') ORDER BY how IN ('stub', 'property'), file_id, line, name"
    ):
        owner = TENSOR_BASE if owner == OLD_TENSOR_BASE else owner
        if rest[2] != "stub" or owner == TENSOR_BASE or owner in modules:
            found.append((owner, *rest))
    return found


def read_operators(conn: sqlite3.Connection) -> list[OperatorRow]:
    """The operators of the database `conn`, in the order of their ids."""
    return [
        OperatorRow(*row)
        for row in conn.execute(
            "SELECT o.id, o.name, o.namespace, o.base, o.overload, o.kind, o.variants,"
            " o.python_module, o.origin, coalesce(o.schema, ''),"
            " EXISTS (SELECT 1 FROM operator_tags AS t WHERE t.operator_id = o.id"
            "         AND t.tag = 'generated')"
            " AND NOT EXISTS (SELECT 1 FROM operator_tags AS t WHERE t.operator_id = o.id"
            "         AND t.tag = 'view_copy'),"
            " o.manual_cpp_binding, o.manual_cpp_binding AND NOT EXISTS (SELECT 1 FROM returns AS r"
            "   WHERE r.operator_id = o.id AND r.type LIKE 'Tensor%')"
            " FROM operators AS o ORDER BY o.id"
        )
    ]


def read_bound(conn: sqlite3.Connection) -> dict[str, bool]:
    """What C++ binds to functions and classes of its own, by its name in Python, and whether it is a class.

    Args:
        conn: the database; its bindings must be linked.
    """
    return {
        name: form in _BOUND_CLASSES
        for name, form in conn.execute(
            "SELECT python_name, form FROM bindings WHERE python_name IS NOT NULL ORDER BY id"
        )
        if form in _BOUND_FORMS
    }


def read_rules(conn: sqlite3.Connection) -> dict[str, list[tuple[str, str]]]:
    """The rules of tools/autograd/gen_python_functions.py, by kind: each as its kind and value.

    Args:
        conn: the database.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for kind, value in conn.execute(
        "SELECT kind, value FROM python_binding_rules ORDER BY file_id, line, value"
    ):
        found.setdefault(kind, []).append((kind, value))
    return found


def read_returns(conn: sqlite3.Connection) -> dict[int, str]:
    """What operators return as Python would write it, by their ids; empty where it is no tensor.

    Args:
        conn: the database.
    """
    types: dict[int, list[str]] = {}
    for operator, kind in conn.execute(
        "SELECT operator_id, type FROM returns ORDER BY operator_id, position"
    ):
        types.setdefault(operator, []).append(kind)
    found = {}
    for operator, kinds in types.items():
        first = kinds[0]
        if len(kinds) > 1 or first.startswith("Tensor["):
            found[operator] = "list(torch.Tensor())" if first.startswith("Tensor") else ""
        else:
            found[operator] = "torch.Tensor()" if first.startswith("Tensor") else ""
    return found
