"""Functions that stand in tables of modules, which functions look up: `customized_loss_ops = {op: handler, …}`.

A statement of a module is no caller. Where nothing else leads on from a function that changed, the text of its file is
read for what such statements have it in, and other files for who uses that by its name.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import FileChange
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.graph.search import search
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.sources import Source, Sources
from torchtalk.affected.texts.defined import Users
from torchtalk.counted import counted

_WEIGHT = 0.6
_MOST_SEEDS = 8
_MOST_ABOVE = 12
_MOST_USERS = 30
# What begins a statement of a module, and the variable that it gives something to: `X = {`, `X[op] = f`, `X.update(`.
_STATEMENT = re.compile(
    r"^(?:(?P<name>[A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?"
    r"(?:[|+]?=(?!=)|\[[^\n]*\][ \t]*=(?!=)|\.(?:update|append|extend|add)\()"
    r"|(?P<other>[^\s#)\]}]))",
    re.MULTILINE,
)


def take_tables(
    conn: sqlite3.Connection,
    files: Iterable[FileChange],
    graph: Graph,
    changes: Changes,
    sources: Sources,
) -> None:
    """Add the functions that use the tables which changed functions of Python stand in, where nothing else leads on.

    Args:
        conn: an index.
        files: what a diff changes.
        graph: of the index.
        changes: to be added to.
        sources: the tree.
    """
    by_path = {change.path: change for change in files}
    seeds = [seed for seed in changes.seeds.values() if seed.node.kind == "python"]
    for seed in seeds[:_MOST_SEEDS]:
        if search(graph, [(seed.node, seed.weight)], enough=1).found:
            continue
        known = {seed.node}
        for node in _above(graph, seed.node):
            for table, users in _users(conn, node, by_path, sources):
                new = [user for user in users if user not in known][:_MOST_USERS]
                known.update(new)
                how = f"uses {table}, which has {node.name.rpartition('.')[2]}"
                weight = seed.weight * _WEIGHT * spread(len(new))
                for user in new:
                    changes.add(Seed(user, weight, seed.place, 0, how, seed.at))
                if new:
                    verb = "uses" if len(new) == 1 else "use"
                    changes.notes.append(
                        f"{node.name} stands in {table}, which {counted(len(new), 'function')} {verb}"
                    )


def _above(graph: Graph, node: Node) -> list[Node]:
    """A function and those that lead to nothing but it, the nearest first."""
    found = [node]
    for current in found:  # which grows
        for edge in graph.dependents(current):
            if edge.node.kind == "python" and edge.node not in found and len(found) < _MOST_ABOVE:
                found.append(edge.node)
    return found


def _users(
    conn: sqlite3.Connection, node: Node, by_path: dict[str, FileChange], sources: Sources
) -> Iterator[tuple[str, list[Node]]]:
    """The tables of its module that a function stands in, each with the functions that use it."""
    row = conn.execute(queries("texts")["file_of_function"], {"id": node.key}).fetchone()
    source = sources.read(row) if row is not None else None
    if source is None:
        return
    users = Users(conn, row, by_path.get(row["path"]), sources)
    waiting, seen = [node.name.rpartition(".")[2]], set[str]()
    while waiting:
        for table in _tables(source, waiting.pop()):
            if table not in seen:
                seen.add(table)
                using = users.using(table)
                if using:
                    yield table, using
                else:
                    waiting.append(table)  # it is a part of another


def _tables(source: Source, name: str) -> list[str]:
    """The variables of a module to whose values statements give something of this name."""
    from indexer.extract.python.lexical import INSIDE, blank

    code = blank(source.text)
    form = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    if not form.search(code):
        return []
    # A line of a long text begins no statement.
    statements = [one for one in _STATEMENT.finditer(code) if one["other"] != INSIDE]
    found: dict[str, None] = {}
    for at, match in enumerate(statements):
        end = statements[at + 1].start() if at + 1 < len(statements) else len(code)
        if match["name"] and match["name"] != name and form.search(code, match.end(), end):
            found[match["name"]] = None
    return list(found)
