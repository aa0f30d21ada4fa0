"""MCP resources: the views with a query for each, and any operator's trace."""

from __future__ import annotations

import sqlite3

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.mcpserver.resources import ResourceSecurity

from torchtalk.query.documents import examples
from torchtalk.query.hints import schema
from torchtalk.server.answers import CannotAnswer, ask
from torchtalk.server.source import IndexSource
from torchtalk.tools import all_tools

SCHEMA_URI = "torchtalk://schema"
OPERATOR_URI = "torchtalk://operator/{name}"

_HEAD = """\
torchtalk's index is an SQLite file. The tool `sql` (or `torchtalk sql`) runs one read-only SELECT on
it; get_status says where the file is. These views, and the table meta (key, value), keep their
columns; other tables may change. NULL means not known, lines are 1-based, paths are relative to the
tree, operators are namespace::base.overload without a dot where the overload is empty.
"""

_FTS = """\
Full text search, over names and their words (quote what you search for):
  SELECT n.name, n.kind FROM names_trigrams AS t JOIN names AS n ON n.id = t.rowid
  WHERE names_trigrams MATCH '"softmax"' ORDER BY t.rank LIMIT 10;
"""


def add_resources(server: MCPServer, source: IndexSource) -> None:
    """Give a server its resources.

    Args:
        server: gets them.
        source: of the index that they are asked of.

    A resource raises `ResourceError`, with the reason, where there is no index to ask.
    """

    @server.resource(
        SCHEMA_URI,
        name="schema",
        title="The index's views",
        description="The views of the SQLite file, their columns and a query for each: what `sql` asks.",
    )
    def views() -> str:
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
    """The public views with their columns and a query each, as this version makes them."""
    from indexer.schema import schema_sql

    conn = sqlite3.connect(":memory:")
    try:
        conn.executescript(schema_sql())
        columns = schema(conn)
    finally:
        conn.close()
    queries = examples()
    lines = [_HEAD]
    for name, names in columns.items():
        if name.startswith("v_"):
            lines.append(f"{name}({', '.join(names)})")
            if name in queries:
                what, sql = queries[name]
                lines += [f"  -- {what}", *(f"  {line}" for line in sql.splitlines())]
    lines += ["", _FTS]
    others = ", ".join(name for name in columns if not name.startswith("v_"))
    lines.append(f"Other tables and views (PRAGMA table_info(name) has the columns): {others}")
    return "\n".join(lines) + "\n"
