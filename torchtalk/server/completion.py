"""Completing operators' names while a user types them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import anyio.to_thread
from mcp.server import MCPServer
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from torchtalk.server.resources import OPERATOR_URI
from torchtalk.server.source import IndexSource, NotYet, Unusable
from torchtalk.sqlfile import statements

MOST = 100
"""The protocol's own bound."""

_LAST = "\U0010ffff"


def add_completion(server: MCPServer, source: IndexSource) -> None:
    """Complete the name of the operator resource and of the trace prompt.

    Args:
        server: gets the handler.
        source: of the index whose names are offered.
    """

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        named = ref.uri if isinstance(ref, ResourceTemplateReference) else ref.name
        if named not in (OPERATOR_URI, "trace_operator") or argument.name != "name":
            return None
        found = await anyio.to_thread.run_sync(_found, source, argument.value)
        return Completion(values=found[:MOST], has_more=len(found) > MOST)


def _found(source: IndexSource, prefix: str) -> list[str]:
    try:
        return names_beginning(source.connection(), prefix)
    except (NotYet, Unusable, sqlite3.DatabaseError):
        # A menu has no room for a message; the question itself will tell.
        return []


def names_beginning(conn: sqlite3.Connection, prefix: str) -> list[str]:
    """Operators' names that begin like this, sorted; one more than `MOST` if there are more.

    Args:
        conn: an index.
        prefix: with `::` or a dot, full names of overloads are offered, otherwise base names.
    """
    sql = statements(Path(__file__).with_name("completion.sql"))
    prefix = prefix[:500]
    bounds = {"prefix": prefix, "end": prefix + _LAST, "limit": MOST + 1}
    if "::" in prefix:
        return [row["value"] for row in conn.execute(sql["names"], bounds)]
    if "." in prefix:
        full = {**bounds, "prefix": f"aten::{prefix}", "end": f"aten::{prefix}{_LAST}"}
        return [row["value"] for row in conn.execute(sql["names"], full)]
    return [row["value"] for row in conn.execute(sql["bases"], bounds)]
