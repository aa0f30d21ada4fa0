"""What is said of neighbours as a whole: how many of which kind, and why there is none."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter

from torchtalk.affected.places.variables import is_bound_type
from torchtalk.answers.graph import Subject
from torchtalk.counted import counted
from torchtalk.graph import nodes
from torchtalk.layers import is_built
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.fallback_kernels import fallback_of
from torchtalk.tools.walks.named_at import named_at
from torchtalk.tools.walks.named_in_python import named_in_python
from torchtalk.tools.walks.neighbour_lines import ORDER
from torchtalk.tools.walks.notes import unnamed
from torchtalk.tools.walks.under_decorators import under_decorators

_OBJECTIVE_C = re.compile(r"[-+]\s*\(")
_BY = {
    "bind": "binding", "candidate": "candidate call", "generated": "generated kernel",
    "inherits": "inheritance", "operator": "operator call", "python": "Python call",
    "structured": "structured kernel", "template": "template argument", "virtual": "virtual call",
    "written": "code that Python writes",
}  # fmt: skip
"""Kinds whose names do not fit into a sentence."""


def summary(
    what: str, number: int, direction: str, kinds: Counter[str], *, is_named: bool = False
) -> str:
    """The first line of an answer.

    Args:
        what: was asked for.
        number: of its definitions.
        direction: calls or called_by.
        kinds: how many neighbours there are of each kind of edge.
        is_named: the definitions are those of functions that name what was asked for.
    """
    total = sum(kinds.values())
    verb = "uses" if direction == "calls" else "is used by"
    definitions = f" ({number} definitions)" if number > 1 else ""
    if is_named and direction == "called_by":
        what, definitions = f"{what} is named by {counted(number, 'function')}, which", ""
        verb = "are used by" if number > 1 else verb
        if not total:
            return f"{what} nothing is known to use"
    elif is_named:
        what, definitions = f"what names {what}", definitions.replace("definitions", "functions")
    if not total:
        return f"{what}{definitions}: nothing is known that it {verb}"
    order = [kind for kind in ORDER if kind in kinds] + sorted(set(kinds) - set(ORDER))
    if len(order) == 1:
        everything = "all by" if total > 1 else "by"
        return f"{what}{definitions} {verb} {total:,}, {everything} {_BY.get(order[0], order[0])}"
    listed = ", ".join(f"{kinds[kind]:,} by {_BY.get(kind, kind)}" for kind in order)
    return f"{what}{definitions} {verb} {total:,}: {listed}"


def why_empty(
    conn: sqlite3.Connection,
    found: tuple[int, ...],
    things: tuple[Subject, ...],
    direction: str,
    total: int,
    folded: Counter[str],
) -> tuple[str, ...]:
    """Why there is nothing; no word where there is something.

    Args:
        conn: an index.
        found: the nodes of what was asked for.
        things: the same, described.
        direction: calls or called_by.
        total: of its neighbours.
        folded: how many are boilerplate, by what they do.
    """
    if total:
        return ()
    if folded:
        return ("all that there is is boilerplate; exclude=none shows it",)
    if not is_built(conn, "graph"):
        return ()  # which is said
    if direction == "called_by" and (kept_out := _kept_out(conn, things)):
        return kept_out
    if direction == "called_by" and all(node & 15 == nodes.FUNCTION for node in found):
        return (
            fallback_of(conn, found)
            or unnamed(conn, (thing.name for thing in things))
            or _sent(things)
            or named_at(conn, things[0])
            or (
                "nothing in the tree was found to call it or to be registered with it: it may be called "
                "through a pointer, a template or a macro, or not at all",
            )
        )
    is_python = all(node & 15 == nodes.PYTHON for node in found)
    if direction == "called_by" and is_python:
        told = (
            under_decorators(conn, found)
            or _of_another_branch(conn, things[0])
            or named_in_python(conn, things[0])
        )
        if told:
            return told
    is_class = all(node & 15 == nodes.CLASS for node in found)
    if direction == "called_by" and is_class and (named := named_in_python(conn, things[0])):
        return named
    if direction == "called_by" and len(things) == 1 and is_bound_type(conn, things[0].name):
        said = f"it is a type that C++ binds, and to name one of its values is no call: affected {things[0].name} reads"
        return (f"{said} the texts for who does",)
    return ("there is nothing in the tree that was found to have to do with it in this direction",)


def _sent(things: tuple[Subject, ...]) -> tuple[str, ...]:
    """Of Objective-C's methods what is known of who sends them."""
    if not all(_OBJECTIVE_C.match(thing.detail or "") for thing in things):
        return ()
    return (
        "messages of Objective-C are followed where the text tells the receiver's class (the class itself, self, a"
        " variable that the function declares): it may be sent by others, and by Apple's frameworks",
    )


def _of_another_branch(conn: sqlite3.Connection, thing: Subject) -> tuple[str, ...]:
    """Of a Python function that is defined where an import is not made: what its name stands for where it is."""
    row = conn.execute(queries("named_at")["imported_as"], {"name": thing.name}).fetchone()
    if row is None:
        return ()
    return (
        f"the name stands for {row['target'].replace(':', '.')} where line {row['line']} imports that, and is used as"
        " such: ask for it",
    )


def _kept_out(conn: sqlite3.Connection, things: tuple[Subject, ...]) -> tuple[str, ...]:
    """Of a kernel whose entries the graph leaves out, as they run nothing, where they are."""
    names = json.dumps([thing.name for thing in things])
    number = conn.execute(
        "SELECT count(*) FROM dispatch WHERE kernel IN (SELECT value FROM json_each(?))", (names,)
    ).fetchone()[0]
    if not number:
        return ()
    return (
        f"it is the kernel of {counted(number, 'dispatch entry', 'dispatch entries')}, which are not in the graph: "
        f"SELECT operator, key FROM v_dispatch WHERE kernel = '{things[0].name}'",
    )
