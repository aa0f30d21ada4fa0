"""The server as clients see it over HTTP."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import TextContent

from tests.unit.support.command import start


@pytest.fixture(scope="module")
def url(fixture_db: Path) -> Iterator[str]:
    process = start(
        "mcp-serve", "--db", fixture_db, "--transport", "streamable-http", "--port", 0,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("torchtalk: serving http://127.0.0.1:")
    yield line.split()[-1]
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert "Traceback" not in err


@pytest.mark.slow
def test_clients_at_the_same_time(url: str) -> None:
    async def session() -> str:
        async with Client(url, read_timeout_seconds=20) as client:
            result = await client.call_tool("trace", {"name": "softcap"})
            (content,) = result.content
            assert isinstance(content, TextContent)
            return content.text

    async def sessions() -> list[str]:
        return list(await asyncio.gather(*(session() for _ in range(4))))

    texts = asyncio.run(sessions())
    assert len(set(texts)) == 1
    assert texts[0].startswith("aten::softcap")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:1234"}, 200),
        ({"Origin": "http://localhost:1234"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost.evil.example:8000"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_pages_of_other_hosts_are_refused(url: str, headers: dict[str, str], status: int) -> None:
    body = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                   "clientInfo": {"name": "test", "version": "1"}},
    }  # fmt: skip
    request = urllib.request.Request(
        url,
        data=json.dumps(body).encode(),
        headers={
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            got = response.status
    except urllib.error.HTTPError as error:
        got = error.code
        error.close()
    assert got == status
