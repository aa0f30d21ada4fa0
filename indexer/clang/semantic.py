"""The semantic layer of a tree, from its sources to files of facts.

    generated headers -> flags and probes -> include graph -> precompiled headers -> units -> results

Everything is kept in a folder and found again by the content it was made from, so that interrupted work goes on where
it was, and one changed file costs itself and the units that include it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from indexer.clang import results
from indexer.clang.again import Planned, listed_units
from indexer.clang.cache_folder import texts_path, tidy
from indexer.clang.codegen import GENERATOR, generated_headers
from indexer.clang.compile_commands import (
    CompileCommandsError,
    Database,
    find_database,
    read_database,
)
from indexer.clang.ended import run_and_keep
from indexer.clang.environment import Machine, examine
from indexer.clang.graphs import Graphs
from indexer.clang.groups import Group, grouped, units_of_commands
from indexer.clang.library import Libclang, load_libclang
from indexer.clang.made_folder import CodegenError
from indexer.clang.plan import Plan, Planner
from indexer.clang.setup import Outcome, Setup
from indexer.clang.substitutes import configured_headers, installed_headers
from indexer.clang.texts import Texts
from indexer.clang.units import Unit, is_unit, list_units
from indexer.facts.clang import UnitFacts, without_facts
from indexer.progress import Clock, Progress, Silent
from indexer.scan.files import SourceFile, is_listed, list_files
from indexer.scan.readahead import read_ahead
from indexer.scan.tree import SourceTree

_BUILT = "build/aten/src/ATen/core/TensorBody.h"


@dataclass(frozen=True)
class Options:
    """How the layer is built.

    Args:
        libclang: a shared library or a folder with one; None for the installed package's.
        include: more folders of headers.
        generated: folder of generated headers, laid out as in a build; None lets the tree's own generator make them.
        codegen: whether code of the tree may be run to make them.
        torch_include: `torch/include` of an installation, whose headers take their place.
        compile_commands: a compile database or the folder of one; None for the tree's, if it has one.
        time_limit: seconds of a processor for one unit.
        memory: bytes that one worker may allocate; 0 for no bound.
        tests: parse the units of tests and benchmarks as well.
        only: paths of units; empty for all.
        precompile: use precompiled headers.
    """

    libclang: Path | None = None
    include: tuple[Path, ...] = ()
    generated: Path | None = None
    codegen: bool = True
    torch_include: Path | None = None
    compile_commands: Path | None = None
    time_limit: float = 120.0
    memory: int = 3 << 30
    tests: bool = True
    only: frozenset[str] = frozenset()
    precompile: bool = True


@dataclass
class SemanticFacts:
    """What came of it: read with `units`, one after the other, in the order of the database.

    Args:
        results: for each unit its path in the database, the file of its facts, and how it went.
        seconds: wall time by stage.
        cpu: CPU seconds of all workers.
        memory: the largest peak of a worker, in megabytes.
        missing: third-party headers that the machine lacks.
        libclang: the library's version.
        reused: how many units' facts were there from an earlier run.
        note: what fell short for all units; empty where nothing did.
        lacks_headers: the tree's code generator failed, as it may not the next time.
        plan: for the next time; whoever keeps it says what the settings were.
    """

    results: list[tuple[str, Path, Outcome]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    cpu: float = 0.0
    memory: float = 0.0
    missing: tuple[str, ...] = ()
    libclang: str = ""
    reused: int = 0
    note: str = ""
    lacks_headers: bool = False
    plan: Planned | None = None

    def statuses(self) -> dict[str, int]:
        """How many units there are of each status; precompiled headers are none."""
        counted = Counter(o.status for path, _, o in self.results if not path.startswith("<"))
        return dict(sorted(counted.items()))

    def units(self) -> Iterator[UnitFacts]:
        """The facts of each unit; of a unit that gave none, its status alone."""
        read_ahead(file for _, file, _ in self.results)
        for path, file, outcome in self.results:
            facts = results.read_result(file) if outcome.status in ("ok", "partial") else None
            yield facts or without_facts(path, outcome.status, outcome.detail)


def semantic(
    tree: SourceTree,
    folder: Path,
    workers: int,
    progress: Progress | None = None,
    options: Options | None = None,
    *,
    retry: bool = False,
) -> SemanticFacts:
    """Parse every unit of a tree.

    Args:
        tree: a checkout.
        folder: where everything that is made is kept; may be shared between trees and runs.
        workers: how many processes; 0 does everything in this one.
        progress: told what is being done.
        options: see there.
        retry: parse what crashed or took too long the last time, though nothing of it has changed.

    Raises:
        LibclangMissing: there is no libclang.
        CodegenError: the generated headers could not be made.
        ToolchainMissing: the machine has no C++ library.
        OSError: the folder cannot be written.
    """
    options, progress = options or Options(), progress or Silent()
    facts = SemanticFacts()
    clock = Clock(facts.seconds)
    begun = time.time()
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    lib = load_libclang(options.libclang)
    facts.libclang = lib.version
    files = [entry.path for entry in list_files(tree) if isinstance(entry, SourceFile)]
    if not any(map(is_unit, files)):
        return facts
    database, unusable = database_of(tree.root, options)
    read_ahead(tree.root / path for path in files if not path.endswith(".py"))
    progress.stage("generate headers", 0)
    made = generated_folder(tree.root, folder, options, bool(database.commands))
    generated, facts.lacks_headers = made.folder, made.failed
    clock.done("generate")
    progress.stage("plan parsing", 0)
    layout = _lay_out(lib, tree.root, folder, generated, files, database, options)
    facts.missing = layout.machine.missing
    facts.note = "; ".join(
        filter(None, (made.without, layout.left_out, unusable, layout.database_used))
    )
    setup = Setup(str(lib.path), str(tree.root), str(generated), memory=options.memory)
    limit = None if retry else options.time_limit
    plan = Planner(folder, layout.machine, layout.graphs, lib.version, limit).plan(
        setup, layout.units, layout.groups, options.only, options.precompile
    )
    layout.texts.save()
    clock.done("plan")
    _parse(plan, facts, workers, options.time_limit, progress)
    facts.plan = _planned(plan, facts, layout, str(generated))
    tidy(folder, begun)
    clock.done("parse")
    return facts


class _Layout(NamedTuple):
    """What a tree's units are, and what they are parsed with.

    Args:
        machine: its headers.
        texts: of all files that were looked at.
        graphs: of includes.
        units: with their groups.
        groups: all of them.
        left_out: what is to be said of units that are not parsed; empty for none.
        database_used: how much of the compile database is of use; empty where there is none.
    """

    machine: Machine
    texts: Texts
    graphs: Graphs
    units: list[Unit]
    groups: list[Group]
    left_out: str
    database_used: str


def _lay_out(
    lib: Libclang,
    root: Path,
    folder: Path,
    generated: Path,
    files: Sequence[str],
    database: Database,
    options: Options,
) -> _Layout:
    """Find out which units a tree has, and with which flags each is parsed.

    Args:
        lib: libclang.
        root: of the tree.
        folder: where everything is kept.
        generated: folder of generated headers.
        files: of the tree, relative to it.
        database: of a build, or an empty one.
        options: how the layer is built.
    """
    machine = examine(lib, root, generated, options.include)
    texts = Texts(texts_path(folder, root))
    for response in database.responses:
        texts.text(response)
    listed = list_units(root, generated, files, texts, walk=generated != root / "build")
    units = units_of_commands(root, database.commands, listed)
    left_out = ""
    if not options.tests:
        wanted = [unit for unit in units if not unit.is_test]
        if len(wanted) < len(units):
            left_out = f"{len(units) - len(wanted)} units of tests, benchmarks and examples left to the syntax"
        units = wanted
    database_used = database.told([unit.file for unit in units])
    graphs = Graphs(machine.folders, texts)
    units, groups = grouped(units, machine, graphs.common, database.commands)
    return _Layout(machine, texts, graphs, units, groups, left_out, database_used)


def _parse(
    plan: Plan, facts: SemanticFacts, workers: int, time_limit: float, progress: Progress
) -> None:
    """Do what is planned, and note in the facts what came of it and what it took."""
    facts.reused = sum(not path.startswith("<") for path in plan.done)
    progress.stage("parse", sum(max(1, len(task.members)) for task in plan.tasks))
    for task, outcome in run_and_keep(plan.setup, plan.tasks, workers, time_limit):
        plan.done[task.path] = outcome
        facts.cpu += outcome.seconds
        facts.memory = max(facts.memory, outcome.memory)
        progress.advance(1)
    facts.results = [(path, file, plan.done[path]) for path, file in plan.files]


def _planned(plan: Plan, facts: SemanticFacts, layout: _Layout, generated: str) -> Planned:
    """What the next update has to know of a plan that is done."""
    outcomes = [
        [path, file.name, plan.done[path].status, plan.done[path].detail]
        for path, file in plan.files
    ]
    return Planned(
        "", generated, plan.setup, plan.base, plan.keys,
        listed_units(layout.units, layout.groups, layout.graphs, layout.texts),
        outcomes, facts.note, facts.libclang, list(facts.missing),
    )  # fmt: skip


def outside_digest(folder: Path, root: Path, options: Options) -> str | None:
    """A digest of the files that only a compile database leads to, as they were when units were parsed last.

    Those of the tree are known by their hashes; what is made from them, and others' headers, by the settings.

    Args:
        folder: where everything is kept.
        root: of the tree.
        options: as units were parsed.

    Returns:
        None where one of them is another now; "" where there is no database, or nothing is known of them.
    """
    if find_database(root, options.compile_commands) is None:
        return ""
    own, kept = f"{root}/", f"{folder.resolve()}/"

    def is_outside(path: str) -> bool:
        listed = path.startswith(own) and is_listed(path[len(own) :])
        return not listed and not path.startswith(kept)

    return Texts(texts_path(folder, root)).digest(is_outside)


class GeneratedFolder(NamedTuple):
    """A folder of generated headers.

    Args:
        folder: where they stand.
        without: why they are not those of a build; empty where they are.
        failed: that is because the tree's code generator failed: it may be tried again.
    """

    folder: Path
    without: str = ""
    failed: bool = False


def generated_folder(
    root: Path, folder: Path, options: Options, has_commands: bool
) -> GeneratedFolder:
    """The folder of generated headers, and what is to be said of it.

    Args:
        root: of the tree.
        folder: of the cache, where headers are generated.
        options: what was asked for: a folder of the user's, an installed torch, no generator.
        has_commands: whether a compile database is used.
    """
    if options.generated is not None:
        return GeneratedFolder(options.generated.resolve())
    if has_commands and (root / _BUILT).is_file():
        # The build that the commands are of has made them.
        return GeneratedFolder((root / "build").resolve())
    if options.torch_include is not None:
        include = options.torch_include.resolve()
        return GeneratedFolder(installed_headers(root, include, folder).resolve())
    failed = False
    if not options.codegen:
        without = "without generated headers"
    elif not (root / GENERATOR).is_file():
        without = "the tree has no code generator"
    else:
        try:
            return GeneratedFolder(generated_headers(root, folder).resolve())
        except CodegenError as error:
            # The rest can be read all the same; what is missing is told file by file.
            without, failed = str(error), True
    return GeneratedFolder(configured_headers(root, folder).resolve(), without, failed)


def database_of(root: Path, options: Options) -> tuple[Database, str]:
    """The compile database of a tree.

    Args:
        root: of the tree.
        options: how the layer is built: they may name a database.

    Returns:
        An empty one where there is none, or none that can be used, and why that is so; "" where nothing is wrong.
    """
    path = find_database(root, options.compile_commands)
    if path is None:
        return Database(), ""
    try:
        return read_database(path, root), ""
    except CompileCommandsError as error:
        # The units can be read all the same, as where no build was.
        return Database(), f"no commands of a build: {error}"
