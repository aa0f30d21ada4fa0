"""What the joined graph is made of where tests are looked for: its nodes, its edges and their weights."""

from __future__ import annotations

import math
import sqlite3
from typing import NamedTuple

from torchtalk.affected.graph import aspects

BOUND = "bound"
"""The kind of what C++ binds to a name in Python that the index knows no user of: a method of a class."""

MAY_CALL = "may call it"
"""Why one of several functions may be run by a call: what is made there, and of which class, is not known."""

ITSELF = "is this test"
"""Why a function is followed to the test that it is the body of."""

SEVERAL = 3
"""So many functions a call may mean that runs each of them in one mode or another, as a union of types tells."""

_LEAST_ONE = 0.3

_OF_CLASS = (
    "SELECT f.path FROM {} AS x JOIN python_modules AS m ON m.id = x.module_id"
    " JOIN source_files AS f ON f.id = m.file_id WHERE x.id = ?"
)
_PLACED = {
    "python": _OF_CLASS.format("python_functions"),
    "overridden": _OF_CLASS.format("python_functions"),
    "class": _OF_CLASS.format("python_classes"),
    "cpp": "SELECT f.path FROM functions AS x JOIN source_files AS f ON f.id = x.file_id WHERE x.id = ?",
}


_CPP_TESTS = {
    "test": "SELECT 1 FROM tests WHERE id = ? AND kind = 'gtest'",
    "cpp": "SELECT 1 FROM tests WHERE cpp_function_id = ? LIMIT 1",
}


class Node(NamedTuple):
    """Something that may change, or a test.

    Args:
        kind: cpp, kernel, operator, aspect, stub, native, bound, python, overridden, class, opinfo, field, entry,
            option; test, generic.
        key: id of its row; the name of an operator without its overload, of a stub, or of what is bound. Others are
            several with tabs between them: of an entry that is new its class, file and line, of a field the id of its
            OpInfo and its name, of an aspect the operator and the aspect, of generic tests the OpInfo's name, the
            file, and the aspect where it is only those of one.
        name: for people.
    """

    kind: str
    key: int | str
    name: str


class Edge(NamedTuple):
    """From a thing to one that depends on it.

    Args:
        node: what depends on it.
        weight: of the edge, over 0 and at most 1.
        why: `calls it`, `kernel for CPU`; for a path of reasons.
        tests: names of the tests it stands for, of generic ones.
    """

    node: Node
    weight: float
    why: str
    tests: tuple[str, ...] = ()


def spread(number: int) -> float:
    """What each of `number` users gets: 1 of up to three, a third of a hundred, a quarter of a thousand."""
    return 1.0 if number <= 3 else 1 / (1 + math.log(number / 3) / 2)


def one_of(functions: int) -> float:
    """How much of a call is one of each of so many functions that it may mean: a visitor runs many of its methods."""
    return max(_LEAST_ONE, min(1.0, SEVERAL / functions))


def share(operators: int) -> float:
    """How much a test is about one of the operators that it calls."""
    return 5 / (4 + max(1, operators))


def operator(name: str) -> Node:
    """The node of all overloads of an operator.

    Args:
        name: of the operator or of one of its overloads: `aten::add.Tensor`.
    """
    packet = name.partition(".")[0]
    return Node("operator", packet, packet)


def parts(node: Node) -> tuple[str, str]:
    """An operator's namespace, and its name without it: `aten` and `add` of `node`, which is an operator's."""
    namespace, _, base = str(node.key).partition("::")
    return namespace, base


def aspect(of: Node, which: str) -> Node:
    """The node of one aspect of an operator.

    Args:
        of: the operator's node.
        which: the aspect, as `torchtalk.affected.graph.aspects` names it.
    """
    return Node("aspect", f"{of.key}\t{which}", of.name)


def gradient(name: str) -> Node:
    """The node of an operator's gradient; `name` is the operator's or an overload's: `aten::add.Tensor`."""
    return aspect(operator(name), aspects.GRADIENT)


def is_gradient(node: Node) -> bool:
    """Whether `node`, of an aspect, is the gradient."""
    return str(node.key).endswith(f"\t{aspects.GRADIENT}")


def of_gradient(node: Node) -> str:
    """The words of what `node`, of an aspect, is the gradient for: `nested`; empty where it is for any tensor."""
    words, _, last = str(node.key).partition("\t")[2].rpartition(" ")
    return words if last == aspects.GRADIENT else ""


def new_entry(name: str, of: str, file: int, line: int) -> Node:
    """The node of an OpInfo or its like that only a diff has.

    Args:
        name: with its variant.
        of: its class.
        file: id of the file that it is written in.
        line: where it is put.
    """
    return Node("entry", f"{name}\t{of}\t{file}\t{line}", name)


def entry(row: sqlite3.Row) -> Node:
    """The node of an OpInfo or its like, by its `row`, which has the columns id, name and variant of `opinfos`."""
    name = f"{row['name']}.{row['variant']}" if row["variant"] else str(row["name"])
    return Node("opinfo", row["id"], name)


def is_cpp_test(conn: sqlite3.Connection, node: Node) -> bool:
    """Whether a node is a test in C++, or the function that is its body.

    Args:
        conn: an index.
        node: of the graph.
    """
    sql = _CPP_TESTS.get(node.kind)
    return sql is not None and conn.execute(sql, (node.key,)).fetchone() is not None


def place_of(conn: sqlite3.Connection, node: Node) -> str:
    """The file that a function or class stands in; nothing of what is no code.

    Args:
        conn: an index.
        node: of the graph.
    """
    if node.kind not in _PLACED:
        return ""
    row = conn.execute(_PLACED[node.kind], (node.key,)).fetchone()
    return str(row[0]) if row else ""
