"""What a kernel that does its work through other operators calls, down to the kernels of those.

A composite kernel (`at::native::softmax`) has no stub and no launch: who asks for the way to the GPU wants those of
the operators below it. Views, factories and what returns no tensor are named only: no kernel is about them, unless CPU
and CUDA have one each, as for `_local_scalar_dense`, by which `item` gets a number from the device.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from torchtalk.answers.base import Place
from torchtalk.answers.dispatch import CalledOperator, DispatchLine
from torchtalk.tools.kernels.dispatch_table import DispatchTables, TableLine
from torchtalk.tools.kernels.folder_layouts import is_for, layout_of
from torchtalk.tools.kernels.operator_calls import called_in_python, of_main_keys, operator_calls

_MOST_PLACES = 4
_ALIKE = 4  # letters with which a word of two names begins: what serves `conv2d` is called `cudnn_convolution`
_SHORTEST = 3  # letters of a word that another may have in it
_MOST_OTHERS = 2
# Keys whose kernel runs for any device (c10/core/DispatchKey.h).
_COMPOSITE = "Composite"
_MAIN = frozenset(("CPU", "CUDA"))

_Call = list[sqlite3.Row]
"""The calls of the overloads of one name."""


class Room(NamedTuple):
    """How much of what is called an answer shows.

    Args:
        tables: at each depth: what is below one operator takes no room from the next.
        is_brief: without stubs' kernels, GPU kernels, views and factories.
    """

    tables: tuple[int, ...]
    is_brief: bool = False


FULL = Room((12, 8, 12))
BRIEF = Room((4, 2, 6), is_brief=True)


class CalledOperators:
    """Unfolds the composite kernels of one answer; no operator twice, and not more than an answer has room for.

    Args:
        conn: an index.
        tables: of the answer.
        own: the operators whose tables the answer shows anyway.
        room: of the answer.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        tables: DispatchTables,
        own: Collection[str],
        room: Room = FULL,
    ) -> None:
        self._conn = conn
        self._tables = tables
        self._shown = set(own)
        self._left = list(room.tables)
        self._is_brief = room.is_brief

    def table(self, operator_id: int, operator: str) -> tuple[DispatchLine, ...]:
        """The table of an operator, with what is behind each kernel.

        Args:
            operator_id: of the overload.
            operator: its name.
        """
        return self._below(operator_id, operator, self._tables.lines(operator_id), 0)

    def of(
        self, operator: str, key: str, function: int | None
    ) -> tuple[tuple[CalledOperator, ...], tuple[str, ...]]:
        """What a composite kernel calls, as `calls` and `also_calls` have it; nothing of another.

        Args:
            operator: whose kernel it is.
            key: that it is dispatched by.
            function: its id, if it has one.
        """
        if function is None or not key.startswith(_COMPOSITE):
            return (), ()
        calls, rest = self._unfolded(operator, self._calls(operator, (function,))[0], 0)
        return calls, _names(rest)

    def _below(
        self, operator_id: int, operator: str, lines: Iterable[TableLine], depth: int
    ) -> tuple[DispatchLine, ...]:
        table = tuple(lines)
        has_own = _MAIN.issubset(key for line, *_ in table for key in line.keys)
        found = []
        unfolded: set[int] = set()
        for one in table:
            line, functions, _ = one
            if not self._is_brief:
                line = self._tables.behind(operator_id, one)
            if functions and not unfolded.issuperset(functions):
                unfolded.update(functions)
                is_composite = _is_composite(line) and not has_own
                is_told = self._is_brief or (bool(line.reached) and not _lacks_cpu(line))
                if depth == len(self._left):
                    # No room for a further table: where nothing else is said, who does the work is named.
                    if not line.reached and not self._is_brief:
                        line = replace(line, also_calls=_names(self._calls(operator, functions)[0]))
                elif is_composite or not is_told:
                    line = self._with_calls(operator, line, functions, depth, is_composite)
            elif line.origin == "python" and (_is_composite(line) or _is_main(line)):
                line = replace(line, also_calls=self._in_python(operator_id, operator, line))
            found.append(line)
        return tuple(found)

    def _in_python(self, operator_id: int, operator: str, line: DispatchLine) -> tuple[str, ...]:
        """What a kernel in Python calls; that it may come back to itself is not how it does its work."""
        own = operator.partition(".")[0]
        called = called_in_python(self._conn, operator_id, line)
        return tuple(packet for packet in called if packet != own)

    def _with_calls(
        self,
        operator: str,
        line: DispatchLine,
        functions: tuple[int, ...],
        depth: int,
        is_composite: bool,
    ) -> DispatchLine:
        working, helpers = self._calls(operator, functions)
        if is_composite:
            calls, rest = self._unfolded(operator, working, depth, layout_of(line.definitions))
            others = rest if self._is_brief else [*rest, *helpers]
            return replace(line, calls=calls, also_calls=_names(others))
        # It does the work itself, but for an operator that is called like its own: `norm` has `linalg_vector_norm`.
        words = _words(operator)
        alike = [call for call in working if _is_main(line) and _is_alike(words, call)]
        calls, rest = self._unfolded(operator, alike, depth)
        # What many call stands last: it says little of this one, but `sum` and `index` are a median's work too.
        common = [call for call in helpers if not call[0]["is_helper"]]
        others = [call for call in (*working, *common) if call not in alike]
        return replace(line, calls=calls, also_calls=_names([*rest, *others]))

    def _unfolded(
        self, operator: str, working: list[_Call], depth: int, layout: str = ""
    ) -> tuple[tuple[CalledOperator, ...], list[_Call]]:
        """Operators down to their kernels, and what has no room: those named like the one that calls them come first,
        and of these such as most builds have a kernel of (`_mps_convolution` has one on a Mac). What is about tensors
        of a layout has them run for these.
        """
        shown: list[CalledOperator] = []
        rest: list[_Call] = []
        waiting: list[tuple[int, sqlite3.Row]] = []
        main = of_main_keys(self._conn, (row["id"] for call in working for row in call))

        def rank(call: _Call) -> tuple[bool, bool]:
            return not _is_near(operator, call), main.isdisjoint(row["id"] for row in call)

        for call in sorted(working, key=rank):
            first = min(call, key=lambda row: row["kind"] == "out")
            is_known = first["name"] in self._shown
            if not is_known and not self._left[depth]:
                rest.append(call)
                continue
            if not is_known:
                self._left[depth] -= 1
                waiting.append((len(shown), first))
                self._shown.update(row["name"] for row in call)
            shown.append(_called(call, first["name"], is_known))
        # Siblings before what is below one of them: an answer's room is for the nearest.
        for position, first in waiting:
            lines = _main(self._tables.lines(first["id"]), layout)
            below = self._below(first["id"], first["name"], lines, depth + 1)
            shown[position] = replace(shown[position], dispatch=below)
        return tuple(shown), rest

    def _calls(self, operator: str, functions: tuple[int, ...]) -> tuple[list[_Call], list[_Call]]:
        """What an operator's kernels call for their work, those of the kernel itself first, and what else.

        That it may come back to itself, as `_to_copy` does for a sparse tensor's values, is not how it does its work.
        """
        found: dict[str, _Call] = {}
        for row in operator_calls(self._conn, functions):
            found.setdefault(row["packet"], []).append(row)
        working = [
            call for call in found.values()
            if not call[0]["is_helper"] and any(row["name"] != operator for row in call)
        ]  # fmt: skip
        working = [call for call in working if not call[0]["is_common"]] or working
        return working, [call for call in found.values() if call not in working]


def _called(call: _Call, name: str, is_known: bool) -> CalledOperator:
    places = tuple(dict.fromkeys(Place(row["path"], row["line"]) for row in call))
    helpers = {row["helper"] for row in call}
    return CalledOperator(
        operator=name,
        overloads=tuple(dict.fromkeys(row["name"] for row in call)),
        places=places[:_MOST_PLACES],
        helper=call[0]["helper"] if None not in helpers and len(helpers) == 1 else None,
        is_sure=any(row["is_sure"] for row in call),
        is_shown_elsewhere=is_known,
    )


def _is_composite(line: DispatchLine) -> bool:
    return any(key.startswith(_COMPOSITE) for key in line.keys)


def _lacks_cpu(line: DispatchLine) -> bool:
    """Whether what is behind a kernel for both is one device's alone, as a library is; on CPU `mean` calls `sum`."""
    return _MAIN.issubset(line.keys) and all(
        one.backend.upper() == "CUDA" or one.kind == "library" for one in line.reached
    )


def _is_main(line: DispatchLine) -> bool:
    return not _MAIN.isdisjoint(line.keys)


def _main(lines: Iterable[TableLine], layout: str) -> list[TableLine]:
    """The lines that most ask for: those of a layout, those of CPU and CUDA, else of any device, else the first."""
    known = [one for one in lines if one.line.kernel is not None]
    native = [one for one in known if one.line.origin != "python"]
    of_layout = [one for one in native if is_for(layout, one.line.keys)]
    dense = [one for one in native if _is_main(one.line)]
    dense = dense or [one for one in native if _is_composite(one.line)]
    return of_layout + [one for one in dense if one not in of_layout] or known[:_MOST_OTHERS]


def _names(calls: Iterable[_Call]) -> tuple[str, ...]:
    return tuple(call[0]["packet"] for call in calls)


def _words(name: str) -> set[str]:
    """How the words of an operator's name begin; short ones say nothing."""
    return {word[:_ALIKE] for word in _base(name).split("_") if len(word) >= _ALIKE}


def _is_alike(words: set[str], call: _Call) -> bool:
    return not words.isdisjoint(_words(call[0]["packet"]))


def _is_near(operator: str, call: _Call) -> bool:
    """Whether two names are alike, or one has a word of the other: `fft_irfft2` and `_fft_c2r`."""
    if _is_alike(_words(operator), call):
        return True
    own, other = (set(_base(name).split("_")) for name in (operator, call[0]["packet"]))
    return any(
        len(a) >= _SHORTEST and len(b) >= _SHORTEST and (a in b or b in a)
        for a in own
        for b in other
    )


def _base(name: str) -> str:
    return name.rpartition("::")[2].partition(".")[0]
