"""A pool of spawned workers that keep their order and die with their parent."""

from __future__ import annotations

import concurrent.futures
import contextlib
import ctypes
import functools
import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.process import BaseProcess
from multiprocessing.util import Finalize
from typing import Any, Generic, TypeVar

from indexer.errors import WorkerError
from indexer.shared_folder import SharedFolder, sweep

Task = TypeVar("Task")
Result = TypeVar("Result")
Value = TypeVar("Value")

_PR_SET_PDEATHSIG = 1
_CHUNKS = 4  # of a list that is worked off in one go, for each worker
_LAST = -1000  # of what multiprocessing runs when a process ends
_LOOK = 1.0  # seconds between two looks whether all workers are alive
_AHEAD = 3  # tasks under way for each worker: enough to be busy, few enough to bound memory


def default_workers() -> int:
    """One worker for each core this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Leave reference cycles alone meanwhile: facts hold none, and looking costs a sixth."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def start_worker(parent: int) -> None:
    """Make sure that this worker ends when its parent does, however that ended.

    Linux tells the kernel; everywhere a thread watches as well, since a worker that waits for
    work on a pipe it holds both ends of would wait for ever.

    Args:
        parent: the id of that process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    # Last of all at its end, after what it has told: to take down an interpreter full of facts, object by object,
    # takes half a second of a core that the others need.
    Finalize(None, os._exit, args=(0,), exitpriority=_LAST)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Deliver Ctrl-C only after the block, and never to a process that is started in it.

    A terminal sends it to the workers as well, and one that is still importing would answer
    with a traceback; a process begins with its parent's signal mask.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Shared(Generic[Value]):
    """Something that every task needs, which travels to each worker once and not with each task.

    Args:
        value: the thing itself, in the process that made it.
        path: of the file that workers read it from; "" where there are none.
    """

    def __init__(self, value: Value, path: str) -> None:
        self._value: Value | None = value
        self._path = path

    def __getstate__(self) -> dict[str, str | None]:
        return {"_value": None, "_path": self._path}

    def get(self) -> Value:
        """The thing; a worker keeps the last one of each kind that it was asked for."""
        if self._value is None:
            self._value = _read_shared(self._path)
        return self._value


@functools.lru_cache(maxsize=2)
def _read_shared(path: str) -> Any:
    with open(path, "rb") as file:
        return pickle.load(file)  # noqa: S301  our own parent's


def _packed(function: Callable[[Task], object], task: Task) -> bytes:
    """In a worker: a result that its parent need not unpack when it comes."""
    return pickle.dumps(function(task), pickle.HIGHEST_PROTOCOL)


def _leave_telling_to_workers(executor: ProcessPoolExecutor, workers: int) -> None:
    """Close our own end of the pipe that workers tell their results through, if all of them have theirs.

    A worker that is killed while it tells a result leaves half of it in the pipe. The executor waits for the other
    half, and no end of the pipe is ever seen while anybody, and be it ourselves, could still write.
    """
    if len(_processes(executor)) == workers:
        writer = getattr(getattr(executor, "_result_queue", None), "_writer", None)
        if writer is not None:
            writer.close()


def _processes(executor: ProcessPoolExecutor) -> list[BaseProcess]:
    """The workers that were started; none where the executor has ended."""
    return list((getattr(executor, "_processes", None) or {}).values())


def _result(executor: ProcessPoolExecutor, future: Future[Result]) -> Result:
    """The result of a task, however long it takes while all workers live.

    Where one has died without the executor's knowing (it waits for the rest of what that one told), the others are
    ended: then it knows.

    Raises:
        BrokenProcessPool: a worker was killed or crashed.
    """
    while True:
        try:
            return future.result(_LOOK)
        except concurrent.futures.TimeoutError:
            if future.done():
                return future.result()
            processes = _processes(executor)
            if any(process.exitcode is not None for process in processes):
                for process in processes:
                    process.kill()


def _shut_down(executor: ProcessPoolExecutor, *, cancel: bool) -> None:
    """End the workers and wait for it, also where one of them is killed meanwhile.

    Of those that have nothing to do one waits for a task and the others for its lock, which nobody gives back for the
    one that is killed. The executor sees to that only until it is told to end; from then on it waits for each of them.

    Args:
        executor: whose workers they are.
        cancel: drop what is not begun.
    """
    processes = _processes(executor)
    manager = getattr(executor, "_executor_manager_thread", None)
    executor.shutdown(wait=manager is None, cancel_futures=cancel)
    while manager is not None and manager.is_alive():
        manager.join(_LOOK)
        if manager.is_alive() and any(process.exitcode for process in processes):
            for process in processes:
                process.kill()


def _lost() -> WorkerError:
    return WorkerError(
        "a worker process died (killed, or out of memory?); nothing was changed. "
        "Run the command again, with --workers 1 if it happens again."
    )


class WorkerPool:
    """Processes that read files and resolve names; a context that ends them.

    Args:
        workers: how many; 0 runs everything in this process.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._executor: ProcessPoolExecutor | None = None
        self._folder: SharedFolder | None = None
        self._shared = 0
        self._ending: threading.Thread | None = None
        self._taken = 0  # runs of tasks that are begun and whose results are not all asked for

    def __enter__(self) -> WorkerPool:
        return self

    def _start(self) -> ProcessPoolExecutor | None:
        """Start the processes when they are first needed: an update may do without."""
        if self._executor is None and self.workers > 0:
            sweep()
            self._executor = ProcessPoolExecutor(
                max_workers=self.workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=start_worker,
                initargs=(os.getpid(),),
            )
            with _interrupts_held_back():
                for _ in range(self.workers):
                    self._executor.submit(os.getpid)
            _leave_telling_to_workers(self._executor, self.workers)
        return self._executor

    def prepare(self) -> None:
        """Start the processes now, so that they are ready when there is work."""
        self._start()

    def end(self) -> None:
        """Let the processes end, without waiting: it takes them half a second that is better used."""
        if self._executor is not None and self._ending is None:
            self._ending = threading.Thread(
                target=_shut_down, args=(self._executor,), kwargs={"cancel": False}
            )
            self._ending.start()
            self._executor = None

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            _shut_down(self._executor, cancel=True)
        if self._ending is not None:
            self._ending.join()
        if self._folder is not None:
            self._folder.remove()

    def share(self, value: Value) -> Shared[Value]:
        """Something to hand to many tasks.

        Args:
            value: picklable; not to be changed after this.
        """
        if self._taken or self._start() is None:
            return Shared(value, "")
        if self._folder is None:
            self._folder = SharedFolder()
        self._shared += 1
        path = str(self._folder.path / str(self._shared))
        with open(path, "wb") as file:
            pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
        return Shared(value, path)

    def ordered_map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[Result]:
        """Run a function over tasks; results come in the order of the tasks.

        Args:
            function: importable by its name.
            tasks: picklable; taken only a few ahead of their results.

        Raises:
            WorkerError: a worker was killed or crashed.
        """
        executor = None if self._taken else self._start()
        if executor is None:
            yield from map(function, tasks)
            return
        pending: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                with _interrupts_held_back():
                    pending.append(executor.submit(function, task))
                if len(pending) > self.workers * _AHEAD:
                    yield _result(executor, pending.popleft())
            while pending:
                yield _result(executor, pending.popleft())
        except BrokenProcessPool as error:
            raise _lost() from error

    def start(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Have the workers begin tasks whose results are asked for later, in the order of the tasks.

        Until the last of them is, the workers are taken: `ordered_map` runs in this process. What
        waits here is packed, so that it takes a fraction of the room. A second run follows the first.

        Args:
            function: importable by its name.
            tasks: picklable; all are taken at once.

        Raises:
            WorkerError: a worker was killed or crashed; when a result is asked for.
        """
        executor = self._start()
        if executor is None:
            return map(function, tasks)
        try:
            with _interrupts_held_back():
                waiting = deque(executor.submit(_packed, function, task) for task in tasks)
        except BrokenProcessPool as error:
            raise _lost() from error
        if not waiting:
            return iter(())
        self._taken += 1
        return self._unpacked(executor, waiting)

    def _unpacked(
        self, executor: ProcessPoolExecutor, waiting: deque[Future[bytes]]
    ) -> Iterator[Any]:
        try:
            while waiting:
                yield pickle.loads(_result(executor, waiting.popleft()))  # noqa: S301  our own worker's
        except BrokenProcessPool as error:
            raise _lost() from error
        finally:
            self._taken -= 1

    def begin(
        self, function: Callable[[Task], Result], task: Task
    ) -> tuple[Callable[[], bool], Callable[[], Result]]:
        """Have a worker do one task, behind all that they were given before.

        Args:
            function: importable by its name.
            task: picklable.

        Returns:
            Whether it is done, and what waits for its result; that raises WorkerError where a worker
            was killed or crashed.
        """
        executor = self._start()
        if executor is None:
            return (lambda: True), functools.partial(function, task)
        try:
            with _interrupts_held_back():
                future = executor.submit(_packed, function, task)
        except BrokenProcessPool as error:
            raise _lost() from error

        def result() -> Result:
            try:
                packed = _result(executor, future)
            except BrokenProcessPool as error:
                raise _lost() from error
            found: Result = pickle.loads(packed)  # noqa: S301  our own worker's
            return found

        return future.done, result

    def parts(self) -> int:
        """Into how many parts a task is to be cut: one for each worker, one where they have other work."""
        return 1 if self._taken else max(1, self.workers)

    def chunks(self, items: Sequence[Task]) -> list[Sequence[Task]]:
        """Split `items` into a few runs for each worker, in order."""
        size = max(1, -(-len(items) // max(1, self.workers * _CHUNKS)))
        return [items[at : at + size] for at in range(0, len(items), size)]
