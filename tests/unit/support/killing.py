"""An indexer that is killed at a random moment, and what must hold afterwards."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from indexer.target import is_being_built
from tests.unit.support.command import start
from tests.unit.support.processes import family, left_over, workers_of

WORKERS = 2
PATIENCE = 5.0  # seconds for the workers of a killed parent to notice; a loaded machine is slow


@dataclass
class Tally:
    """What became of the kills.

    Args:
        parents: kills of the indexer itself.
        workers: kills of a worker.
        old: times that the database was the one before.
        new: times that the build had been faster, and it was the new one.
        seconds: after how long each kill came.
    """

    parents: int = 0
    workers: int = 0
    old: int = 0
    new: int = 0
    seconds: list[float] = field(default_factory=list)


def built_at(database: Path) -> str:
    """When a database was built; it is checked in full first."""
    conn = sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)
    try:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
        assert conn.execute("SELECT count(*) FROM v_operators").fetchone()[0] > 0
        return str(conn.execute("SELECT value FROM meta WHERE key = 'built_at'").fetchone()[0])
    finally:
        conn.close()


SPAWNING = re.compile(
    r"Traceback[^\n]*\n(?: [^\n]*\n)*"
    r"(?:EOFError: Ran out of input|_pickle\.UnpicklingError: pickle data was truncated)\n"
)
"""What Python itself prints in a worker whose parent is killed while it is handed what to do."""


def seconds_alive(tree: Path, database: Path) -> float:
    """How long such a build takes that nobody kills.

    Args:
        tree: as of `kill_once`.
        database: an index of it.
    """
    process = _start(tree, database)
    began = time.monotonic()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return time.monotonic() - began


def _start(tree: Path, database: Path) -> subprocess.Popen[str]:
    """Begin to build a tree with a change that makes the new index another one."""
    with (tree / "aten/src/ATen/native/native_functions.yaml").open("a", encoding="utf-8") as file:
        file.write(f"\n- func: killed_{time.time_ns()}(Tensor self) -> Tensor\n")
    return start(
        "index", "--pytorch-source", tree, "--db", database, "--workers", WORKERS, "--quiet"
    )


def kill_once(rng: random.Random, tree: Path, database: Path, longest: float, tally: Tally) -> None:
    """Start a build of a tree, kill it or a worker of it after a while, and look at what is left.

    Args:
        rng: decides when, and whom.
        tree: that is built, with a change that makes the new index another one.
        database: an index of it.
        longest: seconds after which the kill comes at the latest.
        tally: is added to.
    """
    before = built_at(database)
    process = _start(tree, database)
    began = time.monotonic()
    wait = rng.uniform(0.02, longest)
    time.sleep(wait)
    relatives = family(process.pid)
    workers = workers_of(process.pid)
    if workers and rng.random() < 0.4:
        with contextlib.suppress(ProcessLookupError):
            os.kill(rng.choice(workers), signal.SIGKILL)
        tally.workers += 1
    else:
        process.kill()
        tally.parents += 1
    _, err = process.communicate(timeout=120)
    tally.seconds.append(time.monotonic() - began)
    assert "Traceback" not in SPAWNING.sub("", err), err
    left = left_over(relatives, PATIENCE)
    assert left == [], f"processes {left} outlived the indexer"
    assert not is_being_built(database)
    if built_at(database) == before:
        tally.old += 1
    else:
        tally.new += 1
    # No lock, and nothing half-made, is in the way of the next one.
    names = {path.name for path in database.parent.iterdir()}
    assert {name for name in names if not name.startswith(".")} <= {
        database.name, f"{database.name}.lock", f"{database.name}.stat"
    }, names  # fmt: skip
