"""Parsing only the units that were edited, by the plan of the last time: the usual case, found out at once.

What a unit's facts are made from is its text, all that it includes, and the flags and headers of its group. Where
nothing but the texts of some units is another than when the plan was made, and these include what they did, everything
else is as it was.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexer.clang import results
from indexer.clang.ended import run_and_keep
from indexer.clang.graphs import Graphs
from indexer.clang.groups import Group
from indexer.clang.keys import is_precompiled, key_of
from indexer.clang.setup import UNIT, Outcome, Setup, Task
from indexer.clang.texts import Text, Texts, read_text
from indexer.clang.units import Unit
from indexer.facts.clang import UnitFacts
from indexer.replacing import replace_file

_VERSION = 1


@dataclass
class Planned:
    """The plan of the last time.

    Args:
        settings: a digest of what it was made with besides the tree's files.
        generated: the folder of generated headers.
        setup: for workers.
        base: what all keys begin with.
        keys: of each group.
        units: by path the file, the group, its text when it was read and the digests of what it includes.
        results: of each task its path, the name of its file, how it went and what fell short.
        note: what fell short for all units.
        libclang: the version.
        missing: headers of others that the machine lacks.
        left: files of units that are not parsed and were edited since; time and size of each.
    """

    settings: str
    generated: str
    setup: Setup
    base: str
    keys: dict[str, str]
    units: dict[str, list[Any]]
    results: list[list[str]]
    note: str
    libclang: str
    missing: list[str]
    left: dict[str, list[int]] = field(default_factory=dict)


def listed_units(
    units: Collection[Unit], groups: Collection[Group], graphs: Graphs, texts: Texts
) -> dict[str, list[Any]]:
    """What is needed to find the key of a unit again, of each that no other file includes.

    Args:
        units: with their groups.
        groups: of all units.
        graphs: in which the digests of all units were asked for.
        texts: what the units say.

    Returns:
        By the unit's path in the database, as `Planned.units` has it.
    """
    found = {}
    sights = {group.name: group.sight for group in groups}
    for unit in units:
        tail = graphs.tail(unit.file, sights[unit.group])
        if tail is not None:
            found[unit.path] = [unit.file, unit.group, list(texts.text(unit.file)), tail.hex()]
    return found


def save_plan(path: Path, plan: Planned) -> None:
    """Keep a plan for the next update; a folder that refuses is no error.

    Args:
        path: the file it is written to.
        plan: with its settings.
    """
    values = {**vars(plan), "setup": dataclasses.asdict(plan.setup), "version": _VERSION}
    values["setup"]["device"] = sorted(plan.setup.device)
    with contextlib.suppress(OSError):
        replace_file(path, json.dumps(values, separators=(",", ":")).encode())


def load_plan(path: Path, settings: str) -> Planned | None:
    """The plan of the last time.

    Args:
        path: the file it was kept in.
        settings: the digest of the present ones.

    Returns:
        None where there is none that can be read, or it was made with other settings.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop("version") != _VERSION or values["settings"] != settings:
            return None
        setup = values["setup"]
        setup["device"] = frozenset(setup["device"])
        setup["launching"] = tuple(setup["launching"])
        values["setup"] = Setup(**setup)
        return Planned(**values)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


@dataclass
class Again:
    """Units that are parsed again.

    Args:
        folder: where facts are kept.
        plan: of the last time; its results are brought up to date by `run`.
        tasks: by path of the unit.
        before: where its facts of the last time are.
        texts: what the units say now.
    """

    folder: Path
    plan: Planned
    tasks: dict[str, Task]
    before: dict[str, Path]
    texts: dict[str, Text]

    def run(self, workers: int, time_limit: float) -> dict[str, Outcome]:
        """Parse what is not there yet, and note in the plan what came of it.

        Args:
            workers: how many processes at most; 0 parses in this one.
            time_limit: seconds of a processor for one unit.

        Returns:
            How each unit went, by its path in the database.

        Raises:
            LibclangMissing: workers cannot load the library.
            OSError: the folder cannot be written.
        """
        outcomes: dict[str, Outcome] = {}
        waiting = []
        for path, task in self.tasks.items():
            known = results.read_status(Path(task.result))
            if known is None:
                waiting.append(task)
            else:
                os.utime(task.result)
                outcomes[path] = Outcome(-1, *known)
        count = min(workers, len(waiting))
        for task, outcome in run_and_keep(self.plan.setup, waiting, count, time_limit):
            outcomes[task.path] = outcome
        for row in self.plan.results:
            path = row[0]
            if path in outcomes:
                row[1:] = [
                    Path(self.tasks[path].result).name,
                    outcomes[path].status,
                    outcomes[path].detail,
                ]
                self.plan.units[path][2] = list(self.texts[path])
        return outcomes

    def facts(self, outcomes: Mapping[str, Outcome]) -> list[tuple[UnitFacts, UnitFacts]] | None:
        """What each unit said before, and what it says now.

        Args:
            outcomes: as `run` gave them.

        Returns:
            None where the facts of some unit are not to be had.
        """
        found = []
        for path, task in self.tasks.items():
            if outcomes[path].status not in ("ok", "partial"):
                return None
            before = results.read_result(self.before[path])
            now = results.read_result(Path(task.result))
            if before is None or now is None:
                return None
            found.append((before, now))
        return found


def again(
    folder: Path, plan: Planned, texts: Path, edited: Collection[str], left: Collection[str] = ()
) -> Again | None:
    """Plan to parse some units again.

    Args:
        folder: where facts are kept.
        plan: of the last time.
        texts: where the texts of the last time are kept.
        edited: paths of the units that changed, as they stand in the database.
        left: paths of those that changed and are not parsed.

    Returns:
        None where more than their own text may be another.
    """
    before: dict[str, Path] = {}
    tasks: dict[str, Task] = {}
    now: dict[str, Text] = {}
    known = {path: (name, status) for path, name, status, _ in plan.results}
    for path in edited:
        if path not in plan.units or path not in known or known[path][1] not in ("ok", "partial"):
            return None
        file, group, text, tail = plan.units[path]
        fresh = now[path] = read_text(file)
        known_text = Text(*text)
        if (
            list(fresh.includes) != list(known_text.includes)
            or fresh.template != known_text.template
        ):
            return None
        state = hashlib.blake2b(digest_size=16)
        state.update(file.encode("utf-8", "surrogateescape") + bytes.fromhex(fresh.digest))
        state.update(bytes.fromhex(tail))
        key = key_of(plan.base, path, plan.keys[group], state.digest().hex())
        target = folder / f"{key}.facts"
        needs = plan.setup.headers_of(group)
        if not all(is_precompiled(plan.setup.precompiled[name]) for name in needs):
            return None
        tasks[path] = Task(
            len(tasks), UNIT, path, file, group, str(target), needs, fresh.size, size=fresh.size
        )
        before[path] = folder / known[path][0]
    files = {os.path.join(plan.setup.root, path) for path in left}
    own = {plan.units[path][0] for path in edited} | files
    since = {file: text[:2] for file, _, text, _ in plan.units.values()} | plan.left
    kept = Texts(texts)
    if not kept.is_current(since, own) or kept.may_include({os.path.basename(f) for f in files}):
        return None
    for file in files:
        fresh = read_text(file)
        plan.left[file] = [fresh.modified, fresh.size]
    return Again(folder, plan, tasks, before, now)
