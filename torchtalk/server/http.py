"""Serving clients over HTTP."""

from __future__ import annotations

import ipaddress
import socket

import click
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from torchtalk.server.app import make_server
from torchtalk.server.source import IndexSource

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class CannotListen(Exception):
    """The address cannot be listened on; the message says why."""


def serve_http(
    source: IndexSource,
    host: str,
    port: int,
    allowed: tuple[str, ...] = (),
    classic: bool = False,
) -> None:
    """Answer until the process is told to end.

    Args:
        source: of the index.
        host: address to listen on.
        port: 0 takes a free one; the line on stderr says which.
        allowed: further names by which clients reach this server.
        classic: offer the earlier tool set.

    Raises:
        CannotListen: the address is taken or is not this machine's.
    """
    listening = _listen(host, port)
    bound: int = listening.getsockname()[1]
    server = make_server(source, classic)
    app = server.streamable_http_app(host=host, transport_security=security(host, allowed))
    source.prepare()
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"torchtalk: serving http://{shown}:{bound}/mcp", err=True)
    if not is_loopback(host):
        click.echo(
            "torchtalk: whoever can reach this address can ask: there is no authentication",
            err=True,
        )
    config = uvicorn.Config(
        app, host=host, port=bound, log_level="warning", timeout_graceful_shutdown=2
    )
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def security(host: str, allowed: tuple[str, ...] = ()) -> TransportSecuritySettings:
    """The SDK's protection against DNS rebinding, for whatever address is listened on.

    The SDK switches it on by itself for loopback addresses only.
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
