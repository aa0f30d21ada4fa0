"""What would not end is ended, and fails: expressions that go back and forth, loops over all lines for each line."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 30.0
"""Seconds of work, of which what ends needs a fraction of one: how fast it is, benchmarks tell."""


@contextmanager
def ended() -> Iterator[None]:
    """Fail where what is done within does not end.

    Raises:
        AssertionError: it did not.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # no signal is had there
        return

    def give_up(*_: object) -> None:
        raise AssertionError("it does not end")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, _PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
