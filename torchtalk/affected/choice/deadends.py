"""What changed and leads to no test that is known, said for each file; and tests that are only called like it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from torchtalk.affected.choice.importing import importing
from torchtalk.affected.diff.outside import is_generator, what_is
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import BOUND
from torchtalk.affected.graph.search import Reach, search
from torchtalk.affected.places.changes import Changes, Seed

MOST_LOOKED_AT = 200
"""Of more things that changed the others are not looked at one by one."""

# A file whose best test counts so little, of so few, leads to tests by chance rather than for what it does.
_FAINTLY = 0.3
_FEW = 60
_LOST = 0.1
"""Where the best counts so little it is no matter how many there are: they run the whole of what it is a part of."""
_HALF, _HARDLY, _FAR = 0.45, 2, 3

_ANY = 1_000
"""Of what so many use a change is nearly nothing for each."""

_MAKES = "{}: makes code when PyTorch is built: any test may notice"
_FUNCTIONS = ("cpp", "python")
_MOST_FILES = 4
_MOST_IMPORTERS = 5


class DeadEnds(NamedTuple):
    """What leads nowhere.

    Args:
        said: a sentence for each file, and for each name.
        files: those of which nothing leads to a test.
        faint: those that lead to a few, weakly.
    """

    said: tuple[str, ...]
    files: tuple[str, ...]
    faint: tuple[str, ...]


_NAMED = ("option", BOUND)


def dead_ends(graph: Graph, changes: Changes, reach: Reach) -> DeadEnds:
    """Find what leads to no test at all.

    Args:
        graph: of an index.
        changes: with what changed.
        reach: what a search from all of it found.
    """
    alive = {one.path[0][0] for one in reach.found}
    # What has tests by its name is no dead end (mentions.py, quoted.py).
    told = {(one.place, one.at) for one in changes.seeds.values() if one.how and one.file}
    # So have the methods of a class whose name a test has.
    tested = {
        (one.place, one.at) for one in changes.seeds.values()
        if one.how and one.node.kind == "test" and one.file
    }  # fmt: skip
    alive |= {
        seed.node for seed in changes.seeds.values()
        if (seed.place, seed.at) in (tested if seed.how else told)
    }  # fmt: skip
    looked_at = [
        seed for seed in changes.seeds.values()
        if seed.place.file not in changes.tests.skipped_paths and seed.node.kind != "test"
    ][:MOST_LOOKED_AT]  # fmt: skip
    by_file: dict[str, list[bool]] = {}
    said: list[str] = []
    living: set[str] = set()
    dead_names: dict[str, None] = {}
    alone: dict[str, None] = {}
    around: dict[str, bool] = {}
    for seed in looked_at:
        file = seed.place.file
        if seed.how and file is not None:
            # Of all that uses a macro, or belongs to a class, one will do.
            around[file] = around.get(file, False) or seed.node in alive or _leads(graph, seed)
            continue
        # Several may lead to the same tests, of which one is named in the path.
        leads = seed.node in alive or _leads(graph, seed)
        if (users := len(graph.dependents(seed.node))) > _ANY and seed.node.kind in _FUNCTIONS:
            said.append(f"{seed.node.name} has {users:,} users: any test may notice")
        if file is not None:
            by_file.setdefault(file, []).append(leads)
        elif leads:
            living.add(seed.node.name)
        else:
            alone[seed.at] = None
            dead_names[seed.node.name] = None
    # Of overloads that are called alike one that leads to tests is enough.
    said += [f"{n} leads to no test that is known" for n in dead_names if n not in living]
    for file, one_leads in around.items():
        by_file.setdefault(file, []).append(one_leads)
    for file, all_leads in by_file.items():
        known = what_is(file)
        if (dead := all_leads.count(False)) and known is not None:
            said.append(f"{file}: {known.what}")
        elif dead:
            said.append(f"{file}: {_share(dead, len(all_leads))} to no test that is known")
        if dead and is_generator(file):
            said.append(_MAKES.format(file))
        folder, _, name = file.rpartition("/")
        if name == "conftest.py":
            said.append(f"{file}: pytest reads it before all tests below {folder}/")
    said += [
        _MAKES.format(file) for file in changes.blank if file not in by_file and is_generator(file)
    ]
    none = tuple(file for file, all_leads in by_file.items() if not any(all_leads))
    none += tuple(file for file in alone if file and file not in by_file)
    leading = [file for file in by_file if file not in none]
    return DeadEnds(tuple(said), none, tuple(_faint(graph, changes, reach, none, leading)))


def _faint(
    graph: Graph, changes: Changes, reach: Reach, none: tuple[str, ...], leading: list[str]
) -> Iterator[str]:
    """The files of which all that is reached is few and weak."""
    best: dict[str, float] = {}
    tests: dict[str, int] = {}
    steps: dict[str, int] = {}
    for one in reach.found:
        seed = changes.seeds[one.path[0][0]]
        file = seed.file
        # That a test has a text of it says nothing of what the graph knows of the file.
        if file is not None and seed.node.kind != "test":
            best[file] = max(best.get(file, 0.0), one.weight)
            tests[file] = tests.get(file, 0) + one.tests
            steps[file] = min(steps.get(file, one.distance), one.distance)
    for seed in changes.seeds.values():
        # Tests with its name are those that nobody's calls lead to: there may be more.
        if seed.node.kind in _NAMED and seed.file is not None:
            best.setdefault(seed.file, 0.0)
            tests.setdefault(seed.file, 0)
    # All that a file leads to others may lead to as well, and better: its own weak ways are seen without them.
    for file in [file for file in leading if file not in best][:_MOST_FILES]:
        own = [(one.node, one.weight) for one in changes.seeds.values() if one.file == file]
        alone = search(graph, own[:_MOST_FILES], enough=_FEW).found
        best[file] = max((one.weight for one in alone), default=0.0)
        tests[file] = sum(one.tests for one in alone)
    for file, weight in best.items():
        is_weak = weight < _FAINTLY and (tests[file] < _FEW or weight < _LOST)
        # A test or two that something far off leads to are not those of the file.
        is_weak = is_weak or (
            weight < _HALF
            and tests[file] <= _HARDLY
            and steps.get(file, 0) >= _FAR
            and not file.startswith("torch/testing/")
        )
        if is_weak and file not in none:
            yield file


def _share(dead: int, of: int) -> str:
    if of == 1:
        return "what changed leads"
    return f"{dead} of {of} changed things {'leads' if dead == 1 else 'lead'}"


def _leads(graph: Graph, seed: Seed) -> bool:
    return bool(search(graph, [(seed.node, seed.weight)], enough=1).found)


def imported_by(conn: sqlite3.Connection, files: tuple[str, ...]) -> Iterator[str]:
    """Which test files import Python files: what they do with them is not seen.

    Args:
        conn: an index.
        files: paths in the tree; all but the first few that end in `.py` are passed over.

    Returns:
        A sentence for each of them that test files import.
    """
    for file in [file for file in files if file.endswith(".py")][:_MOST_FILES]:
        paths = importing(conn, file, with_tests=True)
        if paths:
            more = len(paths) - _MOST_IMPORTERS
            listed = ", ".join(paths[:_MOST_IMPORTERS])
            yield f"{file}: imported by {listed}" + (
                f" and {more} more test files" if more > 0 else ""
            )
