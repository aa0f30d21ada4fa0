"""What has to be parsed, in which order, and what of it is there already."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from indexer.clang import results
from indexer.clang.ended import how_it_ended
from indexer.clang.environment import Machine, portable
from indexer.clang.graphs import Graphs, Sight
from indexer.clang.groups import Group
from indexer.clang.headers import Choice, lowest, precompiled_headers, steadied
from indexer.clang.jumbo import with_jumbos
from indexer.clang.keys import is_precompiled, key_of
from indexer.clang.setup import HEADERS, PRECOMPILE, UNIT, Outcome, Setup, Task
from indexer.clang.units import Unit
from indexer.replacing import replace_file
from torchtalk import __version__

_FIRST = 1 << 40
_LOWEST = "lowest"
"""Names the precompiled header for units that collide with the others; no group of units is called so."""
_HERE = Path(__file__).resolve().parent
# What facts depend on besides flags and sources.
_CODE = (
    *(
        _HERE / f"{name}.py"
        for name in (
            "bodies",
            "cuda",
            "declarations",
            "exact_objects",
            "jumbo",
            "kinds",
            "left_out",
            "parse",
            "parting",
            "results",
            "setup",
            "stubs",
            "symbols",
            "variables",
            "visitor",
            "walked",
            "worker",
        )
    ),
    _HERE.parent / "facts" / "clang.py",
)


@dataclass
class Plan:
    """What is to be done.

    Args:
        setup: for the workers.
        base: what every name of a result is made from.
        keys: the same for all units of a group.
        tasks: in the order in which they are begun.
        files: what the database will have, in its order: the unit and where its facts are or will be.
        done: outcomes of units whose facts were there.
    """

    setup: Setup
    base: str = ""
    keys: dict[str, str] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)
    files: list[tuple[str, Path]] = field(default_factory=list)
    done: dict[str, Outcome] = field(default_factory=dict)


class Planner:
    """Plans the parsing of a tree.

    Args:
        folder: where everything is kept.
        machine: see there.
        graphs: of includes.
        version: of libclang.
        time_limit: seconds for one unit: those that gave nothing within it are not tried again; None where they are.
    """

    def __init__(
        self,
        folder: Path,
        machine: Machine,
        graphs: Graphs,
        version: str,
        time_limit: float | None,
    ) -> None:
        self._folder = folder
        self._machine = machine
        self._graphs = graphs
        self._time_limit = time_limit
        self._base = f"{__version__} {version} {machine.digest} {code_digest()}"

    def plan(
        self,
        setup: Setup,
        units: Sequence[Unit],
        groups: Sequence[Group],
        only: Collection[str],
        precompile: bool,
    ) -> Plan:
        """Find out what is left to do.

        Args:
            setup: without what is planned here.
            units: with their groups.
            groups: all of them.
            only: paths of the units that are wanted; empty for all.
            precompile: whether headers may be precompiled.
        """
        sights = {group.name: group.sight for group in groups}
        if only:
            used = {unit.group for unit in units if unit.path in only}
            groups = [group for group in groups if group.name in used]
        # What units depend on besides their own includes; what precompiled headers are made from.
        keys: dict[str, str] = {}
        headers: dict[str, str] = {}
        sources: dict[str, str] = {}
        flags = {group.name: group.flags for group in groups}
        stack: list[str] = []
        instead: dict[str, tuple[str, ...]] = {}
        for group in groups:
            keys[group.name] = self._key(group.name, *self._said(group))
            names, chosen = self._names(group) if precompile and group.is_shared else ([], "")
            if not names:
                continue
            sources[group.name], headers[group.name] = self._source(group.name, group, names)
            keys[group.name] = chosen
            if group.stacks:
                if not stack and (few := lowest(names)):
                    flags[_LOWEST] = group.flags
                    sources[_LOWEST], headers[_LOWEST] = self._source(_LOWEST, group, few)
                # What its units are parsed with follows from the names in its own header and in the first one.
                keys[group.name] = self._key(chosen, *(keys[name] for name in stack[:1]))
                instead[group.name] = (*stack[:1], *({_LOWEST} & sources.keys()))
                stack.append(group.name)
        precompiled = {name: str(self._folder / f"{headers[name]}.pch") for name in sources}
        plan = Plan(
            replace(
                setup,
                flags=flags,
                device=frozenset(group.name for group in groups if group.is_device),
                precompiled=precompiled,
                sources=sources,
                instead=instead,
                launching=self._launching([group for group in groups if group.is_device]),
            ),
            self._base,
            keys,
        )
        self._headers(plan, [group for group in groups if group.name in sources], headers)
        self._units(plan, units, sights, only)
        needed = {name for task in plan.tasks for name in task.needs}
        plan.tasks[:0] = [
            Task(0, PRECOMPILE, f"<precompiled {name}>", source, name, "")
            for name, source in sources.items()
            if not is_precompiled(precompiled[name]) and name in needed
        ]
        plan.tasks = [replace(task, number=number) for number, task in enumerate(plan.tasks)]
        return plan

    def _headers(self, plan: Plan, groups: Sequence[Group], keys: dict[str, str]) -> None:
        """Tasks that collect the functions of what is precompiled, each header's once."""
        below = ""
        before: list[str] = []
        for group in groups:
            source = plan.setup.sources[group.name]
            on_top = below if group.stacks else ""
            needs = (on_top,) if on_top else tuple(before)
            key = self._key(keys[group.name], *(keys[name] for name in needs))
            file = self._folder / f"{key}.facts"
            task = Task(
                0,
                HEADERS,
                f"<headers of {group.name}>",
                source,
                group.name,
                str(file),
                needs,
                0,
                on_top,
            )
            self._add(plan, task, file, plan.tasks)
            before.append(group.name)
            if group.stacks:
                below = group.name

    def _units(
        self,
        plan: Plan,
        units: Sequence[Unit],
        sights: Mapping[str, Sight | None],
        only: Collection[str],
    ) -> None:
        digests = self._digests(units, sights)
        tasks: list[Task] = []
        for unit in units:
            if only and unit.path not in only:
                continue
            key = self._key(unit.path, plan.keys[unit.group], digests[unit.file].hex())
            file = self._folder / f"{key}.facts"
            needs = plan.setup.headers_of(unit.group)
            # Tests last: until then, what is finished serves.
            weight = unit.size if unit.is_test else unit.size + _FIRST
            task = Task(
                0, UNIT, unit.path, unit.file, unit.group, str(file), needs, weight, size=unit.size
            )
            self._add(plan, task, file, tasks)
        tasks = with_jumbos(tasks, plan.setup.precompiled, self._faulty(units))
        # The longest first, so that no worker ends up alone with one.
        plan.tasks += sorted(tasks, key=lambda task: (-task.weight, task.path))

    def _faulty(self, units: Sequence[Unit]) -> set[str]:
        """Files of units that cannot be without an error."""
        needed = self._machine.needed
        return self._graphs.common.reaching(
            [unit.file for unit in units],
            lambda node: any(name.startswith(needed) for name in node.foreign),
        )

    def _digests(
        self, units: Sequence[Unit], sights: Mapping[str, Sight | None]
    ) -> dict[str, bytes]:
        """Of each unit's file a digest of all that it includes, as its own command finds it."""
        seen: dict[Sight | None, list[str]] = {}
        for unit in units:
            seen.setdefault(sights[unit.group], []).append(unit.file)
        return {
            file: digest
            for sight, files in seen.items()
            for file, digest in zip(files, self._graphs.of(sight).digests(files), strict=True)
        }

    def _add(self, plan: Plan, task: Task, file: Path, tasks: list[Task]) -> None:
        plan.files.append((task.path, file))
        known = results.read_status(file)
        if known is not None:
            os.utime(file)  # What was used last is thrown away last.
        elif self._time_limit is not None:
            known = how_it_ended(file, self._time_limit, plan.setup.memory)
        if known is None:
            tasks.append(task)
        else:
            plan.done[task.path] = Outcome(-1, *known)

    def _names(self, group: Group) -> tuple[list[str], str]:
        """What a group's precompiled header includes, and a key of these names."""
        machine = self._machine
        choice = precompiled_headers(
            self._graphs.common,
            group.members,
            machine.folders,
            machine.standard,
            machine.has_python,
            group.is_device,
        )
        names = self._steadied(group, choice)
        chosen = self._key(group.name, *self._said(group), *names)
        # One that has been removed since is missing from units that include it as well.
        return [name for name in names if name in choice.fit], chosen

    def _said(self, group: Group) -> list[str]:
        """What a group's flags say, with the contents of the files that they have read before each unit."""
        return [*portable(group.flags), self._graphs.forced(group.sight)]

    def _source(self, name: str, group: Group, names: Sequence[str]) -> tuple[str, str]:
        """Write the text that a precompiled header is made from.

        Args:
            name: of the header.
            group: with whose flags it is made.
            names: that it includes.

        Returns:
            Its path, and a key of all that it is made from.
        """
        text = "".join(f"#include <{name}>\n" for name in names)
        graph = self._graphs.of(group.sight)
        own = [path for name in names if (path := graph.resolve(name))]
        digests = b"".join(graph.digests(own))
        key = self._key(name, *self._said(group), text, digests.hex())
        target = self._folder / f"{key}.h"
        # What was made from it before has left out the headers that gave errors.
        if not target.is_file():
            target.write_text(text, encoding="utf-8")
        return str(target), key

    def _steadied(self, group: Group, choice: Choice) -> list[str]:
        """The names that were chosen for a group of this tree when it was read last, if they still do."""
        file = self._folder / f"{self._key('headers', group.name, *portable(group.flags))}.names"
        try:
            before = file.read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            before = []
        names = steadied(choice, before) if before else choice.names
        if names != before:
            replace_file(file, "\n".join(names).encode())
        elif names:
            os.utime(file)
        return names

    def _launching(self, device: Sequence[Group]) -> tuple[str, ...]:
        """Headers of device code that launch kernels."""
        found: set[str] = set()
        for group in device:
            graph = self._graphs.of(group.sight)
            for component in graph.components(group.members):
                found.update(path for path in component if graph.node(path).launches)
        return tuple(sorted(found.difference(*(group.members for group in device))))

    def _key(self, *texts: str) -> str:
        return key_of(self._base, *texts)


def code_digest() -> str:
    """A digest of what makes facts: they are kept only until it changes."""
    state = hashlib.sha256()
    for file in _CODE:
        state.update(file.read_bytes())
    return state.hexdigest()[:16]
