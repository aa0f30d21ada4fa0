"""From a kernel to its operators, be it in C++ or in Python: `@impl(lib, "choose_qparams.tensor", "CUDA")`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.nodes import Edge, Node, aspect, gradient, operator

AUTOGRAD = "Autograd"
_WEIGHTS = ((0.95, "is its kernel"), (0.85, "calls it in its kernel"))


def of_kernel(rows: Iterable[sqlite3.Row]) -> Iterator[Edge]:
    """To the operators that a function is a kernel of, or to what of them its dispatch keys are.

    Args:
        rows: the operators' names, each with a key, and whether the kernel is a lambda that calls the function.
    """
    keys: dict[tuple[Node, bool], list[str]] = {}
    for row in rows:
        called = operator(row["name"]), bool(row["is_called"])
        keys.setdefault(called, []).append(row["dispatch_key"] or "any")
    for (of, is_called), listed in keys.items():
        weight, how = _WEIGHTS[is_called]
        why = f"{how} for {', '.join(dict.fromkeys(listed))}"
        for backend in aspects.of_keys(listed):
            yield Edge(aspect(of, backend), weight, why)
        if not aspects.of_keys(listed):
            yield Edge(of, weight, why)


def of_python_kernel(rows: Iterable[sqlite3.Row]) -> Iterator[Edge]:
    """The same of a function of Python, which may be all that an operator has for its gradients.

    Args:
        rows: as those of `of_kernel`.
    """
    gradients = {row["name"]: None for row in rows if row["dispatch_key"] == AUTOGRAD}
    yield from of_kernel(row for row in rows if row["dispatch_key"] != AUTOGRAD)
    for name in gradients:
        yield Edge(gradient(name), _WEIGHTS[False][0], f"{_WEIGHTS[False][1]} for {AUTOGRAD}")
