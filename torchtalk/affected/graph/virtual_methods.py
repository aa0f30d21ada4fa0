"""A method that overrides others: run by who calls these, on an object that somebody made.

Who calls `Node::apply` runs one of its hundreds of overriders, whichever the object has; who makes a `CopySlices` is
about this one. Of 245 methods of PyTorch 2.6.0 that override others and that its tests were seen to run, a chosen test
ran 69 without this, and 76 with it (tests/data/read_covered_native.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator

from torchtalk.affected.graph.nodes import Edge, Node, spread

ALTERNATIVE = "calls it or another that overrides the same"
_OVERRIDDEN = 0.9
_MAKES = 0.8
# Of as few as quantizers are callers mean the one that is mostly made, which has little to do with who makes it.
_MANY = 10


def of_alternatives(methods: int) -> float:
    """How much of a call of a method that its class only declares is of each of those that override it.

    Args:
        methods: that override it: 833 operators of Caffe2 have a `RunOnDevice`, which one line calls
            (caffe2/core/operator.h).
    """
    # As much as of a method that its class defines. Of tests that are chosen for such methods and what they call 113
    # were seen to run these, in the place of 102.
    return spread(methods) ** 2


def of_virtual(
    rows: Callable[..., list[sqlite3.Row]],
    node: Node,
    overridden: list[sqlite3.Row],
    among: Iterable[int] = (),
) -> Iterator[Edge]:
    """What runs a method by way of those that it overrides, and what makes the objects that it is called on.

    Args:
        rows: of a named statement about the graph.
        node: of the method.
        overridden: the methods that it overrides; none of one that overrides nothing.
        among: of how many that override the same, which their base only declares, callers run one.
    """
    each = _OVERRIDDEN * spread(len(overridden))
    for row in overridden:
        overriders = rows("cpp_overriders", id=row["id"])[0]["methods"]
        # Twice: the more there are, the less is any of them what a caller runs, and what a test of a caller is about.
        weight = each * spread(overriders) ** 2
        yield Edge(Node("cpp", row["id"], row["name"]), weight, "is overridden by it")
    owner = node.name.rpartition("::")[0]
    is_one_of_many = any(methods > _MANY for methods in among)
    if (overridden or is_one_of_many) and owner:
        made = rows("cpp_constructors_named", name=f"{owner}::{owner.rpartition('::')[2]}")
        for row in made:
            weight = _MAKES * spread(len(made))
            yield Edge(Node("cpp", row["id"], row["name"]), weight, "makes what it is called on")
