"""A command for each tool of the registry."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from torchtalk.cli import exits
from torchtalk.cli.options import source_and_database
from torchtalk.cli.run import Failure, write
from torchtalk.tools import all_tools
from torchtalk.tools.spec import Parameter, Tool


def command_name(tool: str) -> str:
    """How a tool is called on the command line: `get_status` is `status`."""
    return tool.removeprefix("get_").replace("_", "-")


def command_names() -> list[str]:
    """The commands of all tools, in the registry's order."""
    return [command_name(name) for name in all_tools()]


def tool_command(name: str) -> click.Command | None:
    """The command of a tool by its `name`, `status`, `get-status` or `get_status`; None for no tool."""
    wanted = name.replace("-", "_")
    for tool in all_tools().values():
        if wanted in (tool.name, tool.name.removeprefix("get_")):
            return make_command(tool)
    return None


def make_command(tool: Tool) -> click.Command:
    """Make a command from a tool.

    What is required and what comes first stand in their order on the command line, the rest are
    options.
    """

    @click.command(
        command_name(tool.name),
        help=tool.description,
        short_help=tool.title,
        epilog=_parameters_help(tool) + exits.QUERY_EPILOG,
        params=[_click_parameter(parameter, tool) for parameter in tool.parameters],
    )
    @click.option("--json", "as_json", is_flag=True, help="Print the whole answer as JSON.")
    @source_and_database
    def command(database: Path | None, source: Path | None, as_json: bool, **arguments: Any) -> int:
        return ask(tool, database, source, as_json, arguments)

    return command


def _is_positional(parameter: Parameter, tool: Tool) -> bool:
    """Whether a parameter needs no `--`: a name that may be left out is still a name."""
    return parameter.required or (parameter is tool.parameters[0] and parameter.kind is str)


def _click_parameter(parameter: Parameter, tool: Tool) -> click.Parameter:
    kind: click.ParamType[Any]
    if parameter.kind is int:
        kind = click.IntRange(parameter.minimum, parameter.maximum)
    elif parameter.choices:
        kind = click.Choice(parameter.choices)
    else:
        kind = click.STRING
    if _is_positional(parameter, tool):
        if parameter.required:  # a default, even None, would stand for what is not given
            return click.Argument([parameter.name], type=kind)
        return click.Argument(
            [parameter.name], type=kind, required=False, default=parameter.default
        )
    return click.Option(
        [f"--{parameter.name.replace('_', '-')}", parameter.name],
        type=kind,
        default=parameter.default,
        show_default=parameter.default != "",
        help=_sentence(parameter.help),
    )


def _parameters_help(tool: Tool) -> str:
    lines = [
        f"  {parameter.name.upper()}  {parameter.help}"
        for parameter in tool.parameters if _is_positional(parameter, tool)
    ]  # fmt: skip
    return "\b\nArguments:\n" + "\n".join(lines) + "\n\n" if lines else ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def ask(
    tool: Tool,
    database: Path | None,
    source: Path | None,
    as_json: bool,
    arguments: dict[str, Any],
    is_whole: bool = False,
) -> int:
    """Ask a tool, write its answer, and return the exit code.

    Args:
        tool: the tool.
        database: --db.
        source: --pytorch-source.
        as_json: the whole answer as JSON.
        arguments: of the tool.
        is_whole: the text is for a program and must not be cut.

    Raises:
        Failure: there is no answer; the message says why, and its code is one of `exits`.
    """
    import sqlite3

    from torchtalk.arguments import BadArgument
    from torchtalk.config import NoSource, SettingsError, find_database, index_command
    from torchtalk.db import IndexMissing, IndexUnavailable, connect
    from torchtalk.dbfile import SqliteTooOld
    from torchtalk.index_command import bringing_command, whole, with_command
    from torchtalk.layers import LayersMissing
    from torchtalk.render import to_json, to_text
    from torchtalk.render.text import MAX_CHARACTERS
    from torchtalk.staleness import note_at_once

    try:
        path = find_database(database, source)
        conn = connect(path)
        try:
            command = bringing_command(conn, database, source)
            answer = tool.ask(conn, **arguments)
            # The others look at the tree by themselves, and more closely.
            stale = "" if tool.name in ("get_status", "affected") else note_at_once(conn)
        finally:
            conn.close()
    except (NoSource, SettingsError) as error:
        raise Failure(error, exits.NO_SOURCE) from error
    except IndexMissing as error:
        raise Failure(
            f"there is no index at {path}; build it with: {index_command(database, source)}",
            exits.NO_INDEX,
        ) from error
    except LayersMissing as error:
        raise Failure(whole(str(error), command), exits.NO_INDEX) from error
    except (IndexUnavailable, SqliteTooOld) as error:
        raise Failure(error, exits.NO_INDEX) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise Failure(
            f"{path} could not be read ({error}); build it again with: {index_command(database, source)}",
            exits.NO_INDEX,
        ) from error
    except BadArgument as error:
        raise Failure(error, exits.USAGE) from error
    if stale:
        answer = replace(answer, notes=(*answer.notes, stale))
    answer = with_command(answer, command)
    # JSON and pictures are for programs: they are whole, as what --json prints is.
    is_whole = is_whole or arguments.get("format", "text") != "text"
    limit = sys.maxsize if is_whole else MAX_CHARACTERS
    write(to_json(answer) if as_json else to_text(answer, limit))
    return exits.FOUND if answer.found else exits.NOTHING_FOUND
