"""Edges as lines of an answer: those of one neighbour together, the surest first, with what they depend on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace

from torchtalk.answers.base import Place
from torchtalk.answers.graph import Neighbour, Subject
from torchtalk.graph import nodes
from torchtalk.graph.aside import is_aside
from torchtalk.tools.kernels.branches import Branches, all_of

ORDER = (
    "call", "constructor", "virtual", "launch", "stub", "operator", "structured", "dispatch", "derivative", "bind",
    "python", "decorator", "method", "inherits", "specialization", "alternative", "destructor", "reference", "template",
    "generated", "written",
    "candidate",
)  # fmt: skip
"""Kinds of edges, the surest first; those that are not listed follow."""

_MOST_PLACES = 12
Key = tuple[int, int, str, str, bool, int]
"""Of an edge: the subject's position, the neighbour's node, kind, origin, whether it is ambiguous, the file's id."""

ANY = -1
"""In the place of a subject's position: one of several, as far as is known."""


def one_of_several(
    conn: sqlite3.Connection, grouped: dict[Key, list[int]], direction: str
) -> tuple[list[Key], dict[Key, list[int]]]:
    """The neighbours in order, with a candidate call once, whichever overload it may end at.

    Args:
        conn: an index.
        grouped: lines by subject, neighbour and kind; entries of several overloads become one.
        direction: calls or called_by.

    Returns:
        The keys, and for some the nodes of other overloads that are meant with them.
    """
    others: dict[Key, list[int]] = {}
    candidates = [key for key in grouped if key[2] == "candidate"]
    if direction == "called_by":
        # One caller that could call several of the subjects.
        subjects: dict[tuple[int, str, bool, int], list[Key]] = {}
        for key in candidates:
            subjects.setdefault((key[1], key[3], key[4], key[5]), []).append(key)
        for same in subjects.values():
            if len(same) > 1:
                lines = [line for key in same for line in grouped.pop(key)]
                shared: Key = (ANY, *same[0][1:])
                grouped[shared] = lines
    else:
        # One call that could end at several definitions of a name.
        names = nodes.describe(conn, (key[1] for key in candidates))
        ends: dict[tuple[int, str, str, tuple[int, ...]], list[Key]] = {}
        for key in candidates:
            name = names[key[1]].name
            if key[1] & 15 == nodes.OPERATOR:
                name = name.partition(".")[0]
            at = key[0], name, key[3], tuple(grouped[key])
            ends.setdefault(at, []).append(key)
        for same in ends.values():
            for key in same[1:]:
                del grouped[key]
            others[same[0]] = [key[1] for key in same[1:]]
    # Files are numbered by their paths, and behind them what a build generates.
    files = nodes.file_paths(conn, {key[5] for key in grouped})
    aside = {file_id for file_id, path in files.items() if is_aside(path)}
    rank = {kind: at for at, kind in enumerate(ORDER)}
    order = sorted(
        grouped,
        key=lambda key: (
            key[0] == ANY, key[0], key[4], rank.get(key[2], len(ORDER)), key[5] in aside, key[5],
            min(grouped[key]), key,
        ),
    )  # fmt: skip
    return order, others


def neighbour(
    conn: sqlite3.Connection,
    key: Key,
    lines: list[int],
    subject: int,
    known: dict[int, nodes.Node],
    files: dict[int, str],
    others: Iterable[int],
) -> Neighbour:
    """One line of an answer.

    Args:
        conn: an index.
        key: of its edges.
        lines: of these, in the key's file.
        subject: the position of what was asked for among those that are listed.
        known: descriptions of nodes.
        files: paths by ids.
        others: nodes of other overloads that may be meant.
    """
    _, node, kind, origin, ambiguous, file_id = key
    named = known[node]
    behind: Iterable[str] = ()
    if node & 15 == nodes.STUB:
        behind = _kernels(conn, named.name)
    return Neighbour(
        subject, kind, origin, named.kind, named.name, named.place,
        tuple(Place(files[file_id], line) for line in lines[:_MOST_PLACES]), ambiguous,
        tuple(known[other].place for other in others), tuple(behind), use_total=len(lines),
        detail=named.detail,
    )  # fmt: skip


def with_conditions(
    conn: sqlite3.Connection, things: tuple[Subject, ...], lines: tuple[Neighbour, ...]
) -> tuple[Neighbour, ...]:
    """The same with the `#if`s that functions of C++ do things under.

    Args:
        conn: an index.
        things: what was asked for.
        lines: what these use.
    """
    branches = Branches(conn)
    found = []
    for line in lines:
        place = things[line.subject].place
        ways: Iterable[tuple[str, ...]] = ()
        if (
            things[line.subject].kind == "C++"
            and line.subject != ANY
            and place.line is not None
            and all(use.file == place.file and use.line is not None for use in line.uses)
        ):
            ways = branches.of(place.file, place.line, (use.line or 0 for use in line.uses))
        conditions = tuple(map(all_of, ways))
        found.append(replace(line, conditions=conditions) if any(conditions) else line)
    return tuple(found)


def _kernels(conn: sqlite3.Connection, stub: str) -> list[str]:
    """The kernels registered with a stub, one line for each definition."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in conn.execute(nodes.sql()["stub_kernels"], {"name": stub}):
        place = str(Place(row["path"], row["line"]))
        found.setdefault((row["kernel"], place), []).append(row["backend"])
    return [
        f"[{', '.join(backends)}] {kernel}  {place}" for (kernel, place), backends in found.items()
    ]
