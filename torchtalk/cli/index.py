"""`torchtalk index`: build the index of a tree."""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchtalk.cli import exits
from torchtalk.cli.options import source_and_database
from torchtalk.cli.run import Failure, write
from torchtalk.cli.semantic import SemanticChoice, semantic_options

if TYPE_CHECKING:
    from indexer.report import BuildReport, SemanticReport


@click.command("index", epilog=exits.INDEX_EPILOG, short_help="Build the index of a PyTorch tree")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@source_and_database
@click.option(
    "--workers", type=click.IntRange(0, 256), metavar="N",
    help="Processes that read files; 0 reads in this one.  [default: one for each core]",
)  # fmt: skip
@click.option(
    "--layers", metavar="NAMES",
    help="Layers to build, comma-separated, with those they need: operators, native, calls, "
    "python, semantic …  [default: all]",
)  # fmt: skip
@semantic_options
@click.option(
    "--full", is_flag=True,
    help="Read everything, also what has not changed since the index was made.",
)  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and print no summary.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(
    folder: Path | None,
    source: Path | None,
    database: Path | None,
    workers: int | None,
    layers: str | None,
    full: bool,
    quiet: bool,
    as_json: bool,
    semantic: SemanticChoice,
) -> int:
    """Read a PyTorch source tree into one SQLite file.

    DIR is the tree, as with --pytorch-source.

    Where there is an index of the tree already, only the files that changed are read, and only what
    depends on them is linked again; the result is that of a full build. The file takes its place
    only when it is complete; whoever asks meanwhile gets answers from the old one. What takes
    seconds is in place first; C++ is then read exactly by libclang, which takes minutes the first
    time, and the file is replaced once more.
    \f
    Args:
        folder: DIR.
        source: --pytorch-source; of the two only one may be given.
        database: --db.
        workers: processes that read files, 0 for none but this one; None for one a core.
        layers: names with commas between them; None for all.
        full: read everything, also what has not changed.
        quiet: show no progress and print no summary.
        as_json: print the report as JSON.
        semantic: what is asked for of the layer that libclang reads.

    Returns:
        The exit code.
    """
    report = _build(_one_source(folder, source), database, workers, layers, full, quiet, semantic)
    if not (as_json or quiet):
        write(summary(report))
    added = _add_semantic(report, layers, semantic, workers, quiet, full)
    if as_json:
        shown = dataclasses.asdict(report)
        shown["semantic"] = dataclasses.asdict(added) if added else None
        write(json.dumps(shown, indent=2))
    elif added and not quiet:
        from torchtalk.cli.semantic import summary as semantic_summary

        write(semantic_summary(added))
    return exits.FOUND


def _one_source(folder: Path | None, source: Path | None) -> Path | None:
    """The tree, given as an argument or as an option."""
    if folder is None or source is None:
        return folder or source
    if folder.expanduser().resolve() != source.expanduser().resolve():
        raise click.UsageError(f"{folder} and --pytorch-source {source} are two trees: give one")
    return folder


def _add_semantic(
    report: BuildReport,
    layers: str | None,
    choice: SemanticChoice,
    workers: int | None,
    quiet: bool,
    full: bool,
) -> SemanticReport | None:
    """Add the semantic layer to what was built, where it is wanted."""
    from indexer.layers import SEMANTIC
    from indexer.scan.tree import open_tree
    from torchtalk.cli.semantic import add

    if report.semantic is not None:
        return report.semantic
    if SEMANTIC not in _wanted(layers, choice):
        return None
    return add(
        open_tree(Path(report.source)), Path(report.database), choice, workers, quiet,
        report.action == "unchanged", full,
    )  # fmt: skip


def _wanted(layers: str | None, choice: SemanticChoice) -> tuple[str, ...]:
    """The layers that are to be built."""
    from indexer.layers import LAYER_NAMES, SEMANTIC, with_needs

    try:
        names = [name.strip() for name in (layers or "").split(",") if name.strip()]
        wanted = with_needs(names or LAYER_NAMES)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--layers") from error
    return tuple(name for name in wanted if choice.wanted or name != SEMANTIC)


def _build(
    source: Path | None,
    database: Path | None,
    workers: int | None,
    layers: str | None,
    full: bool,
    quiet: bool,
    choice: SemanticChoice,
) -> BuildReport:
    from indexer.build import build
    from indexer.errors import BuildError
    from indexer.layers import SEMANTIC
    from torchtalk.cli.progress import shown_progress
    from torchtalk.cli.semantic import together_of
    from torchtalk.cli.signals import undone_by_signals
    from torchtalk.config import (
        NoSource,
        SettingsError,
        default_database,
        find_tree,
        named_database,
    )
    from torchtalk.dbfile import SqliteTooOld

    wanted = _wanted(layers, choice)
    try:
        tree = find_tree(source)
        target = default_database(tree.root) if database is None else named_database(database)
        with undone_by_signals(), shown_progress(quiet) as progress:
            return build(
                tree, target, layers=wanted, workers=workers, progress=progress, full=full,
                together=functools.partial(together_of, choice, workers) if SEMANTIC in wanted else None,
            )  # fmt: skip
    except (NoSource, SettingsError) as error:
        raise Failure(error, exits.NO_SOURCE) from error
    except SqliteTooOld as error:
        raise Failure(error, exits.NO_INDEX) from error
    except BuildError as error:
        raise Failure(error, error.exit_code) from error


_EXAMPLES = 3


def summary(report: BuildReport) -> str:
    """What was done, for a person: where, from what, how much, and what fell short.

    Args:
        report: of the build.
    """
    version = report.torch_version or "of unknown version"
    total = sum(report.seconds.values())
    if report.action == "unchanged":
        return (
            f"unchanged: the index of PyTorch {version} is up to date, looked for in {total:.1f} s\n"
            f"  source:   {report.source} ({report.files:,} files)\n"
            f"  database: {report.database}"
        )
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in report.seconds.items())
    lines = [
        f"{_DONE[report.action]} PyTorch {version} in {total:.1f} s ({stages})",
        f"  source:   {report.source} ({report.files:,} files)",
        f"  database: {report.database} ({report.size / 1e6:.1f} MB)",
        *_what_was_done(report),
    ]
    for layer, counts in report.counts.items():
        if any(counts.values()):  # of a layer that was left out there is nothing to say yet
            lines.append(f"  {layer}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items()))
    if report.shortfalls:
        short = ", ".join(f"{what} {number:,}" for what, number in report.shortfalls.items())
        lines.append(f"  fell short (v_coverage says which and why): {short}")
    return "\n".join(lines)


_DONE = {"built": "indexed", "updated": "updated the index of"}


def _what_was_done(report: BuildReport) -> list[str]:
    lines = []
    if report.action == "updated":
        for how, paths in report.changes.items():
            more = len(paths) - _EXAMPLES
            lines.append(
                f"  {how}: {len(paths):,} {'file' if len(paths) == 1 else 'files'}: "
                + ", ".join(paths[:_EXAMPLES]) + (f" and {more:,} more" if more > 0 else "")
            )  # fmt: skip
        if not report.changes:
            lines.append(
                "  no file changed; its commit, version or folder did, or the layers asked for"
            )
        if report.relinked:
            lines.append("  relinked: " + ", ".join(dict.fromkeys(report.relinked)))
        if report.anew:
            lines.append(f"  the semantic layer is written anew: {report.anew}")
    elif report.reason not in ("", _NOTHING_THERE):
        lines.append(f"  everything was read: {report.reason}")
    if report.moved_aside:
        lines.append(f"  the file that was there is kept as {report.moved_aside}")
    return lines


_NOTHING_THERE = "there was none"
