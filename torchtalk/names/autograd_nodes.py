"""The nodes of autograd, as tensors show them in `grad_fn`: `AddmmBackward0`.

Their classes are generated. Their names are made here as the generator makes them: tools/autograd/load_derivatives.py
(`_create_op_prefix`, and the counter in `create_differentiability_info`).
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
# `SliceBackward0_copy` is that of slice_copy, with the formulas of slice (add_view_copy_derivatives).
_NODE = re.compile(
    r"(?:torch::autograd::(?:generated::)?)?([A-Z]\w*Backward[A-Za-z]*)(\d*)(_copy)?"
)
# torchgen/api/autograd.py, gen_foreach_derivativeinfo: `ForeachAddBackward1Scalar` is that of _foreach_add.Scalar, with
# the formulas of the operator whose node is AddBackward1.
_FOREACH = re.compile(
    r"(?:torch::autograd::(?:generated::)?)?Foreach((?!Foreach)[A-Z]\w*Backward\d+)([A-Z][A-Za-z]*)?"
)
_DEFAULT = "Default"


@dataclass(frozen=True)
class Node:
    """A class of nodes.

    Args:
        name: `AddmmBackward0`.
        operator: the overload whose entry of derivatives.yaml it is made of.
        file: with the entry.
        line: of the entry's first formula.
    """

    name: str
    operator: str
    file: str
    line: int


def node_named(conn: sqlite3.Connection, text: str) -> Node | None:
    """The node of a name.

    Args:
        conn: an index.
        text: `AddmmBackward0`, `torch::autograd::generated::AddmmBackward0`; without a number it is the first.
    """
    match = _NODE.fullmatch(text)
    if match is None:
        return _of_foreach(conn, text)
    wanted = f"{match[1]}{match[2] or 0}"
    numbers: Counter[str] = Counter()
    for row in conn.execute(statements(_SQL)["differentiated"]):
        prefix = _prefix(row["operator"]) + (
            row["dispatch_key"] if row["dispatch_key"] != _DEFAULT else ""
        )
        name = f"{prefix}{numbers[prefix]}"
        numbers[prefix] += 1
        if name == wanted:
            return Node(f"{name}{match[3] or ''}", row["operator"], row["path"], row["line"])
    return _of_foreach(conn, text)


def _of_foreach(conn: sqlite3.Connection, text: str) -> Node | None:
    match = _FOREACH.fullmatch(text)
    of = node_named(conn, match[1]) if match is not None else None
    if match is None or of is None:
        return None
    namespace, _, rest = of.operator.partition("::")
    overload = f".{match[2]}" if match[2] else ""
    name = f"{namespace}::_foreach_{rest.partition('.')[0]}{overload}"
    if conn.execute(statements(_SQL)["has_operator"], {"name": name}).fetchone() is None:
        return None
    return Node(f"Foreach{match[1]}{match[2] or ''}", name, of.file, of.line)


def _prefix(operator: str) -> str:
    base = operator.partition("::")[2].partition(".")[0]
    camel = "".join(part.title() for part in base.split("_"))
    return f"{camel}Backward".replace("ForwardBackward", "Backward")
