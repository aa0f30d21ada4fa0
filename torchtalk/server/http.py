"""Serving clients over HTTP."""

from __future__ import annotations

import ipaddress
import logging
import socket
from pathlib import Path

import click
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import ClientDisconnect

from torchtalk.server.app import make_server
from torchtalk.server.source import IndexSource
from torchtalk.server.token import HOW_TO_MAKE, BadToken, TokenGuard, read_token, too_open

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


# Whose logger says what became of a request.
_SDK = "mcp.server.streamable_http"


class CannotListen(Exception):
    """The address cannot be listened on; the message says why."""


def serve_http(
    source: IndexSource,
    host: str,
    port: int,
    allowed: tuple[str, ...] = (),
    classic: bool = False,
    token_file: Path | None = None,
) -> None:
    """Answer until the process is told to end.

    Args:
        source: of the index.
        host: address to listen on.
        port: 0 takes a free one; the line on stderr says which.
        allowed: further names by which clients reach this server.
        classic: offer the earlier tool set.
        token_file: holds the token that every request must bring; only an address that no other
            machine can reach may do without.

    Raises:
        CannotListen: the address is taken or is not this machine's, or there is no token for it.
    """
    token = _token(host, token_file)
    listening = _listen(host, port)
    bound: int = listening.getsockname()[1]
    server = make_server(source, classic)
    app = server.streamable_http_app(host=host, transport_security=security(host, allowed))
    logging.getLogger(_SDK).addFilter(is_worth_saying)
    source.prepare()
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"torchtalk: serving http://{shown}:{bound}/mcp", err=True)
    guarded = app if token is None else TokenGuard(app, token)
    config = uvicorn.Config(
        guarded, host=host, port=bound, log_level="warning", timeout_graceful_shutdown=2
    )
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def is_worth_saying(record: logging.LogRecord) -> bool:
    """Whether a line of the SDK's log is one: a client that left in the middle of its request is no error of a server.

    Args:
        record: the line; of such a client it has forty lines of a traceback.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, ClientDisconnect)


def _token(host: str, file: Path | None) -> bytes | None:
    if file is None:
        if is_loopback(host):
            return None
        raise CannotListen(
            f"{host} can be reached from other machines, so clients must bring a token: make one "
            f"with {HOW_TO_MAKE} and give --token-file FILE; or listen on 127.0.0.1"
        )
    try:
        token = read_token(file)
        warning = too_open(file)
    except BadToken as error:
        raise CannotListen(str(error)) from error
    if warning:
        click.echo(f"torchtalk: warning: {warning}", err=True)
    return token


def is_loopback(host: str) -> bool:
    """Whether `host`, an address or a name, can be reached from this machine only; of names `localhost` alone can."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def security(host: str, allowed: tuple[str, ...] = ()) -> TransportSecuritySettings:
    """The SDK's protection against DNS rebinding, for whatever address is listened on.

    The SDK switches it on by itself for loopback addresses only.

    Args:
        host: that is listened on.
        allowed: further names by which clients may call it.
    """
    own = (f"[{host}]" if ":" in host else host, socket.gethostname())
    names = tuple(dict.fromkeys((*_LOOPBACK, *own, *allowed)))
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[text for name in names for text in (name, f"{name}:*")],
        allowed_origins=[
            f"{scheme}://{name}{port}"
            for name in names for scheme in ("http", "https") for port in ("", ":*")
        ],
    )  # fmt: skip


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise CannotListen(
            f"cannot listen on {host} port {port}: {error.strerror or error}; give another "
            "--port or --host"
        ) from error
