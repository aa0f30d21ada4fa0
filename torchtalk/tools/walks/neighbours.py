"""Direct neighbours in the joined graph: what calls and called_by have in common."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from typing import NamedTuple

from torchtalk.answers.base import Page
from torchtalk.answers.drawn import PictureEdge
from torchtalk.answers.graph import Neighbour, NeighboursAnswer, Subject
from torchtalk.counted import counted
from torchtalk.graph import exclusions, nodes
from torchtalk.testing.assertions import of_assertions
from torchtalk.tools.walks.decorated import decorated
from torchtalk.tools.walks.fallback_kernels import fallback_of
from torchtalk.tools.walks.field_seeds import named_by
from torchtalk.tools.walks.finding import summary, why_empty
from torchtalk.tools.walks.generated_code import of_generated
from torchtalk.tools.walks.neighbour_lines import (
    ANY,
    Key,
    neighbour,
    one_of_several,
    with_conditions,
)
from torchtalk.tools.walks.notes import (
    honesty,
    nothing,
    of_attributes,
    of_many,
    of_python_classes,
    of_templates,
)
from torchtalk.tools.walks.question import Seeds
from torchtalk.tools.walks.seeds import find
from torchtalk.tools.walks.tests_above import of_tests

_MOST_SUBJECTS = 40
_PICTURE_EDGES = 40


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
        name: as `torchtalk.tools.walks.seeds` takes it.
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
    edges = _edges(conn, seeds, direction, excluded)
    found, others = one_of_several(conn, edges.grouped, direction)
    # Of a template with many specializations who calls one is asked for, not that they are of it.
    found.sort(key=lambda key: key[2] == "specialization")
    shown = found[offset : offset + limit]
    things, lines = _described(conn, seeds, shown, edges, others)
    if direction == "calls":
        lines = with_conditions(conn, things, lines)
    generated = of_generated(conn, seeds.nodes) if direction == "called_by" else ()
    finding, why = _said(
        conn, seeds, direction, exclude, edges, found, things, is_generated=bool(generated)
    )
    return NeighboursAnswer(
        query=name,
        finding=finding,
        notes=(
            *seeds.notes,
            *named_by(conn, seeds),
            *honesty(conn, {*(t.kind for t in things), *(line.kind for line in lines)}),
            *of_templates(key[2] for key in shown),
            *of_many(
                1 + len(alike)
                for key, alike in others.items()
                if key in shown and key[3] != "clang"
            ),
            *(of_attributes if direction == "called_by" else of_python_classes)(conn, seeds),
            *(
                of_assertions(conn, nodes.ids(seeds.nodes, nodes.PYTHON))
                if direction == "called_by"
                else ()
            ),
            *(fallback_of(conn, seeds.nodes) if direction == "called_by" and found else ()),
            *generated,
            *why,
        ),
        form=form,
        subjects=things,
        subject_total=len(seeds.nodes),
        picture=_picture(things, lines, direction) if form in ("mermaid", "dot") else (),
        page=Page(len(found), offset, len(shown)),
        direction=direction,
        neighbours=lines,
        folded=dict(sorted(edges.folded.items())),
    )


class _Edges(NamedTuple):
    """The edges of what was asked for, in one direction.

    Args:
        grouped: the lines of those that are to be shown.
        folded: how many there are of boilerplate, by what it does.
        left_out: how many are left out by the question.
    """

    grouped: dict[Key, list[int]]
    folded: Counter[str]
    left_out: int


def _edges(
    conn: sqlite3.Connection, seeds: Seeds, direction: str, excluded: exclusions.Exclusions
) -> _Edges:
    statement = nodes.sql()["uses" if direction == "calls" else "users"]
    grouped: dict[Key, list[int]] = {}
    folded: Counter[str] = Counter()
    left_out = 0
    own = frozenset(seeds.nodes if seeds.is_class else ())
    for row in conn.execute(statement, {"nodes": json.dumps(seeds.nodes)}):
        if row["node"] in own or (row["kind"] == "destructor" and row["node"] in seeds.nodes):
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
    return _Edges(grouped, folded, left_out)


def _described(
    conn: sqlite3.Connection,
    seeds: Seeds,
    shown: list[Key],
    edges: _Edges,
    others: dict[Key, list[int]],
) -> tuple[tuple[Subject, ...], tuple[Neighbour, ...]]:
    """The subjects and the neighbours of a page: all subjects that have something on it, and some that have not."""
    listed = sorted(
        {
            *(key[0] for key in shown if key[0] != ANY),
            *range(min(len(seeds.nodes), _MOST_SUBJECTS)),
        }
    )
    place_of = {ANY: ANY, **{position: at for at, position in enumerate(listed)}}
    wanted = [key[1] for key in shown] + [node for key in shown for node in others.get(key, ())]
    known = nodes.describe(conn, [*(seeds.nodes[p] for p in listed), *wanted])
    files = nodes.file_paths(conn, (key[5] for key in shown))
    lines = tuple(
        neighbour(
            conn,
            key,
            sorted(set(edges.grouped[key])),
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
    return things, lines


def _said(
    conn: sqlite3.Connection,
    seeds: Seeds,
    direction: str,
    exclude: str,
    edges: _Edges,
    found: list[Key],
    things: tuple[Subject, ...],
    *,
    is_generated: bool,
) -> tuple[str, tuple[str, ...]]:
    """The first line of the answer, and why there is no more, or what else there is."""
    kinds = Counter(key[2] for key in found)
    finding = summary(seeds.what, len(seeds.nodes), direction, kinds, is_named=seeds.is_named)
    instead, tests = of_tests(conn, seeds.nodes, direction)
    by_tests = (tests,) if tests else ()
    is_empty = not found and not edges.folded
    why: tuple[str, ...]
    if edges.left_out and is_empty:
        what = "it uses" if direction == "calls" else "uses it"
        finding = f"{seeds.what}: exclude leaves nothing of what {what}"
        why = (f"exclude={exclude} leaves out {counted(edges.left_out, 'edge')}", *by_tests)
    elif instead and is_empty and not seeds.is_named:
        finding = f"{seeds.what} {instead}"
        why = (tests,)
    elif is_generated and is_empty and not seeds.is_named:
        finding = f"{seeds.what} is called by generated C++ alone, as far as is known"
        why = by_tests
    else:
        why = why_empty(conn, seeds.nodes, things, direction, len(found), edges.folded)
        why += by_tests
    if direction != "called_by":
        return finding, why
    behind, note = decorated(conn, tuple(seeds.nodes))
    if note:
        why = (note, *by_tests)
    return finding + behind, why


def _picture(
    things: tuple[Subject, ...], lines: tuple[Neighbour, ...], direction: str
) -> tuple[PictureEdge, ...]:
    arrows = []
    for line in lines[:_PICTURE_EDGES]:
        ends = (things[max(0, line.subject)].name, line.name)
        source, target = ends if direction == "calls" else ends[::-1]
        arrows.append(PictureEdge(source, target, line.relation))
    return tuple(dict.fromkeys(arrows))
