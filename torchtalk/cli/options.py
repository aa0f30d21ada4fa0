"""Options that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from torchtalk.config import DATABASE_VARIABLE

Command = TypeVar("Command", bound=Callable[..., Any])


class DatabasePath(click.Path):
    """A file of SQLite's, whose name has to be text: SQLite takes UTF-8."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """The path.

        Args:
            value: as it is given.
            param: the option that it is of, for messages.
            ctx: the command's, for messages.

        Raises:
            click.BadParameter: it is none, or no UTF-8.
        """
        try:
            os.fspath(value).encode("utf-8")
        except UnicodeEncodeError:
            self.fail(f"{click.format_filename(value)!r} is not UTF-8.", param, ctx)
        return super().convert(value, param, ctx)


source_option = click.option(
    "--pytorch-source",
    "source",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="PyTorch checkout, or an installed site-packages/torch.  [default: PYTORCH_SOURCE, "
    "then what `torchtalk init` saved, then the current folder]",
)

database_option = click.option(
    "--db",
    "database",
    type=DatabasePath(),
    metavar="FILE",
    envvar=DATABASE_VARIABLE,
    help="The index.  [default: TORCHTALK_DB, then one file for each tree in the user's cache "
    "folder]",
)


def source_and_database(command: Command) -> Command:
    """Give a command both options that say which index is meant."""
    return source_option(database_option(command))
