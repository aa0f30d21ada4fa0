"""`torchtalk index`: build the index of a tree."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchtalk.cli import exits
from torchtalk.cli.options import source_and_database
from torchtalk.cli.run import Failure, write
from torchtalk.cli.semantic import SemanticChoice, semantic_options

if TYPE_CHECKING:
    from indexer.build import BuildReport
    from indexer.semantic import SemanticReport


@click.command("index", epilog=exits.INDEX_EPILOG, short_help="Build the index of a PyTorch tree")
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
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and print no summary.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(
    source: Path | None,
    database: Path | None,
    workers: int | None,
    layers: str | None,
    quiet: bool,
    as_json: bool,
    semantic: SemanticChoice,
) -> int:
    """Read a PyTorch source tree into one SQLite file.

    The file takes its place only when it is complete; whoever asks meanwhile gets answers from
    the old one. What takes seconds is in place first; C++ is then read exactly by libclang, which
    takes minutes the first time, and the file is replaced once more.
    """
    report = _build(source, database, workers, layers, quiet, semantic)
    if not (as_json or quiet):
        write(summary(report))
    added = _add_semantic(report, layers, semantic, workers, quiet)
    if as_json:
        shown = dataclasses.asdict(report)
        shown["semantic"] = dataclasses.asdict(added) if added else None
        write(json.dumps(shown, indent=2))
    elif added and not quiet:
        from torchtalk.cli.semantic import summary as semantic_summary

        write(semantic_summary(added))
    return exits.FOUND


def _add_semantic(
    report: BuildReport,
    layers: str | None,
    choice: SemanticChoice,
    workers: int | None,
    quiet: bool,
) -> SemanticReport | None:
    """Add the semantic layer to what was built, where it is wanted."""
    from indexer.layers import SEMANTIC
    from indexer.scan.tree import open_tree
    from torchtalk.cli.semantic import add

    if SEMANTIC not in _wanted(layers, choice):
        return None
    return add(open_tree(Path(report.source)), Path(report.database), choice, workers, quiet)


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
    quiet: bool,
    choice: SemanticChoice,
) -> BuildReport:
    from indexer.build import build
    from indexer.errors import BuildError
    from torchtalk.cli.progress import shown_progress
    from torchtalk.cli.signals import undone_by_signals
    from torchtalk.config import NoSource, SettingsError, default_database, find_tree
    from torchtalk.dbfile import SqliteTooOld

    wanted = _wanted(layers, choice)
    try:
        tree = find_tree(source)
        target = (
            default_database(tree.root) if database is None else database.expanduser().absolute()
        )
        _refuse_foreign(target)
        with undone_by_signals(), shown_progress(quiet) as progress:
            return build(tree, target, layers=wanted, workers=workers, progress=progress)
    except (NoSource, SettingsError) as error:
        raise Failure(error, exits.NO_SOURCE) from error
    except SqliteTooOld as error:
        raise Failure(error, exits.NO_INDEX) from error
    except BuildError as error:
        raise Failure(error, error.exit_code) from error


def _refuse_foreign(target: Path) -> None:
    """An index may be replaced; another file that was named by mistake must not be."""
    from torchtalk.dbfile import APPLICATION_ID

    try:
        with target.open("rb") as file:
            header = file.read(100)
    except OSError:
        return  # It is not there, or the build itself will say what is wrong with it.
    # Where the file format has the application id: https://www.sqlite.org/fileformat.html
    ours = header.startswith(b"SQLite format 3\0") and header[68:72] == APPLICATION_ID.to_bytes(
        4, "big"
    )
    if header and not ours:
        raise Failure(
            f"{target} is not a torchtalk index and was left alone; remove it, or give another "
            "--db",
            exits.CANNOT_WRITE,
        )


def summary(report: BuildReport) -> str:
    """What was built, for a person: where, from what, how much, and what fell short."""
    version = report.torch_version or "of unknown version"
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in report.seconds.items())
    lines = [
        f"indexed PyTorch {version} in {sum(report.seconds.values()):.1f} s ({stages})",
        f"  source:   {report.source} ({report.files:,} files)",
        f"  database: {report.database} ({report.size / 1e6:.1f} MB)",
    ]
    for layer, counts in report.counts.items():
        lines.append(f"  {layer}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items()))
    for what, number in report.shortfalls.items():
        lines.append(f"  fell short: {what} {number:,} (in v_coverage: which and why)")
    return "\n".join(lines)
