"""The functions of vendors' libraries that kernels end at: cuBLAS, cuDNN, MKL and others.

No source of theirs is in a tree, so that the graph ends before them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import Reached
from torchtalk.tools.kernels import queries
from torchtalk.tools.kernels.branches import Branches, all_of, along

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

    def behind(self, functions: Sequence[int], is_choosing: bool = False) -> tuple[Reached, ...]:
        """The library functions that some kernels end at, the nearest first; a line for each place.

        Args:
            functions: ids of the kernels' definitions.
            is_choosing: whether the kernels run everywhere, and have a library for some builds alone: `linear` calls
                XNNPACK's on telephones (aten/src/ATen/native/Linear.cpp). Then the `#if`s on the way are told, too.
        """
        ended, called = self._walk(functions)
        edges = list(self._under(called)) if is_choosing else []
        way = along(frozenset(functions), edges, _CALLS)
        found: dict[tuple[str, str, int], Reached] = {}
        for row in ended:
            at = row["name"], row["path"], row["line"]
            if at in found:
                continue
            (own,) = self._branches.of(row["path"], row["begin"], (row["line"],))
            found[at] = Reached(
                "library", row["library"], row["name"], "", Place("", 0), Place(row["path"], row["line"]),
                condition=all_of(tuple(dict.fromkeys((*way(row["id"]), *own)))),
            )  # fmt: skip
        return tuple(found.values())

    def _walk(self, functions: Sequence[int]) -> tuple[list[sqlite3.Row], list[sqlite3.Row]]:
        """The calls of libraries in what some functions run, their own first, and the calls that lead there."""
        sql = queries("library_calls")
        ended: list[sqlite3.Row] = []
        called: list[sqlite3.Row] = []
        seen = set(functions)
        last = list(functions)
        for left in reversed(range(_CALLS + 1)):
            wanted = {"functions": json.dumps(last), "calls": left - 1}
            ended += self._conn.execute(sql["of_functions"], wanted)
            if not left:
                break
            rows = self._conn.execute(sql["called"], wanted).fetchall()
            called += rows
            last = [n for n in dict.fromkeys(row["callee_id"] for row in rows) if n not in seen]
            if not last:
                break
            seen.update(last)
        return ended, called

    def _under(self, called: Iterable[sqlite3.Row]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """What each call stands under.

        Where one function calls several of one name (`gemm_internal_cublas`), which of them a call means is not always
        known: what not all of these stand under is said of none.
        """
        rows = list(called)
        ways = [self._branches.of(r["path"], r["begin"], (r["line"],))[0] for r in rows]
        shared: dict[tuple[int, str], tuple[str, ...]] = {}
        for row, way in zip(rows, ways, strict=True):
            known = shared.setdefault((row["caller_id"], row["name"]), way)
            shared[row["caller_id"], row["name"]] = tuple(c for c in known if c in way)
        for row in rows:
            yield row["caller_id"], row["callee_id"], shared[row["caller_id"], row["name"]]
