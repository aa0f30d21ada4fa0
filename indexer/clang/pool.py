"""Worker processes that may crash or hang: a file that kills libclang costs that file alone."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from indexer.clang.jumbo import as_jumbo
from indexer.clang.library import LibclangMissing
from indexer.clang.setup import JUMBO, PRECOMPILE, UNIT, Outcome, Setup, Task
from indexer.clang.worker import Worker, limit_memory
from indexer.workers import start_worker

_POLL = 0.5
_PATIENCE = 9
"""So many times the limit a task may wait besides for a processor that others use."""

_TIRED = 750.0
"""Megabytes of peak memory after which a worker is replaced."""


class _Process:
    """One worker process and the task it has."""

    def __init__(self, setup: Setup) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_serve, args=(setup, theirs, os.getpid()), daemon=True
        )
        self.process.start()
        theirs.close()
        self._limit = self._given = self._used = 0.0

    def give(self, task: Task, time_limit: float) -> None:
        self._limit, self._given = time_limit, time.monotonic()
        self._used = cpu_seconds(self.process.pid) or 0.0
        # One that died meanwhile is found out when its answer is asked for.
        with contextlib.suppress(OSError):
            self.connection.send(task)

    def is_overdue(self) -> bool:
        """Whether the task has taken its time: of the processor, for a busy machine is not the file's fault."""
        passed = time.monotonic() - self._given
        if passed <= self._limit:
            return False
        used = cpu_seconds(self.process.pid)
        waits = used is not None and used - self._used <= self._limit
        return not waits or passed > self._limit * (1 + _PATIENCE)

    def was_killed(self) -> bool:
        """Whether it has ended by signal 9."""
        return self.process.exitcode == -signal.SIGKILL

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def cpu_seconds(pid: int | None) -> float | None:
    """The seconds of processors that process `pid` has used so far; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def _serve(setup: Setup, connection: Connection, parent: int) -> None:
    """The life of a worker."""
    start_worker(parent)
    # libclang tells of its crashes there; so does the outcome.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    limit_memory(setup.memory)
    worker = Worker(setup)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(worker.run(task))


def run_tasks(
    setup: Setup, tasks: Sequence[Task], workers: int, time_limit: float
) -> Iterator[tuple[Task, Outcome]]:
    """Do tasks in worker processes; each comes back once, in the order in which they end.

    Args:
        setup: shared by all.
        tasks: those that come first are begun first; one waits for the precompiled headers it needs.
        workers: how many processes; 0 does everything in this one, without protection.
        time_limit: seconds of a processor for a task, by the clock where the system does not count these; a hundred
            times that of the median unit is a good choice.

    Yields:
        A task and how it went; instead of a jumbo unit its units, each with its own task.

    Raises:
        LibclangMissing: workers cannot load the library.
    """
    if workers <= 0:
        worker = Worker(setup)
        for task in sorted(tasks, key=lambda task: task.kind != PRECOMPILE):
            ended = worker.run(task)
            if task.kind == JUMBO:
                yield from _members(task, ended)
                yield from run_tasks(setup, _left(task, ended), 0, time_limit)
            else:
                yield task, ended
        return
    pool = _Pool(setup, tasks, workers, time_limit)
    try:
        while pool.has_more():
            pool.begin()
            yield from pool.ended()
    finally:
        pool.close()


class _Pool:
    """Worker processes, and the tasks that they have and that wait for them."""

    def __init__(
        self, setup: Setup, tasks: Sequence[Task], workers: int, time_limit: float
    ) -> None:
        self._setup = setup
        self._workers = workers
        self._time_limit = time_limit
        self._pending = list(tasks)
        # Groups whose precompiled headers are not finished.
        self._making = {task.group for task in tasks if task.kind == PRECOMPILE}
        self._running: dict[_Process, Task] = {}
        self._idle: list[_Process] = []
        self._again: set[Task] = set()
        self._crashes = 0  # one after the other

    def has_more(self) -> bool:
        """Whether a task is left, or being done."""
        return bool(self._pending or self._running)

    def begin(self) -> None:
        """Give tasks to as many processes as there may be."""
        while self._pending and len(self._running) < self._workers:
            ready = next((t for t in self._pending if self._making.isdisjoint(t.needs)), None)
            if ready is None:
                return
            self._pending.remove(ready)
            process = self._idle.pop() if self._idle else _Process(self._setup)
            process.give(ready, self._time_limit)
            self._running[process] = ready

    def ended(self) -> Iterator[tuple[Task, Outcome]]:
        """Wait for some time; the tasks that have ended.

        Raises:
            LibclangMissing: one worker after the other dies.
        """
        wait([process.connection for process in self._running], _POLL)
        for process, task in list(self._running.items()):
            outcome = _outcome(process, task)
            if outcome is None:
                continue
            del self._running[process]
            if process.was_killed() and task not in self._again:
                # Somebody did that, not the file: libclang ends in other ways.
                self._again.add(task)
                self._pending.insert(0, task)
                process.end()
                continue
            self._keep_or_end(process, task, outcome)
            if task.kind == PRECOMPILE:
                self._making.discard(task.group)
            if task.kind == JUMBO:
                self._pending[:0] = _left(task, outcome)
                yield from _members(task, outcome)
            else:
                yield task, outcome

    def _keep_or_end(self, process: _Process, task: Task, outcome: Outcome) -> None:
        """Let a process wait for its next task, if it is fit for one."""
        has_failed = outcome.status in ("crashed", "timeout")
        if not has_failed and outcome.memory <= _TIRED and task.kind in (UNIT, JUMBO):
            self._crashes = 0
            self._idle.append(process)
            return
        process.end()
        self._crashes = self._crashes + 1 if outcome.status == "crashed" else 0
        if self._crashes > max(8, 4 * self._workers):
            raise LibclangMissing("every worker dies at once; is the library whole?")

    def close(self) -> None:
        """End all processes."""
        for process in (*self._running, *self._idle):
            process.end()


def _members(task: Task, outcome: Outcome) -> Iterator[tuple[Task, Outcome]]:
    """The units of a jumbo unit whose facts are there."""
    for of_member in outcome.members:
        member = task.members[of_member.number]
        yield member, replace(of_member, number=member.number)


def _left(task: Task, outcome: Outcome) -> list[Task]:
    """What is left to do of a jumbo unit: all of its units alone, where it gave nothing."""
    done = {of_member.number for of_member in outcome.members}
    left = [number for number in range(len(task.members)) if number not in done]
    apart = outcome.apart if done or outcome.apart else left
    alone = [task.members[number] for number in left if number in apart]
    return alone + as_jumbo([task.members[number] for number in left if number not in apart])


def _outcome(process: _Process, task: Task) -> Outcome | None:
    """What a process has to say of its task, or None while it works."""
    try:
        if process.connection.poll():
            received: Outcome = process.connection.recv()
            return received
    except (EOFError, OSError):
        process.process.join(1)
        code = process.process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return Outcome(task.number, "crashed", f"libclang ended its process ({how})")
    if process.is_overdue():
        return Outcome(task.number, "timeout", "took longer than the time limit")
    return None
