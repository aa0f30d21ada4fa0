"""Whether a tree's folders and files are those of the last look, without listing them again."""

from __future__ import annotations

import os
import time

TICK = 2_000_000_000
"""Nanoseconds within which two changes of a file may have the same time: FAT's two seconds."""


class Stamps:
    """What a listing saw of the folders it entered and the files it found: sizes, times and inodes.

    Whoever creates, removes or renames an entry marks the times of its folder for update (POSIX, «File Times Update»
    with `open`, `unlink`, `rename`), so a folder of the same times has the same entries; a link is replaced that way
    too. A server looks at ten thousand files before an answer, and to list, sort and compare them takes four times as
    long as to ask for their times.
    """

    def __init__(self) -> None:
        self._begun = time.time_ns()
        self._newest = 0
        self._paths: list[str] = []
        self._seen = 0  # one number for all: ten thousand tuples would be kept by each server

    @classmethod
    def kept(cls, paths: list[str], digest: int) -> Stamps:
        """Those of an earlier look that could be trusted.

        Args:
            paths: of folders and files, in the order in which they were noted.
            digest: of what they looked like.
        """
        stamps = cls()
        stamps._paths, stamps._seen = paths, digest
        return stamps

    @property
    def paths(self) -> list[str]:
        """What was noted, in its order."""
        return self._paths

    @property
    def digest(self) -> int:
        """What it looked like; the same in every process of one Python."""
        return self._seen

    @property
    def can_be_trusted(self) -> bool:
        """Whether all had its looks long enough before.

        What had only just been changed when it was noted may have been changed once more in the same tick of the clock.
        """
        return bool(self._paths) and self._newest < self._begun - TICK

    @property
    def can_be_trusted_by_now(self) -> bool:
        """Whether another look could be, if it began now and found the same."""
        return bool(self._paths) and self._newest < time.time_ns() - TICK

    def note(self, path: str, status: os.stat_result | None = None) -> None:
        """Remember what something looks like.

        Args:
            path: absolute; a folder's is noted before its entries are read.
            status: of it, if the caller has it.

        Raises:
            OSError: there is nothing of this name any more.
        """
        status = os.stat(path) if status is None else status
        self._paths.append(path)
        self._seen = _after(self._seen, status)
        self._newest = max(self._newest, status.st_mtime_ns, status.st_ctime_ns)

    def are_the_same(self) -> bool:
        """Whether all is as it was noted, and that can be trusted."""
        if not self.can_be_trusted:
            return False
        seen, stat = 0, os.stat
        try:
            for path in self._paths:
                seen = _after(seen, stat(path))
        except OSError:
            return False
        return seen == self._seen


def _after(seen: int, status: os.stat_result) -> int:
    return hash((seen, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))
