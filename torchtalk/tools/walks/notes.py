"""What the tools that walk the graph have in common: their argument, and what they must say."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Set
from typing import Any

from indexer.facts.edges import MOST_CANDIDATES
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.names.files import no_name, said_of_folder
from torchtalk.names.macros import macro_places
from torchtalk.testing.installed import is_installed
from torchtalk.tools.walks.question import Seeds

_UNNAMED = re.compile(r"(?:^|::)operator\b")
_DESTRUCTOR = re.compile(r"(?:^|::)~")

_HEADERS = (
    "this is the index of an installed package: of C++ it has the headers alone, and what these call is known from "
    "syntax only"
)
DRAWN = ("mermaid", "dot")
_OF_PYTHON = frozenset(("Python", "class", "bound name"))


def honesty(conn: sqlite3.Connection, kinds: Set[str] | None = None) -> tuple[str, ...]:
    """How the calls are known, where that is not exact.

    Args:
        conn: an index.
        kinds: of the nodes that are told of, where they may all be Python's, whose calls are no C++.
    """
    if not conn.execute(nodes.sql()["is_built"]).fetchone()["yes"]:
        return ("this index has no call graph; build it with: torchtalk index",)
    if kinds is not None and kinds <= _OF_PYTHON:
        return ()
    if not conn.execute(nodes.sql()["is_semantic"]).fetchone()["yes"]:
        if is_installed(conn):
            return (_HEADERS,)
        return (
            "C++ calls are known from syntax only: some are missing, `candidate` is one of several",
        )
    return ()


def unnamed(conn: sqlite3.Connection, names: Iterable[str]) -> tuple[str, ...]:
    """Why no caller is known of operators, conversions and destructors where the text alone tells of calls.

    Args:
        conn: an index.
        names: of functions that have no caller.
    """
    asked = tuple(names)
    if all(_DESTRUCTOR.search(name) for name in asked):
        return ("a destructor runs where an object ends, which no call names: ask for its class",)
    if honesty(conn) and all(_UNNAMED.search(name) for name in asked):
        libclang = "" if is_installed(conn) else ", libclang does (torchtalk index)"
        return (
            "who calls an operator or a conversion does not name it: "
            f"the text does not tell{libclang}",
        )
    return ()


def of_templates(kinds: Iterable[str]) -> tuple[str, ...]:
    """What the edges to functors and the like mean, where there are any.

    Args:
        kinds: of the edges that are shown.
    """
    if "template" in kinds:
        return (
            "`template`: hands the class to a template, which calls those methods that it needs",
        )
    return ()


def of_many(numbers: Iterable[int]) -> tuple[str, ...]:
    """What to say where a call of the text has as many candidates as one is given, for there may be more.

    Args:
        numbers: how many definitions each call that is one of several may mean.
    """
    if any(number >= MOST_CANDIDATES for number in numbers):
        return (
            f"of a call that may mean more than {MOST_CANDIDATES} definitions of a name so many are kept: "
            "the one that is meant may be another",
        )
    return ()


def of_attributes(conn: sqlite3.Connection, seeds: Seeds) -> tuple[str, ...]:
    """What is not known of who reads a property.

    Args:
        conn: an index.
        seeds: what is asked for.
    """
    rows = conn.execute(nodes.sql()["attributes"], {"nodes": json.dumps(seeds.nodes)}).fetchall()
    said = []
    names = sorted({row["name"].rpartition(".")[2] for row in rows if not row["is_native"]})
    if names:
        said.append(
            f"who reads {few([f'`.{name}`' for name in names], 3)} is known where the text tells"
            " the class of what it is read on; other reads are missing"
        )
    names = sorted({row["name"].rpartition(".")[2] for row in rows if row["is_native"]})
    if names:
        said.append(
            f"an attribute that C++ gives: most Python that reads {few([f'`.{name}`' for name in names], 3)}"
            " is not recorded, least of all where the text does not tell what it is read on"
        )
    return tuple(said)


def of_python_classes(conn: sqlite3.Connection, seeds: Seeds) -> tuple[str, ...]:
    """What a class of Python uses is what its methods use, of which only those that are run by itself are its own.

    Args:
        conn: an index.
        seeds: what is asked for.
    """
    classes = nodes.ids(seeds.nodes, nodes.CLASS)
    row = conn.execute(nodes.sql()["other_methods"], {"ids": json.dumps(classes)}).fetchone()
    if row is None:
        return ()
    others = counted(row["number"], "method")
    return (
        f"of a Python class those methods count that run when it is made or called; {others} besides can be asked for "
        f"by name, such as {row['name']}, and trace_module lists them",
    )


def nothing(conn: sqlite3.Connection, name: str, seeds: Seeds) -> dict[str, Any]:
    """The fields of an answer where no one thing is meant.

    Args:
        conn: an index.
        name: as it was asked for.
        seeds: what it could be.

    Returns:
        `query`, `finding`, `notes` and `closest`, for the answer of any tool.
    """
    closest = seeds.closest
    if seeds.candidates:
        finding = f"{name} could be: {few(seeds.candidates, 12)}; ask for one of them"
    elif seeds.is_place and seeds.what and not seeds.instead:
        finding = (
            f"{seeds.what}: no function, operator, stub or class of this index stands there; "
            "macros and declarations are not in the graph"
        )
    elif seeds.instead:
        finding = seeds.instead
    elif places := macro_places(conn, name):
        finding = (
            f"{name} is a macro, defined at {few(places, 4)}, and no node of the graph;"
            " impact follows the functions that use one"
        )
        closest = ()
    elif folder := said_of_folder(conn, name):
        finding, closest = folder, ()
    else:
        finding = no_name(conn, name)
    # By what calls are known is of no matter where nothing was found that calls.
    is_built = conn.execute(nodes.sql()["is_built"]).fetchone()["yes"]
    notes = seeds.notes if is_built else (*seeds.notes, *honesty(conn))
    return {"query": name, "finding": finding, "notes": notes, "closest": closest}
