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

if TYPE_CHECKING:
    from indexer.build import BuildReport


@click.command("index", epilog=exits.INDEX_EPILOG, short_help="Build the index of a PyTorch tree")
@source_and_database
@click.option(
    "--workers", type=click.IntRange(0, 256), metavar="N",
    help="Processes that read files; 0 reads in this one.  [default: one for each core]",
)  # fmt: skip
@click.option(
    "--layers", metavar="NAMES",
    help="Layers to build, comma-separated, with those they need: operators, native, calls, "
    "python …  [default: all]",
)  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Show no progress and print no summary.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(
    source: Path | None,
    database: Path | None,
    workers: int | None,
    layers: str | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Read a PyTorch source tree into one SQLite file.

    The file takes its place only when it is complete; whoever asks meanwhile gets answers from
    the old one.
    """
    report = _build(source, database, workers, layers, quiet)
    if as_json:
        write(json.dumps(dataclasses.asdict(report), indent=2))
    elif not quiet:
        write(summary(report))
    return exits.FOUND


def _build(
    source: Path | None,
    database: Path | None,
    workers: int | None,
    layers: str | None,
    quiet: bool,
) -> BuildReport:
    from indexer.build import build
    from indexer.errors import BuildError
    from indexer.layers import LAYER_NAMES, with_needs
    from torchtalk.cli.progress import shown_progress
    from torchtalk.cli.signals import undone_by_signals
    from torchtalk.config import NoSource, SettingsError, default_database, find_tree
    from torchtalk.dbfile import SqliteTooOld

    try:
        names = [name.strip() for name in (layers or "").split(",") if name.strip()]
        wanted = with_needs(names or LAYER_NAMES)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--layers") from error
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
