"""How a change is said: what changed, by file, and the way from it to a test, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from torchtalk.affected.graph.nodes import Node, is_gradient, of_gradient
from torchtalk.affected.graph.search import Found
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.counted import counted

_MOST_SHOWN = 60
_OF = "is its "
"""Begins what is said of the step before: `is its kernel for CPU`."""


def finding_of(
    changes: Changes, number: int, reached: int, by_name: int, beside_it: int, total: int
) -> str:
    """The first line of an answer.

    Args:
        changes: what changed.
        number: of the tests that are to be run.
        reached: of those that the graph leads to.
        by_name: of those that are to be run by name only, or for what stands beside the change.
        beside_it: of these for what stands beside it.
        total: of all tests in the index.
    """
    # A name that decorates tests is none of the graph.
    things = changed_things(changes) or {seed.place for seed in changes.seeds.values()}
    what = f"{counted(len(things), 'thing')} changed"
    where = f" in {changes.files} files" if changes.files > 1 else ""
    if changes.is_quiet and not changes.seeds:
        return f"{counted(changes.files, 'file')} changed: comments, documentation or layout alone, which no test needs"
    if not changes.seeds and changes.files:
        what, where = f"{counted(changes.files, 'file')} changed", ""
    none = f"{what}{where}; no test is known to be reached"
    if not number:
        return none
    share = f"{100 * number / total:.1f} %" if number >= total / 1000 else "less than 0.1 %"
    how = "by name only"
    if beside_it:
        how = (
            "of what stands beside it"
            if beside_it == by_name
            else f"{how} or of what stands beside it"
        )
    if by_name == number:
        return f"{none}: {counted(number, 'test')} {how} ({share} of {total:,})"
    cut = f" of {reached:,} that are reached" if reached > number - by_name else ""
    more = f", {by_name} of them {how}" if by_name else ""
    if more and cut:
        cut, more = "", f", {by_name} {how}, the others of {reached:,} that are reached"
    return f"{what}{where}: {counted(number, 'test')}{cut} ({share} of {total:,}){more}"


def reasons_of(found: Found, changes: Changes) -> tuple[str, ...]:
    """`at::native::f`, `kernel for CPU of aten::g` …: each step names what depends, and how.

    Args:
        found: a test with its path.
        changes: that the path begins at.
    """
    steps = [label_of(changes.seeds[found.path[0][0]]), *_steps(found)]
    if found.passes:
        steps.append(f"passes {found.passes}")
    if found.home:
        steps.append(f"its file is called like {found.home}")
    return tuple(steps)


def reasons_beside(found: Found, file: str) -> tuple[str, ...]:
    """The same of a test that another function of a changed file, or of its folder, leads to.

    Args:
        found: the test with its path, which begins at that function.
        file: path of the one that changed.
    """
    return f"beside what changed in {file}: {_label(found.path[0][0])}", *_steps(found)


def _steps(found: Found) -> Iterator[str]:
    for node, why in found.path[1:]:
        if not why:
            # From an aspect of an operator to the operator.
            continue
        elif node.kind in ("test", "generic"):
            yield why
        elif why.startswith(_OF):
            # Said of what comes before: the function is the operator's kernel.
            yield f"{why.removeprefix(_OF)} of {_label(node)}"
        else:
            yield f"{_label(node)} {why}"


def label_of(seed: Seed) -> str:
    """The name of what changed, of which `seed` is, and behind it how it did, where that is known."""
    return f"{_label(seed.node)} {seed.how}".strip()


def changed_things(changes: Changes) -> list[Seed]:
    """What of `changes` changed itself, or uses what did; not the tests that only have a text of it."""
    return [
        one
        for one in changes.seeds.values()
        if one.node.kind != "test" or one.lines or (one.weight == 1.0 and not one.place.line)
    ]


def grouped(seeds: list[Seed]) -> dict[tuple[str | None, str], list[Seed]]:
    """The `seeds` by their file, None where it is not known, and by what they have to do with it."""
    found: dict[tuple[str | None, str], list[Seed]] = {}
    for seed in seeds:
        found.setdefault((seed.place.file, seed.how), []).append(seed)
    return found


def shown(seeds: list[Seed]) -> list[Seed]:
    """So many of the `seeds` as an answer has: of each group the first, in their order."""
    turns = zip_longest(*grouped(seeds).values())
    some = [seed for turn in turns for seed in turn if seed is not None][:_MOST_SHOWN]
    chosen = {seed.node for seed in some}
    return [seed for seed in seeds if seed.node in chosen]


def kind_of(node: Node) -> str:
    """The kind of what changed, `node`; an aspect of an operator is one of the operator's."""
    return "operator" if node.kind == "aspect" else node.kind


def _label(node: Node) -> str:
    if node.kind == "aspect" and is_gradient(node):
        return f"the gradient of {node.name}"
    if node.kind == "aspect" and (for_key := of_gradient(node)):
        return f"the gradient of {node.name} for {for_key}"
    if node.kind == "entry":
        return f"the new {str(node.key).split(chr(9))[1]} {node.name}"
    return f"OpInfo {node.name}" if node.kind in ("opinfo", "field") else node.name
