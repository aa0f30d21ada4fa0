"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from torchtalk.config import DATABASE_VARIABLE

Command = TypeVar("Command", bound=Callable[..., Any])

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
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    envvar=DATABASE_VARIABLE,
    help="The index.  [default: TORCHTALK_DB, then one file for each tree in the user's cache "
    "folder]",
)


def source_and_database(command: Command) -> Command:
    """Give a command both options that say which index is meant."""
    return source_option(database_option(command))
