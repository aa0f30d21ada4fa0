"""Direct neighbours in the joined graph: what calls and called_by have in common."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from torchtalk.answers.base import Page, Place
from torchtalk.answers.graph import Neighbour, NeighboursAnswer, PictureEdge, Subject
from torchtalk.counted import counted
from torchtalk.graph import exclusions, nodes
from torchtalk.layers import is_built
from torchtalk.tools.branches import Branches, all_of
from torchtalk.tools.decorated import decorated
from torchtalk.tools.graph_notes import (
    FORMS,
    SUBJECT,
    honesty,
    nothing,
    of_attributes,
    of_many,
    of_python_classes,
    of_templates,
    unnamed,
)
from torchtalk.tools.graph_tests import of_tests
from torchtalk.tools.meant import Seeds
from torchtalk.tools.named_at import named_at
from torchtalk.tools.seeds import find
from torchtalk.tools.spec import LIMIT, OFFSET, Parameter

DEFAULT_EXCLUDE = "boilerplate"

PARAMETERS = (
    SUBJECT,
    Parameter("exclude", str, exclusions.HELP, DEFAULT_EXCLUDE),
    Parameter("format", str, "text, json, or a picture", "text", choices=FORMS),
    LIMIT,
    OFFSET,
)
"""What calls and called_by take."""

_ORDER = (
    "call", "constructor", "virtual", "launch", "stub", "operator", "structured", "dispatch", "derivative", "bind",
    "python", "method", "inherits", "specialization", "alternative", "reference", "template", "candidate",
)  # fmt: skip
"""Kinds of edges, the surest first; those that are not listed follow."""

_BY = {
    "bind": "binding", "candidate": "candidate call", "inherits": "inheritance", "operator": "operator call",
    "python": "Python call", "structured": "structured kernel", "template": "template argument",
    "virtual": "virtual call",
}  # fmt: skip
"""Kinds whose names do not fit into a sentence."""

_MOST_SUBJECTS = 40
_MOST_PLACES = 12
_PICTURE_EDGES = 40
_Key = tuple[int, int, str, str, bool, int]
_ANY = -1
"""In the place of a subject's position: one of several, as far as is known."""


def neighbours(
    conn: sqlite3.Connection,
    name: str,
    direction: str,
    exclude: str,
    form: str,
    limit: int,
    offset: int,
    seeds: Seeds | None = None,
) -> NeighboursAnswer:
    """Find what something uses, or what uses it.

    Args:
        conn: an index.
        name: as `torchtalk.tools.seeds` takes it.
        direction: `calls` or `called_by`.
        exclude: kinds and origins of edges to leave out; boilerplate is counted.
        form: text, json, mermaid or dot.
        limit: most neighbours to show.
        offset: how many to pass over.
        seeds: what is meant, where that is known already.

    Raises:
        BadArgument: exclude has a word that is no kind or origin.
    """
    excluded = exclusions.parse(conn, exclude)
    seeds = seeds or find(conn, name)
    if not seeds.nodes:
        return NeighboursAnswer(**nothing(conn, name, seeds), form=form, direction=direction)
    statement = nodes.sql()["uses" if direction == "calls" else "users"]
    grouped: dict[_Key, list[int]] = {}
    folded: Counter[str] = Counter()
    left_out = 0
    own = frozenset(seeds.nodes if seeds.is_class else ())
    for row in conn.execute(statement, {"nodes": json.dumps(seeds.nodes)}):
        if row["node"] in own:
            continue
        if excluded.leaves_out(row):
            left_out += 1
            continue
        if excluded.boilerplate and row["boilerplate"] is not None:
            folded[row["boilerplate"]] += 1
            continue
        key = (
            row["position"], row["node"], row["kind"], row["origin"], bool(row["ambiguous"]), row["file_id"],
        )  # fmt: skip
        grouped.setdefault(key, []).append(row["line"])
    found, others = _one_of_several(conn, grouped, direction)
    shown = found[offset : offset + limit]
    # All subjects that have something on this page, and some that have not.
    listed = sorted(
        {
            *(key[0] for key in shown if key[0] != _ANY),
            *range(min(len(seeds.nodes), _MOST_SUBJECTS)),
        }
    )
    place_of = {_ANY: _ANY, **{position: at for at, position in enumerate(listed)}}
    wanted = [key[1] for key in shown] + [node for key in shown for node in others.get(key, ())]
    known = nodes.describe(conn, [*(seeds.nodes[p] for p in listed), *wanted])
    files = nodes.file_paths(conn, (key[5] for key in shown))
    lines = tuple(
        _neighbour(
            conn,
            key,
            sorted(set(grouped[key])),
            place_of[key[0]],
            known,
            files,
            others.get(key, ()),
        )
        for key in shown
    )
    things = tuple(
        Subject(node.kind, node.name, node.place, node.detail)
        for node in (known[seeds.nodes[position]] for position in listed)
    )
    if direction == "calls":
        lines = _with_conditions(conn, things, lines)
    kinds = Counter(key[2] for key in found)
    finding = _finding(seeds.what, len(seeds.nodes), direction, kinds)
    instead, tests = of_tests(conn, seeds.nodes, direction)
    why: tuple[str, ...]
    if left_out and not found and not folded:
        why = (
            f"exclude={exclude} leaves out {counted(left_out, 'edge')}",
            *((tests,) if tests else ()),
        )
        what = "it uses" if direction == "calls" else "uses it"
        finding = f"{seeds.what}: exclude leaves nothing of what {what}"
    elif instead and not found and not folded:
        why = (tests,)
        finding = f"{seeds.what} {instead}"
    else:
        why = _empty(conn, seeds.nodes, things, direction, len(found), folded)
        why += (tests,) if tests else ()
    if direction == "called_by":
        behind, note = decorated(conn, tuple(seeds.nodes))
        finding += behind
        why = (note, *((tests,) if tests else ())) if note else why
    return NeighboursAnswer(
        query=name,
        finding=finding,
        notes=(
            *seeds.notes,
            *honesty(conn),
            *of_templates(key[2] for key in shown),
            *of_many(
                1 + len(alike)
                for key, alike in others.items()
                if key in shown and key[3] != "clang"
            ),
            *(of_attributes if direction == "called_by" else of_python_classes)(conn, seeds),
            *why,
        ),
        form=form,
        subjects=things,
        subject_total=len(seeds.nodes),
        picture=_picture(things, lines, direction) if form in ("mermaid", "dot") else (),
        page=Page(len(found), offset, len(shown)),
        direction=direction,
        neighbours=lines,
        folded=dict(sorted(folded.items())),
    )


def _one_of_several(
    conn: sqlite3.Connection, grouped: dict[_Key, list[int]], direction: str
) -> tuple[list[_Key], dict[_Key, list[int]]]:
    """The neighbours in order, with a candidate call once, whichever overload it may end at.

    Args:
        conn: an index.
        grouped: lines by subject, neighbour and kind; entries of several overloads become one.
        direction: calls or called_by.

    Returns:
        The keys, and for some the nodes of other overloads that are meant with them.
    """
    others: dict[_Key, list[int]] = {}
    candidates = [key for key in grouped if key[2] == "candidate"]
    if direction == "called_by":
        # One caller that could call several of the subjects.
        subjects: dict[tuple[int, str, bool, int], list[_Key]] = {}
        for key in candidates:
            subjects.setdefault((key[1], key[3], key[4], key[5]), []).append(key)
        for same in subjects.values():
            if len(same) > 1:
                lines = [line for key in same for line in grouped.pop(key)]
                shared: _Key = (_ANY, *same[0][1:])
                grouped[shared] = lines
    else:
        # One call that could end at several definitions of a name.
        names = nodes.describe(conn, (key[1] for key in candidates))
        ends: dict[tuple[int, str, str, tuple[int, ...]], list[_Key]] = {}
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
    rank = {kind: at for at, kind in enumerate(_ORDER)}
    order = sorted(
        grouped,
        key=lambda key: (
            key[0] == _ANY, key[0], key[4], rank.get(key[2], len(_ORDER)), key[5], min(grouped[key]), key,
        ),
    )  # fmt: skip
    return order, others


def _neighbour(
    conn: sqlite3.Connection,
    key: _Key,
    lines: list[int],
    subject: int,
    known: dict[int, nodes.Node],
    files: dict[int, str],
    others: Iterable[int],
) -> Neighbour:
    _, node, kind, origin, ambiguous, file_id = key
    named = known[node]
    behind: Iterable[str] = ()
    if node & 15 == nodes.STUB:
        behind = _kernels(conn, named.name)
    return Neighbour(
        subject, kind, origin, named.kind, named.name, named.place,
        tuple(Place(files[file_id], line) for line in lines[:_MOST_PLACES]), ambiguous,
        tuple(known[other].place for other in others), tuple(behind), use_total=len(lines),
    )  # fmt: skip


def _with_conditions(
    conn: sqlite3.Connection, things: tuple[Subject, ...], lines: tuple[Neighbour, ...]
) -> tuple[Neighbour, ...]:
    """The same with the `#if`s that functions of C++ do things under."""
    branches = Branches(conn)
    found = []
    for line in lines:
        place = things[line.subject].place
        ways: Iterable[tuple[str, ...]] = ()
        if (
            things[line.subject].kind == "C++"
            and line.subject != _ANY
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


def _finding(what: str, number: int, direction: str, kinds: Counter[str]) -> str:
    definitions = f" ({number} definitions)" if number > 1 else ""
    total = sum(kinds.values())
    if not total:
        return f"{what}{definitions}: nothing is known that it {'uses' if direction == 'calls' else 'is used by'}"
    order = [kind for kind in _ORDER if kind in kinds] + sorted(set(kinds) - set(_ORDER))
    verb = "uses" if direction == "calls" else "is used by"
    if len(order) == 1:
        everything = "all by" if total > 1 else "by"
        return f"{what}{definitions} {verb} {total:,}, {everything} {_BY.get(order[0], order[0])}"
    listed = ", ".join(f"{kinds[kind]:,} by {_BY.get(kind, kind)}" for kind in order)
    return f"{what}{definitions} {verb} {total:,}: {listed}"


def _empty(
    conn: sqlite3.Connection,
    found: tuple[int, ...],
    things: tuple[Subject, ...],
    direction: str,
    total: int,
    folded: Counter[str],
) -> tuple[str, ...]:
    """Why there is nothing."""
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
            unnamed(conn, (thing.name for thing in things))
            or named_at(conn, things[0])
            or (
                "nothing in the tree was found to call it or to be registered with it: it may be called "
                "through a pointer, a template or a macro, or not at all",
            )
        )
    return ("there is nothing in the tree that was found to have to do with it in this direction",)


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


def _picture(
    things: tuple[Subject, ...], lines: tuple[Neighbour, ...], direction: str
) -> tuple[PictureEdge, ...]:
    arrows = []
    for line in lines[:_PICTURE_EDGES]:
        ends = (things[max(0, line.subject)].name, line.name)
        source, target = ends if direction == "calls" else ends[::-1]
        arrows.append(PictureEdge(source, target, line.relation))
    return tuple(dict.fromkeys(arrows))
