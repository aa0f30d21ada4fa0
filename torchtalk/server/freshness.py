"""Does the tree still say what the index says? Looked at beside the answers, which wait for it no time to speak of."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from torchtalk.db import Index, IndexUnavailable, connect
from torchtalk.dbfile import SqliteTooOld
from torchtalk.staleness import EXAMPLES, REMEDY, told
from torchtalk.treestate import LastLook, tree_state

EVERY = 5.0
"""Seconds between two looks at the tree, at least."""

_SHARE = 20
"""A look that took so long is followed by so many times as long without one: 5 % of one core at most."""

PATIENCE = 0.5
"""Seconds that an answer waits for a look: one takes 30 ms, those after a change 130."""


@dataclass(frozen=True)
class _Seen:
    """What a look found.

    Args:
        identity: of the database's file that was compared.
        note: for answers; empty where the tree is as it was.
    """

    identity: tuple[int, int, int] | None
    note: str


class Freshness:
    """Says how stale the answers of an index are.

    Args:
        index: that is asked.
        refresh: has the index brought up to date and says how that stands; None leaves it to
            whoever reads the note.
    """

    def __init__(self, index: Index, refresh: Callable[[], str] | None = None) -> None:
        self._index = index
        self._refresh = refresh
        self._lock = threading.Lock()
        self._seen = _Seen(None, "")
        self._due = 0.0
        self._running: threading.Thread | None = None
        self._last = LastLook()

    def note(self) -> str:
        """What to say of the tree; a look that is due is waited for: the first answer after an edit tells."""
        look = self.begin() or self._running
        if look is not None:
            # Of several questions at once each is answered as the first of them is.
            look.join(PATIENCE)
        seen = self._seen
        # What was found of a file that has been replaced since is no news of the new one.
        return seen.note if seen.identity == self._index.identity() else ""

    def begin(self) -> threading.Thread | None:
        """Begin a look where one is due, and return at once."""
        with self._lock:
            if self._running is not None or time.monotonic() < self._due:
                return None
            look = threading.Thread(target=self._look, daemon=True, name="freshness")
            try:
                look.start()
            except RuntimeError:  # no more threads just now: another answer tries again
                return None
            self._running = look
        return look

    def watch(self) -> None:
        """Look again and again, also while nobody asks; returns at once."""

        def again() -> None:
            while True:
                self.begin()
                time.sleep(EVERY)

        threading.Thread(target=again, daemon=True, name="watch").start()

    def _look(self) -> None:
        begun = time.monotonic()
        try:
            self._seen = self._compared()
        finally:
            took = time.monotonic() - begun
            with self._lock:
                self._due = time.monotonic() + max(EVERY, _SHARE * took)
                self._running = None

    def _compared(self) -> _Seen:
        identity = self._index.identity()
        try:
            conn = connect(self._index.path)
        except (IndexUnavailable, SqliteTooOld):
            return _Seen(identity, "")  # whoever asks is told
        try:
            state = tree_state(conn, EXAMPLES, self._last)
            said = told(conn, state) if state.state == "changed" else ""
        except sqlite3.Error:
            return _Seen(identity, "")
        finally:
            conn.close()
        if not said:
            return _Seen(identity, "")
        remedy = REMEDY if self._refresh is None else self._refresh()
        return _Seen(identity, f"{said}; {remedy}")
