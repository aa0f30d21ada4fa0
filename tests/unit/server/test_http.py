"""Where the HTTP server listens, and whom it answers."""

from __future__ import annotations

import logging
import socket
from pathlib import Path

import pytest
from starlette.requests import ClientDisconnect

from tests.unit.support.command import Command
from torchtalk.server.http import CannotListen, is_loopback, is_worth_saying, security, serve_http
from torchtalk.server.source import IndexSource


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.2", False), ("example.org", False)],
)  # fmt: skip
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_rebinding_protection_stays_on_wherever_it_listens() -> None:
    for host in ("127.0.0.1", "::1", "0.0.0.0", "192.168.1.2"):
        settings = security(host, ("build.example",))
        assert settings.enable_dns_rebinding_protection
        assert {"127.0.0.1:*", "localhost:*", "build.example:*"} <= set(settings.allowed_hosts)
        assert "http://localhost:*" in settings.allowed_origins
        assert not any("*" in name.removesuffix(":*") for name in settings.allowed_hosts)
    assert "192.168.1.2:*" in security("192.168.1.2").allowed_hosts
    assert "[fe80::1]:*" in security("fe80::1").allowed_hosts


@pytest.mark.parametrize(
    ("error", "said"), [(ClientDisconnect(), False), (ValueError("no"), True), (None, True)]
)
def test_a_client_that_left_is_no_error(error: Exception | None, said: bool) -> None:
    """Each wrote a traceback of forty lines to the server's stderr."""
    raised = None if error is None else (type(error), error, None)
    record = logging.LogRecord("sdk", logging.ERROR, "x.py", 1, "Error handling", (), raised)
    assert is_worth_saying(record) is said


def test_a_port_that_is_taken_is_said(
    fixture_db: Path, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match="give another --port"):
            serve_http(IndexSource(fixture_db, None), "127.0.0.1", port)
        ended = Command(capsys)(
            "mcp-serve", "--db", fixture_db, "--transport", "streamable-http", "--port", port
        )
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
