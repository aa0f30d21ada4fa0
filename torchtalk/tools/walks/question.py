"""What a question about the graph means: nodes, and how the words were understood."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from torchtalk.counted import counted
from torchtalk.graph import nodes


@dataclass(frozen=True)
class Seeds:
    """What a question is about.

    Args:
        nodes: what is meant; empty where nothing is.
        what: it, for people.
        notes: how the name was understood.
        candidates: what an ambiguous name could be.
        closest: names like it, where it is not known.
        is_place: it was a file or a line of one, not a name.
        is_class: it is a class, for which its functions stand; what these have to do with each other is its own affair.
        instead: what the name is, where that is nothing in the graph.
        is_named: the nodes are the functions whose text names it, which is no node itself.
        declared: `file:line` of the declaration of a type that has no functions.
    """

    nodes: tuple[int, ...] = ()
    what: str = ""
    notes: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    closest: tuple[str, ...] = ()
    is_place: bool = False
    is_class: bool = False
    instead: str = ""
    is_named: bool = False
    declared: str = ""


def cpp_class(conn: sqlite3.Connection, name: str, notes: tuple[str, ...]) -> Seeds:
    """The constructors and methods of a C++ class, which stand for it.

    Args:
        conn: an index.
        name: of the class, in full.
        notes: how the name was understood, to be said behind what the class is.
    """
    rows = conn.execute(nodes.sql()["members"], {"name": name, "beyond": f"{name}:;"}).fetchall()
    bases = [row["base"] for row in conn.execute(nodes.sql()["bases"], {"name": name})]
    note = f"{name} is a C++ class ({counted(len(rows), 'function')} of its own)"
    if bases:
        note += f"; what it inherits is asked for by its bases: {', '.join(bases)}"
    if not rows:
        said = f"{note}, and no node of the graph; impact follows those whose text names it"
        return Seeds(what=name, notes=notes, is_class=True, instead=said)
    return Seeds(
        tuple(nodes.code(nodes.FUNCTION, row["id"]) for row in rows),
        name,
        (note, *notes),
        is_class=True,
    )
