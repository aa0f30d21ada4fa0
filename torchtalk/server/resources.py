"""MCP resources: the views' columns, and any operator's trace."""

from __future__ import annotations

import sqlite3

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.mcpserver.resources import ResourceSecurity

from torchtalk.server.answers import CannotAnswer, ask
from torchtalk.server.source import IndexSource
from torchtalk.tools import all_tools

SCHEMA_URI = "torchtalk://schema"
OPERATOR_URI = "torchtalk://operator/{name}"

_HEAD = """\
torchtalk's index is an SQLite file; get_status says where. These views (and the table meta: key,
value) are for queries of your own and keep their columns; other tables may change. NULL means not
known, lines are 1-based, paths are relative to the tree.
"""


def add_resources(server: MCPServer, source: IndexSource) -> None:
    """Give a server its resources."""

    @server.resource(
        SCHEMA_URI,
        name="schema",
        title="The index's views",
        description="Views of the SQLite file and their columns, for queries of your own.",
    )
    def schema() -> str:
        return schema_text()

    # A name such as `a::b` is no path, though its beginning could be a drive's letter.
    @server.resource(
        OPERATOR_URI,
        name="operator",
        title="An operator's trace",
        description="What `trace` says of an operator: aten::softmax.int, torch.softmax …",
        security=ResourceSecurity(exempt_params={"name"}),
    )
    def operator(name: str) -> str:
        try:
            return ask(source, all_tools()["trace"], {"name": name})
        except CannotAnswer as error:
            raise ResourceError(str(error)) from error


def schema_text() -> str:
    """The public views with their columns, as this version of torchtalk makes them."""
    from indexer.schema import schema_sql

    conn = sqlite3.connect(":memory:")
    try:
        conn.executescript(schema_sql())
        views = [
            name for (name,) in
            conn.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY rowid")
        ]  # fmt: skip
        lines = [
            f"{view}({', '.join(row[1] for row in conn.execute(f'PRAGMA table_info({view})'))})"
            for view in views
        ]
    finally:
        conn.close()
    return _HEAD + "\n" + "\n".join(lines) + "\n"
