"""affected: which tests a change needs, with the reason for each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from torchtalk.affected.choice.asked_of_entries import asked_first
from torchtalk.affected.choice.commands import MOST_NAMES, Selected, commands
from torchtalk.affected.choice.deadends import DeadEnds, dead_ends, imported_by
from torchtalk.affected.choice.keywords import Keywords
from torchtalk.affected.choice.ranking import Nearer
from torchtalk.affected.choice.whole_files import take_whole_files
from torchtalk.affected.diff.conflicts import of_conflicts
from torchtalk.affected.diff.diffs import FileChange, parse_diff
from torchtalk.affected.diff.folders import placed
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.search import Found, Reach, generic_of, is_of_aspect, search
from torchtalk.affected.places.changes import Changes, spread_over_files
from torchtalk.affected.places.lines import from_diff
from torchtalk.affected.places.named import from_names
from torchtalk.affected.places.testfiles import NewTest, TestChanges
from torchtalk.affected.sources import Sources
from torchtalk.affected.texts.bound_types import take_bound_types
from torchtalk.affected.texts.defined import take_users
from torchtalk.affected.texts.fixtures import take_fixtures
from torchtalk.affected.texts.holders import take_holders
from torchtalk.affected.texts.listed_names import take_listed
from torchtalk.affected.texts.looked_up import take_looked_up
from torchtalk.affected.texts.mentions import take_mentions
from torchtalk.affected.texts.messages import take_messages
from torchtalk.affected.texts.quoted import take_quoted
from torchtalk.affected.texts.tables import take_tables
from torchtalk.answers.affected import AffectedAnswer, AffectedTest, ChangedGroup, ChangedThing
from torchtalk.answers.base import Place
from torchtalk.answers.tests import TestHit
from torchtalk.arguments import BadArgument
from torchtalk.counted import counted
from torchtalk.sqlfile import listed
from torchtalk.testing.assertions import of_assertions
from torchtalk.testing.environment import Environments
from torchtalk.testing.exact import Exact
from torchtalk.testing.filters import EntryFilters
from torchtalk.testing.installed import without_tests
from torchtalk.tools import queries
from torchtalk.tools.budget import hits_of, share_out
from torchtalk.tools.changes_said import (
    changed_things,
    finding_of,
    grouped,
    kind_of,
    label_of,
    reasons_of,
    shown,
)
from torchtalk.tools.finding_tests.guesses import Named
from torchtalk.tools.finding_tests.hits import test_hit, test_id, wanted

# Whoever changes a file looks at the tests that are called like it before those that something far off leads to, which
# count less than 0.3 (deadends.py). Of Python the latter run it more often (benchmarks/covered.py).
_CALLED_SO = 6.7
# Of more things that changed the search would end at their own neighbours.
_MOST_FOLLOWED = 400


def affected(
    conn: sqlite3.Connection,
    names: str = "",
    diff: str = "",
    max_tests: int = 50,
    form: str = "text",
) -> AffectedAnswer:
    """Choose the tests for a change.

    Args:
        conn: an index.
        names: functions, operators, classes, files, or folders and patterns of few, separated by commas or white space.
        diff: a unified diff.
        max_tests: the budget.
        form: `text`, with the reasons; `commands`, to be run.

    Raises:
        BadArgument: neither names nor a diff are given, or the diff names no file.
    """
    if not names.strip() and not diff.strip():
        raise BadArgument("give names or a diff: what changed is not known")
    change = _change(conn, names, diff)
    changes, graph, own = change.changes, change.graph, change.changes.tests
    followed = spread_over_files(list(changes.seeds.values()), _MOST_FOLLOWED)
    keywords = Keywords(conn, change.files, change.sources)
    seeds = [(seed.node, seed.weight) for seed in followed]
    reach = search(graph, seeds, nearer=Nearer(conn, changes, keywords))
    found = tuple(one for one in reach.found if not _is_skipped(one, own))
    found = asked_first(conn, found, changes)
    paths = _paths(conn, found)
    ends = dead_ends(graph, changes, reach)
    room = max(0, max_tests - len(own.new))
    shared = share_out(conn, graph, changes, ends, found, room, lambda one: _path(one, paths))
    total = conn.execute(queries("affected")["test_total"]).fetchone()["tests"]
    environments = Environments(conn)
    tests, selected = _tests(conn, shared.chosen, changes, environments)
    by_name = tuple(_by_name(conn, shared.named, changes, selected, environments))
    tests = (*_own(own), *sorted((*tests, *by_name), key=lambda one: -one.weight))
    selected = [_selected(new) for new in own.new] + selected
    number = sum(one.tests for one in tests)
    not_chosen = sum(one.tests for one in found) - sum(one.tests for one in shared.chosen)
    reached = number - len(by_name) + not_chosen
    beside_it = sum(one.is_beside for one in shared.named)
    finding = finding_of(changes, number, reached, len(by_name), beside_it, total)
    notes = _notes(conn, change, len(followed), reach, ends)
    guesses = tuple(_guesses(shared.like))
    whole = (environments.command(path) or f"pytest {path}" for path in own.whole)
    to_run = (*whole, *commands(selected, environments))
    notes += (*environments.notes(), *without_tests(conn))
    if form == "commands":
        notes += [f"by name only: {guess.command}" for guess in guesses]
        # What is printed is a script: all but the commands is a comment in it.
        finding, notes = "\n".join(f"# {line}" for line in (finding, *notes)), []
    return AffectedAnswer(
        query=names or f"a diff of {counted(len(change.files), 'file')}",
        finding=finding,
        notes=tuple(notes),
        form=form,
        files=changes.files,
        changed=tuple(
            ChangedThing(kind_of(seed.node), label_of(seed), seed.place, seed.lines, seed.how)
            for seed in shown(changed_things(changes))
        ),
        groups=tuple(
            ChangedGroup(file, how, len(seeds))
            for (file, how), seeds in grouped(changed_things(changes)).items()
        ),
        unseen=tuple(changes.unseen),
        tests=tests,
        guesses=guesses,
        selected=number,
        by_name=len(by_name),
        reached=reached,
        total=total,
        commands=to_run,
    )


class _Change(NamedTuple):
    """What changed, and what it is followed with.

    Args:
        changes: the things that changed, or use what did.
        files: of the diff.
        graph: what they are followed in.
        sources: the tree's files, as far as they are read.
    """

    changes: Changes
    files: tuple[FileChange, ...]
    graph: Graph
    sources: Sources


def _change(conn: sqlite3.Connection, names: str, diff: str) -> _Change:
    """Find the things that changed: by their names, by the diff's lines, and by what texts have of these."""
    changes = Changes()
    from_names(conn, names, changes)
    files = parse_diff(diff)
    if diff.strip() and not files:
        raise BadArgument("the diff has no file in it: a unified diff is wanted")
    files, moved = placed(conn, files)
    from_diff(conn, files, changes)
    sources = Sources(conn)
    take_listed(conn, changes, sources)
    take_users(conn, files, changes, sources)
    take_holders(conn, changes, sources)
    take_mentions(conn, changes, sources)
    take_looked_up(conn, changes, sources)
    take_bound_types(conn, changes, sources)
    take_fixtures(conn, [change.path for change in files], changes, sources)
    take_messages(conn, files, changes, sources)
    if moved:
        changes.notes.insert(0, moved)
    changes.notes[:0] = of_conflicts(files)
    graph = Graph(conn)
    take_tables(conn, files, graph, changes, sources)
    take_quoted(conn, graph, changes, sources)
    take_whole_files(conn, files, graph, changes, sources)
    return _Change(changes, files, graph, sources)


def _notes(
    conn: sqlite3.Connection, change: _Change, followed: int, reach: Reach, ends: DeadEnds
) -> list[str]:
    """What is to be said of the change, and of what leads nowhere."""
    changes = change.changes
    notes = [*changes.notes, *(f"not seen by the graph: {text}" for text in changes.unseen)]
    if change.sources.shortfall:
        notes.append(change.sources.shortfall)
    if followed < len(changes.seeds):
        notes.append(
            f"{followed} of {len(changes.seeds)} changed things are followed to tests: of each file those with the "
            "most changed lines"
        )
    if reach.cut:
        notes.append(
            f"the search ended after {reach.nodes} nodes; more tests may be reached weakly"
        )
    changed = [seed.node for seed in changes.seeds.values()]
    notes += of_assertions(conn, [int(node.key) for node in changed if node.kind == "python"])
    notes += (*ends.said, *imported_by(conn, ends.files))
    notes += [f"{file}: leads to tests only weakly" for file in ends.faint]
    return notes


def _guesses(like: dict[str, tuple[TestHit, ...]]) -> Iterator[AffectedTest]:
    """Tests with words of a file's name in theirs, which are shown and not run."""
    for file, hits in like.items():
        for hit in hits:
            why = (f"by name only: {file}", *hit.why)
            yield AffectedTest(hit.name, hit.kind, hit.place, 0.0, 1, why, hit.command)


def _is_skipped(found: Found, own: TestChanges) -> bool:
    if found.node.kind == "generic":
        return generic_of(found.node)[1] in own.skipped_paths
    return found.node.key in own.skipped


def _own(own: TestChanges) -> Iterator[AffectedTest]:
    """The tests that a diff itself changes or brings: they are run whatever the budget."""
    for file in own.whole.values():
        yield AffectedTest(
            f"all {counted(file.tests, 'test')}" if file.tests else "all its tests",
            "file", Place(file.path, None), 1.0, max(1, file.tests), (file.why,),
            f"pytest {file.path}",
        )  # fmt: skip
    for new in own.new:
        (command,) = commands([_selected(new)])
        name = f"{new.owner}.{new.name}" if new.owner else new.name
        place = Place(new.path, new.line)
        yield AffectedTest(name, new.kind, place, 1.0, 1, ("new in this diff",), command)


def _selected(new: NewTest) -> Selected:
    return Selected(new.run_by or new.path, new.kind, new.owner, new.name)


def _paths(conn: sqlite3.Connection, found: Iterable[Found]) -> dict[int, str]:
    """The files of tests, without generic ones."""
    tests = [one.node.key for one in found if not isinstance(one.node.key, str)]
    rows = conn.execute(queries("affected")["test_paths"], {"tests": json.dumps(tests)})
    return {row["id"]: row["path"] for row in rows}


def _path(found: Found, paths: dict[int, str]) -> str:
    """The path of a test's file; generic tests have it in themselves."""
    key = found.node.key
    return generic_of(found.node)[1] if isinstance(key, str) else paths[key]


def _by_name(
    conn: sqlite3.Connection,
    named: tuple[Named, ...],
    changes: Changes,
    selected: list[Selected],
    environments: Environments,
) -> Iterator[AffectedTest]:
    """The tests that a name tells, which are added to what is to be run."""
    renamed, exact = changes.tests.renamed, Exact(conn)
    for one, row, hit in hits_of(conn, named, environments):
        if hit.command:
            selected.append(_of_row(row, hit.kind, renamed, exact))
        why = one.why if one.is_beside else (f"by name only: {one.file}", *one.why)
        is_before = one.is_own and not one.file.endswith(".py")
        weight = round(one.weight * (_CALLED_SO if is_before else 1.0), 3)
        yield AffectedTest(hit.name, hit.kind, hit.place, weight, 1, why, hit.command)


def _of_row(
    row: sqlite3.Row | dict[str, Any], kind: str, renamed: Mapping[str, str], exact: Exact
) -> Selected:
    """What is to be run of a test by a row of the statement `details`."""
    path = row["run_by"] or row["path"]
    path = renamed.get(path, path)
    if kind == "gtest":
        return Selected(path, kind, row["class"], row["name"])
    one = wanted(row, exact)
    own = {**dict(row), "path": path}
    return Selected(path, kind, row["class"], row["name"], one, test_id(own))


def _tests(
    conn: sqlite3.Connection,
    chosen: tuple[Found, ...],
    changes: Changes,
    environments: Environments,
) -> tuple[tuple[AffectedTest, ...], list[Selected]]:
    own = changes.tests
    ids = tuple(found.node.key for found in chosen if found.node.kind == "test")
    rows = {
        row["id"]: {**dict(row), "path": own.renamed.get(row["path"], row["path"])}
        for row in conn.execute(queries("find_similar_tests")["details"], {"tests": listed(ids)})
    }
    tests: list[AffectedTest] = []
    selected: list[Selected] = []
    filters, exact = EntryFilters(conn), Exact(conn)
    for found in chosen:
        if found.node.kind == "generic":
            name, path = generic_of(found.node)
            path = own.renamed.get(path, path)
            what = "more generic test" if found.is_rest else "generic test"
            label = f"{counted(found.tests, what)} for {name}"
            place, kind = Place(path, None), "generic"
            # A test for an entry is called after both; all of a file for one are by the entry's name. So are those
            # that are too many to be named: the whole file is more than these.
            is_some = found.is_part or found.is_rest or is_of_aspect(found.node)
            named = found.generic if is_some and len(found.generic) <= MOST_NAMES else ()
            if found.is_part:
                label = f"the first {label.removeprefix('1 ')}"
            selected.append(Selected(path, kind, None, filters.expression(path, [name], named)))
            (command,) = commands(selected[-1:])
        else:
            row = rows[found.node.key]
            hit = test_hit(row, (), exact, environments)
            label, place, kind, command = hit.name, hit.place, hit.kind, hit.command
            # What no file is known to run is shown, and not among the commands.
            if command:
                selected.append(_of_row(row, kind, own.renamed, exact))
        tests.append(
            AffectedTest(
                label,
                kind,
                place,
                round(found.weight, 3),
                found.tests,
                reasons_of(found, changes),
                command,
            )
        )
    return tuple(tests), selected
