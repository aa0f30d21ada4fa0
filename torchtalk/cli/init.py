"""`torchtalk init`: remember which tree is meant."""

from __future__ import annotations

from pathlib import Path

import click

from torchtalk.cli import exits
from torchtalk.cli.run import Failure, write


@click.command("init", short_help="Remember which PyTorch tree is meant")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[DIR]")
@click.option("--show", is_flag=True, help="Show what is saved.")
@click.option("--forget", is_flag=True, help="Remove what is saved.")
def command(folder: Path | None, show: bool, forget: bool) -> int:
    """Save a PyTorch tree for all later commands; DIR is the current folder if left out.

    --pytorch-source and PYTORCH_SOURCE go before it.
    \f
    Args:
        folder: DIR.
        show: print the tree that is saved instead.
        forget: forget it instead.

    Returns:
        The exit code.

    Raises:
        click.UsageError: more than one of the three is given.
    """
    if (folder is not None) + show + forget > 1:
        raise click.UsageError("give one of DIR, --show and --forget")
    if show:
        return _show()
    if forget:
        return _forget()
    return _save(folder)


def _save(folder: Path | None) -> int:
    from indexer.scan.tree import NotAPyTorchTree, open_tree
    from torchtalk.config import SettingsError, default_database, save_source

    try:
        tree = open_tree(Path.cwd() if folder is None else folder)
        path = save_source(tree.root)
    except NotAPyTorchTree as error:
        raise Failure(f"{error}; name one: torchtalk init DIR", exits.NO_SOURCE) from error
    except SettingsError as error:
        raise Failure(error, exits.CANNOT_WRITE) from error
    write(
        f"saved in {path}\n"
        f"  source:   {tree.root} (PyTorch {tree.version or 'of unknown version'})\n"
        f"  database: {default_database(tree.root)}\n"
        "next: torchtalk index"
    )
    return exits.FOUND


def _show() -> int:
    from torchtalk.config import SettingsError, default_database, saved_source, settings_file

    try:
        root = saved_source()
    except SettingsError as error:
        raise Failure(error, exits.NO_SOURCE) from error
    if root is None:
        write(f"nothing is saved in {settings_file()}; save a tree with: torchtalk init DIR")
        return exits.NOTHING_FOUND
    database = default_database(root)
    there = "" if database.is_file() else " (not built yet: torchtalk index)"
    write(f"saved in {settings_file()}\n  source:   {root}\n  database: {database}{there}")
    return exits.FOUND


def _forget() -> int:
    from torchtalk.config import SettingsError, forget_source

    try:
        forgotten = forget_source()
    except SettingsError as error:
        raise Failure(error, exits.CANNOT_WRITE) from error
    write("forgotten" if forgotten else "nothing was saved")
    return exits.FOUND
