"""MCP prompts: ways of working that users start by name."""

from __future__ import annotations

from typing import Annotated

from mcp.server import MCPServer
from pydantic import Field

MOST = 20_000
"""Characters of a user's text that go into a prompt."""


def add_prompts(server: MCPServer) -> None:
    """Give a server its prompts."""

    @server.prompt(
        title="Trace an operator",
        description="Explain how a PyTorch operator gets from Python to its kernels.",
    )
    def trace_operator(
        name: Annotated[str, Field(description="operator or API: torch.softmax, aten::add.Tensor")],
    ) -> str:
        return trace_text(name[:500])

    @server.prompt(
        title="Review a change",
        description="Find out what a change to PyTorch's operators touches.",
    )
    def review_change(
        change: Annotated[str, Field(description="a diff, or names of what is changed")],
    ) -> str:
        return review_text(change[:MOST])


def trace_text(name: str) -> str:
    """What to do to explain the operator `name`, a text for a model."""
    return (
        f"Explain how {name} works inside PyTorch, from the Python call to the kernels.\n"
        f"1. Call `trace` with name={name!r}. If it lists several candidates, say which one you "
        "take and why; if it knows none, use `search`.\n"
        "2. Follow what it names: a structured delegate, an operator that a composite kernel "
        "calls, a backward function of a formula, each with `trace`.\n"
        "3. Read the places it gives in the source before you say what code does.\n"
        "Give file:line for every statement, and say what the index does not know."
    )


def review_text(change: str) -> str:
    """What to do to judge a change."""
    return (
        "Review this change to PyTorch with torchtalk's tools.\n"
        "1. Call `get_status`: does the index describe this tree, and has the tree changed "
        "since?\n"
        "2. For each operator, kernel or YAML entry that is changed, call `trace`: which "
        "overloads, dispatch keys and formulas share it? `search` finds names you know only in "
        "part.\n"
        "3. For each changed function call `impact`: which operators, Python names and modules "
        "it reaches.\n"
        "4. Report what else has to change with it (out and in-place variants, structured "
        "delegates, other backends' kernels, derivative formulas), each with file:line.\n\n"
        f"The change:\n{change}"
    )
