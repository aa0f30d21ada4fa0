"""What every worker knows: the library, the tree, the flags of each group, the headers that are walked once."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from indexer.clang.units import GENERATED

UNIT, PRECOMPILE, HEADERS, JUMBO = "unit", "precompile", "headers", "jumbo"
"""Kinds of tasks."""


_FOREIGN = re.compile(
    r"^.*/include/(?:[\w-]+-linux-gnu/)?(?:c\+\+/\d[\d.]*/)?(?:[\w-]+-linux-gnu/)?"
)


@dataclass(frozen=True)
class Setup:
    """Shared by all tasks of a run.

    Args:
        library: path of libclang.
        root: the tree, absolute.
        generated: the folder of generated files, absolute.
        flags: arguments by group.
        device: groups of device code.
        precompiled: path of the precompiled header by group; a group without one is missing.
        sources: path of the text that the header is made from, by group.
        instead: by group the others whose precompiled headers may take its place, the fullest first: where what is
            precompiled collides with a unit, less of it seldom does, and takes a fifth of the time of none.
        launching: headers with kernel launches, absolute.
        memory: bytes of data a worker may allocate; 0 for no bound.
    """

    library: str
    root: str
    generated: str
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    device: frozenset[str] = frozenset()
    precompiled: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, Sequence[str]] = field(default_factory=dict)
    launching: tuple[str, ...] = ()
    memory: int = 0

    def headers_of(self, group: str) -> tuple[str, ...]:
        """The groups whose precompiled headers a unit of the group `group` may be parsed with, the fullest first.

        There are none where the group has no such header itself.
        """
        return (group, *self.instead.get(group, ())) if group in self.precompiled else ()

    def shorten(self, path: str) -> tuple[str, bool]:
        """How a file stands in the database, and whether it is the tree's or generated from it.

        Args:
            path: absolute, as clang has it.

        Returns:
            Relative to the tree; behind `GENERATED` what was generated; in `<>` what is others'. Files of third_party
            are not the tree's.
        """
        if "/." in path:
            path = os.path.normpath(path)
        if path.startswith(self.generated + "/"):
            return GENERATED + path[len(self.generated) + 1 :], True
        if path.startswith(self.root + "/"):
            own = path[len(self.root) + 1 :]
            return own, not own.startswith("third_party/")
        # Others' headers by the name they are included by, the same on every machine.
        return f"<{_FOREIGN.sub('', path)}>", False


@dataclass(frozen=True)
class Task:
    """One thing for a worker to do.

    Args:
        number: its place in the order of the results.
        kind: `UNIT`, `PRECOMPILE`, `HEADERS`, or `JUMBO` for several units at once.
        path: the unit as it stands in the database; the group's name for the other kinds.
        file: absolute path of what is parsed.
        group: whose flags and precompiled header are used.
        result: where the facts are written; empty for `PRECOMPILE`.
        needs: groups whose precompiled headers must be finished first.
        weight: what comes first, the heaviest: bytes of source, and more for what is wanted before tests.
        over: of `HEADERS`, the group whose precompiled header they are read on top of; what it holds is not collected.
        size: bytes of source.
        members: of `JUMBO`, the tasks of its units.
    """

    number: int
    kind: str
    path: str
    file: str
    group: str
    result: str
    needs: tuple[str, ...] = ()
    weight: int = 0
    over: str = ""
    size: int = 0
    members: tuple[Task, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """How a task went.

    Args:
        number: the task's.
        status: ok, partial, failed, crashed, timeout.
        detail: what fell short.
        seconds: CPU time.
        memory: the worker's peak so far, in megabytes.
        members: of `JUMBO`, outcomes of those units whose facts are there, each with its position among the task's
            members as its number.
        apart: of `JUMBO`, positions of the units that have to be parsed alone; the others may get on without these.
    """

    number: int
    status: str
    detail: str
    seconds: float = 0.0
    memory: float = 0.0
    members: tuple[Outcome, ...] = ()
    apart: tuple[int, ...] = ()
