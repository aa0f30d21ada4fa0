"""What depends on something by kernels that few tensors run alone: sparse, nested and quantized ones, other devices'.

`aten::add` has a kernel for sparse CSR tensors, so all that adds depends on it: to a user of dense tensors on a CPU or
a CUDA device that says nothing.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from torchtalk.graph import nodes
from torchtalk.graph.reached import Edge, Reached

# c10/core/DispatchKey.h: what C10_FORALL_FUNCTIONALITY_KEYS has beside Dense, what C10_FORALL_BACKEND_COMPONENTS has
# beside CPU, CUDA, HIP (CUDA's, in a build for ROCm) and Meta, and the keys of one backend alone. `Batched…` and
# `Composite…` are for the same tensors.
_FEW = re.compile(
    r"(?:Batched|CompositeImplicitAutograd|Autograd|Autocast)?"
    r"(?:(?:Quantized|Sparse|SparseCsr|NestedTensor|Mkldnn)\w*"
    r"|XLA|MPS|IPU|XPU|HPU|VE|Lazy|MTIA|PrivateUse\d|FPGA|MAIA|ORT|Vulkan|Metal)"
)

_MOST = 30_000
"""Of so many nodes nearly everything is above, and to walk to all of them again takes as long as to answer."""


@dataclass(frozen=True)
class FewKernels:
    """Kernels that were reached and that few tensors run.

    Args:
        edges: from an operator to one of them.
        keys: that they are registered for, those of the nearest first.
    """

    edges: frozenset[Edge]
    keys: tuple[str, ...]


def is_few(key: str) -> bool:
    """Whether few tensors run what is registered for a dispatch key."""
    return _FEW.fullmatch(key) is not None


def few_kernels(reached: Reached) -> FewKernels | None:
    """Which kernels few tensors run; None where none was reached, or too much to tell what depends on them.

    Args:
        reached: by `upwards`.
    """
    functions = reached.rows[nodes.FUNCTION]
    if not reached.rows[nodes.OPERATOR] or len(reached.depths) > _MOST:
        return None
    wanted = {"ids": json.dumps(functions)}
    keys: dict[Edge, set[str]] = {}
    for operator, function, key in reached.conn.execute(nodes.sql()["kernel_keys"], wanted):
        keys.setdefault((operator, function), set()).add(key)
    edges = frozenset(edge for edge, of in keys.items() if all(map(is_few, of)))
    nearest: dict[str, int] = {}
    for edge in edges:
        for key in keys[edge]:
            depth = reached.depths[edge[1]]
            nearest[key] = min(depth, nearest.get(key, depth))
    ranked = sorted(nearest, key=lambda key: (nearest[key], key))
    return FewKernels(edges, tuple(ranked)) if edges else None
