"""The server as a client starts it: over stdio, initialize, list the tools."""

from __future__ import annotations

import contextlib
import json
import queue
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import torchtalk
from torchtalk.doctor.findings import FAIL, OK, Finding

_PATIENCE = 30.0  # seconds for one answer
_PROTOCOL = "2025-06-18"
_ADVICE = "run torchtalk mcp-serve by hand: what it says on stderr is the reason"


class _NoAnswer(Exception):
    """The server did not answer as it should."""


def handshake(database: Path | None) -> Finding:
    """Start a server and be its client.

    Args:
        database: an index; None where there is none, then an empty one is used, so that the
            server does not begin to build.
    """
    started = time.monotonic()
    try:
        with _index(database) as path:
            name, tools = _talk(path)
    except (_NoAnswer, OSError) as error:
        return Finding("mcp", FAIL, f"the server does not answer ({error})", _ADVICE)
    seconds = time.monotonic() - started
    return Finding("mcp", OK, f"{name} answers over stdio with {tools} tools ({seconds:.1f} s)")


@contextlib.contextmanager
def _index(database: Path | None) -> Iterator[Path]:
    if database is not None:
        yield database
        return
    from indexer.schema import create

    with tempfile.TemporaryDirectory(prefix="torchtalk-doctor-") as folder:
        path = Path(folder) / "empty.db"
        with contextlib.closing(sqlite3.connect(path)) as conn:
            create(conn)
            conn.commit()
        yield path


def _talk(database: Path) -> tuple[str, int]:
    """The server's name and version, and how many tools it has."""
    process = subprocess.Popen(
        [sys.executable, "-m", "torchtalk", "mcp-serve", "--db", str(database)],
        # The folder that torchtalk was loaded from, not the user's.
        cwd=Path(torchtalk.__file__).parents[1],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise _NoAnswer("it has no pipes")
    lines: queue.Queue[bytes] = queue.Queue()
    errors: list[bytes] = []
    readers = [
        threading.Thread(target=_read, args=(process.stdout, lines.put), daemon=True),
        threading.Thread(target=_read, args=(process.stderr, errors.append), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        hello = {
            "protocolVersion": _PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "torchtalk-doctor", "version": torchtalk.__version__},
        }
        _send(process.stdin, {"id": 1, "method": "initialize", "params": hello})
        info = _result(lines, 1).get("serverInfo", {})
        _send(process.stdin, {"method": "notifications/initialized"})
        _send(process.stdin, {"id": 2, "method": "tools/list", "params": {}})
        tools = _result(lines, 2).get("tools", [])
        if not tools:
            raise _NoAnswer("it lists no tools")
        return f"{info.get('name')} {info.get('version')}", len(tools)
    except (_NoAnswer, BrokenPipeError) as error:
        process.kill()
        readers[1].join(_PATIENCE)
        said = b"".join(errors).decode("utf-8", "replace").strip().rpartition("\n")[2][:300]
        what = "it has ended" if isinstance(error, BrokenPipeError) else str(error)
        raise _NoAnswer(f"{what}; it says: {said}" if said else what) from error
    finally:
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for reader in readers:
            reader.join(_PATIENCE)
        process.stdout.close()
        process.stderr.close()


def _read(stream: IO[bytes], take: Any) -> None:
    for line in stream:
        take(line)
    take(b"")


def _send(stream: IO[bytes], message: dict[str, Any]) -> None:
    stream.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    stream.flush()


def _result(lines: queue.Queue[bytes], number: int) -> dict[str, Any]:
    while True:
        try:
            line = lines.get(timeout=_PATIENCE)
        except queue.Empty:
            raise _NoAnswer(f"nothing for {_PATIENCE:.0f} s") from None
        if not line:
            raise _NoAnswer("it has ended")
        try:
            message = json.loads(line)
        except ValueError:
            raise _NoAnswer(f"what it writes is no JSON: {line[:80]!r}") from None
        if isinstance(message, dict) and message.get("id") == number:
            if "result" not in message:
                raise _NoAnswer(f"it refuses: {message.get('error')}")
            result: dict[str, Any] = message["result"]
            return result
