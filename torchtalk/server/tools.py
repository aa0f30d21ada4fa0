"""MCP tools, made from the registry."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.server.mcpserver.utilities.func_metadata import func_metadata
from mcp_types import ToolAnnotations

from torchtalk.answers.base import Answer
from torchtalk.server.answers import CannotAnswer, ask
from torchtalk.server.source import IndexSource
from torchtalk.tools import all_tools
from torchtalk.tools.spec import Parameter, Tool
from torchtalk.treestate import Comparisons


class _Asking:
    """One tool of the registry, asked of an index.

    Args:
        source: of the index.
        tool: that is asked; it checks the arguments itself.
    """

    def __init__(self, source: IndexSource, tool: Tool) -> None:
        self._source = source
        self._tool = tool

    def answer(self, arguments: dict[str, Any]) -> str:
        """The answer as text.

        Raises:
            ToolError: there is none; the message says why.
        """
        try:
            return ask(self._source, self._tool, arguments)
        except CannotAnswer as error:
            raise ToolError(str(error)) from error


# One for all tools, for they have one signature. Text and nothing else: some clients drop the text of a result that
# has structured content.
_METADATA = func_metadata(_Asking.answer, skip_names=("self",), structured_output=False)


class RegistryTool(SdkTool):
    """A tool whose arguments are checked by the registry, not by a model made from a signature.

    Its errors name the argument and its bounds in one line, and an argument that it does not
    have is refused, where the SDK would pass over it.
    """

    async def run(
        self, arguments: dict[str, Any], context: Any, convert_result: bool = False
    ) -> Any:
        """Hand the arguments over as they came.

        Args:
            arguments: by name, not yet checked.
            context: of the SDK.
            convert_result: make the answer what the protocol sends.
        """
        return await super().run({"arguments": arguments}, context, convert_result)


def make_tools(source: IndexSource, classic: bool = False) -> list[SdkTool]:
    """Every tool of the registry in its order, or those of the earlier set.

    Args:
        source: of the index that they ask; with a second index there is a tool `diff` as well.
        classic: the earlier set.
    """
    if classic:
        from torchtalk.tools.classic import classic_tools

        return [_make_tool(source, tool) for tool in classic_tools().values()]
    tools = list({**all_tools(), "get_status": _kept_status()}.values())
    if source.compare is not None:
        from torchtalk.tools.diff import diff_tool

        tools.append(diff_tool(source.compare))
    return [_make_tool(source, tool) for tool in tools]


def _kept_status() -> Tool:
    """get_status for a server, whose questions in quick succession share a look at the whole tree."""
    comparisons = Comparisons()

    def run(conn: sqlite3.Connection) -> Answer:
        from torchtalk.tools.get_status import get_status

        return get_status(conn, comparisons.state)

    return replace(all_tools()["get_status"], run=run)


def _make_tool(source: IndexSource, tool: Tool) -> SdkTool:
    return RegistryTool(
        fn=_Asking(source, tool).answer,
        name=tool.name,
        title=tool.title,
        description=tool.description,
        parameters=json_schema(tool),
        fn_metadata=_METADATA,
        is_async=False,
        context_kwarg=None,
        annotations=ToolAnnotations(
            read_only_hint=True, idempotent_hint=True, open_world_hint=False
        ),
        icons=None,
        meta=None,
    )


def json_schema(tool: Tool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, with their bounds."""
    return {
        "type": "object",
        "properties": {p.name: _property(p) for p in tool.parameters},
        "required": [p.name for p in tool.parameters if p.required],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": parameter.help}
    if parameter.kind is int:
        schema |= {
            "type": "integer",
            "minimum": parameter.minimum,
            "maximum": parameter.maximum,
        }
    elif parameter.choices:
        schema |= {"type": "string", "enum": list(parameter.choices)}
    else:
        schema |= {"type": "string", "maxLength": parameter.maximum}
    if not parameter.required:
        schema["default"] = parameter.default
    return schema
