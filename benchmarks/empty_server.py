"""The least server that the SDK makes: what every start is compared with."""

from __future__ import annotations

from mcp.server import MCPServer

server = MCPServer("empty")


@server.tool()
def nothing() -> str:
    """Answer at once."""
    return "nothing"


if __name__ == "__main__":
    server.run("stdio")
