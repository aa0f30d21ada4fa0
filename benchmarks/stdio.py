"""A client of a few lines, so that what is measured is the server."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

_VERSION = "2025-06-18"


class Server:
    """A server process that is spoken to over its stdin and stdout."""

    def __init__(self, command: list[str]) -> None:
        self._started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._number = 0

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def initialize(self) -> None:
        """Shake hands."""
        self.request(
            "initialize",
            {
                "protocolVersion": _VERSION,
                "capabilities": {},
                "clientInfo": {"name": "benchmark", "version": "1"},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The text of a tool's answer.

        Args:
            tool: its name.
            arguments: by name.

        Raises:
            RuntimeError: the tool cannot answer, for which the message has the reason; or the server has ended.
        """
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return str(result["content"][0]["text"])

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """One request and its result.

        Args:
            method: of the protocol: `tools/call`.
            params: of the method.

        Raises:
            RuntimeError: the server has ended.
        """
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError(f"the server ended with {self._process.wait()}")
            message = json.loads(line)
            if message.get("id") == self._number:
                return message["result"]

    def age(self) -> float:
        """Seconds since the process was started."""
        return time.perf_counter() - self._started

    def memory(self) -> float | None:
        """Most megabytes that were resident; None where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
        return int(found[1]) / 1024 if found else None

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
