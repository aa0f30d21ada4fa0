"""Several units that are parsed as one, since most of a small unit's time goes into what all of them look up.

A precompiled header is read piece by piece as a unit asks for it, and templates are instantiated anew in each unit:
sixteen units of a folder, included one after another, take two fifths of the time that they take alone. What each
of them has to say is then told apart (`indexer.clang.parting`); a unit for which the others' company might have changed
anything is parsed alone after all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from indexer.clang.setup import JUMBO, Task

MOST, MOST_BYTES = 24, 600_000
"""Units, and bytes of them, in one; more of them save little more, and take memory."""

JUMBO_PATH = "/torchtalk_jumbo.cpp"
JUMBO_FILE = f"<{JUMBO_PATH}>"
"""What a jumbo unit is called, and how it stands among the files that are none of the tree's; there is no such file."""

_FEWEST = 4
"""So few units of a group are parsed alone: most of a large one's gain is in those that come later."""

_LARGE = 150_000
"""A unit of so many bytes is busy with itself."""

_MACRO = re.compile(rb"^[ \t]*#[ \t]*(?:define|undef)[ \t]+(\w+)", re.MULTILINE)
_MARKS = """\
#define TORCHTALK_MARK_NAMED(position, counter) namespace torchtalk_mark_##position##_##counter {}
#define TORCHTALK_MARK_COUNTED(position, counter) TORCHTALK_MARK_NAMED(position, counter)
#define TORCHTALK_MARK(position) TORCHTALK_MARK_COUNTED(position, __COUNTER__)
TORCHTALK_MARK(0)"""
_MARK = re.compile(r"torchtalk_mark_(\d+)_(\d+)")


class Mark(NamedTuple):
    """What stands between the members of a jumbo unit.

    Args:
        position: of the member that follows.
        counter: what `__COUNTER__` was: whose names are made from it would have begun anew alone.
    """

    position: int
    counter: int


def mark_of(name: str) -> Mark | None:
    """The mark that a namespace called `name` is; None where it is none."""
    match = _MARK.fullmatch(name)
    return Mark(int(match[1]), int(match[2])) if match else None


def jumbo_text(members: Sequence[tuple[str, bytes]]) -> bytes:
    """Write a jumbo unit: its members, each with the macros as they were before it, and marks between them.

    Args:
        members: absolute path and text of each.
    """
    lines: list[str] = [_MARKS]
    for position, (path, text) in enumerate(members, 1):
        names = [name.decode() for name in dict.fromkeys(_MACRO.findall(text))]
        lines += [f'#pragma push_macro("{name}")' for name in names]
        lines.append(f'#include "{path}"')
        lines += [f'#pragma pop_macro("{name}")' for name in names]
        # A brace that a member leaves open shows: the mark is then not where it belongs.
        lines.append(f"TORCHTALK_MARK({position})")
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def with_jumbos(
    tasks: Sequence[Task], groups: Iterable[str], faulty: Collection[str] = frozenset()
) -> list[Task]:
    """Put small units of the same group and of neighbouring folders together.

    Args:
        tasks: of units, one each.
        groups: whose units share a precompiled header; others are left alone.
        faulty: files that have errors: they would be parsed a second time.

    Returns:
        The units that are left alone, and a task for each jumbo unit, with its members.
    """
    together: dict[tuple[str, bool], list[Task]] = {}
    alone: list[Task] = []
    shared = frozenset(groups)
    for task in tasks:
        is_fit = task.group in shared and task.file not in faulty and '"' not in task.file
        if is_fit and task.size < _LARGE:
            # Tests come last; so they have to keep to themselves.
            together.setdefault((task.group, task.size == task.weight), []).append(task)
        else:
            alone.append(task)
    for found in together.values():
        if len(found) < _FEWEST:
            alone += found
            continue
        for members in _chunks(sorted(found, key=lambda task: task.path)):
            alone += as_jumbo(members)
    return alone


def as_jumbo(members: Sequence[Task]) -> list[Task]:
    """A task for some units of a group at once; so few that it gains nothing remain what they are.

    Args:
        members: the tasks of the units.
    """
    return [_jumbo(members)] if len(members) > _FEWEST // 2 else list(members)


def _chunks(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    chunk: list[Task] = []
    size = 0
    for task in tasks:
        if chunk and (len(chunk) == MOST or size + task.size > MOST_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(task)
        size += task.size
    if chunk:
        yield chunk


def _jumbo(members: Sequence[Task]) -> Task:
    size = sum(task.size for task in members)
    first = members[0]
    return replace(
        first,
        kind=JUMBO,
        path=f"<{first.path} and {len(members) - 1} more>",
        file="",
        result="",
        size=size,
        weight=max(task.weight - task.size for task in members) + size,
        members=tuple(members),
    )
