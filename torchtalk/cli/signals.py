"""Signals that end a build: it is undone as after any other failure, and its workers with it."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections.abc import Iterator
from types import FrameType

from torchtalk.cli.run import Terminated

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def undone_by_signals() -> Iterator[None]:
    """Turn SIGINT, SIGTERM and SIGHUP into exceptions while the block runs.

    A second signal does not disturb the clearing up after the first.
    """
    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, handler in before.items():
        # What our parent made us ignore (nohup) stays ignored.
        if handler != signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)
    # They read only, so nothing is lost; waiting for a long file would look like hanging.
    for worker in multiprocessing.active_children():
        worker.kill()
    raise Terminated(number)
