"""What each member of a jumbo unit has to say, as if it had been parsed alone.

A member is left out, and has to be parsed alone, where the others' company may have changed anything:

- there is an error in it or in a header that it includes;
- something in it refers to what only other members or their headers declare: alone it would have found something else;
- it defines what another member defines as well, or another member includes it.

Who could be called by a dependent name is no sign of that: of those, what a member cannot see is dropped.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from indexer.clang.jumbo import JUMBO_FILE, Mark, mark_of
from indexer.clang.walked import Segment, Walked
from indexer.facts.clang import CANDIDATE, Override, StubKernel, Symbol, UnitFacts

_COUNTED = re.compile(r"(\w*[A-Za-z_])(\d+)\Z")


class _Stretch(NamedTuple):
    """A segment with the position of the member it was read for, and the segment behind it."""

    member: int
    begin: Segment
    end: Segment


class _CompanyError(Exception):
    """A member says something that it would not say alone."""


def parted(
    walked: Walked,
    members: Mapping[str, bytes],
    entered: Sequence[str],
    held: Collection[str],
    faulty: Collection[str],
) -> dict[str, UnitFacts]:
    """Tell the members of a jumbo unit apart.

    Args:
        walked: what was found in all of it.
        members: as they stand in the database, in their order, and their texts.
        entered: all files that were read, each as often as it was.
        held: files of the precompiled header.
        faulty: files with errors.

    Returns:
        The facts of those members that say what they would say alone, without what the parser used for them.
    """
    read = _stretches(walked, len(members))
    if read is None or JUMBO_FILE in faulty:
        return {}
    stretches, marks = read
    again = {path for path, times in Counter(entered).items() if times > 1}
    included = {path for by, paths in walked.includes.items() if by != JUMBO_FILE for path in paths}
    found: dict[str, UnitFacts] = {}
    for position, member in enumerate(members):
        reached = _reached(member, walked.includes)
        if member in included or not reached.keys().isdisjoint(faulty):
            continue
        unseen = frozenset(entered).difference(reached, held)
        try:
            own = _own(stretches, position, reached, again)
            part = _Parting(walked, unseen).facts(member, own, reached.keys(), entered)
        except _CompanyError:
            continue
        counters = range(marks[position].counter + 1, marks[position + 1].counter)
        if counters:
            shift = counters.start - marks[0].counter
            part = part._replace(
                symbols=_recounted(part.symbols, member, members[member], counters, shift)
            )
        found[member] = part
    return found


def _recounted(
    symbols: list[Symbol], file: str, text: bytes, counters: range, shift: int
) -> list[Symbol]:
    """Name what a macro named by `__COUNTER__` (C10_UID, c10/macros/Macros.h) as it is called in a unit of its own."""
    names: dict[str, str] = {}
    for symbol in symbols:
        if symbol.file == file and (match := _COUNTED.search(symbol.name)):
            name, stem, counter = match[0], match[1], int(match[2])
            if counter in counters and name.encode() not in text:
                names[name] = f"{stem}{counter - shift}"
    if not names:
        return symbols
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")

    def said(text: str) -> str:
        return pattern.sub(lambda match: names[match[0]], text)

    return [
        s._replace(usr=said(s.usr), name=said(s.name), signature=said(s.signature)) for s in symbols
    ]


def _stretches(walked: Walked, count: int) -> tuple[list[_Stretch], list[Mark]] | None:
    """The segments by member and the marks, or None where not every mark stands where it belongs."""
    found: list[_Stretch] = []
    marks: list[Mark] = []
    last = Segment(
        "", "", len(walked.callees), len(walked.open_lines), len(walked.definitions),
        len(walked.overrides), len(walked.stub_kernels),
    )  # fmt: skip
    for begin, end in zip(walked.segments, [*walked.segments[1:], last], strict=True):
        if begin.file != JUMBO_FILE:
            found.append(_Stretch(len(marks) - 1, begin, end))
            continue
        mark = mark_of(begin.mark)
        if mark is None or mark.position != len(marks):
            return None
        marks.append(mark)
    return (found, marks) if len(marks) == count + 1 else None


def _reached(member: str, includes: Mapping[str, Sequence[str]]) -> dict[str, None]:
    """A member and all that it includes, each behind what it includes itself."""
    found: dict[str, None] = {}
    begun: set[str] = set()
    waiting = [(member, False)]
    while waiting:
        path, is_done = waiting.pop()
        if is_done:
            found[path] = None
        elif path not in begun:
            begun.add(path)
            waiting.append((path, True))
            waiting += [(other, False) for other in reversed(includes.get(path, ()))]
    return found


def _own(
    stretches: Iterable[_Stretch],
    position: int,
    reached: Mapping[str, None],
    again: Collection[str],
) -> list[_Stretch]:
    """The stretches that a member has part in.

    What is instantiated of a header's templates stands in the header, whoever wanted it. So of a header that is read
    once all stretches count; of one that is read again and again, the member's own, or those of the first reader.
    """
    readers: dict[str, list[int]] = {}
    for stretch in stretches:
        if stretch.begin.file in reached and stretch.begin.file in again:
            readers.setdefault(stretch.begin.file, []).append(stretch.member)
    order = {path: number for number, path in enumerate(reached)}
    wanted = {path: position if position in those else those[0] for path, those in readers.items()}
    own = [
        s
        for s in stretches
        if s.begin.file in reached and wanted.get(s.begin.file, s.member) == s.member
    ]
    return sorted(own, key=lambda stretch: order[stretch.begin.file])


class _Parting:
    """The numbering of one member's symbols.

    Args:
        walked: what was found in all members.
        unseen: files that the member does not see.
    """

    def __init__(self, walked: Walked, unseen: frozenset[str]) -> None:
        self._walked = walked
        self._unseen = unseen
        self._own: dict[int, tuple[str, int]] = {}
        self._numbers: dict[int, int] = {}
        self._symbols: list[Symbol] = []

    def facts(
        self, member: str, own: Sequence[_Stretch], reached: Set[str], entered: Collection[str]
    ) -> UnitFacts:
        """What the member says.

        Args:
            member: as it stands in the database.
            own: the stretches it has part in.
            reached: the member and what it includes.
            entered: all files that were read.

        Raises:
            _CompanyError: it would say something else alone.
        """
        walked = self._walked
        for stretch in own:
            for definition in walked.definitions[
                stretch.begin.definitions : stretch.end.definitions
            ]:
                self._own[definition.number] = stretch.begin.file, definition.line
            for call in range(stretch.begin.calls, stretch.end.calls):
                caller = walked.callers[call]
                self._own.setdefault(caller, ("", 0))
        callers, callees, kinds, lines = array("I"), array("I"), array("B"), array("I")
        open_callers, open_lines = array("I"), array("I")
        overrides: list[Override] = []
        stub_kernels: list[StubKernel] = []
        for stretch in own:
            begin, end = stretch.begin, stretch.end
            ahead = list(reversed(walked.definitions[begin.definitions : end.definitions]))
            for call in range(begin.calls, end.calls):
                while ahead and ahead[-1].calls <= call:
                    self._number(ahead.pop().number)
                callee, kind = walked.callees[call], walked.kinds[call]
                if self._is_unseen(callee, kind):
                    continue
                callers.append(self._number(walked.callers[call]))
                callees.append(self._number(callee))
                kinds.append(kind)
                lines.append(walked.lines[call])
            for definition in reversed(ahead):
                self._number(definition.number)
            for method, overridden in walked.overrides[begin.overrides : end.overrides]:
                overrides.append(Override(self._number(method), self._number(overridden)))
            for kernel in walked.stub_kernels[begin.stub_kernels : end.stub_kernels]:
                stub_kernels.append(kernel._replace(kernel=self._number(kernel.kernel)))
            for opened in range(begin.opens, end.opens):
                open_callers.append(self._number(walked.open_callers[opened]))
                open_lines.append(walked.open_lines[opened])
        left_callers, left_lines = array("I"), array("I")
        for caller, line in zip(walked.left_callers, walked.left_lines, strict=True):
            if caller in self._own:
                left_callers.append(self._number(caller))
                left_lines.append(line)
        seen = sorted(path for path in reached & set(entered) if not path.startswith("<"))
        return UnitFacts(
            member, "ok", "", self._symbols, callers, callees, kinds, lines, overrides, stub_kernels,
            [path for path in walked.headers if path in reached], seen,
            open_callers, open_lines, left_callers, left_lines, [], 0, 0.0, 0.0,
        )  # fmt: skip

    def _is_unseen(self, number: int, kind: int) -> bool:
        """Whether a member alone would not refer to this, and nothing else in its place."""
        made = self._walked.made.get(number)
        if made is not None and made in self._unseen:
            return True
        return kind == CANDIDATE and number not in self._numbers and self._symbol(number) is None

    def _number(self, number: int) -> int:
        known = self._numbers.get(number)
        if known is None:
            symbol = self._symbol(number)
            if symbol is None:
                raise _CompanyError
            known = self._numbers[number] = len(self._symbols)
            self._symbols.append(symbol)
        return known

    def _symbol(self, number: int) -> Symbol | None:
        """What the member says of a symbol; None where it cannot see it."""
        symbol = self._walked.symbols.found[number]
        place = self._own.get(number)
        if place is not None:
            is_elsewhere = symbol.file in self._unseen or (place[1] and place[1] != symbol.line)
            return None if is_elsewhere else symbol
        for said in self._walked.symbols.declared.get(number, ()):
            if said.file not in self._unseen:
                return said
        return None
