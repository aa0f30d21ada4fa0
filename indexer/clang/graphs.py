"""Where a command line looks for headers, and the graph of includes of each such order of folders.

Two command lines of a build may find two headers by one name, and headers that stand in no folder of the tree: what a
unit's facts are made from is told by the folders of its own command alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from indexer.clang.includes import Includes
from indexer.clang.texts import Texts

# In the order in which they are searched, each from left to right.
_FOLDERS = ("-I", "-isystem", "-idirafter")
_QUOTED = "-iquote"
_FORCED = ("-include", "-imacros")


class Sight(NamedTuple):
    """What a command line sees besides the unit itself.

    Args:
        quoted: folders for names in quotes alone, which come first.
        folders: for all names, in order.
        forced: files, or names of files, that are read before the unit.
    """

    quoted: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()


def sight_of(arguments: Sequence[str]) -> Sight:
    """What a command sees besides its unit.

    Args:
        arguments: of the command, each option that names a path apart from it: `-I`, `/x`.
    """
    named: dict[str, list[str]] = {}
    for option, path in zip(arguments, arguments[1:], strict=False):
        if option in (*_FOLDERS, _QUOTED, *_FORCED):
            named.setdefault(option, []).append(path)
    folders = [path for option in _FOLDERS for path in named.get(option, ())]
    forced = [path for option in _FORCED for path in named.get(option, ())]
    return Sight(tuple(named.get(_QUOTED, ())), tuple(folders), tuple(forced))


class Graphs:
    """The graphs of a run.

    Args:
        folders: of the tree's and the generated headers: for units that have no command of their own.
        texts: of all files.
    """

    def __init__(self, folders: Sequence[str], texts: Texts) -> None:
        self.common = Includes(folders, texts)
        self._texts = texts
        self._own: dict[tuple[tuple[str, ...], tuple[str, ...]], Includes] = {}
        self._included: set[str] | None = None

    def of(self, sight: Sight | None) -> Includes:
        """The graph as a command sees it whose sight is `sight`; the common one where that is None."""
        if sight is None:
            return self.common
        key = sight.quoted, sight.folders
        if key not in self._own:
            self._own[key] = Includes(sight.folders, self._texts, sight.quoted)
        return self._own[key]

    def forced(self, sight: Sight | None) -> str:
        """A digest, in hexadecimal digits, of what a command has read before the unit, with all that this includes.

        Args:
            sight: the command's; None for a unit that has no command of its own.

        Returns:
            "" where nothing is read before.
        """
        if sight is None or not sight.forced:
            return ""
        graph = self.of(sight)
        found = [path for name in sight.forced if (path := graph.resolve_quoted(name))]
        return b"".join(graph.digests(found)).hex()

    def tail(self, path: str, sight: Sight | None) -> bytes | None:
        """What stands behind a file's own part in what its digest is made of, once the digest was asked for.

        Args:
            path: of the file, absolute.
            sight: of the command that it is compiled with; None where it has none of its own.

        Returns:
            None for a file that some other includes: that one's digest depends on it.
        """
        if self._included is None:
            graphs = (self.common, *self._own.values())
            self._included = set().union(*(graph.included() for graph in graphs))
        return None if path in self._included else self.of(sight).tail(path)
