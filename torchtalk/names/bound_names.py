"""Names that C++ binds and the public names they are used by, by PyTorch's rule.

Functions of torch are those of torch._C._VariableFunctions (torch/__init__.py), methods of tensors those of their base
in C++ (torch/_tensor.py), which older trees call `_TensorBase`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from torchtalk.sqlfile import listed, statements

_SQL = Path(__file__).parent / "names.sql"
_PUBLIC = {
    "_VariableFunctions": "torch", "TensorBase": "torch.Tensor", "_TensorBase": "torch.Tensor",
}  # fmt: skip
_OWNER = re.compile(rf"torch\._C\.({'|'.join(_PUBLIC)})(?=\.)")


def bound_under(api: str) -> str:
    """What C++ binds under the public name `api`: `torch._C.TensorBase.add` for `torch.Tensor.add`; else empty."""
    owner, _, last = api.rpartition(".")
    return next((f"torch._C.{of}.{last}" for of, public in _PUBLIC.items() if public == owner), "")


def own_name(bound: str) -> str:
    """The name of a function of torch or a method of tensors, `add`, by the name `bound` that C++ gives; else empty."""
    owner = _OWNER.match(bound)
    return bound[owner.end() + 1 :] if owner else ""


def bound_as(conn: sqlite3.Connection, functions: Iterable[int]) -> tuple[str, ...]:
    """The names in Python that C++ functions are bound to, the public ones where these are known.

    Args:
        conn: an index.
        functions: their ids.
    """
    wanted = {"functions": listed(tuple(functions))}
    rows = conn.execute(statements(_SQL)["bound_to"], wanted)
    return tuple(dict.fromkeys(_OWNER.sub(lambda m: _PUBLIC[m[1]], row["name"]) for row in rows))
