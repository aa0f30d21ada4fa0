"""Reading a whole tree in two goes, so that what the first tells is linked while workers do the second.

The first has all but the Python files, and what these register; the second has the rest, which takes longer. Each
row gets the number that it would have if the files were read in their order.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from indexer.extract.plan import Extracted, extract_batch, grouped, in_two, is_first
from indexer.facts.operators import Shortfall
from indexer.progress import Progress
from indexer.scan.files import SourceFile
from indexer.scan.tree import SourceTree
from indexer.workers import WorkerPool
from indexer.write.facts import write_facts
from indexer.write.files import write_coverage
from indexer.write.ids import between

_AGAIN = "read again by the next torchtalk index"


class Filling:
    """Fills an empty database.

    Args:
        conn: the database.
        tree: that is read.
        files: of the tree, in their order.
        layers: that are built.
        pool: whose workers read.
        write: inserts what was extracted from a file, under the id given.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        tree: SourceTree,
        files: list[SourceFile],
        layers: tuple[str, ...],
        pool: WorkerPool,
        write: Callable[[Extracted, int], None],
    ) -> None:
        self._conn = conn
        self._tree = tree
        self._pool = pool
        self._write = write
        numbers = between(None, None, len(files))
        self._ids = dict(zip((file.path for file in files), numbers, strict=True))
        self._first, self._rest = in_two(tree, files, layers)
        # What the first reading saw of a file: the hash of its content, empty where it could not be read.
        self._seen: dict[str, str] = {}
        # What the first reading found for the second to write among its own.
        self._held: deque[tuple[int, str, dict[str, list[Any]]]] = deque()
        self._running: Iterator[list[Extracted]] = iter(())

    def read_first(self, progress: Progress) -> None:
        """Write what the first reading finds, and have the workers begin the second.

        Args:
            progress: told of each file that is not read again.

        Raises:
            WorkerError: a worker was killed or crashed.
        """
        again = {reading.file.path for reading in self._rest}
        # Both at once: no worker waits while the last of the first are still being written.
        first = self._pool.start(extract_batch, grouped(self._tree, self._first))
        self._running = self._pool.start(extract_batch, grouped(self._tree, self._rest))
        for batch in first:
            for extracted in batch:
                self._take(extracted)
            progress.advance(sum(extracted.file.path not in again for extracted in batch))

    def _take(self, extracted: Extracted) -> None:
        path, facts = extracted.file.path, extracted.facts
        self._seen[path] = extracted.sha
        held = {name: found for name, found in facts.items() if found and not is_first(name)}
        if held:
            self._held.append((self._ids[path], path, held))
            facts = {name: found for name, found in facts.items() if is_first(name)}
        self._write(replace(extracted, facts=facts), self._ids[path])

    def read_rest(self, progress: Progress) -> None:
        """Write what the second reading finds.

        Args:
            progress: told of each file.

        Raises:
            WorkerError: a worker was killed or crashed.
        """
        for batch in self._running:
            for extracted in batch:
                path = extracted.file.path
                number = self._ids[path]
                self._write_held(number)
                if path not in self._seen:
                    self._write(extracted, number)
                elif self._seen[path] and self._is_as_it_was(extracted):
                    write_facts(self._conn, path, number, extracted.facts)
            progress.advance(len(batch))
        self._write_held(None)

    def _is_as_it_was(self, extracted: Extracted) -> bool:
        """Whether a file is what the first reading saw; else coverage says so, and the next run reads it anew.

        Both readings go on at once, and whoever checks out another branch meanwhile removes and writes files.
        """
        path = extracted.file.path
        if extracted.sha == self._seen[path]:
            return True
        why = extracted.failure or "changed while it was read"
        write_coverage(self._conn, path, [Shortfall("files", "failed", f"{why}; {_AGAIN}")])
        self._conn.execute("UPDATE source_files SET sha = '' WHERE path = ?", (path,))
        return False

    def _write_held(self, before: int | None) -> None:
        while self._held and (before is None or self._held[0][0] < before):
            number, path, facts = self._held.popleft()
            write_facts(self._conn, path, number, facts)
