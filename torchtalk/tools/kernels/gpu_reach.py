"""The functions that are reached on the way from operators and kernels to launches on a GPU."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from torchtalk.tools import queries

# As far as dispatchers by type lead to a CUTLASS kernel (_scaled_mm, aten/src/ATen/native/cuda/RowwiseScaledMM.cu).
_DEPTH = 10
ASIDE = 20
"""What is reached through another file's function that has a stub, and not without, is so much further on than it is:
`scatter_` has kernels of its own before it has `fill_`'s."""
BEHIND = 2 * ASIDE
"""The same of what is reached from roots of the second rank alone."""


class Root(NamedTuple):
    """Something that ways begin at.

    Args:
        functions: ids of where they begin.
        is_second: of the second rank.
    """

    functions: tuple[int, ...]
    is_second: bool


def reached(conn: sqlite3.Connection, roots: Sequence[Root]) -> list[tuple[int, int, list[int]]]:
    """What functions lead to, level by level: each is looked at again only where a further root has come to it.

    Args:
        conn: an index.
        roots: whose ways are followed.

    Returns:
        Ids with the distance, `BEHIND` added, and the positions of the roots that lead to them.
    """
    straight, depths = _walked(conn, roots, with_asides=False)
    known, aside = _walked(conn, roots, with_asides=True)
    for function in known.keys() - straight.keys():
        depths[function] = aside[function] + ASIDE
    every = range(len(roots))
    return [
        (function, depths[function], [at for at in every if bits >> at & 1])
        for function, bits in {**known, **straight}.items()
    ]


def _walked(
    conn: sqlite3.Connection, roots: Sequence[Root], *, with_asides: bool
) -> tuple[dict[int, int], dict[int, int]]:
    """The roots, as bits, that lead to each function, and how far away it is."""
    first = sum(1 << at for at, root in enumerate(roots) if not root.is_second)
    known: dict[int, int] = {}
    depths: dict[int, int] = {}
    arriving: dict[int, int] = {}
    for at, root in enumerate(roots):
        for function in root.functions:
            arriving[function] = arriving.get(function, 0) | 1 << at
    for depth in range(_DEPTH + 1):
        new = {}
        for function, bits in arriving.items():
            before = known.get(function, 0)
            if bits & ~before:
                new[function] = bits & ~before
                known[function] = before | bits
                away = depth if bits & first else depth + BEHIND
                depths[function] = min(away, depths.get(function, away))
        if not new or depth == _DEPTH:
            break
        arriving = {}
        ids = {"ids": json.dumps(list(new))}
        for source, target, is_aside in conn.execute(queries("cuda_kernels")["steps"], ids):
            if with_asides or not is_aside:
                arriving[target] = arriving.get(target, 0) | new[source]
    return known, depths
