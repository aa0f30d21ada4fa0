"""Units that gave nothing because libclang crashed or took too long: it would again, so that is kept beside facts.

It holds for the same contents, flags and library, of which a result's name is made, and for the same limits.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

from indexer.clang.library import LibclangMissing
from indexer.clang.pool import run_tasks
from indexer.clang.setup import PRECOMPILE, Outcome, Setup, Task
from indexer.replacing import replace_file

_KEPT = ("crashed", "timeout")
# Ends that the file need not have brought about: somebody sent a signal, or the worker itself failed, as where it
# cannot be started.
_OF_OTHERS = re.compile(
    rf"signal (?:{signal.SIGHUP:d}|{signal.SIGINT:d}|{signal.SIGKILL:d}|{signal.SIGTERM:d})\b|exit code [01]\b"
)


def how_it_ended(facts: Path, time_limit: float, memory: int) -> tuple[str, str] | None:
    """How a unit ended that gave no facts, and what is said of it; None where it should be tried.

    Args:
        facts: where its facts would be.
        time_limit: seconds that it may take.
        memory: bytes that it may take.
    """
    file = _beside(facts)
    try:
        status, detail, *limits = json.loads(file.read_text(encoding="utf-8"))
        if limits != [time_limit, memory] or status not in _KEPT:
            return None
        os.utime(file)  # What was used last is thrown away last.
    except (OSError, ValueError, TypeError):
        return None
    return str(status), str(detail)


def run_and_keep(
    setup: Setup, tasks: Sequence[Task], workers: int, time_limit: float
) -> Iterator[tuple[Task, Outcome]]:
    """Do tasks as `run_tasks` does, and keep how those ended that gave nothing.

    Args:
        setup: for the workers.
        tasks: in the order in which they are begun.
        workers: how many processes at once.
        time_limit: seconds that one task may take.

    Returns:
        Each task as it ends, with what came of it.

    Raises:
        LibclangMissing: workers cannot load the library; then nothing is kept, for no file is to blame.
    """
    ended: list[tuple[Task, Outcome]] = []
    try:
        for task, outcome in run_tasks(setup, tasks, workers, time_limit):
            is_own = outcome.status in _KEPT and not _OF_OTHERS.search(outcome.detail)
            if is_own and task.kind != PRECOMPILE:
                ended.append((task, outcome))
            yield task, outcome
    except LibclangMissing:
        ended.clear()
        raise
    finally:
        for task, outcome in ended:
            _keep(
                _beside(Path(task.result)),
                [outcome.status, outcome.detail, time_limit, setup.memory],
            )


def _beside(facts: Path) -> Path:
    return facts.with_suffix(".ended")


def _keep(file: Path, values: list[object]) -> None:
    with contextlib.suppress(OSError):
        replace_file(file, json.dumps(values).encode())
