"""The bearer token that lets clients from other machines ask."""

from __future__ import annotations

import hmac
import stat
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

SHORTEST = 16
"""Characters that a token must have at least."""

_LONGEST = 4_096

HOW_TO_MAKE = "(umask 077; python3 -c 'import secrets; print(secrets.token_urlsafe(32))' > FILE)"
"""A command that writes a token."""


class BadToken(Exception):
    """A file holds no token that can be used; the message says what to do."""


def read_token(path: Path) -> bytes:
    """The token in the file `path`, without the white space around it.

    Raises:
        BadToken: it cannot be read, or what it holds is too short to be safe or cannot stand in
            a header.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST + 1).strip()
    except OSError as error:
        raise BadToken(f"--token-file {path}: {error.strerror or error}") from error
    if not SHORTEST <= len(text) <= _LONGEST or any(not 0x21 <= byte <= 0x7E for byte in text):
        raise BadToken(
            f"--token-file {path}: a token is {SHORTEST} to {_LONGEST} printable ASCII characters "
            f"without spaces; make one with: {HOW_TO_MAKE}"
        )
    return text


def too_open(path: Path) -> str:
    """What to say where others on this machine can read a token's file; "" where they cannot.

    Args:
        path: of the file.

    Raises:
        OSError: it is not there.
    """
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return f"{path} can be read by others (mode {mode:03o}); run: chmod 600 {path}"
    return ""


class TokenGuard:
    """An ASGI application that lets requests through that bring the token.

    Args:
        app: what they are let through to.
        token: that they must bring.
    """

    def __init__(self, app: Application, token: bytes) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 unless the token is there."""
        if scope["type"] == "lifespan" or self._is_allowed(scope):
            await self._app(scope, receive, send)
            return
        # Which error: https://www.rfc-editor.org/rfc/rfc6750#section-3
        brought = any(name.lower() == b"authorization" for name, _ in scope.get("headers", ()))
        challenge = b'Bearer realm="torchtalk"' + (b', error="invalid_token"' if brought else b"")
        body = b"a bearer token is needed: Authorization: Bearer TOKEN\n"
        headers = [
            (b"www-authenticate", challenge),
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _is_allowed(self, scope: Scope) -> bool:
        if scope["type"] != "http":
            return False
        given = [value for name, value in scope["headers"] if name.lower() == b"authorization"]
        if len(given) != 1:
            return False
        scheme, _, token = given[0].strip().partition(b" ")
        # In constant time: how long a refusal takes must not tell how much of a guess was right.
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)
