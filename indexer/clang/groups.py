"""Units that are parsed with the same flags, and so can share a precompiled header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.clang.compile_commands import Command
from indexer.clang.environment import Machine
from indexer.clang.graphs import Sight, sight_of
from indexer.clang.includes import Includes
from indexer.clang.units import (
    API,
    CUDA,
    FRONTEND,
    GENERATED,
    PLAIN,
    TORCH,
    Unit,
    group_of,
    is_test,
)

_LEAST = 12
"""A command line that fewer units share gets no precompiled header."""


@dataclass(frozen=True)
class Group:
    """Some units with the same flags.

    Args:
        name: `core`, `torch`, `api`, `cuda`, `plain`, or `commands N` for a command line of a compile database.
        flags: arguments of the parser.
        members: absolute paths.
        is_device: device code, whose launches have to be blanked.
        is_shared: has a precompiled header.
        stacks: its headers may be read on top of another such group's: the same macros hold.
        sight: where a command of a compile database looks for headers; None for the tree's own folders.
    """

    name: str
    flags: tuple[str, ...]
    members: tuple[str, ...]
    is_device: bool
    is_shared: bool
    stacks: bool
    sight: Sight | None = None


def grouped(
    units: Sequence[Unit], machine: Machine, includes: Includes, commands: Mapping[str, Command]
) -> tuple[list[Unit], list[Group]]:
    """The units with their groups' names, and the groups.

    Args:
        units: of the tree.
        machine: whose flags hold for units that have no command of their own.
        includes: the graph.
        commands: of a compile database, by absolute path.
    """
    frontend = includes.resolve(FRONTEND)
    users = includes.reaching([unit.file for unit in units], lambda node: node.path == frontend)
    flags = dict(machine.flags)
    device = {CUDA}
    sights: dict[str, Sight] = {}
    names: dict[tuple[tuple[str, ...], bool], str] = {}
    placed: list[Unit] = []
    for unit in units:
        command = commands.get(unit.file)
        if command is not None:
            key = command.arguments, command.is_device
            name = names.setdefault(key, f"commands {len(names) + 1}")
            flags[name] = machine.completed(command.arguments, command.is_device)
            sights[name] = sight_of(command.arguments)
            if command.is_device:
                device.add(name)
        else:
            name = API if unit.group == TORCH and unit.file in users else unit.group
        placed.append(replace(unit, group=name))
    groups = []
    for name in sorted({unit.group for unit in placed}, key=_order):
        members = tuple(unit.file for unit in placed if unit.group == name and not unit.is_test)
        least = 2 if name in machine.flags else _LEAST
        groups.append(
            Group(
                name, flags[name], members, name in device,
                len(members) >= least and name != PLAIN, name in machine.flags and name != CUDA,
                sights.get(name),
            )
        )  # fmt: skip
    return placed, groups


def units_of_commands(
    root: Path, commands: Mapping[str, Command], units: Sequence[Unit]
) -> list[Unit]:
    """The tree's units, and those that only a compile database knows: what a build put below build/.

    Args:
        root: the tree.
        commands: of the database, by absolute path of the unit.
        units: of the tree.

    Returns:
        In the order of their paths. Files of third_party, outside of the tree or gone are none.
    """
    known = {unit.file for unit in units}
    found = list(units)
    for file in commands:
        path = Path(file)
        if file in known or not path.is_relative_to(root) or not path.is_file():
            continue
        relative = path.relative_to(root).as_posix()
        if "third_party/" not in relative and path.suffix != ".S":
            own = relative.removeprefix(GENERATED)
            found.append(
                Unit(relative, file, group_of(relative), is_test(own), path.stat().st_size)
            )
    return sorted(found, key=lambda unit: unit.path)


def _order(name: str) -> tuple[int, int, str]:
    usual = ("core", TORCH, API, CUDA, PLAIN)
    if name in usual:
        return 0, usual.index(name), name
    return 1, int(name.rpartition(" ")[2]), name
