"""What the calls of one file come to: definitions, operators that the generator writes, or nothing that is known."""

from __future__ import annotations

from indexer.extract.cpp.handles import HANDLE_TYPE
from indexer.extract.cpp.python_names import PYTHON_TYPE
from indexer.facts.cpp import (
    CALL,
    CONSTRUCT,
    EMPLACING,
    HANDED,
    MADE,
    MEMBER,
    NAMED,
    OBJECT_SIGNS,
    WITH_TEMPLATE_ARGUMENTS,
    plain_object,
)
from indexer.facts.edges import KINDS, call_code
from indexer.link.cpp.call_resolver import SURELY, Resolver
from indexer.link.cpp.file_calls import FileCalls
from indexer.link.cpp.lookup import Lookup
from indexer.link.cpp.open_receivers import UNKNOWN_COUNT
from indexer.link.cpp.slot_calls import SlotCalls

Row = tuple[int, int, int, int]
"""A row of `calls`: caller, callee, line and code."""

OperatorCall = tuple[int, str, "str | None", int, "int | None", int]
"""A row of `operator_calls`: caller, name, receiver, how far it is a method, how many arguments, and line."""

_OF_STRUCTS = frozenset(("call", "redispatch"))
"""What the generator's struct of an operator can do (torchgen/gen.py, ComputeOperators)."""

_TENSOR_CLASSES = frozenset(("Tensor", "at::Tensor", "torch::Tensor"))
"""Whose methods the generator writes (torchgen/gen.py, ComputeTensorMethod)."""

_CODES = {
    origin: {kind: call_code(kind, origin) for kind in KINDS} for origin in ("syntax", "macro")
}


_COPIED = 1  # argument
_MOST_MADE = 4
"""Of more constructors that what is emplaced may run, no one is likely."""


class FileResolution:
    """The calls of one file while they are resolved.

    Args:
        of_file: the calls.
        lookup: over all definitions.
        operators: what the generated API calls operators.
        resolver: for what calls mean; it remembers what it found.
        slots: for calls through members that hold functions.

    Attributes:
        rows: of `calls`, for those that end at definitions.
        unresolved: rows of `operator_calls`, for those that name an operator.
        unknown: how many do neither.
    """

    def __init__(
        self,
        of_file: FileCalls,
        lookup: Lookup,
        operators: frozenset[str],
        resolver: Resolver,
        slots: SlotCalls,
    ) -> None:
        self._file_id, self._first, self._calls, origin = of_file
        self._lookup = lookup
        self._resolver = resolver
        self._slots = slots
        self._codes = _CODES[origin]
        self._texts = texts = self._calls.texts
        # By the number of a text: the last part of a name, and what the texts can mean.
        self._lasts = [text.rpartition("::")[2] for text in texts]
        self._is_operator = [
            last in operators or (last in _OF_STRUCTS and "_ops::" in text)
            for last, text in zip(self._lasts, texts, strict=True)
        ]
        self._is_macro = {last for last in self._lasts if last.isupper() and self._hides(last)}
        self._is_namable = [
            last in lookup.namable and last not in self._is_macro for last in self._lasts
        ]
        # What is constant of a receiver stands before it.
        self._receivers = [*texts]
        self._signs: dict[int, str] = {}
        self._told: set[int] = set()  # those whose text is no class's name
        for number in set(self._calls.receivers):
            text = texts[number]
            if text[:1] in OBJECT_SIGNS:
                plain = self._receivers[number] = plain_object(text)
                self._signs[number] = text[: len(text) - len(plain)]
                text = plain
            if resolver.types.tells(text):
                self._told.add(number)
        self._emplacing = {texts.index(name) for name in EMPLACING.intersection(texts)}
        self._outside = {texts.index(of): of for of in (HANDLE_TYPE, PYTHON_TYPE) if of in texts}
        self.rows: list[Row] = []
        self.unresolved: list[OperatorCall] = []
        self.unknown = 0

    def _hides(self, name: str) -> bool:
        """Whether a name means a macro in the file."""
        lookup = self._lookup
        of_owners = lookup.by_last.get(name, {}).values()
        defining = [lookup.paths[d.file_id] for found in of_owners for d in found]
        path = lookup.paths.get(self._file_id, "")
        return bool(defining) and lookup.macros.hides(name, path, defining)

    def run(self) -> None:
        """Resolve them all, in their order."""
        calls, lookup, texts, first = self._calls, self._lookup, self._texts, self._first
        for caller, callee, receiver, form, arguments, line, using in zip(
            calls.callers,
            calls.callees,
            calls.receivers,
            calls.forms,
            calls.arguments,
            calls.lines,
            calls.usings,
            strict=True,
        ):
            plain = form & ~WITH_TEMPLATE_ARGUMENTS
            if plain == HANDED:
                continue
            if plain == MADE:
                if self._lasts[receiver] not in lookup.makers:
                    continue
                receiver = 0
            place = lookup.owners.get(first + caller)
            if place is None:
                continue  # a head made by a macro that is not known
            if plain == CALL and receiver in self._outside:
                self._call_outside(first + caller, callee, receiver, arguments, line)
                continue
            if using:
                # An alias makes a name mean something that would mean nothing else.
                place = lookup.body(place[0], texts[using]), place[1]
            is_member = plain == MEMBER and not texts[receiver]
            if is_member and texts[callee][:3] == "def" and (self._file_id, line) in lookup.bound:
                self.unknown += 1  # a method of pybind11's
                continue
            self._resolve(first + caller, callee, receiver, form, arguments, line, place, using)

    def _call_outside(
        self, caller: int, callee: int, receiver: int, arguments: int, line: int
    ) -> None:
        """Keep a call of what Python has, or a handle of an operator: both are told by their names in full."""
        of = self._outside[receiver]
        count = None if of == HANDLE_TYPE else _count(arguments)
        self.unresolved.append((caller, self._texts[callee], of, 0, count, line))

    def _resolve(
        self,
        caller: int,
        callee: int,
        receiver: int,
        form: int,
        arguments: int,
        line: int,
        place: tuple[str, int],
        using: int,
    ) -> None:
        """Resolve one call; it may be an operator's besides."""
        name, of = self._texts[callee], self._receivers[receiver]
        is_operator = self._is_operator[callee]
        if receiver in self._told:
            is_known = is_operator or name in self._lookup.methods or name in self._slots.names
            of = self._resolver.class_of(of, name, place) if is_known else ""
        found: tuple[int, ...] = ()
        last = self._lasts[callee]
        # An alias in the body may have made a name mean something since.
        is_used = using and last in self._lookup.namable and last not in self._is_macro
        if self._is_namable[callee] or is_used:
            found = self._definitions(caller, callee, receiver, of, form, arguments, line, place)
        if form == CONSTRUCT and not found and _COPIED < arguments < UNKNOWN_COUNT:
            found = self._member_made(caller, name, arguments, line, place)
        if callee in self._emplacing and _COPIED < arguments < UNKNOWN_COUNT:
            self._emplaced(caller, name, receiver, arguments, line, place)
        form &= ~WITH_TEMPLATE_ARGUMENTS
        if not found and name in self._slots.names and form in (CALL, MEMBER):
            found = self._slots.resolve(name, of, form, place, caller)
            code = self._codes["virtual"]
            self.rows += ((caller, identity, line, code) for identity in found)
        if is_operator and form in (CALL, MEMBER):
            method = 0
            if form == MEMBER:
                method = self._resolver.is_operator(name, of, arguments, place, bool(found))
            if method or not found:
                count = _count(arguments)
                self.unresolved.append((caller, name, of or None, method, count, line))
        elif is_operator and form == NAMED and not found:
            self._name_operator(caller, name, line)
        elif not found and form != NAMED and not self._lasts[callee].isupper():
            self.unknown += 1  # of macros nobody asks

    def _name_operator(self, caller: int, name: str, line: int) -> None:
        """Keep an operator that is handed on as a function: `f(self, at::sin)`, `f(&at::sin_outf)`, `f(&Tensor::sin_)`.

        A bare name may be a variable's. Of a name in `at` or `torch` step 82 knows what the generator writes there.
        """
        scope, _, last = name.removeprefix("::").rpartition("::")
        if scope in _TENSOR_CLASSES:
            self.unresolved.append((caller, last, scope, SURELY, None, line))
        elif scope:
            self.unresolved.append((caller, name, None, 0, None, line))

    def _definitions(
        self,
        caller: int,
        callee: int,
        receiver: int,
        of: str,
        form: int,
        arguments: int,
        line: int,
        place: tuple[str, int],
    ) -> tuple[int, ...]:
        """Keep the functions that a call may end at, and tell their ids."""
        name, resolver = self._texts[callee], self._resolver
        kind, found = resolver.resolve(name, of, form, arguments, place)
        is_call = form & ~WITH_TEMPLATE_ARGUMENTS == CALL
        if kind == "candidate" and is_call and "::" in name:
            like = resolver.handed_on(caller, self._lasts[callee])
            if like:
                kind, found = resolver.resolve(name, of, form, arguments, place, like)
        elif kind == "call" and is_call:
            before = resolver.before_own(caller, found[0], self._lasts[callee])
            kind, found = ("candidate", before) if before else (kind, found)
        if kind == "candidate" and len(found) > 1 and (of or is_call):
            sign = self._signs.get(receiver, "")
            written = self._receivers[receiver]
            kind, found = resolver.on_object(name, found, form, (caller, sign, written), place)
        for identity in found:
            self.rows.append((caller, identity, line, self._codes[kind]))
            if identity in self._lookup.run_on_held:
                self._run_on_held(caller, identity, of, line, place)
        return found

    def _member_made(
        self, caller: int, name: str, arguments: int, line: int, place: tuple[str, int]
    ) -> tuple[int, ...]:
        """Keep the constructor that a member's initializer calls, and tell its id: `code(graph, name)`.

        One argument may be an object that is copied, or what a pointer or a reference is made of; of no type that holds
        these alone has it several.
        """
        lookup = self._lookup
        field = lookup.find_field(name, lookup.owner(place[0]), place[1])
        if field is None:
            return ()
        of_type, where = field
        made = of_type.partition("<")[0]
        kind, found = self._resolver.resolve(made, "", CONSTRUCT, arguments, where)
        self.rows += ((caller, identity, line, self._codes[kind]) for identity in found)
        return found

    def _emplaced(
        self,
        caller: int,
        name: str,
        receiver: int,
        arguments: int,
        line: int,
        place: tuple[str, int],
    ) -> None:
        """Keep the constructor that a container's method calls: `bounds.emplace_back(start, end)`.

        One argument may be an object that is copied.
        """
        resolver = self._resolver
        made = resolver.types.emplaced(self._receivers[receiver], name, place)
        if made:
            kind, found = resolver.resolve(made, "", CONSTRUCT, arguments, place)
            if len(found) <= _MOST_MADE:
                self.rows += ((caller, identity, line, self._codes[kind]) for identity in found)

    def _run_on_held(
        self, caller: int, method: int, holder: str, line: int, place: tuple[str, int]
    ) -> None:
        """Keep what the method of a template calls on what an object of a class below it holds: `model(x)`."""
        lookup = self._lookup
        held = lookup.held.get(lookup.find_class(holder, *place) or "")
        if held is None:
            return
        text, where = held
        for name in lookup.run_on_held[method]:
            kind, found = self._resolver.resolve(name, text, MEMBER, UNKNOWN_COUNT, where)
            self.rows += ((caller, identity, line, self._codes[kind]) for identity in found)


def _count(arguments: int) -> int | None:
    return None if arguments == UNKNOWN_COUNT else arguments
