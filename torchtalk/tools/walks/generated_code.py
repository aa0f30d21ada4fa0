"""Where the C++ that PyTorch's generators write calls a function: what is made when PyTorch is built is in no tree.

`check_inplace(self[i], ith_requires_grad);` stands in a text of tools/autograd/gen_variable_type.py, and generated
functions by the hundred have it. The text is no call of the Python function that writes it, so this is said and is no
edge.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from torchtalk.counted import few
from torchtalk.graph import nodes
from torchtalk.sqlfile import listed
from torchtalk.tools.walks import queries

_MOST_SHOWN = 4

# What generated files stand in or open: aten/src/ATen/templates/, tools/autograd/templates/, torchgen/dest/lazy_ir.py,
# torchgen/gen_vmap_plumbing.py. What is called like functions of at::native:: are operators.
_SCOPES = (
    "", "at::", "c10::", "torch::", "torch::autograd::", "torch::lazy::", "torch::jit::", "at::functorch::",
)  # fmt: skip


def of_generated(conn: sqlite3.Connection, codes: Sequence[int]) -> tuple[str, ...]:
    """What to say of functions that generated code calls; nothing where none is known to be.

    Args:
        conn: an index.
        codes: the nodes that are asked about.
    """
    functions = [code for code in codes if nodes.ids([code], nodes.FUNCTION)]
    described = nodes.describe(conn, functions).values()
    names = {name for node in described for name in _written_as(node.name)}
    if not names:
        return ()
    found = conn.execute(
        queries("generated_code")["written"], {"names": listed(tuple(sorted(names)))}
    ).fetchall()
    if not found:
        return ()
    lines: dict[str, list[int]] = {}
    for row in found:
        lines.setdefault(row["path"], []).append(row["line"])
    places = [f"{path}:{', '.join(map(str, own))}" for path, own in lines.items()]
    return (
        f"C++ that is generated when PyTorch is built calls it, too; it is written in {few(places, _MOST_SHOWN)}",
    )


def _written_as(name: str) -> Iterator[str]:
    """A function's name in full, and what it is called inside the namespaces of generated code."""
    return (name.removeprefix(scope) for scope in _SCOPES if name.startswith(scope))
