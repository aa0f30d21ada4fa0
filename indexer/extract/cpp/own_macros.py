"""The calls that a file's own macros write where functions use them: `#define RUN(T) run<T>(out, in)`.

A macro that is defined in a body is read as a part of it, but for what its uses name (`#define UNARY(n) x->n()`); and
what other files' macros call (checks, dispatch) says little of who uses them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from indexer.extract.cpp.call_text import (
    BEFORE_CALLS_BACKWARDS,
    CALL_BACKWARDS,
    NEVER_CALLS_BACKWARDS,
    UNKNOWN_COUNT,
    count_arguments,
    written,
)
from indexer.extract.cpp.lexical import arguments, blanked
from indexer.extract.cpp.named_functions import listed
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import OPEN_OBJECT, MacroDefinition

_MOST = 50  # macros within macros that are looked at for one use
_NAME = re.compile(rb"(?:::)?[A-Za-z_]\w*(?:::\w+)*")
_TEMPLATE = re.compile(rb"\s*<[^()]*>$")
_TEMPLATE_ARGUMENTS = re.compile(rb"\s*<")
# `VmapPtr(this).method`, where the use gives the call: `process(op, stack)`, which SINGLE_ARG may keep together.
_GIVEN_MEMBER = re.compile(
    rb"\b([A-Za-z_]\w*(?:::\w+)*)\s*\([\w\s,*&]*\)\s*(\.|->)\s*([A-Za-z_]\w*)(?!\s*[\w(#<:.-])"
)
_KEPT_TOGETHER = re.compile(rb"[A-Z][A-Z_]+\s*\(\s*(\w+\s*\(.*\))\s*\)", re.DOTALL)
_GIVEN_CALL = re.compile(rb"([A-Za-z_]\w*)\s*\(.*\)", re.DOTALL)


class Called(NamedTuple):
    """A call that a use of a macro writes.

    Args:
        name: that is called, as `written` gives it.
        number: of arguments; 255 if not known.
        is_template: template arguments stand behind the name, so that it means a template ([temp.names]).
        receiver: of a member, as in `CallColumns.receivers`; "" for what is none.
    """

    name: str
    number: int
    is_template: bool
    receiver: str = ""


class _Written(NamedTuple):
    """One call in a macro's replacement.

    Args:
        call: with the name as it stands there.
        given: the arguments.
    """

    call: Called
    given: tuple[bytes, ...]


class OwnMacros:
    """Of one file.

    Args:
        unit: the file.
    """

    def __init__(self, unit: CppUnit) -> None:
        self._by_name: dict[str, list[MacroDefinition]] = {}
        self._written: dict[MacroDefinition, list[_Written]] = {}
        # What stands in a body is read as the function's, but for what a use of the macro gives.
        self._inside: set[MacroDefinition] = set()
        bodies = sorted((f.body, f.end) for f in unit.structure.functions) if unit.defines else []
        for definition in unit.defines:
            if definition.params is not None and "(" in definition.body:
                at = unit.line_starts[definition.line - 1]
                before = bisect_right(bodies, (at, at)) - 1
                if before >= 0 and at < bodies[before][1]:
                    self._inside.add(definition)
                self._by_name.setdefault(definition.name, []).append(definition)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def calls(self, name: str, line: int, text: bytes, opening: int) -> Iterator[Called]:
        """Each call that a use of a macro writes.

        Args:
            name: the macro's.
            line: of the use.
            text: of the file, comments and literals blanked.
            opening: the offset of the use's bracket.
        """
        yield from self._expanded(name, line, _given(text, opening), set())

    def _expanded(
        self, name: str, line: int, given: Sequence[bytes], seen: set[tuple[bytes | str, ...]]
    ) -> Iterator[Called]:
        known = [d for d in self._by_name.get(name, ()) if d.line <= line]
        if not known or len(seen) == _MOST or (name, *given) in seen:
            return
        seen.add((name, *given))
        params = [param.encode("latin-1", "replace") for param in known[-1].params or ()]
        actual = dict(zip(params, given, strict=False))
        for call, arguments_given in self._calls_of(known[-1]):
            called = call.name.encode("latin-1", "replace")
            if called in params:
                handed, of_template = _TEMPLATE.subn(b"", actual.get(called, b""))
                if _NAME.fullmatch(handed):
                    is_template = call.is_template or of_template > 0
                    yield call._replace(name=written(handed), is_template=is_template)
                elif call.receiver and (given_call := _given_call(handed)) is not None:
                    yield call._replace(name=given_call[0], number=given_call[1])
            elif call.name in self._by_name and not call.receiver:
                handed_on = [actual.get(argument, argument) for argument in arguments_given]
                yield from self._expanded(call.name, line, handed_on, seen)
            elif known[-1] not in self._inside:
                yield call

    def named(self, name: str, line: int) -> list[bytes]:
        """What a use of a macro makes a namespace's variable with: `{CREATE_DICT_OPS("str")}`, as `listed` tells it.

        Args:
            name: the macro's.
            line: of the use.
        """
        found: dict[bytes, bool] = {}
        waiting, seen = [name], {name}
        while waiting and len(seen) < _MOST:
            known = [d for d in self._by_name.get(waiting.pop(), ()) if d.line <= line]
            if not known or known[-1] in self._inside:
                continue
            text = blanked(known[-1].body.encode("utf-8", "replace"))
            params = {param.encode("latin-1", "replace") for param in known[-1].params or ()}
            found.update((of, True) for _, of in listed(text, 0, len(text)) if of not in params)
            further = {call.name for call, _ in self._calls_of(known[-1])}
            waiting += sorted(further & self._by_name.keys() - seen)
            seen |= further
        return [*found]

    def _calls_of(self, definition: MacroDefinition) -> list[_Written]:
        found = self._written.get(definition)
        if found is None:
            found = self._written[definition] = list(_read(definition))
        return found


def _read(definition: MacroDefinition) -> Iterator[_Written]:
    """The calls in a replacement: of names, not of members, whose receiver's type a use would have to tell."""
    text = blanked(definition.body.encode("utf-8", "replace"))
    is_open = b"__VA_ARGS__" in text or b"##" in text
    size = len(text)
    for match in CALL_BACKWARDS.finditer(text[::-1]):
        bracket, spelled, _, member_of, further, word = match.groups()
        at, end = size - match.end(2), size - match.start()
        declares = word is not None and word not in BEFORE_CALLS_BACKWARDS
        receiver = ""
        if member_of is not None:
            receiver = "" if further else _receiver(text, member_of[::-1])
            if not receiver:
                continue
        if spelled in NEVER_CALLS_BACKWARDS or declares:
            continue
        # What is pasted together has another name; launches are read elsewhere, with what they launch.
        if text[:at].rstrip().endswith(b"#") or bracket != b"(":
            continue
        count = UNKNOWN_COUNT if is_open else count_arguments(text, end - 1)
        is_template = _TEMPLATE_ARGUMENTS.match(text, size - match.start(2), end - 1) is not None
        call = Called(written(spelled[::-1]), count, is_template, receiver)
        yield _Written(call, _given(text, end - 1))
    for match in _GIVEN_MEMBER.finditer(text):
        made, arrow, member = (group.decode("latin-1") for group in match.groups())
        receiver = f"{OPEN_OBJECT}{made}(_)" + ("->" if arrow == "->" else "")
        yield _Written(Called(member, UNKNOWN_COUNT, False, receiver), ())


def _receiver(text: bytes, name: bytes) -> str:
    """The type of a lambda's parameter in a replacement, or `this`; "" for any other name."""
    if name == b"this":
        return "this"
    if not name:
        return ""
    typed = (
        rb"\](?:\s*\(|\s*\([^()]*?,)\s*(?:const\s+)?([A-Za-z_]\w*(?:::\w+)*)\s*[&*]*\s*\b%b\s*[,)]"
        % name
    )
    found = re.search(typed, text)
    if found is None or found[1] == b"auto":
        return ""
    return OPEN_OBJECT + found[1].decode("latin-1")


def _given_call(argument: bytes) -> tuple[str, int] | None:
    """The name and the number of arguments of a call that a use gives; None where it gives something else."""
    together = _KEPT_TOGETHER.fullmatch(argument)
    call = _GIVEN_CALL.fullmatch(argument if together is None else together[1])
    if call is None or call[0][-1:] != b")":
        return None
    return written(call[1]), count_arguments(call[0], call[0].index(b"("))


def _given(text: bytes, opening: int) -> tuple[bytes, ...]:
    return tuple(text[start:end].strip() for start, end in arguments(text, opening))
