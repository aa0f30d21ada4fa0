"""What depends on an operator, for a change of its kernels for one backend: `trunc` for sparse tensors.

The tests of all others run another kernel than those of sparse tensors: what has the operator itself tells less of it,
and those of its entry, whose samples are dense tensors, hardly anything (benchmarks/covered_native.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torchtalk.affected.graph.nodes import Edge, Node

_OF_BACKEND = {"test": 0.5, "opinfo": 0.1}


def of_backend(whole: Node, dependents: Callable[[Node], list[Edge]]) -> Iterator[Edge]:
    """The operator's dependents, each with what it tells of a kernel for one backend.

    What runs the operator may have tests of the backend. What Python has of it is without the entry that is for that:
    `Tensor.trunc` leads to the tests of the OpInfo as the operator does.

    Args:
        whole: the operator.
        dependents: what depends on a node.
    """
    for edge in dependents(whole):
        if edge.node.kind != "native":
            yield edge._replace(weight=_OF_BACKEND.get(edge.node.kind, 1.0) * edge.weight)
            continue
        for below in dependents(edge.node):
            if below.node.kind != "opinfo":
                less = _OF_BACKEND.get(below.node.kind, 1.0)
                yield below._replace(weight=less * edge.weight * below.weight)
