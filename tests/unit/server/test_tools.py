"""What the server offers: made from the registry, bounded, and never a crash."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, TextContent

from tests.conftest import ROOT
from tests.unit.support.tries import tries
from torchtalk.arguments import BadArgument
from torchtalk.cli.group import cli
from torchtalk.config import SOURCE_VARIABLE
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.server.app import INSTRUCTIONS, make_server
from torchtalk.server.prompts import review_text, trace_text
from torchtalk.server.resources import schema_text
from torchtalk.server.source import IndexSource
from torchtalk.server.tools import json_schema
from torchtalk.tools import all_tools
from torchtalk.tools.spec import Parameter, Tool


@pytest.fixture(scope="module")
def server(fixture_db: Path) -> MCPServer:
    return make_server(IndexSource(fixture_db, None))


def test_the_list_is_the_registry(server: MCPServer) -> None:
    listed = asyncio.run(server.list_tools())
    assert [tool.name for tool in listed] == list(all_tools())
    for tool in listed:
        ours = all_tools()[tool.name]
        assert (tool.title, tool.description) == (ours.title, ours.description)
        assert tool.output_schema is None
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.idempotent_hint is True
        assert tool.annotations.open_world_hint is False


def test_every_argument_is_described_and_bounded(server: MCPServer) -> None:
    for tool in asyncio.run(server.list_tools()):
        schema = tool.input_schema
        assert schema["additionalProperties"] is False
        for name, argument in schema["properties"].items():
            assert argument["description"], (tool.name, name)
            assert ("default" in argument) != (name in schema["required"])
            if argument["type"] == "integer":
                assert argument["minimum"] <= argument["maximum"]
            else:
                assert argument.get("maxLength", 0) > 0 or argument["enum"]


def test_a_schema_follows_its_tool() -> None:
    tool = Tool(
        "echo",
        "Echo",
        "Says what it was asked.",
        (
            Parameter("text", str, "a text", maximum=9),
            Parameter("number", int, "a number", 3, minimum=2, maximum=5),
            Parameter("which", str, "a choice", "b", choices=("a", "b")),
        ),
        print,
    )
    assert json_schema(tool) == {
        "type": "object",
        "properties": {
            "text": {"description": "a text", "type": "string", "maxLength": 9},
            "number": {
                "description": "a number", "type": "integer", "minimum": 2, "maximum": 5,
                "default": 3,
            },
            "which": {
                "description": "a choice", "type": "string", "enum": ["a", "b"], "default": "b",
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    }  # fmt: skip


def test_descriptions_and_instructions_are_short(server: MCPServer) -> None:
    for tool in asyncio.run(server.list_tools()):
        assert tool.description is not None
        assert 0 < len(tool.description.encode()) < 200
    for prompt in asyncio.run(server.list_prompts()):
        assert prompt.description is not None
        assert 0 < len(prompt.description.encode()) < 200
    assert len(INSTRUCTIONS.encode()) < 1500


def test_instructions_and_prompts_name_tools_that_exist() -> None:
    in_instructions = re.findall(r"^- (\w+):", INSTRUCTIONS, re.MULTILINE)
    assert sorted(in_instructions) == sorted(all_tools())
    in_prompts = re.findall(r"`(\w+)`", trace_text("x") + review_text("x"))
    assert in_prompts
    assert set(in_prompts) <= set(all_tools())


def test_the_schema_resource_lists_the_views() -> None:
    text = schema_text()
    assert re.search(r"^v_operators\(operator, namespace, base, ", text, re.MULTILINE)
    assert re.search(r"^v_coverage\(layer, file, status, detail\)$", text, re.MULTILINE)


def _values(parameter: Parameter) -> st.SearchStrategy[Any]:
    fitting: st.SearchStrategy[Any]
    if parameter.kind is int:
        fitting = st.integers(parameter.minimum, parameter.maximum)
    elif parameter.choices:
        fitting = st.sampled_from(parameter.choices)
    else:
        fitting = st.text(max_size=parameter.maximum) | st.sampled_from(
            ["softcap", "aten::scale_add.Tensor", "add scale", "CPU", '" OR *', "a::b", "\0"]
        )
    anything = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=600)
    return fitting | anything | st.lists(st.integers(), max_size=2)


def _arguments(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    known: dict[str, st.SearchStrategy[Any]] = {p.name: _values(p) for p in tool.parameters}
    unknown = st.dictionaries(st.text(max_size=10), st.none() | st.integers(), max_size=1)
    fixed = st.fixed_dictionaries({}, optional=known)
    return st.builds(lambda first, second: {**second, **first}, fixed, unknown)


@pytest.mark.mostly_slow(fast=6)
@pytest.mark.parametrize("name", list(all_tools()))
@settings(deadline=None, max_examples=tries(30))
@given(data=st.data())
def test_any_arguments_are_answered_or_refused(
    server: MCPServer, name: str, data: st.DataObject
) -> None:
    arguments = data.draw(_arguments(all_tools()[name]))
    try:
        result = asyncio.run(server.call_tool(name, arguments))
    except ToolError as error:
        assert not isinstance(error, UnexpectedToolError)
        # Refused by the tool's own rules, not by SQLite stumbling over what was asked.
        reason: BaseException | None = error
        while reason is not None and not isinstance(reason, BadArgument):
            reason = reason.__cause__
        assert reason is not None
        assert 0 < len(str(error)) < 2_000
    else:
        assert isinstance(result, CallToolResult)
        assert result.structured_content is None
        (content,) = result.content
        assert isinstance(content, TextContent)
        assert 0 < len(content.text) <= MAX_CHARACTERS


def test_a_defect_is_not_shown_to_the_client(
    server: MCPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(conn: object, **arguments: object) -> None:
        raise RuntimeError("secret")

    tool = all_tools()["trace"]
    monkeypatch.setitem(tool.__dict__, "run", broken)
    with pytest.raises(UnexpectedToolError) as caught:
        asyncio.run(server.call_tool("trace", {"name": "softcap"}))
    assert "secret" not in str(caught.value)


def test_the_repository_s_own_configuration_starts_the_server() -> None:
    configured = json.loads((ROOT / ".mcp.json").read_text(encoding="utf-8"))
    server = configured["mcpServers"]["torchtalk"]
    assert server["command"] == "torchtalk"
    context = cli.make_context("torchtalk", list(server["args"]), resilient_parsing=True)
    name, command, rest = cli.resolve_command(context, list(server["args"]))
    assert (name, rest) == ("mcp-serve", [])
    assert command is not None
    assert set(server["env"]) == {SOURCE_VARIABLE}
