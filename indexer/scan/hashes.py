"""Content hashes of a tree's files, without reading those that were not touched.

As git's own index does: a file whose size, times and inode are those of last time has the content of last time. One
that was changed within the same tick of the clock as it was last looked at could have both; such a file is read.
Where nothing is known of a file, git tells the hash of what is checked out and not modified.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from indexer.scan.files import SourceFile, blob_id
from indexer.scan.git import git_output
from indexer.scan.readahead import read_ahead
from indexer.scan.stamps import TICK, Stamps
from indexer.scan.statfile import Seen, database_stamp, read_seen, write_seen
from indexer.scan.tree import SourceTree

_FEW = 50
"""So many unknown files are read sooner than git is asked."""


class Hashes:
    """Gives files' content hashes and remembers them.

    Args:
        tree: that the files belong to.
        cache: where they are remembered, or None.
    """

    def __init__(self, tree: SourceTree, cache: Path | None) -> None:
        self._tree = tree
        self._cache = cache
        self._started = time.time_ns()
        self._saved = read_seen(cache, str(tree.root))
        self._known: dict[str, list[Any]] = {}

    def again(self) -> Hashes:
        """For another look at the same tree, with what this one knows."""
        following = Hashes(self._tree, None)
        following._saved = Seen(self._started, None, self._known)
        return following

    @property
    def database(self) -> list[int] | None:
        """What the database's file was like when this was saved; None where that is not known."""
        return self._saved.database

    def of(self, files: Iterable[SourceFile]) -> dict[str, str]:
        """The hash of each of `files`, by path; empty for one that cannot be read."""
        looked, _, before = self._saved
        found: dict[str, str] = {}
        unknown: list[SourceFile] = []
        for file in files:
            known = before.get(file.path)
            if (
                isinstance(known, list)
                and known[:-1] == _stamp(file)
                and max(file.mtime_ns, file.ctime_ns) < looked - TICK
            ):
                found[file.path] = known[-1]
                self._known[file.path] = known
            else:
                unknown.append(file)
        git = self._of_git() if len(unknown) > _FEW else {}
        read_ahead(self._tree.root / file.path for file in unknown if file.path not in git)
        for file in unknown:
            sha = git.get(file.path) or self._read(file.path)
            self.remember(file, sha)
            found[file.path] = sha
        return found

    def remember(self, file: SourceFile, sha: str) -> None:
        """Note the hash of a file that was read after it was listed.

        Args:
            file: as listed.
            sha: git's blob id of its content; nothing is noted for an empty one.
        """
        if sha:
            self._known[file.path] = [*_stamp(file), sha]

    def save(self, target: Path, stamps: Stamps | None) -> None:
        """Write down what is known, for the next time; a folder that refuses is no error.

        Args:
            target: the database that the tree was compared with, or that was made of it.
            stamps: of what was listed then, if they can be trusted.
        """
        if self._cache is not None:
            seen = Seen(self._started, database_stamp(target), self._known)
            with contextlib.suppress(OSError):
                write_seen(self._cache, str(self._tree.root), seen, stamps)

    def _read(self, path: str) -> str:
        try:
            return blob_id((self._tree.root / path).read_bytes())
        except OSError:
            return ""

    def _of_git(self) -> dict[str, str]:
        """Hashes of the files that git knows and that are as it knows them."""
        modified = git_output(self._tree.root, "diff-files", "--name-only", "-z")
        staged = git_output(self._tree.root, "ls-files", "-v", "--stage", "-z")
        if modified is None or staged is None:
            return {}
        left_out = set(modified.split("\0"))
        found: dict[str, str] = {}
        for line in staged.split("\0"):
            about, _, path = line.partition("\t")
            fields = about.split(" ")
            # Tag, mode, hash, stage: regular files that are not in conflict. What git was told to take for unchanged
            # (`update-index --assume-unchanged`, a small `h`; `--skip-worktree`, `S`) it does not look at.
            if (
                len(fields) == 4
                and fields[0] == "H"
                and fields[1].startswith("100")
                and fields[3] == "0"
            ):
                found[path] = fields[2]
        return {path: sha for path, sha in found.items() if path not in left_out}


def _stamp(file: SourceFile) -> list[int]:
    return [file.size, file.mtime_ns, file.ctime_ns, file.inode]
