"""impact: what depends on something, across C++, operators and Python, the nearest first."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping

from torchtalk.answers.base import Page, Place
from torchtalk.answers.drawn import PictureEdge
from torchtalk.answers.graph import Dependent, ImpactAnswer, PathStep, Subject
from torchtalk.counted import counted, few
from torchtalk.graph import exclusions, nodes
from torchtalk.graph.aside import is_aside
from torchtalk.graph.entries import Entries, entries
from torchtalk.graph.further import nearest_entries
from torchtalk.graph.reached import Reached, Step
from torchtalk.graph.walk import into_python, upwards
from torchtalk.names.torchscript import run_for
from torchtalk.sqlfile import listed
from torchtalk.testing.assertions import of_assertions
from torchtalk.tools.walks.class_methods import with_methods
from torchtalk.tools.walks.decorated import decorated
from torchtalk.tools.walks.defined_seeds import defined_seeds
from torchtalk.tools.walks.dense_share import usually
from torchtalk.tools.walks.destructors import with_constructors
from torchtalk.tools.walks.fallback_kernels import fallback_of
from torchtalk.tools.walks.field_seeds import users_of_values
from torchtalk.tools.walks.file_seeds import with_declared
from torchtalk.tools.walks.finding import why_empty
from torchtalk.tools.walks.generated_code import of_generated
from torchtalk.tools.walks.macro_seeds import macro_seeds, with_macros
from torchtalk.tools.walks.notes import (
    honesty,
    nothing,
    of_attributes,
    of_templates,
)
from torchtalk.tools.walks.question import Seeds
from torchtalk.tools.walks.registering import with_registered
from torchtalk.tools.walks.seeds import find
from torchtalk.tools.walks.specializations import of_specializations

_LISTED = (nodes.FUNCTION, nodes.STUB, nodes.KERNEL, nodes.PYTHON, nodes.CLASS)
_MOST_MODULES = 6
_MOST_SUBJECTS = 12
_PICTURE_NODES = 40
_MOST_OF_TORCHSCRIPT = 6
_MOST_ASKED = 3000
"""Of more functions than these it says little which of TorchScript's own operators are among them."""


def impact(
    conn: sqlite3.Connection,
    name: str,
    depth: int = 3,
    exclude: str = exclusions.DEFAULT,
    format: str = "text",  # noqa: A002  named for people
    limit: int = 20,
    offset: int = 0,
) -> ImpactAnswer:
    """Find what depends on something.

    Args:
        conn: an index.
        name: an operator, function, kernel, stub, Python name, file or `file:line`.
        depth: how many calls away at most.
        exclude: kinds and origins of edges that are not followed.
        format: text, json, mermaid or dot.
        limit: most dependents to show.
        offset: how many to pass over.

    Raises:
        BadArgument: exclude has a word that is no kind or origin.
    """
    excluded = exclusions.parse(conn, exclude)
    seeds = with_constructors(conn, users_of_values(conn, find(conn, name)))
    seeds = with_declared(conn, with_methods(conn, with_registered(conn, seeds)))
    if not seeds.nodes:
        seeds = macro_seeds(conn, name) or defined_seeds(conn, name, seeds) or seeds
    if not seeds.nodes:
        return ImpactAnswer(**nothing(conn, name, seeds), form=format, depth=depth)
    reached = upwards(conn, list(seeds.nodes), depth, excluded)
    into_python(reached)
    above = entries(conn, reached)
    # A header's functions may be there for its macros alone: c10_cuda_check_implementation for C10_CUDA_CHECK.
    if not above.any and seeds.is_place and (more := with_macros(conn, name, seeds)) is not None:
        seeds = more
        reached = upwards(conn, list(seeds.nodes), depth, excluded)
        into_python(reached)
        above = entries(conn, reached)
    usual = usually(conn, reached, list(seeds.nodes), depth, above)
    above = usual.entries
    further = (
        None if above.any else nearest_entries(conn, reached, list(seeds.nodes), depth, excluded)
    )
    shown, total = _page(conn, reached, set(seeds.nodes), limit, offset)
    classes = {node: name for node, name in above.classes.items() if node not in seeds.nodes}
    modules = tuple(classes)[:_MOST_MODULES]
    paths = {node: reached.path(node) for node in shown}
    paths.update((node, reached.common_path(node)) for node in modules)
    known = _described(conn, seeds, paths)
    dependents = _dependents(conn, reached, paths, known)
    totals = _by_kind({kind: len(rows) for kind, rows in reached.rows.items()})
    totals.subtract(_by_kind(Counter(node & 15 for node in set(seeds.nodes))))
    behind, note = decorated(conn, tuple(seeds.nodes))
    finding = _finding(seeds, totals, above, len(classes), depth)
    told_of = {nodes.KINDS[node & 15] for node in seeds.nodes}
    told_of |= {kind for kind, number in totals.items() if number}
    return ImpactAnswer(
        query=name,
        finding=f"{finding}{usual.said}{_further(further)}{behind}",
        notes=(
            *seeds.notes,
            *honesty(conn, told_of),
            *of_templates(step.kind for path in paths.values() for step in path),
            *of_attributes(conn, seeds),
            *of_specializations(conn, seeds),
            *of_assertions(conn, nodes.ids(seeds.nodes, nodes.PYTHON)),
            *_of_torchscript(conn, reached),
            *_notes(conn, reached, seeds, excluded),
            *of_generated(conn, seeds.nodes),
            *(
                fallback_of(conn, seeds.nodes)
                or (() if above.any or total else _why_nothing(conn, seeds, known))
            ),
            *((note,) if note else ()),
        ),
        form=format,
        subjects=subjects(seeds, known),
        subject_total=len(seeds.nodes),
        picture=_picture(paths, known) if format in ("mermaid", "dot") else (),
        page=Page(total, offset, len(shown)),
        depth=depth,
        totals={kind: number for kind, number in totals.items() if number > 0},
        dependents=tuple(dependents[node] for node in shown),
        operators=above.operators,
        operator_total=len(above.operators),
        apis=above.apis,
        api_total=len(above.apis),
        modules=tuple(dependents[node] for node in modules),
        other_modules=tuple(classes.values())[_MOST_MODULES:],
        module_total=len(classes),
        tests=above.tests,
    )


def _why_nothing(
    conn: sqlite3.Connection, seeds: Seeds, known: dict[int, nodes.Node]
) -> tuple[str, ...]:
    """Of what nothing at all is seen to use: why, or where the text names it. No word where edges are only left out."""
    codes = sorted(set(seeds.nodes))
    if conn.execute(nodes.sql()["is_used"], {"nodes": listed(tuple(codes))}).fetchone()["yes"]:
        return ()
    return why_empty(conn, tuple(codes), subjects(seeds, known), "called_by", 0, Counter())


def subjects(seeds: Seeds, known: dict[int, nodes.Node]) -> tuple[Subject, ...]:
    """What a question is about, for an answer.

    Args:
        seeds: what the question means.
        known: descriptions of nodes by their codes; of those that are not there nothing is said.
    """
    return tuple(
        Subject(node.kind, node.name, node.place, node.detail)
        for node in (known[n] for n in seeds.nodes[:_MOST_SUBJECTS] if n in known)
    )


def _described(
    conn: sqlite3.Connection, seeds: Seeds, paths: dict[int, list[Step]]
) -> dict[int, nodes.Node]:
    on_paths = (
        end for path in paths.values() for step in path for end in (step.source, step.target)
    )
    return nodes.describe(conn, [*seeds.nodes[:_MOST_SUBJECTS], *paths, *on_paths])


def _dependents(
    conn: sqlite3.Connection,
    reached: Reached,
    paths: dict[int, list[Step]],
    known: dict[int, nodes.Node],
) -> dict[int, Dependent]:
    """What the ends of paths are, with the way there."""
    files = nodes.file_paths(conn, (step.file_id for path in paths.values() for step in path))
    return {
        node: Dependent(
            _distance(reached, node), known[node].kind, known[node].name,
            known[node].place, tuple(_path_step(step, known, files) for step in path),
        )
        for node, path in paths.items()
    }  # fmt: skip


def _by_kind(numbers: Mapping[int, int]) -> Counter[str]:
    """How many nodes of each kind there are, by what people call it."""
    totals: Counter[str] = Counter()
    for kind, number in sorted(numbers.items()):
        if number:
            totals[nodes.KINDS[kind]] += number
    return totals


def _page(
    conn: sqlite3.Connection, reached: Reached, seeds: set[int], limit: int, offset: int
) -> tuple[list[int], int]:
    """The nodes on a page, and how many there are: the nearest first, what is no part of the library behind."""
    layers: dict[int, list[int]] = {}
    for node, depth in reached.depths.items():
        if node & 15 in _LISTED and node not in seeds:
            layers.setdefault(depth, []).append(node)
    found: list[int] = []
    passed = total = 0
    for depth in sorted(layers):
        layer = layers[depth]
        total += len(layer)
        if passed + len(layer) <= offset or len(found) >= limit:
            passed += len(layer)
            continue
        # Only what is on the page need be put in order.
        paths = nodes.paths(conn, layer)
        aside = {path for path in set(paths.values()) if path and is_aside(path)}
        layer.sort(key=lambda n: (paths.get(n) in aside, _LISTED.index(n & 15), n))
        start = max(0, offset - passed)
        found += layer[start : start + limit - len(found)]
        passed += len(layer)
    return found, total


def _distance(reached: Reached, node: int) -> int:
    known = reached.depths.get(node)
    if known is not None:
        return known
    # Further on than was looked: what it is away from what was reached, and that from the start.
    return sum(1 for step in reached.path(node) if step.kind not in _REGISTRATIONS)


_REGISTRATIONS = ("dispatch", "structured", "generated", "bind", "method")


def _path_step(step: Step, known: dict[int, nodes.Node], files: dict[int, str]) -> PathStep:
    relation = f"{step.kind}?" if step.ambiguous else step.kind
    place = Place(files.get(step.file_id), step.line)
    return PathStep(known[step.target].name, relation, place, step.origin)


def _finding(seeds: Seeds, totals: Counter[str], above: Entries, modules: int, depth: int) -> str:
    calls = counted(depth, "call")
    if not any(number > 0 for number in totals.values()) and not modules:
        return f"{seeds.what}: nothing within {calls} is known to depend on it"
    below = [_number(totals["C++"], "C++ function"), _number(totals["Python"], "Python function")]
    through = " and ".join(part for part in below if part)
    listed = _listed(above, modules)
    if listed:
        through = f", through {through}" if through else ""
    else:
        listed, through = "no operator or public name", f", only {through}" if through else ""
    return f"{seeds.what}: within {calls} a change reaches {listed}{through}"


def _further(further: tuple[int, Entries] | None) -> str:
    if further is None:
        return ""
    depth, above = further
    return (
        f". The first are {depth} calls away (depth={depth}): {_listed(above, len(above.classes))}"
    )


def _listed(above: Entries, modules: int) -> str:
    parts = [
        _number(len(above.operators), "operator"), _number(len(above.apis), "public Python function"),
        _number(modules, "module"), _number(above.tests, "test"),
    ]  # fmt: skip
    return ", ".join(part for part in parts if part)


def _number(number: int, noun: str) -> str:
    if number <= 0:
        return ""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _of_torchscript(conn: sqlite3.Connection, reached: Reached) -> tuple[str, ...]:
    """Of functions that TorchScript's interpreter runs for operators of its own, which these are."""
    functions = reached.rows[nodes.FUNCTION]
    names = run_for(conn, functions) if len(functions) <= _MOST_ASKED else []
    if not names:
        return ()
    few_names = few(names, _MOST_OF_TORCHSCRIPT)
    number = _number(len(names), "operator")
    return (
        f"it reaches {number} of TorchScript's interpreter, which no dispatcher knows: {few_names}",
    )


# By what edges to a node of a kind are to it alone, and what is said of them.
_FOREIGN = (
    (nodes.STUB, "stub", "which name another device than that of the kernels here"),
    (
        nodes.PYTHON,
        "overridden method",
        "which call it of super() or of its class: that runs no other",
    ),
    (
        nodes.FUNCTION,
        "overridden method",
        "which call it of its class, `Base::f()`: that runs no other",
    ),
)


def _notes(
    conn: sqlite3.Connection, reached: Reached, seeds: Seeds, excluded: exclusions.Exclusions
) -> tuple[str, ...]:
    notes = []
    functions = reached.rows[nodes.FUNCTION]
    if excluded.ambiguous and functions:
        row = conn.execute(nodes.sql()["not_followed"], {"ids": json.dumps(functions)}).fetchone()
        if row["number"]:
            notes.append(
                f"{_number(row['number'], 'call')} that may be of other functions not followed; "
                "with exclude=boilerplate,compile they are"
            )
    if len(reached.depths) <= len(seeds.nodes):
        asked = {"nodes": json.dumps(seeds.nodes[:_MOST_SUBJECTS])}
        users = conn.execute(nodes.sql()["users"], asked)
        words = excluded.words
        out = {row["node"] for row in users if row["kind"] in words or row["origin"] in words}
        if out:
            notes.append(f"{_number(len(out), 'direct user')} left out by exclude")
    notes += [
        f"{_number(len(of), 'caller')} of {_number(len({at for _, at in of}), what)} on the way not followed, {why}"
        for kind, what, why in _FOREIGN
        if (of := [edge for edge in reached.foreign if edge[1] & 15 == kind])
    ]
    if excluded.words & exclusions.COMPILE and any(
        node & 15 == nodes.PYTHON for node in seeds.nodes
    ):
        python = reached.rows[nodes.PYTHON][:_MOST_ASKED]
        asked = {"functions": json.dumps(python), "edges": json.dumps(sorted(excluded.edges))}
        if conn.execute(nodes.sql()["leads_on"], asked).fetchone()["yes"]:
            notes.append(
                "what torch.compile runs in an operator's place is left out: exclude=none follows it,"
                " compile_path has it"
            )
    return tuple(notes)


def _picture(paths: dict[int, list[Step]], known: dict[int, nodes.Node]) -> tuple[PictureEdge, ...]:
    """The arrows on the paths, as long as a person can read them; what has one name is one box."""
    drawn: dict[tuple[str, str], list[str]] = {}
    ends: set[str] = set()
    for path in paths.values():
        more = {known[end].name for step in path for end in (step.source, step.target)}
        if len(ends | more) > _PICTURE_NODES:
            continue
        ends |= more
        for step in path:
            between = known[step.source].name, known[step.target].name
            # An overload that leads to another would be an arrow from a box to itself.
            if between[0] != between[1]:
                drawn.setdefault(between, []).append(step.kind)
    return tuple(
        PictureEdge(source, target, "; ".join(dict.fromkeys(kinds)))
        for (source, target), kinds in drawn.items()
    )
