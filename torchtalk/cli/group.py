"""The command itself, whose subcommands are made only when they are asked for."""

from __future__ import annotations

import importlib

import click

from torchtalk import __version__

_MODULES = {
    "init": "torchtalk.cli.init:command",
    "affected": "torchtalk.cli.affected:command",
    "diff": "torchtalk.cli.diff:command",
    "doctor": "torchtalk.cli.doctor:command",
    "index": "torchtalk.cli.index:command",
    "snapshot": "torchtalk.cli.snapshot:command",
    "mcp-serve": "torchtalk.cli.serve:command",
    "install": "torchtalk.install.command:install_command",
    "uninstall": "torchtalk.install.command:uninstall_command",
}


class Commands(click.Group):
    """Commands of our own, and one for each tool of the registry."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order in which they are used: set up, ask, serve."""
        from torchtalk.cli.tools import command_names

        return [
            "init", "index", *command_names(), "diff", "snapshot", "doctor", "mcp-serve", "install",
            "uninstall",
        ]  # fmt: skip

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make a command; a tool's command also goes by the tool's own name."""
        if cmd_name in _MODULES:
            module, _, name = _MODULES[cmd_name].partition(":")
            command: click.Command = getattr(importlib.import_module(module), name)
            return command
        from torchtalk.cli.tools import tool_command

        return tool_command(cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchtalk")
def cli() -> None:
    """Answer questions about PyTorch's own source from one SQLite file.

    `torchtalk index` reads a source tree; the other commands ask the index, and `torchtalk
    mcp-serve` lets a coding agent ask it.
    """
