"""What changed: the nodes that a search for tests begins at, and what the graph could not see."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.places.testfiles import TestChanges
from torchtalk.answers.base import Place


@dataclass(frozen=True)
class Seed:
    """Something that changed.

    Args:
        node: in the graph.
        weight: 1 for what changed itself, less for what stands around it.
        place: where it stands, as far as known.
        lines: how many of its lines changed; 0 where it was only named.
        how: what it has to do with the place, where it does not stand there: `uses CUDA_KERNEL_LOOP`.
        at: the file that it stands in, where only its name was given.
        asked: the name that was given, where one was.
    """

    node: Node
    weight: float
    place: Place
    lines: int = 0
    how: str = ""
    at: str = ""
    asked: str = ""

    @property
    def file(self) -> str | None:
        """The file that it stands in, as far as known."""
        return self.place.file or self.at or None

    @property
    def causes(self) -> tuple[str, ...]:
        """What it is a part of, from without: the name that was given, or the file and what is changed in it."""
        return (self.asked,) if self.asked else (self.place.file or "", self.how or self.node.name)


class Loose(NamedTuple):
    """Lines of which no function is known.

    Args:
        file: row of their file.
        span: the lines.
        names: of what they define, where that is known.
        unseen: what is said where nobody uses it; empty where lines are counted.
        is_known: what the lines make or register is known, and nothing is to be said where nobody uses a name.
    """

    file: sqlite3.Row
    span: Span
    names: tuple[str, ...] = ()
    unseen: str = ""
    is_known: bool = False


@dataclass
class Changes:
    """What a question is about.

    Args:
        seeds: in their order, each once.
        unseen: what the graph does not have, one sentence each.
        notes: what became of files and tests, besides.
        files: how many files changed.
        tests: what became of tests themselves.
        quiet: how many of the files have changes that nothing runs.
        silent: the spans of those changes, each with the path of its file in the index.
        named: by OpInfo the tests that its changed lines name, as skips do.
        fields: by OpInfo the fields that its changed lines are about.
        loose: changed lines of which no function is known.
        types: those that C++ binds and that were asked for, each with how.
        blank: files of which nothing that changed is in the graph, each with the files whose tests look at it.
    """

    seeds: dict[Node, Seed] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: int = 0
    tests: TestChanges = field(default_factory=TestChanges)
    quiet: int = 0
    silent: set[tuple[str, Span]] = field(default_factory=set)
    named: dict[Node, frozenset[str]] = field(default_factory=dict)
    fields: dict[Node, frozenset[str]] = field(default_factory=dict)
    loose: list[Loose] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    blank: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _files: set[str | None] = field(default_factory=set, repr=False)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing that runs changed in any file."""
        return 0 < self.files == self.quiet

    def add(self, seed: Seed) -> None:
        """Take in a seed, or count its lines with those of the same node."""
        known = self.seeds.get(seed.node)
        if known is not None:
            seed = Seed(
                seed.node,
                max(seed.weight, known.weight),
                known.place,
                seed.lines + known.lines,
                known.how and seed.how,
                known.at or seed.at,
                known.asked,
            )
        self.seeds[seed.node] = seed
        self._files.add(seed.place.file)

    def add_asked(self, entry: Node, tests: frozenset[str], fields: frozenset[str]) -> None:
        """Take in what changed lines of an OpInfo are about.

        Args:
            entry: its node.
            tests: names of the tests that the lines name; where there are any they count alone.
            fields: names of the arguments of its constructor that the lines give.
        """
        if tests:
            self.named[entry] = self.named.get(entry, tests) | tests
        elif fields:
            self.fields[entry] = self.fields.get(entry, fields) | fields

    def has_of(self, file: str) -> bool:
        """Whether anything that changed stands in a file."""
        return file in self._files


def spread_over_files(seeds: list[Seed], most: int) -> list[Seed]:
    """As many of the seeds, from each file its most changed ones.

    Args:
        seeds: all.
        most: how many.
    """
    if len(seeds) <= most:
        return seeds
    files: dict[str | None, list[Seed]] = {}
    for seed in seeds:
        files.setdefault(seed.place.file, []).append(seed)
    for own in files.values():
        own.sort(key=lambda seed: (-seed.weight, -seed.lines))
    turns = zip_longest(*files.values())
    return [seed for turn in turns for seed in turn if seed is not None][:most]
