"""What changed and leads to no test that is known, said for each file; and tests that are only called like it."""

from __future__ import annotations

import posixpath
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from torchtalk.affected.changes import Changes, Seed
from torchtalk.affected.graph import Graph
from torchtalk.affected.search import Reach, search
from torchtalk.answers.tests import TestHit
from torchtalk.tools import queries
from torchtalk.tools.find_similar_tests import find_similar_tests
from torchtalk.tools.testsubject import words_of

MOST_LOOKED_AT = 200
"""Of more things that changed the others are not looked at one by one."""

MOST_FILES = 4
"""For so many files without a test, those called like them are looked for."""

MOST_GUESSES = 5
"""So many of each."""


class DeadEnds(NamedTuple):
    """What leads nowhere.

    Args:
        said: a sentence for each file, and for each name.
        files: those of which nothing leads to a test.
    """

    said: tuple[str, ...]
    files: tuple[str, ...]


def dead_ends(graph: Graph, changes: Changes, reach: Reach) -> DeadEnds:
    """Find what leads to no test at all.

    Args:
        graph: of an index.
        changes: with what changed.
        reach: what a search from all of it found.
    """
    alive = {one.path[0][0] for one in reach.found}
    looked_at = [
        seed for seed in changes.seeds.values()
        if seed.place.file not in changes.tests.skipped_paths
    ][:MOST_LOOKED_AT]  # fmt: skip
    by_file: dict[str, list[bool]] = {}
    said: list[str] = []
    for seed in looked_at:
        # Several may lead to the same tests, of which one is named in the path.
        leads = seed.node in alive or _leads(graph, seed)
        if seed.place.file is not None:
            by_file.setdefault(seed.place.file, []).append(leads)
        elif not leads:
            said.append(f"{seed.node.name} leads to no test that is known")
    for file, all_leads in by_file.items():
        if dead := all_leads.count(False):
            said.append(f"{file}: {_share(dead, len(all_leads))} to no test that is known")
    none = tuple(file for file, all_leads in by_file.items() if not any(all_leads))
    return DeadEnds(tuple(said), none)


def _share(dead: int, of: int) -> str:
    if of == 1:
        return "what changed leads"
    return f"{dead} of {of} changed things {'leads' if dead == 1 else 'lead'}"


def _leads(graph: Graph, seed: Seed) -> bool:
    return bool(search(graph, [(seed.node, seed.weight)], enough=1).found)


def imported_by(conn: sqlite3.Connection, files: tuple[str, ...]) -> Iterator[str]:
    """Which test files import the Python files among these: what they do with them is not seen."""
    for file in [file for file in files if file.endswith(".py")][:MOST_FILES]:
        rows = conn.execute(
            queries("affected_places")["importing_tests"], {"path": file}
        ).fetchall()
        if rows:
            more = len(rows) - MOST_GUESSES
            listed = ", ".join(row["path"] for row in rows[:MOST_GUESSES])
            yield f"{file}: imported by {listed}" + (
                f" and {more} more test files" if more > 0 else ""
            )


def named_like(conn: sqlite3.Connection, files: tuple[str, ...]) -> dict[str, tuple[TestHit, ...]]:
    """Tests by file whose names have words of its name, or of it and its folder's: guesses."""
    found = {}
    for file in files[:MOST_FILES]:
        folder, name = posixpath.split(file)
        words = words_of(posixpath.splitext(name)[0])
        for query in ((*words,), (*words_of(posixpath.basename(folder)), *words)):
            if len(query) < 2:
                # One word may be the name of something, which is more than a word.
                continue
            hits = find_similar_tests(conn, " ".join(query), limit=MOST_GUESSES).hits
            if hits:
                found[file] = tuple(hits)
                break
    return found
