"""What the bodies of TORCH_LIBRARY blocks register: who asks for a block asks for that, which no call leads to."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from torchtalk.affected.places.library import block_of
from torchtalk.graph import nodes
from torchtalk.sqlfile import listed
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.question import Seeds


def with_registered(conn: sqlite3.Connection, seeds: Seeds) -> Seeds:
    """Add the operators that something is registered for in the blocks among some nodes.

    A block is a function that a static initializer of its file runs (TORCH_LIBRARY_IMPL and its kin,
    torch/library.h): what depends on it is what it registers.

    Args:
        conn: an index.
        seeds: what a question means.

    Returns:
        The same where it means no block, or one that registers nothing for an operator by its name.
    """
    functions = nodes.ids(seeds.nodes, nodes.FUNCTION)
    if not functions:
        return seeds
    named = conn.execute(
        queries("registering")["blocks"], {"ids": listed(tuple(functions))}
    ).fetchall()
    blocks = tuple(row["id"] for row in named if block_of(row["name"]) is not None)
    if not blocks:
        return seeds
    rows = conn.execute(queries("registering")["registered_in"], {"ids": listed(blocks)})
    codes = (nodes.code(nodes.OPERATOR, row["id"]) for row in rows)
    return replace(seeds, nodes=tuple(dict.fromkeys((*seeds.nodes, *codes))))
