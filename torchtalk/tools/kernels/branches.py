"""Under which `#if`s inside a function's body something stands: two branches of one are never both built.

The index has no conditions of calls. They are read from the tree's files where these are as the index read them;
elsewhere nothing is told.
"""

from __future__ import annotations

import json
import re
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable

from torchtalk.affected.sources import Sources
from torchtalk.tools.kernels import queries

# A directive with the lines that continue it, from its sign on.
_DIRECTIVE = re.compile(
    r"#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:\\\r?\n|[^\n])*"
)
_ALWAYS = frozenset(("", "1", "!0"))
_PLAIN_NOT = re.compile(r"!\((!?)([\w:]+(?:\([\w:]*\))?)\)")

MOST_FILES = 40
"""So many files are read for one answer."""

_MOST_CALLS = 300

_Way = tuple[str, ...]
_Open = tuple[tuple[int, str], ...]
"""Of each `#if` that is open its line and what is asked."""

_State = tuple[list[int], list[_Open]]
"""The lines of a file's directives, and what is open behind each."""


class Branches:
    """Tells the conditions of lines.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sources: Sources | None = None
        self._states: dict[str, _State | None] = {}

    def of(self, path: str | None, begin: int, lines: Iterable[int]) -> tuple[_Way, ...]:
        """The conditions that each of some lines of one function stands under, the outermost first.

        Args:
            path: of the file.
            begin: the line of the function's definition; what is around it is not told.
            lines: of what it does; what stands before it has no condition.
        """
        known = self._state(path) if path is not None else None
        return tuple(_at(known, begin, line) if known is not None else () for line in lines)

    def ways(self, functions: list[int], calls: int) -> Callable[[int], _Way]:
        """What every way from some functions to another stands under, through functions that lead to a launch.

        Args:
            functions: ids of where the ways begin.
            calls: how many calls are followed.

        Returns:
            what tells it of a function's id; nothing of one that is not known.
        """
        rows = self._conn.execute(
            queries("entries")["ways"],
            {"functions": json.dumps(functions), "calls": calls, "most": _MOST_CALLS + 1},
        ).fetchall()
        if len(rows) > _MOST_CALLS:
            return lambda _: ()  # another way may have no conditions
        edges = [
            (row["caller_id"], row["callee_id"], self.of(row["path"], row["begin"], (row["line"],))[0])
            for row in rows
        ]  # fmt: skip
        return along(functions, edges, calls)

    def _state(self, path: str) -> _State | None:
        if path not in self._states:
            self._states[path] = self._read(path) if len(self._states) < MOST_FILES else None
        return self._states[path]

    def _read(self, path: str) -> _State | None:
        self._sources = self._sources or Sources(self._conn)
        query = "SELECT id, path, sha FROM source_files WHERE path = ?"
        row = self._conn.execute(query, (path,)).fetchone()
        source = self._sources.read(row) if row is not None else None
        return _state(source.text) if source is not None and source.is_indexed else None


def along(
    functions: Collection[int], edges: Iterable[tuple[int, int, _Way]], calls: int
) -> Callable[[int], _Way]:
    """What every way from some functions to another stands under.

    Args:
        functions: ids of where the ways begin.
        edges: the calls that the ways are made of: who calls, who is called, and what the call stands under.
        calls: of how many a way is made at most.

    Returns:
        what tells it of a function's id; nothing of one that is not known.
    """
    under: dict[int, _Way] = dict.fromkeys(functions, ())
    for _ in range(calls):  # as deep as the ways are
        before = dict(under)
        for caller, callee, own in edges:
            if caller not in under or callee in functions:
                continue
            way = tuple(dict.fromkeys((*under[caller], *own)))
            known = under.get(callee)
            under[callee] = way if known is None else tuple(c for c in known if c in way)
        if under == before:
            break
    return lambda function: under.get(function, ())


def _state(text: str) -> _State:
    from indexer.extract.cpp.conditions import Conditions

    conditions = Conditions()
    numbers: list[int] = []
    states: list[_Open] = []
    begins: list[int] = []
    line, last = 1, 0
    for match in _DIRECTIVE.finditer(text):
        if text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip():
            continue
        line += text.count("\n", last, match.start())
        last = match.start()
        conditions.directive(match[0])
        asked = conditions.each()
        begins = [*begins[: len(asked)], *[line] * (len(asked) - len(begins))]
        numbers.append(line)
        states.append(tuple(zip(begins, map(_plain, asked), strict=True)))
    return numbers, states


def _at(known: _State, begin: int, line: int) -> _Way:
    numbers, states = known
    before = bisect_right(numbers, line)
    if not before:
        return ()
    return tuple(c for opened, c in states[before - 1] if opened > begin and c not in _ALWAYS)


def all_of(way: _Way) -> str:
    """The conditions of `way`, from without, as one text; empty where there is none."""
    from indexer.extract.cpp.conditions import all_of as joined

    return joined(way) if way else ""


def _plain(condition: str) -> str:
    """Without the brackets that `!(X)` does not need, and without what is denied twice."""
    return _PLAIN_NOT.sub(lambda m: m[2] if m[1] else f"!{m[2]}", condition)
