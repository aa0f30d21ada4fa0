"""The server as a client sees it over stdin and stdout."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import PromptReference, ResourceTemplateReference, TextContent

from tests.unit.support.command import command_line, environment
from torchtalk.config import default_database
from torchtalk.tools import all_tools

PATIENCE = 30.0


def _talk(talk: Callable[[Client], Awaitable[None]], *arguments: object) -> None:
    """Start a server, talk to it, and see it end."""
    command, *rest = command_line("mcp-serve", *arguments)

    async def session() -> None:
        parameters = StdioServerParameters(command=command, args=rest, env=environment())
        async with Client(parameters, read_timeout_seconds=PATIENCE) as client:
            await talk(client)

    asyncio.run(asyncio.wait_for(session(), 2 * PATIENCE))


async def _call(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is None
    (content,) = result.content
    assert isinstance(content, TextContent)
    return bool(result.is_error), content.text


def test_a_session(home: Path, fixture_db: Path, fixture_tree: Path, tmp_path: Path) -> None:
    database = tmp_path / "x.db"
    shutil.copy(fixture_db, database)

    async def talk(client: Client) -> None:
        assert client.instructions is not None
        assert "trace" in client.instructions
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == list(all_tools())
        for tool in all_tools().values():
            for example in tool.examples:
                assert not (await _call(client, tool.name, **example))[0]
        await _check_errors(client)
        await _check_resources(client)
        await _check_completion(client)
        await _check_prompts(client)
        await _check_many_at_once(client)
        # A file that takes the index's place is noticed, whatever it is.
        (tmp_path / "other").write_bytes(b"something else" * 500)
        (tmp_path / "other").replace(database)
        error, text = await _call(client, "trace", name="softcap")
        assert error
        assert "cannot be read as an index" in text
        shutil.copy(fixture_db, tmp_path / "again")
        (tmp_path / "again").replace(database)
        assert not (await _call(client, "trace", name="softcap"))[0]

    _talk(talk, "--db", database)


async def _check_errors(client: Client) -> None:
    for arguments, reason in (
        ({}, "name is missing"),
        ({"name": 3}, "must be a text"),
        ({"name": "x" * 4001}, "longer than 4000"),
        ({"name": "x", "focus": "all"}, "one of full, yaml, dispatch"),
        ({"name": "x", "depth": 1}, "no argument 'depth'"),
    ):
        error, text = await _call(client, "trace", **arguments)
        assert error
        assert reason in text
        assert "Traceback" not in text
    assert (await _call(client, "search", query="x", limit=0))[0]
    assert "CPU" in (await _call(client, "search", query="x", backend="none"))[1]


async def _check_resources(client: Client) -> None:
    assert [r.uri for r in (await client.list_resources()).resources] == ["torchtalk://schema"]
    templates = (await client.list_resource_templates()).resource_templates
    assert [t.uri_template for t in templates] == ["torchtalk://operator/{name}"]
    (schema,) = (await client.read_resource("torchtalk://schema")).contents
    assert "v_operators(" in schema.text  # type: ignore[union-attr]
    expected = (await _call(client, "trace", name="aten::softcap.int"))[1]
    for uri in ("aten::softcap.int", "aten%3A%3Asoftcap.int"):
        (content,) = (await client.read_resource(f"torchtalk://operator/{uri}")).contents
        assert content.text == expected  # type: ignore[union-attr]
    # A namespace of one letter looks like a drive to the SDK.
    (content,) = (await client.read_resource("torchtalk://operator/x::y")).contents
    assert "nothing" in content.text  # type: ignore[union-attr]
    try:
        await client.read_resource(f"torchtalk://operator/{'x' * 4001}")
    except MCPError as error:
        assert "longer than 4000" in str(error)
    else:
        raise AssertionError("a name that is too long was accepted")


async def _check_completion(client: Client) -> None:
    for reference in (
        ResourceTemplateReference(uri="torchtalk://operator/{name}"),
        PromptReference(name="trace_operator"),
    ):
        found = await client.complete(reference, {"name": "name", "value": "softc"})
        assert found.completion.values == ["softcap"]
    found = await client.complete(
        PromptReference(name="review_change"), {"name": "change", "value": "softc"}
    )
    assert found.completion.values == []


async def _check_prompts(client: Client) -> None:
    prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["trace_operator", "review_change"]
    for prompt in prompts:
        (argument,) = prompt.arguments or []
        got = await client.get_prompt(prompt.name, {argument.name: "softcap"})
        assert "softcap" in got.messages[0].content.text  # type: ignore[union-attr]


async def _check_many_at_once(client: Client) -> None:
    asked = [_call(client, "trace", name="softcap") for _ in range(40)]
    assert len(set(await asyncio.gather(*asked))) == 1


@pytest.mark.slow
def test_two_servers_without_an_index_start_one_build(home: Path, fixture_tree: Path) -> None:
    async def both(client: Client) -> None:
        await asyncio.to_thread(_talk, one, "--pytorch-source", fixture_tree)
        await one(client)

    async def one(client: Client) -> None:
        end = time.monotonic() + PATIENCE
        while True:
            error, text = await _call(client, "trace", name="softcap")
            assert not error, text
            if text.startswith("aten::softcap"):
                return
            assert "being built" in text
            assert time.monotonic() < end
            await asyncio.sleep(0.1)

    _talk(both, "--pytorch-source", fixture_tree)
    database = default_database(fixture_tree)
    log = database.with_name(database.name + ".log").read_text(encoding="utf-8")
    assert log.count("indexed PyTorch") == 1


@pytest.mark.slow
def test_a_closed_stdin_ends_the_server(fixture_db: Path) -> None:
    process = subprocess.Popen(
        command_line("mcp-serve", "--db", fixture_db), env=environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, err = process.communicate(b"this is no JSON\n", timeout=PATIENCE)
    assert process.returncode == 0
    assert b"Traceback" not in out + err


@pytest.mark.slow
def test_a_closed_stdout_ends_the_server_quietly(fixture_db: Path) -> None:
    process = subprocess.Popen(
        command_line("mcp-serve", "--db", fixture_db), env=environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    message = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    _, err = process.communicate(message, timeout=PATIENCE)
    assert b"Traceback" not in err
