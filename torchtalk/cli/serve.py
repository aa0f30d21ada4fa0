"""`torchtalk mcp-serve`: let a coding agent ask the index."""

from __future__ import annotations

from pathlib import Path

import click

from torchtalk.cli import exits
from torchtalk.cli.options import DatabasePath, source_and_database
from torchtalk.cli.run import Failure


@click.command("mcp-serve", short_help="Serve the index over the Model Context Protocol")
@source_and_database
@click.option(
    "--transport", type=click.Choice(["stdio", "streamable-http"]), default="stdio",
    show_default=True, help="How clients connect.",
)  # fmt: skip
@click.option(
    "--host", default="127.0.0.1", show_default=True,
    help="Address to listen on (HTTP); one that other machines can reach needs --token-file.",
)  # fmt: skip
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True,
    help="Port to listen on (HTTP); 0 takes a free one.",
)  # fmt: skip
@click.option(
    "--allow-host", "allowed", multiple=True, metavar="NAME",
    help="A further host name by which clients reach this server (HTTP); may be repeated.",
)  # fmt: skip
@click.option(
    "--token-file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Holds a token; requests must then bring `Authorization: Bearer TOKEN` (HTTP).",
)  # fmt: skip
@click.option(
    "--tools", type=click.Choice(["own", "classic"]), default="own", show_default=True,
    help="torchtalk's own tools, or an earlier set of names with one argument each.",
)  # fmt: skip
@click.option(
    "--compare-db", "compare", type=DatabasePath(), metavar="FILE",
    help="Another index, of the PyTorch to compare with: adds the tool diff.",
)  # fmt: skip
@click.option(
    "--auto-update", is_flag=True,
    help="Bring the index up to date, in a process of its own, when a question finds that the tree "
    "has changed.",
)  # fmt: skip
@click.option(
    "--watch", is_flag=True,
    help="The same also while nobody asks: the tree is looked at every few seconds.",
)  # fmt: skip
def command(
    source: Path | None,
    database: Path | None,
    transport: str,
    host: str,
    port: int,
    allowed: tuple[str, ...],
    token_file: Path | None,
    tools: str,
    compare: Path | None,
    auto_update: bool,
    watch: bool,
) -> int:
    """Answer a coding agent's questions from the index.

    Starts at once: where there is no index yet, it is built meanwhile by a process of its own.
    Where the tree has changed since it was indexed, each answer says so. Add it to Claude Code with:

        claude mcp add torchtalk -s user -- torchtalk mcp-serve --pytorch-source DIR
    \f
    Args:
        source: --pytorch-source.
        database: --db.
        transport: `stdio`, or else HTTP.
        host: address to listen on, for HTTP.
        port: the same.
        allowed: further names by which clients may call the host.
        token_file: that has the token which clients must send; None for no token.
        tools: `classic` for the earlier set of tools.
        compare: file of a second index, for the tool `diff`; None for none.
        auto_update: bring the index up to date when a question finds the tree changed.
        watch: the same also while nobody asks.

    Returns:
        The exit code.

    Raises:
        Failure: the address cannot be listened on, or the token in the file is none.
    """
    from torchtalk.config import named_database
    from torchtalk.server.source import IndexSource

    index = IndexSource(
        database,
        source,
        None if compare is None else named_database(compare),
        "always" if watch else "asked" if auto_update else "never",
    )
    if transport == "stdio":
        from torchtalk.server.stdio import serve_stdio

        serve_stdio(index, tools == "classic")
        return exits.FOUND
    from torchtalk.server.http import CannotListen, serve_http

    try:
        serve_http(index, host, port, allowed, tools == "classic", token_file)
    except CannotListen as error:
        raise Failure(error, exits.USAGE) from error
    return exits.FOUND
