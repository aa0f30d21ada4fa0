"""The calls in a file's function bodies, read by their form: a name with brackets behind it.

Calls in lambdas and in the arguments of macros (`AT_DISPATCH_…(…, [&] { f(x); })`) stand in the body like any other
and belong to the function around them. What a name means is decided when all files are known.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from indexer.extract.cpp.bare_calls import BareCalls
from indexer.extract.cpp.call_rows import CallRows
from indexer.extract.cpp.call_text import (
    BEFORE_BLOCKS_BACKWARDS,
    BEFORE_CALLS_BACKWARDS,
    CALL_BACKWARDS,
    NEVER_BRACED_BACKWARDS,
    NEVER_CALLS,
    NEVER_CALLS_BACKWARDS,
    UNKNOWN_COUNT,
    count_arguments,
    count_braced,
    first_part,
    type_before,
    types_before,
    written,
)
from indexer.extract.cpp.called_on import CalledOn
from indexer.extract.cpp.characters import CLOSING, COLON, GREATER
from indexer.extract.cpp.handles import HANDLE_TYPE, NAMING, STRUCTS, named_operator
from indexer.extract.cpp.local_names import LocalNames, initializers, is_parameter, usings_at
from indexer.extract.cpp.named_functions import NamedFunctions
from indexer.extract.cpp.outline import Function
from indexer.extract.cpp.own_macros import OwnMacros
from indexer.extract.cpp.template_calls import without_brackets
from indexer.extract.cpp.type_slots import unnamed_slots
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.cpp.variables import Variables, accessed
from indexer.extract.cpp.words import is_directive
from indexer.facts.cpp import (
    CALL,
    CONSTRUCT,
    LAUNCH,
    MADE,
    MAKERS,
    MEMBER,
    NAMED,
    WITH_TEMPLATE_ARGUMENTS,
    CallColumns,
)

_LAUNCHED = re.compile(rb">>>\s*\(")
_FAR = 2000  # bytes of a launch's configuration
_LEAST = 2  # bytes of template arguments; white space may be as long
_SPACE = frozenset(b" \t\r\n")
_NAMING_BACKWARDS = frozenset(word[::-1] for word in NAMING)
_STRUCTS_BACKWARDS = frozenset(word[::-1] for word in STRUCTS)
"""Macros: what else names an operator is a function, which is called as well."""
_DECLARATION = -1
"""Of what looks like a call: a type may stand before it."""
_NEW_BACKWARDS, _DEFINED_BACKWARDS = b"new"[::-1], b"defined"[::-1]
_OF_STD_BACKWARDS = b"std::"[::-1]
_OBJECT_CALLED_BACKWARDS = b"operator()"[::-1]
_ENDS = frozenset(b";{}(,")
_MAKERS_BACKWARDS = frozenset(word[::-1].encode() for word in MAKERS)
_MADE = re.compile(rb"\s*<\s*(?:const\s+)?((?:::)?[A-Za-z_]\w*(?:::\w+)*)\s*[<>]")
"""The class that one of them constructs: it hands its arguments to a constructor."""
_GIVEN = re.compile(rb"\s*<(?!<)")
"""What begins template arguments, and no launch's."""
_CAPITALS = re.compile(rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*$")
_STATEMENT_BACKWARDS = re.compile(rb"[A-Z0-9_]*_[A-Z0-9_]*[A-Z]")
"""A macro that has a line to itself, and no semicolon."""


def calls(unit: CppUnit) -> CallColumns | None:
    """Every call in the function bodies of the file `unit`; None where there is none."""
    functions = unit.structure.functions
    if not functions:
        return None
    file = _File(unit)
    for number, function in enumerate(functions):
        _Body(file, number, function).read()
    return file.rows.columns()


class _File:
    """What is known of a file as a whole, and the calls found so far."""

    def __init__(self, unit: CppUnit) -> None:
        self.data = unit.data
        self.text = unit.text
        self.line_starts = unit.line_starts
        plain, among_arguments = without_brackets(self.text)
        self.backwards = plain[::-1]
        self.rows = CallRows()
        self.named = NamedFunctions(self.text, self.backwards, unit.structure.functions)
        self.local = LocalNames(self.text, unit.structure.classes)
        self.variables = Variables(self.text, self.backwards)
        self.called_on = CalledOn(self.text, self.backwards, self.variables)
        self.bare = BareCalls(unit, self.backwards, among_arguments, self.named, self.rows)
        self.macros = OwnMacros(unit)
        self.macro_names: dict[int, str] = {}  # of those that are called, by their numbers
        self.numbers: dict[bytes, int] = {}  # of names as they stand in the text backwards

    def number(self, spelled: bytes) -> int:
        """The number of a name that is given backwards."""
        known = self.numbers.get(spelled)
        if known is None:
            called = written(spelled[::-1])
            known = self.numbers[spelled] = self.rows.number(called)
            if called in self.macros:
                self.macro_names[known] = called
        return known

    def count(self, bracket: bytes, opening: int) -> int:
        """How many arguments stand in the bracket that opens at an offset; where that is -1, it is not known."""
        if bracket == b"{":
            return count_braced(self.text, opening)
        return count_arguments(self.text, opening) if opening >= 0 else UNKNOWN_COUNT


class _Body:
    """One function's body, read from its beginning to its end."""

    def __init__(self, file: _File, number: int, function: Function) -> None:
        text, local = file.text, file.local
        self.file, self.number, self.function = file, number, function
        self.start = function.body
        self.members: frozenset[int] = frozenset()
        if function.head.flavour == "constructor":
            # Its initializers stand before its body.
            self.start = function.at + len(function.head.name.rpartition("::")[2])
            self.members = initializers(text, self.start, function.body)
        self.head = text[function.start : function.body]
        self.head_backwards = self.head[::-1]
        self.open_types = local.template_parameters(function, self.head)
        self.lambdas = local.lambdas(function)
        self.usings = local.usings(function)
        # Objects that it declares, backwards: `uniform_real_distribution<T> uniform(0, 1);`
        self.objects: set[bytes] = set()
        self.listed: set[str] = set()  # macros that a variable is made with
        self.line = 0

    def read(self) -> None:
        """Add the calls to the file's rows."""
        file, function = self.file, self.function
        if self.is_type_object():
            return
        file.variables.enter(function)
        size = len(file.text)
        found = [
            *CALL_BACKWARDS.finditer(file.backwards, size - function.end - 1, size - self.start)
        ]
        if function.head.flavour == "variable":
            self.make_variable()
        for match in reversed(found):
            self.call(match)
        file.bare.read(self.number, function, self.head, self.open_types, self.usings)

    def is_type_object(self) -> bool:
        """Whether the body is what one of CPython's types is made with; then add what Python has no name for."""
        file, function = self.file, self.function
        if function.head.flavour != "variable" or b"PyTypeObject" not in self.head:
            return False
        opening = file.text.find(b"{", function.body)
        for at, name in unnamed_slots(file.text, opening, file.text.rfind(b"}", 0, function.end)):
            named, line = file.rows.number(written(name)), self.line_of(at)
            file.rows.add((self.number, named, 0, NAMED, UNKNOWN_COUNT, line, 0))
        return True

    def make_variable(self) -> None:
        """Add the constructor that makes a variable of a namespace, or a data member: `Register r("f", f);`."""
        file, function = self.file, self.function
        value = function.body
        bracket = file.text[value : value + 1]
        if bracket == b"=":
            return
        types = types_before(file.backwards, len(file.text) - function.at)
        # A pointer to a class, smart or not, is made of no such object.
        if types is None or file.text[: function.at].rstrip()[-1:] in (b"*", b"&"):
            return
        of_type, whole, _ = types
        if whole.partition("<")[0] == of_type and of_type.encode("latin-1") not in NEVER_CALLS:
            count = 0 if bracket == b";" else file.count(bracket, value)
            line = self.line_of(function.at)
            file.rows.add((self.number, file.rows.number(of_type), 0, CONSTRUCT, count, line, 0))

    def call(self, match: re.Match[bytes]) -> None:
        """Add what a name with a bracket behind it calls, if it does."""
        file, text = self.file, self.file.text
        size = len(text)
        bracket, spelled, space, member_of, _, word = match.groups()
        at, end = size - match.end(2), size - match.start()
        if bracket == b"{":
            if _begins_block(spelled, member_of, word):
                return
        elif spelled in NEVER_CALLS_BACKWARDS and not (
            # A tensor's methods ask `defined()`; the preprocessor asks it of a name.
            spelled == _DEFINED_BACKWARDS and (member_of is not None or text[end] == CLOSING)
        ):
            return
        before = at - 1 - len(space)
        byte = 0 if member_of is not None or word is not None else text[before]
        if b"\n" in space:
            if byte not in _ENDS and is_directive(text, before):
                byte, member_of, word = 0, None, None  # a statement begins behind `#endif`
            elif word is not None and _STATEMENT_BACKWARDS.fullmatch(word):
                word = None  # and behind `HANDLE_TH_ERRORS`
        if spelled in _NAMING_BACKWARDS and self.names_operator(spelled, at, end):
            return
        opening = end - 1
        receiver, in_body = "", True
        if opening in self.members:
            form = CONSTRUCT
        elif bracket == b"{" and word is None and byte == COLON:  # a base, or a label
            return
        elif bracket == b"<<<":
            form = LAUNCH
            launched = _LAUNCHED.search(text, end, end + _FAR)
            opening = launched.end() - 1 if launched else -1
        elif member_of is not None:
            form = MEMBER
            receiver, in_body = file.called_on.of(match, self.function, self.open_types)
        elif word is None and byte == GREATER and text[before - 1] not in _SPACE:
            form = _DECLARATION  # `vector<int> x(3)`
        else:
            form = _form_behind(word, bracket)
            if form == CALL and word is None and b"_" in spelled and _is_macro_name(spelled):
                opening = -1  # its arguments need not be counted
        if form == _DECLARATION:
            self.add_declared(match, at, opening)
        elif form == MEMBER or not self.is_hidden(spelled, word, at):
            self.add_called(match, at, opening, form, receiver, in_body)

    def names_operator(self, spelled: bytes, at: int, end: int) -> bool:
        """Add the call of an operator that is named in brackets; whether that is all that is called.

        Args:
            spelled: what they belong to, backwards.
            at: where that stands.
            end: behind the opening bracket.
        """
        operator = named_operator(self.file.data, spelled[::-1], end)
        if operator is None:
            return False
        rows, line = self.file.rows, self.line_of(at)
        callee, of = rows.number(operator), rows.number(HANDLE_TYPE)
        rows.add((self.number, callee, of, CALL, UNKNOWN_COUNT, line, 0))
        return spelled in _STRUCTS_BACKWARDS

    def is_hidden(self, spelled: bytes, word: bytes | None, at: int) -> bool:
        """Whether a name, given backwards with the word before it, means a parameter or a lambda of the function."""
        if self.open_types and first_part(spelled) in self.open_types:
            return True
        local = self.file.local
        if self.lambdas and local.is_lambda(self.lambdas, spelled[::-1], at, self.function):
            return True
        return (
            word != _NEW_BACKWARDS
            and spelled in self.head_backwards
            and is_parameter(self.head, spelled[::-1])
        )

    def add_declared(self, match: re.Match[bytes], at: int, opening: int) -> None:
        """Add the constructor that a declaration calls: `Range range(from, to)`."""
        file, spelled = self.file, match.group(2)
        of_type = type_before(file.backwards, len(file.text) - at)
        if of_type is None:
            return
        of_type_written = of_type.encode("latin-1")
        # `define` is a method's name as well, and a type's never: a macro's of `#define RUN(x)`.
        if of_type_written in NEVER_CALLS or of_type == "define":
            return
        self.objects.add(spelled)
        if of_type_written not in self.open_types:
            callee = file.rows.number(of_type)
            self.add(match, at, opening, spelled, callee, CONSTRUCT, "", in_body=True)

    def add_called(
        self, match: re.Match[bytes], at: int, opening: int, form: int, receiver: str, in_body: bool
    ) -> None:
        """Add what a name calls: the function of that name, or an object that the body has declared."""
        file, spelled = self.file, match.group(2)
        if form == CALL and spelled in self.objects:
            # A function's own object hides what else has its name ([basic.scope.hiding]).
            declared = file.variables.seen(spelled[::-1], self.function, at)
            if declared is not None:
                if not declared.plain or declared.plain.encode("latin-1") in self.open_types:
                    return  # the type may be anything
                receiver, in_body = accessed(declared, by_arrow=False), declared.in_body
                form, spelled = MEMBER, _OBJECT_CALLED_BACKWARDS
        callee = file.number(spelled)
        if form == CALL and callee in file.macro_names:
            self.add_written(file.macro_names[callee], at, len(file.text) - match.start() - 1)
        self.add(match, at, opening, spelled, callee, form, receiver, in_body=in_body)

    def add_written(self, macro: str, at: int, opening: int) -> None:
        """Add the calls that a use of one of the file's macros writes."""
        file, line = self.file, self.line_of(at)
        made = file.macros.calls(macro, line, file.text, opening)
        for called, count, is_template, receiver in dict.fromkeys(made):
            form = MEMBER if receiver else CALL
            form += WITH_TEMPLATE_ARGUMENTS if is_template else 0
            of = file.rows.number(receiver) if receiver else 0
            file.rows.add((self.number, file.rows.number(called), of, form, count, line, 0))
        if self.function.head.flavour == "variable" and macro not in self.listed:
            self.listed.add(macro)  # the first use says it all
            for name in file.macros.named(macro, line):
                named = file.rows.number(written(name))
                file.rows.add((self.number, named, 0, NAMED, UNKNOWN_COUNT, line, 0))

    def add(
        self,
        match: re.Match[bytes],
        at: int,
        opening: int,
        spelled: bytes,
        callee: int,
        form: int,
        receiver: str,
        *,
        in_body: bool,
    ) -> None:
        """Add a call, and what its template arguments hand on.

        Args:
            match: of the call.
            at: where its name stands.
            opening: where the bracket of its arguments does; -1 where they are not counted.
            spelled: the name, backwards.
            callee: the number of what is called.
            form: as in `CallColumns.forms`.
            receiver: as in `CallColumns.receivers`.
            in_body: whether the body's using-directives say what names mean.
        """
        rows, line = self.file.rows, self.line_of(at)
        count = self.file.count(match.group(1), opening)
        using = 0
        if self.usings and in_body:
            using = rows.number(usings_at(self.usings, at).decode("latin-1"))
        if match.start(2) - match.end(1) > _LEAST:
            are_given = self.hands_on(match, spelled, count, using)
            if are_given and form in (CALL, MEMBER):
                form += WITH_TEMPLATE_ARGUMENTS
        of = rows.number(receiver) if receiver else 0
        rows.add((self.number, callee, of, form, count, line, using))

    def hands_on(self, match: re.Match[bytes], spelled: bytes, count: int, using: int) -> bool:
        """Add what stands between a name and its bracket hands on; whether it is template arguments.

        Args:
            match: of the call.
            spelled: the name, backwards.
            count: of the arguments in the bracket.
            using: the number of the using-directives that hold.
        """
        file, rows, line = self.file, self.file.rows, self.line
        text, size = file.text, len(file.text)
        start, end = size - match.start(2), size - match.end(1)
        made = _MADE.match(text, start)
        if made is not None and first_part(made.group(1)[::-1]) not in self.open_types:
            constructed, maker = rows.number(written(made.group(1))), spelled.partition(b"::")[0]
            if maker in _MAKERS_BACKWARDS:
                rows.add((self.number, constructed, 0, CONSTRUCT, count, line, using))
            elif made.group(1) not in NEVER_CALLS:
                by = rows.number(written(maker[::-1]))
                rows.add((self.number, constructed, by, MADE, count, line, using))
        for given in file.named.among(start, end, self.function, self.head):
            rows.add((self.number, rows.number(given), 0, NAMED, UNKNOWN_COUNT, line, 0))
        return _GIVEN.match(text, start, end) is not None

    def line_of(self, at: int) -> int:
        """The 1-based line of an offset that is behind those that were asked for before."""
        self.line = bisect_right(self.file.line_starts, at, self.line)
        return self.line


def _begins_block(spelled: bytes, member_of: bytes | None, word: bytes | None) -> bool:
    """Whether a brace opens no object but a block, by what stands before it, given backwards."""
    return (
        spelled in NEVER_BRACED_BACKWARDS
        or member_of is not None  # `[](…) -> Type {`
        or word in BEFORE_BLOCKS_BACKWARDS
        or spelled.endswith(_OF_STD_BACKWARDS)
    )


def _is_macro_name(spelled: bytes) -> bool:
    """Whether a name, given backwards, is written as most macros are."""
    return _CAPITALS.match(spelled[::-1]) is not None


def _form_behind(word: bytes | None, bracket: bytes) -> int:
    """The form of what a word may stand before, given backwards: `new T(x)`, `return f(x)`, `Range{from, to}`."""
    if word == _NEW_BACKWARDS:
        return CONSTRUCT
    if word is not None and word not in BEFORE_CALLS_BACKWARDS:
        return _DECLARATION
    return CONSTRUCT if bracket == b"{" else CALL
