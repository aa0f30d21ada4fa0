"""A bound on the time that one file may take, so that no file can keep an index from being built."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

BASE_SECONDS = 10.0
SECONDS_A_BYTE = 100e-6
"""CPU time for each extractor of a file; usual sources take a hundredth of this."""


class TimeUp(Exception):
    """A file took far more time than one of its size should."""


def seconds_for(size: int) -> float:
    """The seconds of CPU time that one extractor may take for a file of `size` bytes."""
    return BASE_SECONDS + SECONDS_A_BYTE * size


@contextlib.contextmanager
def time_limits() -> Iterator[Callable[[float], None]]:
    """Give what bounds one piece of work after the other by this process's own CPU time.

    CPU time, so that a machine that is busy with other things loses no facts. It needs a signal,
    which only a main thread can take: that of a worker is one, a server's worker thread is not.

    Yields:
        To be called with seconds: after these, `TimeUp` is raised; with 0, at the end of a piece, nothing is.
    """
    if threading.current_thread() is not threading.main_thread():
        yield _unbounded
        return

    given = 0.0

    def end(number: int, frame: object) -> None:
        raise TimeUp(f"given up after {given:.0f} s")

    def bound(seconds: float) -> None:
        nonlocal given
        given = seconds
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)

    handler = signal.signal(signal.SIGVTALRM, end)
    timer = signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    try:
        yield bound
    finally:
        # What was set around us (the fuzzer's own bound) goes on.
        signal.setitimer(signal.ITIMER_VIRTUAL, *timer)
        signal.signal(signal.SIGVTALRM, handler)


def _unbounded(seconds: float) -> None:
    """Without a main thread there is no bound."""
