"""`torchtalk install` and `torchtalk uninstall`."""

from __future__ import annotations

from pathlib import Path

import click

from torchtalk.cli import exits
from torchtalk.cli.run import Failure, write
from torchtalk.install import changes as plan
from torchtalk.install.targets import AGENTS, server_entry, target

_AGENT = click.argument("agent", type=click.Choice(AGENTS))
_PROJECT = click.option(
    "--project", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    help="A project's folder; without it, your own settings.",
)  # fmt: skip
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Only show what would be done.")


@click.command("install", short_help="Give a coding agent the server and the guides")
@_AGENT
@_PROJECT
@click.option(
    "--pytorch-source", "source", type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR", help="The tree that the server is to know; else the one of `torchtalk init`.",
)  # fmt: skip
@_DRY_RUN
def install_command(agent: str, project: Path | None, source: Path | None, dry_run: bool) -> int:
    """Enter the MCP server and copy the guides for AGENT.

    What is there already and was not written by torchtalk is left alone, and said. `torchtalk
    uninstall` takes back exactly what this wrote.
    \f
    Args:
        agent: name of one of the agents that are known.
        project: folder that it is for; None for the user's own settings.
        source: tree that the server is to ask about; None where that is found at its start.
        dry_run: only say what would be done.

    Returns:
        The exit code.

    Raises:
        Failure: a settings file is no JSON, or a file cannot be written.
    """
    place = target(agent, project.resolve() if project else None, Path.home())
    entry = server_entry(source.resolve() if source else None)
    try:
        changes = plan.installing(place, entry)
        _show(changes)
        if not dry_run:
            plan.install(place, entry, changes)
    except (plan.NotJson, OSError) as error:
        raise Failure(str(error), exits.CANNOT_WRITE) from error
    return exits.FOUND


@click.command("uninstall", short_help="Take back what install wrote")
@_AGENT
@_PROJECT
@_DRY_RUN
def uninstall_command(agent: str, project: Path | None, dry_run: bool) -> int:
    """Remove the MCP server's entry and the guides that torchtalk wrote for AGENT.
    \f
    Args:
        agent: name of one of the agents that are known.
        project: folder that it was for; None for the user's own settings.
        dry_run: only say what would be done.

    Returns:
        The exit code.

    Raises:
        Failure: a settings file is no JSON, or a file cannot be written.
    """
    place = target(agent, project.resolve() if project else None, Path.home())
    try:
        changes = plan.uninstalling(place)
        _show(changes)
        if not dry_run:
            plan.uninstall(place, changes)
    except (plan.NotJson, OSError) as error:
        raise Failure(str(error), exits.CANNOT_WRITE) from error
    return exits.FOUND if changes else exits.NOTHING_FOUND


def _show(changes: list[plan.Change]) -> None:
    write("\n".join(map(str, changes)) if changes else "nothing of torchtalk's is there")
