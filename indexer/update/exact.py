"""Running the link steps again that stand on clang's calls: for what changed, where no other's rows can be others.

Steps 47 and 82 look at each caller alone, step 48 at what leads to launches and to stubs; what else they read is
compared. In doubt a step runs as a whole.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Set
from importlib import import_module
from typing import Any

from indexer import link
from indexer.sql_lists import INSIDE, chosen
from indexer.update.watch import ChangedFunction, Watch
from indexer.workers import WorkerPool
from indexer.write.clang_base import Call

_ambiguous_calls = import_module("indexer.link.47_ambiguous_calls")
_operator_calls = import_module("indexer.link.82_operator_calls")

_MOST = 20_000
"""Of so many callers each step takes as long as of all."""

_EDGES = 80
"""The first of the steps that make edges."""

EDGES = (
    "edges",
    "edge_kinds",
    "boilerplate_functions",
    "library_functions",
    "gpu_launching_functions",
)
"""What these fill, and what is made of edges."""

_OF_OPERATORS = frozenset(("operators", "dispatch", "derivatives", "registrations"))
"""Names of the steps that operators come from."""

_CALL, _CANDIDATE, _LAUNCH = 0, 4, 6  # of `code & 7`

_Pair = tuple[int, int]


class ExactSteps:
    """What the steps start from; made before anything changes.

    Args:
        conn: the database, with the layer.
        files: ids of the files that change or go.
    """

    def __init__(self, conn: sqlite3.Connection, files: Collection[int]) -> None:
        self._conn = conn
        self._watch = Watch(conn)
        self._launches = _launches(conn)
        self._scopes = _scopes(conn, files)

    def run(
        self,
        numbers: Collection[int],
        relinked: Collection[str],
        files: Collection[int],
        *,
        same_stubs: bool,
        before_edges: Callable[[], None],
    ) -> None:
        """Run them.

        Args:
            numbers: of the steps.
            relinked: names of the other layers' steps that ran.
            files: ids of the files that were read.
            same_stubs: whether the text tells of the same functions that they call stubs.
            before_edges: called when all but edges is in its place.
        """
        conn = self._conn
        gone, came = self._watch.calls()
        functions = self._watch.functions()
        callers = {row[0] for row in (*gone, *came)}
        callers |= self._callers_of(f.id for f in functions if _key(f.before) != _key(f.now))
        few = len(callers) < _MOST
        same_scopes = self._scopes == _scopes(conn, files)
        called = False
        with WorkerPool(0) as pool:
            for name, step in link.steps(numbers):
                number = link.number_of(name)
                if number >= _EDGES and not called:
                    called = True
                    before_edges()
                if number == 47 and few:
                    before = _ambiguous(conn, callers)
                    _ambiguous_calls.link_callers(conn, callers)
                    unsure = before, _ambiguous(conn, callers)
                elif (
                    number == 48 and few and same_stubs and self._launches == _launches(conn)
                    and all(f.before is None or f.now is None or f.before[2] == f.now[2] for f in functions)
                    and self._same_paths(callers, *unsure)
                ):  # fmt: skip
                    continue
                elif (
                    number == 82 and few and same_scopes and _OF_OPERATORS.isdisjoint(relinked)
                    and _methods(f.before for f in functions) == _methods(f.now for f in functions)
                    and not self._is_generated(callers, functions)
                ):  # fmt: skip
                    callers |= {f.id for f in functions} | self._watch.operator_callers()
                    _operator_calls.link_callers(conn, callers)
                else:
                    step(conn, pool)
        self._watch.end()

    def _callers_of(self, functions: Iterable[int]) -> set[int]:
        sql = f"SELECT DISTINCT caller_id FROM calls WHERE callee_id {INSIDE}"
        return {n for (n,) in self._conn.execute(sql, (chosen(functions),))}

    def _same_paths(self, callers: Set[int], before: Set[_Pair], now: Set[_Pair]) -> bool:
        """Whether the same calls lead on to what launches and to what calls stubs.

        Args:
            callers: whose calls may have changed.
            before: what of these is ambiguous: callee and caller.
            now: the same of now.
        """
        conn = self._conn
        launching, stubs = (
            {n for (n,) in conn.execute(f"SELECT function_id FROM {table}")}
            for table in ("launching_functions", "stub_functions")
        )
        gone, came = self._watch.calls()
        sql = f"SELECT caller_id, callee_id, line, code FROM calls WHERE caller_id {INSIDE}"
        rows: set[Call] = set(conn.execute(sql, (chosen(callers),)))
        old = (rows - came) | gone
        return (
            _leading(old, launching, before) == _leading(rows, launching, now)
            and _leading(old, stubs, None) == _leading(rows, stubs, None)
        )  # fmt: skip

    def _is_generated(self, callers: Set[int], functions: Iterable[ChangedFunction]) -> bool:
        """Whether any of them stands in code that a build generates: there wrap functions operators."""
        conn = self._conn
        files = {values[2] for f in functions for values in (f.before, f.now) if values is not None}
        found = conn.execute(
            f"SELECT 1 FROM source_files WHERE kind = 'generated' AND (id {INSIDE}"
            f" OR id IN (SELECT file_id FROM functions WHERE id {INSIDE})) LIMIT 1",
            (chosen(files), chosen(callers)),
        ).fetchone()
        named = (values[0] for f in functions for values in (f.before, f.now) if values is not None)
        return found is not None or any(name.startswith("at::_ops::") for name in named)


def _key(values: tuple[str, str, int] | None) -> tuple[str, str] | None:
    return None if values is None else values[:2]


def _methods(functions: Iterable[tuple[str, str, int] | None]) -> set[str]:
    return {values[0] for values in functions if values is not None and values[1] == "method"}


def _leading(rows: Set[Call], ends: Set[int], ambiguous: Set[_Pair] | None) -> set[_Pair]:
    """The calls that step 48 follows, to some callees; for stubs, which know nothing of what is ambiguous, surely."""
    found = set()
    for caller, callee, _, code in rows:
        if callee not in ends:
            continue
        kind = code & 7
        if ambiguous is None:
            follows = kind == _CALL
        else:
            follows = kind in (_CALL, _LAUNCH) or (
                kind == _CANDIDATE and (callee, caller) not in ambiguous
            )
        if follows:
            found.add((caller, callee))
    return found


def _ambiguous(conn: sqlite3.Connection, callers: Collection[int]) -> set[_Pair]:
    sql = f"SELECT callee_id, caller_id FROM ambiguous_calls WHERE caller_id {INSIDE}"
    return set(conn.execute(sql, (chosen(callers),)))


def _launches(conn: sqlite3.Connection) -> Counter[Any]:
    return Counter(conn.execute("SELECT launcher_id, callee_id FROM launches"))


def _scopes(conn: sqlite3.Connection, files: Collection[int]) -> tuple[set[Any], set[Any]]:
    """Classes and using-declarations of some files."""
    of_files = (chosen(files),)
    usings = f"SELECT keyword, text, scope, file_id FROM cpp_usings WHERE file_id {INSIDE}"
    classes = f"SELECT name, file_id FROM cpp_classes WHERE file_id {INSIDE}"
    return set(conn.execute(usings, of_files)), set(conn.execute(classes, of_files))
