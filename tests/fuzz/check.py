"""Reading one file as the indexer does, within a time limit, and writing what it gave."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from indexer import schema
from indexer.extract import plan
from indexer.layers import LAYER_NAMES
from indexer.scan.files import SourceFile, kind_of
from indexer.scan.tree import SourceTree
from indexer.write.facts import write_facts
from indexer.write.files import write_file

BASE_SECONDS = 1.0
SECONDS_A_BYTE = 20e-6
"""CPU time that a file may take: a usual one takes a twentieth of this."""


class TooSlow(Exception):
    """Reading took more CPU time than a file of this size may."""


class Checker:
    """Reads files and writes their facts; what it raises is a defect of the indexer's.

    Args:
        folder: that files are put into; on a memory disk if possible.
    """

    def __init__(self, folder: Path) -> None:
        self._tree = SourceTree(folder, False, None)
        self._conn = sqlite3.connect(":memory:", isolation_level=None)
        schema.create(self._conn)

    def __call__(self, path: str, data: bytes) -> float:
        """Read one file.

        Args:
            path: as in a tree; extractors go by it.
            data: the content.

        Returns:
            CPU seconds of the reading.

        Raises:
            TooSlow: the limit for its size was passed.
            Exception: whatever an extractor or a writer raised.
        """
        place = self._tree.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        file = SourceFile(path, kind_of(path) or "other", len(data), 0)
        (batch,) = plan.batches(self._tree, [file], LAYER_NAMES)
        start = time.process_time()
        # The indexer's own bound is far wider, and would hide which line it was that took so long.
        with (
            mock.patch.object(plan, "time_limits", _without_limits),
            cpu_limit(BASE_SECONDS + SECONDS_A_BYTE * len(data)),
        ):
            (extracted,) = plan.extract_batch(batch)
        seconds = time.process_time() - start
        self._conn.execute("BEGIN")
        try:
            file_id = write_file(self._conn, path, file.kind, file.size, extracted.sha)
            write_facts(self._conn, path, file_id, extracted.facts)
        finally:
            self._conn.execute("ROLLBACK")
        return seconds

    def close(self) -> None:
        """Close the database."""
        self._conn.close()


@contextlib.contextmanager
def _without_limits() -> Iterator[Callable[[float], None]]:
    yield lambda seconds: None


@contextlib.contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the block after so many seconds of this process's CPU time."""

    def end(number: int, frame: object) -> None:
        raise TooSlow(f"more than {seconds:.1f} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, end)
    # Again and again, in case the first is swallowed on its way.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
