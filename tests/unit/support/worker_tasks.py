"""What tests have workers do: apart from the tests, so that no worker has to load pytest for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import ClassVar

from indexer.workers import Shared


def process_of(number: int) -> tuple[int, int]:
    return number, os.getpid()


def added(task: tuple[Shared[list[int]], int]) -> tuple[int, bool]:
    shared, number = task
    value = shared.get()
    same = value is shared.get()
    return sum(value) + number, same


def end(number: int) -> int:
    os._exit(number)


class Mark:
    """A file that goes when the interpreter that made it is taken down."""

    made: ClassVar[list[Mark]] = []

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def __del__(self, remove: Callable[[Path], None] = os.unlink) -> None:
        remove(self.path)


def leave_a_mark(path: Path) -> bytes:
    """The result is more than a pipe holds."""
    Mark.made = [Mark(path)]
    return bytes(1_000_000)


def end_while_telling(number: int) -> bytes:
    """Be killed when half of the result is told."""

    def half(self: Connection, data: bytes, write: object = None) -> None:
        os.write(self.fileno(), bytes(data)[: len(data) // 2])
        os._exit(number)

    Connection._send = half  # type: ignore[attr-defined]
    return bytes(1000)


def slow_pid(_: int) -> int:
    time.sleep(0.02)
    return os.getpid()
