"""The functions of vendors' libraries that kernels end at: cuBLAS, cuDNN, MKL and others.

No source of theirs is in a tree, so that the graph ends before them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import Reached
from torchtalk.tools.kernels import queries
from torchtalk.tools.kernels.branches import Branches, all_of

_CALLS = 6
"""So many are followed: those that `library_functions` is made for."""


class LibraryCalls:
    """Tells what kernels call of libraries.

    Args:
        conn: an index.
        branches: of the tree's files.
    """

    def __init__(self, conn: sqlite3.Connection, branches: Branches) -> None:
        self._conn = conn
        self._branches = branches

    def behind(self, functions: Sequence[int]) -> tuple[Reached, ...]:
        """The library functions that some kernels end at, the nearest first; a line for each place.

        Args:
            functions: ids of the kernels' definitions.
        """
        found: dict[tuple[str, str, int], Reached] = {}
        for row in self._through(functions):
            at = row["name"], row["path"], row["line"]
            if at in found:
                continue
            (way,) = self._branches.of(row["path"], row["begin"], (row["line"],))
            found[at] = Reached(
                "library", row["library"], row["name"], "", Place("", 0), Place(row["path"], row["line"]),
                condition=all_of(way),
            )  # fmt: skip
        return tuple(found.values())

    def _through(self, functions: Sequence[int]) -> Iterator[sqlite3.Row]:
        """The calls in what some functions run, their own first."""
        sql = queries("library_calls")
        seen = set(functions)
        last = list(functions)
        for left in reversed(range(_CALLS + 1)):
            wanted = {"functions": json.dumps(last), "calls": left - 1}
            yield from self._conn.execute(sql["of_functions"], wanted)
            if not left:
                return
            following = dict.fromkeys(
                row["id"] for row in self._conn.execute(sql["called"], wanted)
            )
            last = [n for n in following if n not in seen]
            if not last:
                return
            seen.update(last)
