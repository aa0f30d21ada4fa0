"""`torchtalk affected`: the tool, with the change taken from git, a file or stdin."""

from __future__ import annotations

import codecs
from pathlib import Path

import click

from torchtalk.cli import exits
from torchtalk.cli.options import source_and_database
from torchtalk.cli.run import Failure, write

_EPILOG = """\b
Without names and without --diff it is what is not committed in the tree that counts, new files as
well, or with --since what changed since this revision branched off.

""" + exits.QUERY_EPILOG.replace(
    "answered: the index has nothing of the kind that is asked for",
    "answered: nothing in the index is called so",
).replace("  0    answered\n", "  0    answered; a change that no test is known for is, too\n")


@click.command("affected", epilog=_EPILOG, short_help="Tests for a change")
@click.argument("names", nargs=-1)
@click.option("--since", default="", metavar="REV", help="What changed since REV branched off.")
@click.option(
    "--diff", "diff_file", metavar="FILE", type=click.Path(allow_dash=True),
    help="A unified diff; - is stdin.",
)  # fmt: skip
@click.option(
    "--max-tests", default=50, show_default=True, type=click.IntRange(1, 20_000),
    help="How many tests at most.",
)  # fmt: skip
@click.option(
    "--form", type=click.Choice(("text", "commands")), default="text", show_default=True,
    help="With the reasons, or commands to run.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
@source_and_database
def command(
    names: tuple[str, ...],
    since: str,
    diff_file: str | None,
    max_tests: int,
    form: str,
    as_json: bool,
    database: Path | None,
    source: Path | None,
) -> int:
    """Which tests a change needs, ranked and cut to a budget, each with its path of reasons.

    NAMES are functions, operators, classes or files; also folders and patterns of few files.
    \f
    Args:
        names: the words of NAMES; none where a diff is meant.
        since: a revision of git's, or empty: what changed since it branched off.
        diff_file: path of a unified diff, `-` for stdin; None where none is given.
        max_tests: how many tests at most.
        form: `text` or `commands`.
        as_json: print the whole answer as JSON.
        database: --db.
        source: --pytorch-source.

    Returns:
        The exit code.

    Raises:
        click.UsageError: --since and --diff are both given, or there is no diff to be read.
        Failure: there is no tree or no index that could be asked.
    """
    from torchtalk.answers.affected import nothing_changed
    from torchtalk.cli.tools import ask
    from torchtalk.render import to_json, to_text
    from torchtalk.tools import all_tools

    if since and diff_file is not None:
        raise click.UsageError("--since and --diff are two sources of the same thing: give one")
    diff = ""
    if diff_file is not None:
        diff = _read(diff_file)
    elif since or not names:
        diff = _of_tree(source, since)
    if not diff.strip() and not names:
        answer = nothing_changed(form)
        write(to_json(answer) if as_json else to_text(answer))
        return exits.FOUND
    arguments = {"names": " ".join(names), "diff": diff, "max_tests": max_tests, "form": form}
    tool = all_tools()["affected"]
    return ask(tool, database, source, as_json, arguments, is_whole=form == "commands")


def _read(file: str) -> str:
    try:
        with click.open_file(file, "rb") as stream:
            data: bytes = stream.read()
    except OSError as error:
        raise click.UsageError(f"--diff {file}: {error.strerror or error}") from error
    # What PowerShell's `>` writes begins so.
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_wide else "utf-8-sig", "replace")


def _of_tree(source: Path | None, since: str) -> str:
    from torchtalk.affected.diff.checkout import NoDiff, git_diff
    from torchtalk.config import NoSource, SettingsError, find_tree

    try:
        return git_diff(find_tree(source).root, since)
    except (NoSource, SettingsError) as error:
        raise Failure(error, exits.NO_SOURCE) from error
    except NoDiff as error:
        raise click.UsageError(f"{error}; or give --diff FILE") from error
