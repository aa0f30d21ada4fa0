"""The calls in a file's function bodies, read by their form: a name with brackets behind it.

Calls in lambdas and in the arguments of macros (`AT_DISPATCH_…(…, [&] { f(x); })`) stand in the body like any other
and belong to the function around them. What a name means is decided when all files are known.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from indexer.extract.cpp.alias_arguments import given_functions, used_of
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
    declared_objects,
    first_part,
    type_before,
    written,
)
from indexer.extract.cpp.characters import CLOSING, COLON, GREATER
from indexer.extract.cpp.handed_types import HandedTypes, static_objects
from indexer.extract.cpp.handles import HANDLE_TYPE, NAMING, STRUCTS, named_operator
from indexer.extract.cpp.local_names import LocalNames, initializers, is_parameter, usings_at
from indexer.extract.cpp.messages import OBJECTIVE_C, Message, messages
from indexer.extract.cpp.named_functions import NamedFunctions
from indexer.extract.cpp.outline import Function
from indexer.extract.cpp.own_macros import OwnMacros
from indexer.extract.cpp.python_names import PYTHON_TYPE, PythonNames
from indexer.extract.cpp.receivers import Receivers
from indexer.extract.cpp.template_calls import without_brackets
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.cpp.variables import GENERIC, Variables
from indexer.extract.cpp.words import is_directive
from indexer.facts.cpp import (
    CALL,
    CONSTRUCT,
    HANDED,
    LAUNCH,
    MAKERS,
    MEMBER,
    NAMED,
    WITH_TEMPLATE_ARGUMENTS,
    CallColumns,
    is_expression_text,
)

_LAUNCHED = re.compile(rb">>>\s*\(")
_SPACE = frozenset(b" \t\r\n")
_NAMING_BACKWARDS = frozenset(word[::-1] for word in NAMING)
_STRUCTS_BACKWARDS = frozenset(word[::-1] for word in STRUCTS)
"""Macros: what else names an operator is a function, which is called as well."""
_DECLARATION = -1
"""Of what looks like a call: a type may stand before it."""
_THIS_BACKWARDS, _NEW_BACKWARDS, _DEFINED_BACKWARDS = b"this"[::-1], b"new"[::-1], b"defined"[::-1]
_OF_STD_BACKWARDS = b"std::"[::-1]
_OBJECT_CALLED_BACKWARDS = b"operator()"[::-1]
_ENDS = frozenset(b";{}(,")
_METHODS_TOO_BACKWARDS = frozenset((_DEFINED_BACKWARDS,))
"""Words of the preprocessor alone: elsewhere they are names (`Tensor::defined`)."""
_OF_ALL_BACKWARDS = frozenset(
    word[::-1]
    for word in b"append begin c_str clear count def def_property def_property_readonly def_readonly def_readwrite"
    b" def_static emplace emplace_back empty end erase find insert push_back reserve resize size str".split()
)
"""What every container has, and what pybind11's classes are told: whose it is, nobody asks."""
_GLOBAL_BACKWARDS = re.compile(rb"\w+(?:::\w+)+::(?=[\s(,=!&*{;])")
_MAKERS_BACKWARDS = frozenset(word[::-1].encode() for word in MAKERS)
_MADE = re.compile(rb"\s*<\s*(?:const\s+)?((?:::)?[A-Za-z_]\w*(?:::\w+)*)\s*[<>]")
"""The class that one of them constructs: it hands its arguments to a constructor."""
_GIVEN = re.compile(rb"\s*<(?!<)")
"""What begins template arguments, and no launch's."""
_CAPITALS = re.compile(rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*$")
_STATEMENT_BACKWARDS = re.compile(rb"[A-Z0-9_]*_[A-Z0-9_]*[A-Z]")
"""A macro that has a line to itself, and no semicolon."""


def calls(unit: CppUnit) -> CallColumns | None:
    """Every call in the function bodies of a file; None where there is none."""
    functions = unit.structure.functions
    if not functions:
        return None
    return _Reader(unit).run(functions)


class _Reader:
    def __init__(self, unit: CppUnit) -> None:
        self.unit = unit
        self.text = unit.text
        plain, self.among_arguments = without_brackets(self.text)
        self.backwards = plain[::-1]
        self.objects = static_objects(self.text)
        self.named = NamedFunctions(self.text, self.backwards, unit.structure.functions)
        self.given = given_functions(unit.structure)
        self.local = LocalNames(self.text, unit.structure.classes)
        self.variables = Variables(self.text, self.backwards)
        self.declared = declared_objects(self.text, self.backwards)
        self.numbers: dict[str, int] = {"": 0}
        self.macros = OwnMacros(unit)
        self.python = PythonNames(unit.data, self.text)
        self.made_from = Receivers(self.text, self.backwards, self.variables)
        self.macro_names: dict[int, str] = {}  # of those that are called, by their numbers
        self.number_of: dict[bytes, int] = {}  # of a name as it stands in the text
        self.rows: list[int] = []  # of each call what `CallColumns` has of it, one behind the other

    def run(self, functions: list[Function]) -> CallColumns | None:
        for number, function in enumerate(functions):
            self.body(number, function)
        rows = self.rows
        if not rows:
            return None
        callers, callees, receivers, forms, arguments, lines, usings = (
            rows[n::7] for n in range(7)
        )
        return CallColumns(
            tuple(self.numbers),
            array("i", callers),
            array("i", callees),
            array("i", receivers),
            array("B", forms),
            array("B", arguments),
            array("i", lines),
            array("i", usings),
        )

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))

    def body(self, number: int, function: Function) -> None:
        text, line_starts, number_of = self.text, self.unit.line_starts, self.number_of
        self.variables.enter(function)
        types = self.variables.single
        line = 0
        add = self.rows.extend
        # A constructor's initializers stand before its body.
        start = function.body
        members: frozenset[int] = frozenset()
        if function.head.flavour == "constructor":
            start = function.at + len(function.head.name.rpartition("::")[2])
            members = initializers(text, start, function.body)
        size = len(text)
        head = text[function.start : function.body]
        head_backwards = head[::-1]
        types_here = self.local.template_parameters(function, head)
        lambdas = self.local.lambdas(function)
        usings = self.local.usings(function)
        # Objects that it declares: `uniform_real_distribution<T> uniform(0, 1);`
        objects: set[bytes] = set()
        found = [*CALL_BACKWARDS.finditer(self.backwards, size - function.end - 1, size - start)]
        for match in reversed(found):
            if self.is_no_call(match):
                continue
            bracket, spelled, space, member_of, further, word = match.groups()
            at = size - match.end(2)
            before = at - 1 - len(space)
            has_before = member_of is not None or word is not None
            byte = 0 if has_before else text[before]
            if b"\n" in space and byte not in _ENDS and is_directive(text, before):
                byte, member_of, word = 0, None, None  # a statement begins behind `#endif`
            elif word is not None and b"\n" in space and _STATEMENT_BACKWARDS.fullmatch(word):
                word = None  # and behind `HANDLE_TH_ERRORS`
            form, receiver, in_body = CALL, "", True
            end = size - match.start()
            if spelled in _NAMING_BACKWARDS and (
                operator := named_operator(self.unit.data, spelled[::-1], end)
            ):
                line = bisect_right(line_starts, at, line)
                callee, of = self.number(operator), self.number(HANDLE_TYPE)
                add((number, callee, of, CALL, UNKNOWN_COUNT, line, 0))
                if spelled in _STRUCTS_BACKWARDS:
                    continue
            opening = end - 1
            if opening in members:
                form = CONSTRUCT
            elif bracket == b"{" and word is None and byte == COLON:  # a base, or a label
                continue
            elif bracket == b"<<<":
                form = LAUNCH
                launched = _LAUNCHED.search(text, end, end + 2000)
                opening = launched.end() - 1 if launched else -1
            elif member_of is not None:
                form = MEMBER
                # What is a member itself, or qualified, has a type that is not written here.
                if member_of == _THIS_BACKWARDS:
                    receiver = "this"
                elif member_of and not further and not member_of[-1:].isdigit():
                    name = member_of[::-1]
                    used = size - match.end(4)
                    receiver, in_body, whole, _ = types.get(name) or self.variables.of(
                        name, function, used
                    )
                    if not receiver and whole != GENERIC and self.may_be_own(match):
                        receiver = self.expression(match, function, types_here)
                    elif types_here and receiver.encode("latin-1") in types_here:
                        receiver = ""  # what is of a template parameter's type may be anything
                elif self.may_be_own(match):
                    receiver = self.expression(match, function, types_here)
            elif word is not None:
                if word == _NEW_BACKWARDS:
                    form = CONSTRUCT
                elif word not in BEFORE_CALLS_BACKWARDS:
                    form = _DECLARATION
                elif bracket == b"{":
                    form = CONSTRUCT
            elif byte == GREATER and text[before - 1] not in _SPACE:  # `vector<int> x(3)`
                form = _DECLARATION
            elif bracket == b"{":
                form = CONSTRUCT
            elif b"_" in spelled and _CAPITALS.match(spelled[::-1]):
                opening = -1  # most are macros, whose arguments need not be counted
            if form == _DECLARATION:
                of_type = type_before(self.backwards, size - at)
                if of_type is None or of_type.encode("latin-1") in NEVER_CALLS:
                    continue
                objects.add(spelled)
                if types_here and of_type.encode("latin-1") in types_here:
                    continue
                form, callee = CONSTRUCT, self.number(of_type)
            else:
                if form != MEMBER and (
                    (types_here and first_part(spelled) in types_here)
                    or (lambdas and self.local.is_lambda(lambdas, spelled[::-1], at, function))
                    or (
                        word != _NEW_BACKWARDS
                        and spelled in head_backwards
                        and is_parameter(head, spelled[::-1])
                    )
                ):
                    continue
                if spelled in objects and form == CALL:
                    # A function's own object hides what else has its name ([basic.scope.hiding]).
                    declared = self.variables.seen(spelled[::-1], function, at)
                    if declared is not None:
                        receiver, in_body = declared.plain, declared.in_body
                        if not receiver or receiver.encode("latin-1") in types_here:
                            continue  # the type may be anything
                        form, spelled = MEMBER, _OBJECT_CALLED_BACKWARDS
                known = number_of.get(spelled)
                if known is None:
                    called = written(spelled[::-1])
                    known = number_of[spelled] = self.number(called)
                    if called in self.macros:
                        self.macro_names[known] = called
                callee = known
            line = bisect_right(line_starts, at, line)
            if callee in self.macro_names and form == CALL:
                made = self.macros.calls(self.macro_names[callee], line, text, end - 1)
                for called, count in dict.fromkeys(made):
                    add((number, self.number(called), 0, CALL, count, line, 0))
            if bracket == b"{":
                count = count_braced(text, opening)
            else:
                count = count_arguments(text, opening) if opening >= 0 else UNKNOWN_COUNT
            using = 0
            if usings and in_body:
                using = self.number(usings_at(usings, at).decode("latin-1"))
            between = match.start(2) - match.end(1)
            if between > 2:  # template arguments
                start = size - match.start(2)
                is_maker = spelled.partition(b"::")[0] in _MAKERS_BACKWARDS
                of_class = _MADE.match(text, start) if is_maker else None
                if of_class is not None and first_part(of_class.group(1)[::-1]) not in types_here:
                    constructed = self.number(written(of_class.group(1)))
                    add((number, constructed, 0, CONSTRUCT, count, line, using))
                for given in self.named.among(start, start + between, function, head):
                    add((number, self.number(given), 0, NAMED, UNKNOWN_COUNT, line, 0))
                if form in (CALL, MEMBER) and _GIVEN.match(text, start, start + between):
                    form += WITH_TEMPLATE_ARGUMENTS
            add((
                number,
                callee,
                self.number(receiver) if receiver else 0,
                form,
                count,
                line,
                using,
            ))  # fmt: skip
        self.without_brackets_of_their_own(number, function, head, types_here, usings)

    def is_no_call(self, match: re.Match[bytes]) -> bool:
        """Whether what looks like a call by its brackets is none by its words."""
        spelled, member_of = match.group(2), match.group(4)
        if match.group(1) == b"{":
            return (
                spelled in NEVER_BRACED_BACKWARDS
                or member_of is not None  # `[](…) -> Type {`
                or match.group(6) in BEFORE_BLOCKS_BACKWARDS
                or spelled.endswith(_OF_STD_BACKWARDS)
            )
        return (
            spelled in NEVER_CALLS_BACKWARDS
            and (member_of is None or spelled not in _METHODS_TOO_BACKWARDS)
            # A tensor's methods ask `defined()`; the preprocessor asks it of a name.
            and not (
                spelled == _DEFINED_BACKWARDS
                and self.text[len(self.text) - match.start()] == CLOSING
            )
        )

    def without_brackets_of_their_own(
        self,
        number: int,
        function: Function,
        head: bytes,
        types_here: frozenset[bytes],
        usings: list[tuple[int, int, bytes]],
    ) -> None:
        """What a body calls or hands on though no name in it has a call's brackets behind it."""
        text, line_starts, add = self.text, self.unit.line_starts, self.rows.extend
        for at, message in self.messages(function):
            line = bisect_right(line_starts, at)
            add((number, self.number(message), 0, CALL, UNKNOWN_COUNT, line, 0))
        if self.python.imports:
            for at, imported, opening in self.python.within(function.body, function.end):
                count = count_arguments(text, opening) if opening >= 0 else UNKNOWN_COUNT
                line = bisect_right(line_starts, at)
                add((number, self.number(imported), self.number(PYTHON_TYPE), CALL, count, line, 0))
        for at, name in self.among_arguments:
            if function.body <= at < function.end and name not in NEVER_CALLS:
                line = bisect_right(line_starts, at)
                add((number, self.number(written(name)), 0, CALL, UNKNOWN_COUNT, line, 0))
        first = bisect_left(self.declared, (function.body,))
        for at, name in self.declared[first : bisect_left(self.declared, (function.end,), first)]:
            if types_here and first_part(name[::-1]) in types_here:
                continue
            line = bisect_right(line_starts, at)
            using = self.number(usings_at(usings, at).decode("latin-1")) if usings else 0
            add((number, self.number(written(name)), 0, CONSTRUCT, 0, line, using))
        for at, name in self.named.of(function, head):
            if types_here and first_part(name[::-1]) in types_here:
                continue
            line = bisect_right(line_starts, at)
            using = self.number(usings_at(usings, at).decode("latin-1")) if usings else 0
            add((number, self.number(written(name)), 0, NAMED, UNKNOWN_COUNT, line, using))
        for at, given in used_of(self.given, text, function):
            line = bisect_right(line_starts, at)
            form = NAMED + WITH_TEMPLATE_ARGUMENTS
            add((number, self.number(given), 0, form, UNKNOWN_COUNT, line, 0))
        handed = HandedTypes(text, self.backwards, function.body, function.end)
        for name, at in handed.read(self.objects):
            line = bisect_right(line_starts, at)
            add((number, self.number(name.decode("latin-1")), 0, HANDED, UNKNOWN_COUNT, line, 0))
        for at, name in handed.values:
            line = bisect_right(line_starts, at)
            add((number, self.number(written(name)), 0, NAMED, UNKNOWN_COUNT, line, 0))

    def messages(self, function: Function) -> Iterable[Message]:
        """What a function sends to Objective-C's objects."""
        if not self.unit.path.endswith(OBJECTIVE_C):
            return ()
        owner = function.head.name.rpartition("::")[0]
        return messages(self.text, function.start, function.body, function.end, owner)

    def may_be_own(self, match: re.Match[bytes]) -> bool:
        """Whether a member may be one of the tree's: what every container has is, of a pointer (`store_->append`)."""
        return (
            match.group(2) not in _OF_ALL_BACKWARDS
            or b"-" in self.backwards[match.end(3) : match.start(4)]
        )

    def expression(
        self, match: re.Match[bytes], function: Function, open_types: frozenset[bytes]
    ) -> str:
        """What a member is called on where its type is not written; "" where it is not known.

        Args:
            match: of the call.
            function: around it.
            open_types: the template's parameters.
        """
        size = len(self.text)
        name, further = match.group(4), match.group(5)
        if name and not further and not name[-1:].isdigit():
            name, used = name[::-1], size - match.end(4)
            receiver = self.made_from.of_variable(name, used, function, open_types)
            receiver = receiver or self.made_from.of_field(name, used, function)
        else:
            receiver = self.made_from.before(size - match.start(4), function, open_types)
            last = match.end(5)
            if name and further is not None and self.backwards[last - 1 : last + 1] == b"::":
                if not receiver and (
                    whole := _GLOBAL_BACKWARDS.match(self.backwards, match.start(4))
                ):
                    receiver = whole.group()[::-1].decode("latin-1")
                if receiver and not is_expression_text(receiver):
                    receiver = (
                        f".{receiver}"  # a variable of a namespace: a type stands before no `.`
                    )
        by_arrow = b"-" in self.backwards[match.end(3) : match.start(4)]
        return receiver + "->" if by_arrow and is_expression_text(receiver) else receiver
