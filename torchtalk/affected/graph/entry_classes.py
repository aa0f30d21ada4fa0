"""Edges from a class of OpInfos and their like to the entries that are made of it: `UnaryUfuncInfo("abs", …)`.

What changes in such a class changes in each of its entries: the constructor in all that is asked of them, a method
(`sample_inputs`, torch/testing/_internal/opinfo/core.py) in the tests that call it.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchtalk.affected.graph.by_decorators import Rows
from torchtalk.affected.graph.nodes import Edge, Node, entry, spread

_MADE = 0.9
# Of so many that are made of one class some tell as much as all of them.
_MOST = 120
# They make an entry; a class that has its own runs that of its base as well.
_CONSTRUCTORS = frozenset(("__init__", "__post_init__"))


def entries_of(rows: Rows, node: Node) -> Iterator[Edge]:
    """To the entries that are made of a class, or of one that derives from it.

    Args:
        rows: gives those of a statement of the graph.
        node: of the class.
    """
    if _may_make(node.name):
        for weight, of in _entries(rows, int(node.key), ""):
            yield Edge(of, weight, "is made of it")


def fields_of(rows: Rows, of: int, name: str, method: str) -> Iterator[Edge]:
    """To what a method is of the entries that are made of its class.

    Args:
        rows: gives those of a statement of the graph.
        of: id of the class.
        name: of the class, in full.
        method: its own name.
    """
    if not _may_make(name):
        return
    is_constructor = method in _CONSTRUCTORS
    for weight, of_entry in _entries(rows, of, "" if is_constructor else f".{method}"):
        if is_constructor or method.startswith("__"):
            yield Edge(of_entry, weight, "is made of its class")
        else:
            node = Node("field", f"{of_entry.key}\t{method}", of_entry.name)
            yield Edge(node, weight, "is its method")


def makes_entries(function: str) -> bool:
    """Whether a function may be the constructor of a class of entries, by its name.

    Args:
        function: in full.
    """
    owner, _, last = function.rpartition(".")
    return last in _CONSTRUCTORS and _may_make(owner)


def _may_make(name: str) -> bool:
    """Whether a class is called as those of entries are, which is asked before all tables are looked through."""
    return name.endswith("Info")


def _entries(rows: Rows, of: int, method: str) -> Iterator[tuple[float, Node]]:
    found = rows("entries_of_class", id=of, method=method)
    for row in found[:: 1 + len(found) // _MOST]:
        yield _MADE * spread(len(found)), entry(row)
