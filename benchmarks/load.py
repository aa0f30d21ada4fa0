"""Many clients over HTTP while the index is replaced: `python -m benchmarks.load --db FILE`."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("trace", {"name": "softmax"}),
    ("trace", {"name": "add"}),
    ("search", {"query": "conv2d"}),
    ("search", {"query": "layer norm"}),
    ("cuda_kernels", {"name": "softmax"}),
    ("compile_options", {"query": "cudagraphs"}),
    ("get_status", {}),
)
"""Questions that any index answers; what they find does not matter."""

WITHIN = 60.0  # seconds for one request; what takes longer has failed


@dataclass
class Load:
    """What happened.

    Args:
        clients: how many asked at the same time.
        seconds: for how long.
        replaced: how often the index was replaced meanwhile.
        times: seconds that each question took, by tool.
        failures: what went wrong.
        memory: resident bytes of the server, sampled once a second.
    """

    clients: int
    seconds: float
    replaced: int = 0
    times: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    @property
    def requests(self) -> int:
        """How many questions were answered."""
        return sum(map(len, self.times.values()))

    def growth(self) -> float:
        """The median of the last quarter's memory by that of the second quarter, when all is warm."""
        quarter = max(1, len(self.memory) // 4)
        return statistics.median(self.memory[-quarter:]) / statistics.median(
            self.memory[quarter : 2 * quarter] or self.memory
        )

    def table(self) -> str:
        """A table for people."""
        if not self.memory:
            return "nothing was measured"
        lines = [
            f"{self.clients} clients, {self.seconds:.0f} s, index replaced {self.replaced} times: "
            f"{self.requests:,} answers, {len(self.failures)} failures",
            f"memory {self.memory[0] / 1e6:.0f} MB at first, {max(self.memory) / 1e6:.0f} MB at "
            f"most, {self.memory[-1] / 1e6:.0f} MB at last (growth {self.growth():.2f})",
            f"{'tool':<18}{'answers':>8}{'median':>10}{'p95':>10}{'p99':>10}{'most':>10}",
        ]
        for tool, times in sorted(self.times.items()):
            cuts = statistics.quantiles(times, n=100) if len(times) > 1 else [times[0]] * 99
            shown = (cuts[49], cuts[94], cuts[98], max(times))
            lines.append(
                f"{tool:<18}{len(times):>8}" + "".join(f"{t * 1000:>7.0f} ms" for t in shown)
            )
        return "\n".join(lines)


async def _client(url: str, number: int, until: float, load: Load) -> None:
    from mcp import Client

    at = number
    async with Client(url, read_timeout_seconds=WITHIN) as client:
        while time.monotonic() < until:
            tool, arguments = QUESTIONS[at % len(QUESTIONS)]
            at += 1
            start = time.perf_counter()
            result = await client.call_tool(tool, arguments)
            load.times.setdefault(tool, []).append(time.perf_counter() - start)
            if result.is_error:
                load.failures.append(f"{tool}: {str(result.content)[:300]}")


async def _replace(database: Path, original: Path, every: float, until: float, load: Load) -> None:
    """Put a copy in the index's place, as a build does."""
    copy = database.with_name("copy")
    while time.monotonic() + every < until:
        await asyncio.sleep(every)
        await asyncio.to_thread(shutil.copyfile, original, copy)
        copy.replace(database)
        load.replaced += 1


async def _watch(pid: int, until: float, load: Load) -> None:
    page = os.sysconf("SC_PAGE_SIZE")
    while time.monotonic() < until:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        load.memory.append(pages * page)
        await asyncio.sleep(min(1.0, load.seconds / 20))


async def _ask(
    url: str, pid: int, database: Path, original: Path, every: float, load: Load
) -> None:
    until = time.monotonic() + load.seconds
    clients = (_client(url, number, until, load) for number in range(load.clients))
    results = await asyncio.gather(
        *clients, _replace(database, original, every, until, load), _watch(pid, until, load),
        return_exceptions=True,
    )  # fmt: skip
    load.failures += [f"{type(end).__name__}: {end}" for end in results if end is not None]


def run(original: Path, clients: int = 16, seconds: float = 120, every: float = 10) -> Load:
    """Ask a server of its own for a while.

    Args:
        original: an index; it is copied, and the copy is what is replaced.
        clients: how many ask at the same time.
        seconds: for how long.
        every: seconds between two replacements.
    """
    load = Load(clients, seconds)
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "x.db"
        shutil.copyfile(original, database)
        server = subprocess.Popen(
            [sys.executable, "-m", "torchtalk", "mcp-serve", "--db", str(database),
             "--transport", "streamable-http", "--port", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stderr is not None
            url = server.stderr.readline().split()[-1]
            asyncio.run(_ask(url, server.pid, database, original, every, load))
        finally:
            server.send_signal(signal.SIGTERM)
            _, said = server.communicate(timeout=30)
        load.failures += [
            line for line in said.splitlines() if "Error" in line or "Traceback" in line
        ]
    return load


def main() -> int:
    """Print the table; the exit code is 1 where anything failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--db", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--every", type=float, default=10, help="seconds between replacements")
    options = parser.parse_args()
    load = run(options.db.absolute(), options.clients, options.seconds, options.every)
    print(load.table())
    for failure in load.failures[:10]:
        print(f"failed: {failure}")
    return 1 if load.failures else 0


if __name__ == "__main__":
    sys.exit(main())
