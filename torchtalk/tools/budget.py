"""How a budget of tests is shared between what the graph leads to and what a name tells."""

from __future__ import annotations

import posixpath
import sqlite3
from collections.abc import Callable, Collection, Iterator
from itertools import zip_longest
from typing import NamedTuple

from torchtalk.affected.choice.budget import within
from torchtalk.affected.choice.deadends import DeadEnds
from torchtalk.affected.choice.neighbouring_code import tests_beside
from torchtalk.affected.diff.outside import is_generator
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.search import Found
from torchtalk.affected.path_words import is_plain
from torchtalk.affected.places.changes import Changes
from torchtalk.answers.tests import TestHit
from torchtalk.sqlfile import listed
from torchtalk.testing.environment import Environments
from torchtalk.testing.exact import Exact
from torchtalk.testing.words import words_of
from torchtalk.tools import queries
from torchtalk.tools.changes_said import reasons_beside
from torchtalk.tools.find_similar_tests import find_similar_tests
from torchtalk.tools.finding_tests.guesses import MOST_FILES, ByName, Named
from torchtalk.tools.finding_tests.hits import test_hit

# Of the budget, for each file that leads to no test or hardly to any, and for all of them.
_EACH = 1 / 4
_ALL = 1 / 2
# The same for each file whose tests by name are none of those that it leads to.
_OF_OTHER = 1 / 10
_OF_OTHERS = 1 / 8
_OF_UNSEEN = 1 / 25
_MOST_GUESSES = 5
# What stands beside a change leads to its tests more surely than their names do, and less than it would itself.
_BESIDE = 0.15
_NATIVE = "/native/"
_BEFORE = 1.05
_FAR = 3


class Shared(NamedTuple):
    """What is run.

    Args:
        chosen: that the graph leads to.
        named: that a name tells, besides.
        like: by file, tests with words of its name in theirs, which are not run.
    """

    chosen: tuple[Found, ...]
    named: tuple[Named, ...]
    like: dict[str, tuple[TestHit, ...]]


def share_out(
    conn: sqlite3.Connection,
    graph: Graph,
    changes: Changes,
    ends: DeadEnds,
    found: tuple[Found, ...],
    room: int,
    path_of: Callable[[Found], str],
) -> Shared:
    """Choose the tests that fit a budget.

    Args:
        conn: an index.
        graph: of it.
        changes: with what changed.
        ends: the files of which nothing leads to a test, or hardly anything.
        found: what the graph leads to, the best first.
        room: the budget.
        path_of: the path of a test's file.
    """
    by_name = ByName(conn, changes)

    def causes(one: Found) -> tuple[str, ...]:
        return changes.seeds[one.path[0][0]].causes

    poor = tuple(dict.fromkeys((*ends.files, *ends.faint, *changes.blank)))[:MOST_FILES]
    lists = {file: _there(by_name.tests(file), changes) for file in poor}
    # Of what tests of Python really run (benchmarks/covered.py), a weak way is right five times as often as a name.
    last = {file for file in ends.faint if file in lists and file.endswith(".py")}
    for file in last:
        lists[file] = lists[file][: max(1, int(room * _OF_OTHER))]
    for file in ends.files[:MOST_FILES]:
        lists[file] = _with_beside(lists[file], _beside(conn, graph, changes, file))
    like = {file: _like(conn, file) for file, tests in lists.items() if not tests}
    each = max(1, int(room * min(_EACH, 1 / max(1, changes.files))))
    seen = {seed.file for seed in changes.seeds.values()}
    # Imports and the like, of which nothing is in the graph, mostly change with what is.
    little = max(1, int(room * _OF_UNSEEN)) if seen else each
    kept = sum(
        min(each if file in seen else little, len(tests))
        for file, tests in lists.items()
        if file not in last
    )
    kept = min(int(room * _ALL), kept)
    chosen = within(found, room - kept, path_of, causes)
    each = max(1, int(room * _OF_OTHER))
    reached = frozenset(map(path_of, chosen))
    others = _others(by_name, changes, lists, reached)
    if others:
        more = sum(min(each, len(tests)) for tests in others.values())
        less = min(int(room * _OF_OTHERS), more)
        chosen = within(found, room - kept - less, path_of, causes)
        # What the graph leaves is theirs, too, up to the share of a file that it leads to nothing from.
        is_full = sum(one.tests for one in chosen) + kept + more >= room
        each = each if is_full else max(each, int(room * _EACH))
    known = {one.node.key for one in chosen if one.node.kind == "test"}
    others = {
        file: [one for one in tests if one.test not in known][:each]
        for file, tests in others.items()
    }
    left = room - sum(one.tests for one in chosen)
    named: dict[int, Named] = {}
    for one in _in_turns([*others.values(), *lists.values()]):
        if len(named) >= left:
            break
        if one.test not in known:
            named.setdefault(one.test, one)
    lifted = list(named.values())
    for file in poor:
        lifted = _lifted(by_name, changes, file, lifted, chosen, path_of)
    ordered = sorted(lifted, key=lambda one: (-round(one.weight, 6), one.test))
    return Shared(chosen, tuple(ordered), {file: hits for file, hits in like.items() if hits})


def _beside(conn: sqlite3.Connection, graph: Graph, changes: Changes, file: str) -> list[Named]:
    """What the functions beside those that changed lead to."""
    found = tests_beside(graph, conn, changes, file)
    return _there(
        [
            Named(
                int(one.node.key),
                file,
                _BESIDE * one.weight,
                reasons_beside(one, file),
                is_beside=True,
            )
            for one in found
        ],
        changes,
    )


def _with_beside(named: list[Named], others: list[Named]) -> list[Named]:
    """Tests that are called like what changed, those of what stands beside it and of a file called so in turns."""
    whole = [one for one in named if one.is_whole]
    own = [one for one in named if one.is_own and not one.is_whole]
    found: dict[int, Named] = {}
    for one in (*_in_turns([whole, others, own]), *named):
        found.setdefault(one.test, one)
    return list(found.values())


def _lifted(
    by_name: ByName,
    changes: Changes,
    file: str,
    named: list[Named],
    chosen: tuple[Found, ...],
    path_of: Callable[[Found], str],
) -> list[Named]:
    """Tests by name, those that come before what a file leads to weakly with a weight that says so.

    torch/csrc/profiler/ leads to an allocator's tests, weakly, since what reports memory asks the profiler, rather than
    to those in test/profiler/. What it leads to in the right folder, from afar, comes after what has the words by which
    a class differs from those beside it: `test_set_discard` for SetVariable (torch/_dynamo/variables/dicts.py), which
    no call tells. Operators' kernels have the tests of their operators, however far off they stand: what is called like
    their folder is about others of it.
    """
    # A test that has a text of it says nothing of where the graph leads.
    ways = [one for one in chosen if one.path[0][0].kind != "test"]
    led = [one for one in ways if changes.seeds[one.path[0][0]].file == file]
    first = max(led, key=lambda one: one.weight, default=None)
    if first is None or _NATIVE in file:
        return named
    is_there = path_of(first) in by_name.alike(file)
    if is_there and first.distance < _FAR:
        return named
    lifting = [
        one for one in named if one.file == file and one.is_alike and (one.is_told or not is_there)
    ]
    best = max((one.weight for one in lifting), default=0.0)
    # What changed itself has 1.
    most = min(_BEFORE * first.weight, 1.0)
    above = {
        # From afar all of them are before it; else the best.
        one.test: first.weight + (most - first.weight) * one.weight / best if is_there
        else most * one.weight / best
        for one in lifting if best
    }  # fmt: skip
    return [
        one._replace(weight=above[one.test], is_own=False) if one.test in above else one
        for one in named
    ]


def _others(
    by_name: ByName,
    changes: Changes,
    poor: dict[str, list[Named]],
    reached: Collection[str],
) -> dict[str, list[Named]]:
    """The tests of files that are called like one that leads to others, and not to these; of Python or hardly."""
    files = dict.fromkeys(
        seed.place.file
        for seed in changes.seeds.values()
        # An entry of a table of operators leads to these, not to what tests the table.
        if seed.place.file and seed.lines and not seed.place.file.endswith(".yaml")
    )
    found = {}
    for file in [file for file in files if file not in poor][:MOST_FILES]:
        own = [path for path in by_name.own_files(file) if path not in reached]
        if own:
            found[file] = _there(by_name.tests(file, own), changes)
    return found


def _like(conn: sqlite3.Connection, file: str) -> tuple[TestHit, ...]:
    """Tests whose names have words of the file's, or of it and its folder's: less than a reason to run them."""
    folder, name = posixpath.split(file)
    words = words_of(posixpath.splitext(name)[0])
    for query in ((*words,), (*words_of(posixpath.basename(folder)), *words)):
        if is_generator(file) or len([word for word in query if not is_plain(word)]) < 2:
            # One word may be the name of something, which is more than a word.
            continue
        hits = find_similar_tests(conn, " ".join(query), limit=_MOST_GUESSES).hits
        if hits:
            return tuple(hits)
    return ()


def _there(tests: list[Named], changes: Changes) -> list[Named]:
    """Those that the change does not delete, and that do not run with their whole file."""
    return [one for one in tests if one.test not in changes.tests.skipped]


def _in_turns(lists: list[list[Named]]) -> Iterator[Named]:
    return (one for turn in zip_longest(*lists) for one in turn if one is not None)


def hits_of(
    conn: sqlite3.Connection, named: tuple[Named, ...], environments: Environments
) -> Iterator[tuple[Named, sqlite3.Row, TestHit]]:
    """What shows and runs tests that a name tells.

    Args:
        conn: an index.
        named: the tests.
        environments: takes up what their files want.

    Returns:
        Each of them, in order, with its row of the statement `details` and how it is shown.
    """
    ids = listed(tuple(one.test for one in named))
    rows = {
        row["id"]: row
        for row in conn.execute(queries("find_similar_tests")["details"], {"tests": ids})
    }
    exact = Exact(conn)
    for one in named:
        yield one, rows[one.test], test_hit(rows[one.test], one.why, exact, environments)
