"""The bearer token: who is let in, who is told what, and when the server will not listen at all."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from tests.unit.support.command import Command, start
from torchtalk.server import token as tokens
from torchtalk.server.token import BadToken, read_token, too_open

TOKEN = "a-token-that-is-long-enough_0123"


@pytest.fixture(scope="module")
def token_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("token") / "token"
    path.write_text(TOKEN + "\n", encoding="ascii")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def port(fixture_db: Path, token_file: Path) -> Iterator[int]:
    """A server that other machines could reach."""
    process = start(
        "mcp-serve", "--db", fixture_db, "--transport", "streamable-http", "--port", 0,
        "--host", "0.0.0.0", "--token-file", token_file, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("torchtalk: serving http://0.0.0.0:"), line
    yield int(line.rsplit(":", 1)[1].partition("/")[0])
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert "Traceback" not in err
    assert TOKEN not in err


def _request(port: int, headers: list[tuple[str, str]], host: str = "127.0.0.1") -> tuple[int, str]:
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}}
    )  # fmt: skip
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest("POST", "/mcp", skip_host=True)
    for name, value in (
        ("Host", f"{host}:{port}"), ("Content-Type", "application/json"),
        ("Content-Length", str(len(body))),
        ("Accept", "application/json, text/event-stream"), *headers,
    ):  # fmt: skip
        connection.putheader(name, value)
    connection.endheaders(body.encode())
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, response.getheader("WWW-Authenticate") or ""


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_token_lets_in(port: int, scheme: str) -> None:
    assert _request(port, [("Authorization", f"{scheme} {TOKEN}")]) == (200, "")


def test_without_a_token_the_answer_says_which_is_needed(port: int) -> None:
    assert _request(port, []) == (401, 'Bearer realm="torchtalk"')


@pytest.mark.parametrize(
    "values",
    [
        [f"Bearer {TOKEN}x"], [f"Bearer {TOKEN[:-1]}"], ["Bearer"], ["Bearer "], [TOKEN],
        [f"Basic {TOKEN}"], [f"Bearer {TOKEN.upper()}"], ["Bearer \xff\xfe"],
        [f"Bearer {TOKEN}", f"Bearer {TOKEN}"], ["x", f"Bearer {TOKEN}"],
    ],
)  # fmt: skip
def test_another_token_is_refused(port: int, values: list[str]) -> None:
    status, challenge = _request(port, [("Authorization", value) for value in values])
    assert (status, challenge) == (401, 'Bearer realm="torchtalk", error="invalid_token"')


def test_pages_of_other_hosts_are_refused_with_a_token_too(port: int) -> None:
    let_in = [("Authorization", f"Bearer {TOKEN}")]
    assert _request(port, let_in, "evil.example")[0] == 421
    assert _request(port, [*let_in, ("Origin", "http://evil.example")])[0] == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_other_machines_are_not_served_without_a_token(
    host: str, fixture_db: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = Command(capsys)(
        "mcp-serve", "--db", fixture_db, "--transport", "streamable-http", "--port", 0,
        "--host", host,
    )  # fmt: skip
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "--token-file FILE" in ended.err


@pytest.mark.parametrize(
    "content", [b"", b"short", b"x" * 15, b"two words of it here", b"\xff" * 20, b"x" * 5000]
)
def test_what_is_no_token(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(content)
    with pytest.raises(BadToken, match="make one with"):
        read_token(path)
    with pytest.raises(BadToken, match="No such file"):
        read_token(tmp_path / "none")


def test_a_token_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN, encoding="ascii")
    for mode, said in ((0o600, False), (0o400, False), (0o640, True), (0o604, True)):
        path.chmod(mode)
        assert ("chmod 600" in too_open(path)) is said, oct(mode)


@pytest.mark.slow
def test_tokens_are_compared_in_constant_time() -> None:
    guard = tokens.TokenGuard(mock.AsyncMock(), TOKEN.encode())
    scope = {"type": "http", "headers": [(b"authorization", b"Bearer guess")]}
    with mock.patch.object(tokens.hmac, "compare_digest", return_value=False) as compare:
        assert guard._is_allowed(scope) is False
    compare.assert_called_once_with(b"guess", TOKEN.encode())
