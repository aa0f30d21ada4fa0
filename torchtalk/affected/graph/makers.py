"""What statements of a module make and register: `atan2 = _make_elementwise_binary_reference(prims.atan2, …)`.

Such a statement is in no function. torch/_prims/__init__.py defines operators so, torch/_refs/__init__.py has
decompositions of aten's that OpInfos are for, torch/_inductor/lowering.py lowerings. What they are made with (the
helper, and the functions and operators that it is given by name) has what they make as its dependents.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.nodes import Edge, Node, aspect, entry, operator, spread
from torchtalk.kept import once

# By how much rows of the statement `made_on` say: of a definition all else follows, and a decomposition is its kernel.
_DEFINITION, _STAGE = 0, 1
_MADE = 0.8
_ENTRY = 0.95
_REGISTERED = 0.9
_DECORATED = 0.8
# A fallback stands in the place of a lowering (torch/_inductor/lowering.py, make_fallback).
_STAGES = {"fallback": "lowering"}


class Made(NamedTuple):
    """Something that a statement makes or registers.

    Args:
        node: in the graph.
        weight: how much of a change of the statement is a change of it.
        how: what the statement is for it: ` for its decomposition`; empty of what it defines.
        line: that the statement begins in.
    """

    node: Node
    weight: float
    how: str
    line: int


class Statements:
    """What the statements of files of Python make and register; of each file all are read at once.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._files: dict[int, dict[int, list[Made]]] = {}

    def on(self, file: int, first: int, last: int) -> Iterator[Made]:
        """What statements make and register that begin on lines of a file.

        Operators that are defined there, OpInfos for what is assigned and functions that have it as a decorator, stages
        of torch.compile and kernels that are registered; of one operator only what says most.

        Args:
            file: its id.
            first: line.
            last: line.
        """
        if file not in self._files:
            self._files[file] = self._read(file)
        known = self._files[file]
        for line in sorted(line for line in known if first <= line <= last):
            yield from known[line]

    def _read(self, file: int) -> dict[int, list[Made]]:
        sql, of = queries("makers"), {"file": file}
        found: dict[int, list[Made]] = {}
        for row in self._conn.execute(sql["entries_of_assigned"], of).fetchall():
            made = Made(entry(row), _ENTRY, "", row["line"])
            found.setdefault(row["line"], []).append(made)
        decorated: dict[int, list[sqlite3.Row]] = {}
        for row in self._conn.execute(sql["decorated_by_assigned"], of).fetchall():
            decorated.setdefault(row["line"], []).append(row)
        for line, rows in decorated.items():
            for row in rows:
                node, how = Node("python", row["id"], row["name"]), f"has {row['decorator']}"
                made = Made(node, _DECORATED * spread(len(rows)), how, line)
                found.setdefault(line, []).append(made)
        lines: dict[int, list[sqlite3.Row]] = {}
        for row in self._conn.execute(sql["made_on"], of).fetchall():
            lines.setdefault(row["line"], []).append(row)
        for line, rows in lines.items():
            found.setdefault(line, []).extend(_of_line(line, rows))
        return found


def _of_line(line: int, rows: list[sqlite3.Row]) -> Iterator[Made]:
    """What a statement does, by the rows of `made_on` in the order of their ranks."""
    nearest: dict[Node, int] = {}
    groups: dict[tuple[int, str], dict[Node, None]] = {}
    for row in rows:
        of, rank = operator(row["operator"]), row["rank"]
        if nearest.setdefault(of, rank) == rank:
            groups.setdefault((rank, row["what"]), {})[of] = None
    known: set[Node] = set()
    for (rank, what), operators in groups.items():
        each = spread(len(operators))
        for of in operators:
            for one in _of_operator(of, rank, what, line):
                if one.node not in known:
                    known.add(one.node)
                    yield one._replace(weight=one.weight * each)


def _of_operator(of: Node, rank: int, what: str, line: int) -> Iterator[Made]:
    if rank == _DEFINITION:
        yield Made(of, 1.0, "", line)
    elif rank == _STAGE:
        kind = _STAGES.get(what, what)
        role = aspects.role(kind)
        said = role.why.removeprefix("is its ") if kind == what else what
        yield Made(aspect(of, kind), role.weight, f"for its {said}", line)
    else:
        about = aspects.of_keys([what]) if what else ()
        for one in about:
            yield Made(aspect(of, one), _REGISTERED, f"for {one}", line)
        if not about:
            yield Made(of, _REGISTERED, "", line)


class Makers:
    """What is made with a function or operator by statements of modules.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._made = Statements(conn)

    def of_operator(self, namespace: str, base: str) -> Iterator[Edge]:
        """From an operator that a statement defines to what others make of it.

        Args:
            namespace: of the operator; aten's are defined elsewhere.
            base: its name without namespace and overload.
        """
        if namespace == "aten":
            return
        of = {"namespace": namespace, "base": base}
        for row in self._conn.execute(queries("makers")["variables_of_operator"], of).fetchall():
            yield from self.of(row["name"])

    def of(self, name: str) -> Iterator[Edge]:
        """From a function, or a variable of a module, to what is made with it.

        Args:
            name: with its module.
        """
        statements = once(self._conn, _known).get(name, ())
        each = _MADE * spread(len(statements))
        for file, line in statements:
            for made in self._made.on(file, line, line):
                yield Edge(made.node, each * made.weight, _why(made))


def _known(conn: sqlite3.Connection) -> dict[str, list[tuple[int, int]]]:
    """The statements by what they are made with, each as its file and line."""
    found: dict[str, list[tuple[int, int]]] = {}
    for row in conn.execute(queries("makers")["making"]).fetchall():
        for given in dict.fromkeys(filter(None, row["target"].split("|"))):
            found.setdefault(given, []).append((row["file_id"], row["line"]))
    return found


def _why(made: Made) -> str:
    if made.node.kind == "python":
        return "is decorated with what is made with it"
    if made.node.kind == "opinfo":
        return "is for what is made with it"
    if made.how.startswith("for its "):
        return f"has what is made with it as its {made.how.removeprefix('for its ')}"
    return "is made with it"


def compiled(rows: Iterable[sqlite3.Row]) -> Iterator[Edge]:
    """To the operators that torch.compile has a function for.

    Args:
        rows: the operators' names, each with what it is for the operator.
    """
    kinds: dict[str, dict[Node, None]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], {})[operator(row["name"])] = None
    for kind, operators in kinds.items():
        role = aspects.role(kind)
        weight = role.weight * spread(len(operators))
        for of in operators:
            yield Edge(aspect(of, kind), weight, role.why)
