"""The semantic layer on the command line: its options, and adding it when the other layers are in place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from torchtalk.cli.run import Failure, Terminated

if TYPE_CHECKING:
    from indexer.clang.semantic import Options
    from indexer.joint_update import Together
    from indexer.report import SemanticReport
    from indexer.scan.tree import SourceTree

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class SemanticChoice:
    """What the options say.

    Args:
        wanted: whether the layer is to be built at all.
        libclang: a shared library, or a folder with one.
        compile_commands: a compile database, or the folder of one.
        torch_include: headers of an installed torch.
        codegen: whether the tree's own generator may run.
        cache: where parsed units are kept.
        tests: whether tests, benchmarks and examples are parsed, too.
    """

    wanted: bool = True
    libclang: Path | None = None
    compile_commands: Path | None = None
    torch_include: Path | None = None
    codegen: bool = True
    cache: Path | None = None
    tests: bool = False


def semantic_options(command: Command) -> Command:
    """Give a command the layer's options; it gets them as one argument, `semantic`."""

    @functools.wraps(command)
    def wrapped(
        *,
        no_clang: bool,
        libclang: Path | None,
        compile_commands: Path | None,
        torch_include: Path | None,
        no_codegen: bool,
        clang_cache: Path | None,
        clang_tests: bool,
        **others: Any,
    ) -> Any:
        choice = SemanticChoice(
            not no_clang, libclang, compile_commands, torch_include, not no_codegen, clang_cache,
            clang_tests,
        )  # fmt: skip
        return command(semantic=choice, **others)

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[return-value]


_EXISTING = click.Path(path_type=Path, exists=True, resolve_path=True)
_OPTIONS = (
    click.option(
        "--no-clang", is_flag=True, envvar="TORCHTALK_NO_CLANG",
        help="Leave C++ to the syntax: no exact call graph, no minutes of parsing.  "
        "[env: TORCHTALK_NO_CLANG]",
    ),
    click.option(
        "--libclang", type=_EXISTING, metavar="PATH",
        help="Another libclang, or the folder of one.  [default: the installed package's; "
        "env: TORCHTALK_LIBCLANG]",
    ),
    click.option(
        "--compile-commands", type=_EXISTING, metavar="FILE",
        help="A build's compile_commands.json, or its folder.  [default: the tree's or its "
        "build/'s, if there is one]",
    ),
    click.option(
        "--torch-include", type=_EXISTING, metavar="DIR",
        help="An installed torch/include of the same version, in place of running the tree's "
        "code generator.",
    ),
    click.option(
        "--no-codegen", is_flag=True,
        help="Run no code of the tree; what includes generated headers is then read in part.",
    ),
    click.option(
        "--clang-tests", is_flag=True,
        help="Parse tests, benchmarks and examples, too: a fifth more units.",
    ),
    click.option(
        "--clang-cache", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
        envvar="TORCHTALK_CLANG_CACHE",
        help="Where parsed files are kept for the next run.  [default: in the user's cache "
        "folder; env: TORCHTALK_CLANG_CACHE]",
    ),
)  # fmt: skip


def _options(choice: SemanticChoice) -> Options:
    from indexer.clang.semantic import Options

    return Options(
        libclang=choice.libclang,
        compile_commands=choice.compile_commands,
        torch_include=choice.torch_include,
        codegen=choice.codegen,
        tests=choice.tests,
    )


def together_of(choice: SemanticChoice, workers: int | None) -> Together:
    """How the layer is brought up to date with the others, where the index has it.

    Args:
        choice: what the options say.
        workers: how many processes.
    """
    from indexer.joint_update import Together
    from indexer.semantic import default_cache
    from indexer.workers import default_workers

    count = default_workers() if workers is None else workers
    return Together(_options(choice), choice.cache or default_cache(), count)


def add(
    tree: SourceTree,
    target: Path,
    choice: SemanticChoice,
    workers: int | None,
    quiet: bool,
    unchanged: bool,
    full: bool,
) -> SemanticReport:
    """Add the layer to an index whose other layers are in place.

    Args:
        tree: what the index is of.
        target: the index.
        choice: what the options say.
        workers: how many processes.
        quiet: show no progress.
        unchanged: the other layers are as they were.
        full: try again what gave nothing the last time.

    Raises:
        Failure: the database is being built by somebody else or cannot be written.
        Terminated: by a signal; it says what is in place.
    """
    from indexer.errors import BuildError
    from indexer.scan.statfile import database_stamp
    from indexer.semantic import add_semantic
    from torchtalk.cli.progress import shown_progress
    from torchtalk.cli.signals import undone_by_signals

    options = _options(choice)
    before = database_stamp(target)
    try:
        with undone_by_signals(), shown_progress(quiet) as progress:
            return add_semantic(
                tree, target, options=options, cache=choice.cache, workers=workers, progress=progress,
                unchanged=unchanged, retry=full,
            )  # fmt: skip
    except BuildError as error:
        raise Failure(error, error.exit_code) from error
    except Terminated as end:
        if database_stamp(target) != before:
            raise Terminated(end.number, f"{target} is in place, with exact calls") from end
        if unchanged:
            raise
        raise Terminated(
            end.number,
            f"{target} is in place, with the calls that the syntax tells; what was parsed is kept for the next"
            " torchtalk index",
        ) from end


def summary(report: SemanticReport) -> str:
    """What was added by libclang, of which `report` tells, for a person."""
    if report.status == "skipped":
        return f"  semantic: skipped, calls are those of the syntax: {report.detail}"
    if not report.changed and not report.units:
        return f"  semantic: unchanged; {report.detail}"
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in report.seconds.items())
    total = sum(report.seconds.values())
    counts = ", ".join(f"{number:,} {name}" for name, number in report.counts.items())
    lines = [
        f"read C++ exactly in {total:.1f} s ({stages})",
        f"  semantic: {counts}",
        f"  {report.detail}",
        f"  {report.reused:,} kept from before; {report.cpu:.0f} CPU s, at most "
        f"{report.memory:.0f} MB a worker; database {report.size / 1e6:.1f} MB",
    ]
    if not report.changed:
        lines[0] += "; nothing had changed"
    if report.missing:
        lines.append(f"  headers that this machine lacks: {', '.join(report.missing)}")
    return "\n".join(lines)
