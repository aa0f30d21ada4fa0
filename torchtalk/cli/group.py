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
        """Names in the order in which they are used: set up, ask, serve; whatever `ctx` is."""
        from torchtalk.cli.tools import command_names

        return [
            "init", "index", *command_names(), "diff", "snapshot", "doctor", "mcp-serve", "install",
            "uninstall",
        ]  # fmt: skip

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make a command; a tool's command also goes by the tool's own name.

        Args:
            ctx: is not looked at.
            cmd_name: as it is typed: `index`, `find-similar-tests`, `find_similar_tests`.

        Returns:
            The command; None where there is none of the name.
        """
        if cmd_name in _MODULES:
            module, _, name = _MODULES[cmd_name].partition(":")
            command: click.Command = getattr(importlib.import_module(module), name)
            return command
        from torchtalk.cli.tools import tool_command

        return tool_command(cmd_name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the options before the command; one that is a command's own is said to stand behind it.

        Args:
            ctx: of the group.
            args: all words behind `torchtalk`.

        Returns:
            The words that are left: the command and its own.

        Raises:
            click.UsageError: there is no such option, or it stands at a wrong place.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.option_name not in ("--db", "--pytorch-source", "--json"):
                raise
            said = f"{error.option_name} stands behind the command: torchtalk status {error.option_name} …"
            raise click.UsageError(said, ctx) from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of a name, or a word on those that are called like it.

        Args:
            ctx: of the group.
            args: the command and its own words.

        Returns:
            As click has it: the command's name, the command, and its own words.

        Raises:
            click.UsageError: there is no such command; the message names those that are called like it.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 3)
            if not near:
                raise
            said = f"{error.message} Did you mean {' or '.join(near)}?"
            raise click.UsageError(said, ctx) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torchtalk")
def cli() -> None:
    """Answer questions about PyTorch's own source from one SQLite file.

    `torchtalk index` reads a source tree; the other commands ask the index, and `torchtalk
    mcp-serve` lets a coding agent ask it.
    """
