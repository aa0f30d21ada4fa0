"""Putting functions and files that only layer 7 has between those that are there, in the order of a full build."""

from __future__ import annotations

import bisect
import sqlite3
from collections.abc import Sequence
from itertools import groupby

from indexer.facts.clang import Symbol
from indexer.write.clang import FILE_SPACING, SPACING, function_row, kind_of, others, position
from indexer.write.clang_base import own_ids
from indexer.write.clang_told import TooFar


class Room:
    """The room between ids.

    Args:
        conn: of a database that has the layer.

    Attributes:
        files: ids by path.
        others: paths of files that the tree does not have.
        own_files: ids from here on are of files that only this layer has.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self.files: dict[str, int] = dict(conn.execute("SELECT path, id FROM source_files"))
        self.others = others(conn)
        self.own_files = own_ids(conn)["source_files"]

    def insert(self, symbols: Sequence[Symbol], ids: list[int], first: int, end: int) -> list[int]:
        """Insert functions that only this layer has, in their places among others.

        Args:
            symbols: in the order of their positions; those that come between the same two are spread evenly.
            ids: of the others, in order; the new ones are added.
            first: no id is below.
            end: no id is above.

        Returns:
            The id of each.

        Raises:
            TooFar: there is no room.
        """
        inserted: list[int] = []
        gaps = ((self._gap(symbol, ids), symbol) for symbol in symbols)
        for low, group in groupby(gaps, key=lambda entry: entry[0]):
            together = [symbol for _, symbol in group]
            parts = len(together) + 1
            before = ids[low - 1] if low else first - 1
            after = ids[low] if low < len(ids) else min(end, before + parts * SPACING)
            if (after - before) // parts == 0:
                raise TooFar("there is no room for more functions between two others")
            for number, symbol in enumerate(together, 1):
                identity = before + (after - before) * number // parts
                file_id = self.file(symbol.file)
                self._conn.execute(
                    "INSERT INTO functions"
                    " (id, name, head, kind, file_id, line, end_line, is_anonymous, is_exact)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
                    (identity, *function_row(symbol, file_id)),
                )
                inserted.append(identity)
        ids[:] = sorted((*ids, *inserted))
        return inserted

    def _gap(self, symbol: Symbol, ids: list[int]) -> int:
        """How many of some ids come before a function."""
        wanted = position(symbol)[1:-1]
        low, high = 0, len(ids)
        while low < high:
            middle = (low + high) // 2
            if self.key(ids[middle]) <= wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def key(self, identity: int) -> tuple[str, int, str, str, str]:
        """The place in the order of the function with the id `identity`, but for whether it is defined.

        See `indexer.write.clang.position`.
        """
        row = self._conn.execute(
            "SELECT f.path, u.line, u.name, u.signature, replace(u.kind, 'stub', 'variable')"
            " FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.id = ?",
            (identity,),
        ).fetchone()
        return str(row[0]), int(row[1]), str(row[2]), str(row[3]), str(row[4])

    def file(self, path: str) -> int:
        """The id of the file at `path`; one that no other layer reads gets a row, in the order of the paths.

        Raises:
            TooFar: there is no number left between those of its neighbours.
        """
        known = self.files.get(path)
        if known is not None:
            return known
        mine = sorted((p, n) for p, n in self.files.items() if n >= self.own_files)
        at = bisect.bisect(mine, (path, 0))
        before = mine[at - 1][1] if at else self.own_files - 1
        after = mine[at][1] if at < len(mine) else before + 2 * FILE_SPACING
        identity = (before + after) // 2
        if identity in (before, after):
            raise TooFar("there is no room for more files between two others")
        self._conn.execute(
            "INSERT INTO source_files (id, path, kind, size, sha) VALUES (?, ?, ?, 0, '')",
            (identity, path, kind_of(path)),
        )
        self.files[path] = identity
        self.others.add(path)
        return identity
