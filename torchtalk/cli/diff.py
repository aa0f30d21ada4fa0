"""`torchtalk diff`: what changed from one index to another."""

from __future__ import annotations

from pathlib import Path

import click

from torchtalk.cli import exits
from torchtalk.cli.options import DatabasePath
from torchtalk.cli.run import Failure, write

_EPILOG = """\b
Sections:
  removed, schemas, added   operators; schemas argument by argument
  api, modules              public Python names; modules, optimizers, schedulers
  dispatch, kernels         keys gained and lost; kernels of the entries that stayed
  derivatives               formulas
  decompositions, lowerings torch.compile
  tests                     by file

\b
Exit codes:
  0    compared
  1    with --exit-code: there are differences
  2    a wrong option or argument
  8    one of the files cannot be read by this torchtalk
"""


@click.command("diff", epilog=_EPILOG, short_help="What changed between two indexes")
@click.argument("old", metavar="A.db", type=DatabasePath())
@click.argument("new", metavar="B.db", type=DatabasePath())
@click.option("--section", default="", metavar="NAME", help="Only this section, and more of it.")
@click.option(
    "--limit", type=click.IntRange(0, 200), default=0,
    help="How many changes of a section to show.  [default: 6 of each, 40 of one]",
)  # fmt: skip
@click.option(
    "--offset", type=click.IntRange(0, 1_000_000), default=0, show_default=True,
    help="How many changes of a section to pass over.",
)  # fmt: skip
@click.option(
    "--exit-code", is_flag=True, help="End with 1 if there are differences, as diff does."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the answer as JSON, every change of it."
)
def command(
    old: Path, new: Path, section: str, limit: int, offset: int, exit_code: bool, as_json: bool
) -> int:
    """What changed from A to B, two files that `torchtalk index` made.

    Operators, schemas, dispatch, kernels, derivatives, torch.compile, public Python API, modules
    and tests; the totals are exact, the most important changes first.
    \f
    Args:
        old: file of the index before.
        new: file of the index after.
        section: the only one that is wanted, empty for all.
        limit: most changes of a section; 0 for 6 of each, or 40 of one.
        offset: how many changes of a section to pass over.
        exit_code: end with 1 where there are differences.
        as_json: print the answer as JSON.

    Returns:
        The exit code.

    Raises:
        click.BadParameter: there is no such section.
        Failure: one of the files cannot be read.
    """
    from torchtalk.db import IndexUnavailable
    from torchtalk.dbfile import SqliteTooOld
    from torchtalk.render import to_json, to_text
    from torchtalk.tools.diff import ALL, SECTIONS, diff

    if section and section not in SECTIONS:
        raise click.BadParameter(
            f"there is no section {section!r}; there are {', '.join(SECTIONS)}",
            param_hint="--section",
        )
    if as_json and not limit:
        limit = ALL
    try:
        answer = diff(old.expanduser(), new.expanduser(), section, limit, offset)
    except (IndexUnavailable, SqliteTooOld) as error:
        raise Failure(error, exits.NO_INDEX) from error
    write(to_json(answer) if as_json else to_text(answer))
    return exits.DIFFERENT if exit_code and answer.differs else exits.FOUND
