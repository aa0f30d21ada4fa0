"""What is measured; each function returns rows of the table."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.stdio import Server

Row = tuple[str, str, str]
"""What, how much, and the bound it has to keep."""

QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("trace", {"name": "softmax"}),
    ("trace", {"name": "add"}),
    ("trace", {"name": "torch.nn.functional.gelu"}),
    ("search", {"query": "conv2d", "backend": "CUDA"}),
    ("search", {"query": "layer norm"}),
)
"""Operators that every PyTorch has: small and large ones, by different forms of names."""


def torchtalk(*arguments: str) -> list[str]:
    """A command line."""
    return [sys.executable, "-m", "torchtalk", *arguments]


def startup(database: Path, rounds: int) -> list[Row]:
    """Process start to first answer, in turns with a server that has one empty tool.

    Args:
        database: file of an index.
        rounds: how often each is started, behind a first time that does not count.
    """
    empty = [sys.executable, str(Path(__file__).with_name("empty_server.py"))]
    ours = torchtalk("mcp-serve", "--db", str(database))
    times: dict[str, list[float]] = {"empty": [], "ours": []}
    memory: dict[str, float | None] = {}
    for _ in range(rounds + 1):
        for name, command, question in (
            ("empty", empty, ("nothing", {})),
            ("ours", ours, QUESTIONS[0]),
        ):
            with Server(command) as server:
                server.initialize()
                server.call(*question)
                times[name].append(server.age())
                memory[name] = server.memory()
    # The first round warms the file cache up.
    medians = {name: statistics.median(values[1:]) for name, values in times.items()}
    return [
        ("empty MCPServer: start to first answer", _ms(medians["empty"]), ""),
        ("mcp-serve: start to first answer", _ms(medians["ours"]), ""),
        ("ratio", f"{medians['ours'] / medians['empty']:.2f}", "1.30"),
        ("empty MCPServer: memory", _mb(memory["empty"]), ""),
        ("mcp-serve: memory after one answer", _mb(memory["ours"]), "90 MB"),
    ]


def cold_command(database: Path, rounds: int) -> list[Row]:
    """A question from the command line, process start included.

    Args:
        database: file of an index.
        rounds: how often it is asked, behind a first time that does not count.
    """
    command = torchtalk("trace", "softmax", "--db", str(database))

    def run() -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    return [("torchtalk trace softmax, cold", _ms(statistics.median(_times(run, rounds))), "")]


def in_process(database: Path, rounds: int) -> list[Row]:
    """Answers as text, without a protocol.

    Args:
        database: file of an index.
        rounds: how often each question is asked, behind a first time that does not count.
    """
    from torchtalk.db import connect
    from torchtalk.render import to_text
    from torchtalk.tools import all_tools

    conn = connect(database)
    rows = []
    for tool, arguments in QUESTIONS:
        asked = all_tools()[tool]

        def run(asked: Any = asked, arguments: dict[str, Any] = arguments) -> None:
            to_text(asked.ask(conn, **arguments))

        rows.append(_latency(f"in process: {_shown(tool, arguments)}", _times(run, rounds), ""))
    conn.close()
    return rows


def through_stdio(database: Path, rounds: int) -> list[Row]:
    """The same through a server that is warm.

    Args:
        database: file of an index.
        rounds: how often each question is asked, behind a first time that does not count.
    """
    rows = []
    with Server(torchtalk("mcp-serve", "--db", str(database))) as server:
        server.initialize()
        for tool, arguments in QUESTIONS:

            def run(tool: str = tool, arguments: dict[str, Any] = arguments) -> None:
                server.call(tool, arguments)

            bound = "5 ms" if tool == "trace" else ""
            rows.append(_latency(f"stdio: {_shown(tool, arguments)}", _times(run, rounds), bound))
        rows.append(("mcp-serve: memory at the end", _mb(server.memory()), "90 MB"))
    return rows


def index(source: Path, rounds: int) -> list[Row]:
    """The command that builds an index, up to the point from which it answers (then `benchmarks.clang`).

    Args:
        source: the tree.
        rounds: how often it is built, behind a first time that does not count.
    """
    reports: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        target = str(Path(folder) / "benchmark.db")
        command = torchtalk(
            "index",
            "--pytorch-source",
            str(source),
            "--db",
            target,
            "--quiet",
            "--json",
            "--no-clang",
        )

        def run() -> None:
            reports.append(
                json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            )

        times = _times(run, rounds)
    best = min(times)
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in reports[-1]["seconds"].items())
    return [
        (f"torchtalk index, best of {rounds} ({stages})", f"{best:.2f} s", ""),
        ("database", f"{reports[-1]['size'] / 1e6:.1f} MB", ""),
    ]


def _times(run: Callable[[], None], rounds: int) -> list[float]:
    run()
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return found


def _latency(what: str, times: list[float], bound: str) -> Row:
    late = statistics.quantiles(times, n=20)[18]
    return what, f"{_ms(statistics.median(times))}  p95 {_ms(late)}", bound


def _shown(tool: str, arguments: dict[str, Any]) -> str:
    return f"{tool} {' '.join(map(str, arguments.values()))}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms"


def _mb(megabytes: float | None) -> str:
    return "unknown" if megabytes is None else f"{megabytes:.0f} MB"
