"""Hostile arguments: an answer or a reason, never more than the cap, never a traceback."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, TextContent

from tests.unit.support.hostile_arguments import at_random, every_tool, one_at_a_time
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server.app import make_server
from torchtalk.server.source import IndexSource
from torchtalk.tools import all_tools


@pytest.fixture(scope="module")
def server(fixture_db: Path) -> Iterator[MCPServer]:
    source = IndexSource(fixture_db, None)
    yield make_server(source)
    source.close()


def _short(value: object) -> str:
    return "huge" if isinstance(value, int) and value.bit_length() > 200 else f"{value!r:.60}"


async def answers(server: MCPServer, tool: str, many: Iterator[dict[str, Any]]) -> list[int]:
    """Ask all of them; returns how long each answer is, or minus that of what refuses it."""
    lengths = []
    for arguments in many:
        shown = str({name: _short(value) for name, value in arguments.items()})
        try:
            result = await server.call_tool(tool, arguments)
        except ToolError as error:
            assert not isinstance(error, UnexpectedToolError), (shown, error.__cause__)
            assert 0 < len(str(error)) < 2_000, shown
            assert "Traceback" not in str(error), shown
            lengths.append(-len(str(error)))
        else:
            assert isinstance(result, CallToolResult)
            (content,) = result.content
            assert isinstance(content, TextContent)
            assert 0 < len(content.text) <= MAX_CHARACTERS, shown
            lengths.append(len(content.text))
    return lengths


@pytest.mark.mostly_slow(fast=2)
@pytest.mark.parametrize(
    "tool",
    [pytest.param(t, marks=pytest.mark.slow) if t == "sql" else t for t in every_tool()],
)
def test_hostile_arguments_are_answered_or_refused(server: MCPServer, tool: str) -> None:
    found = asyncio.run(answers(server, tool, one_at_a_time(all_tools()[tool])))
    assert any(length < 0 for length in found), "nothing was refused"
    if all_tools()[tool].parameters:
        assert any(length > 0 for length in found), "nothing was answered"
    # Queries of one's own may take as long as they are allowed to, and many of these do.
    number = 10 if tool == "sql" else 60
    asyncio.run(answers(server, tool, at_random(all_tools()[tool], random.Random(tool), number)))
