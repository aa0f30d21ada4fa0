"""Walking one translation unit: definitions, and from within them every call.

Each cursor costs one call from C into Python, about a microsecond; so the two visitors below are closures over local
names, look at the kind first and ask libclang as little as they can.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from indexer.clang import kinds
from indexer.clang.jumbo import JUMBO_FILE
from indexer.clang.library import CONTINUE, RECURSE, Cursor, Libclang, Visit
from indexer.clang.stubs import Stubs
from indexer.clang.symbols import NONE, Places, Symbols, is_operator
from indexer.clang.variables import is_made_by_calls
from indexer.facts.clang import (
    CALL,
    CANDIDATE,
    CONSTRUCTOR,
    REFERENCE,
    STUB,
    VIRTUAL,
    Override,
    StubKernel,
)

_MAX_CANDIDATES = 64
"""Of an overloaded name. The visitors of TensorExpr have forty methods `visit`; std:: has names with hundreds."""


class Segment(NamedTuple):
    """Where in the columns begins what the next cursors of one file give.

    Args:
        file: as it stands in the database.
        mark: in a jumbo unit's own text, the name of what stands there.
        calls: so many calls were before.
        opens: so many calls that clang cannot tell.
        definitions: so many definitions.
        overrides: so many overridden methods.
        stub_kernels: so many registrations.
    """

    file: str
    mark: str
    calls: int
    opens: int
    definitions: int
    overrides: int
    stub_kernels: int


class Definition(NamedTuple):
    """A function whose body was walked.

    Args:
        number: of its symbol.
        line: where it stands.
        calls: so many calls were found before it.
    """

    number: int
    line: int
    calls: int


class Walked(NamedTuple):
    """What a walk found; see `UnitFacts`.

    Beyond that, for telling the members of a jumbo unit apart: the files' segments in order, the definitions, which
    files each file includes, and by number of a variable that calls give its value the file that defines it.
    """

    symbols: Symbols
    callers: array[int]
    callees: array[int]
    kinds: array[int]
    lines: array[int]
    overrides: list[Override]
    stub_kernels: list[StubKernel]
    headers: list[str]
    open_callers: array[int]
    open_lines: array[int]
    left_callers: array[int]
    left_lines: array[int]
    segments: list[Segment]
    definitions: list[Definition]
    includes: dict[str, list[str]]
    made: dict[int, str]


def walk(
    lib: Libclang,
    unit: int,
    shorten: Callable[[str], tuple[str, bool]],
    skipped: Set[str],
    unread: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    members: Set[str] = frozenset(),
) -> Walked:
    """Collect the definitions and calls of a parsed unit.

    Args:
        lib: libclang.
        unit: the CXTranslationUnit.
        shorten: from a file's absolute path to (how it stands in the database, whether it is the tree's).
        skipped: headers, as they stand in the database, that others walk.
        unread: first and last lines of what was blanked before the unit was parsed, by file as it stands there.
        members: of a jumbo unit, its units as they stand in the database.
    """
    places = Places(lib, shorten)
    symbols = Symbols(lib, places, members)
    stubs = Stubs(lib, places, symbols)
    callers, callees, sorts, lines = array("I"), array("I"), array("B"), array("I")
    overrides: list[Override] = []
    headers: dict[str, None] = {}
    wanted_files: dict[int | None, bool] = {}
    # By the address of the declaration that a cursor refers to: the number of the symbol, NONE for no function.
    numbers: dict[int | None, int] = {}
    candidates: dict[int | None, int] = {}
    virtual: set[int | None] = set()
    constructors: set[int | None] = set()
    methods: set[int | None] = set()
    stub_operators: set[int | None] = set()
    # Calls whose callee's own expression is still to come, by the same address.
    awaited: dict[int | None, list[int]] = {}
    scope_cursor = Cursor()
    scope = NONE
    scope_file: int | None = None
    last_line = 0
    awaits_stub = False
    open_callers, open_lines = array("I"), array("I")
    segments: list[Segment] = []
    definitions: list[Definition] = []
    includes: dict[str, list[str]] = {}
    made: dict[int, str] = {}
    segment_file: int | None = -1

    referenced_by, num_overloaded, overloaded = (
        lib.getCursorReferenced,
        lib.getNumOverloadedDecls,
        lib.getOverloadedDecl,
    )
    visit_children, place_of, is_dynamic = lib.visitChildren, places.of, lib.Cursor_isDynamicCall
    function_kinds, class_scopes = kinds.FUNCTIONS, kinds.SCOPES
    k_call, k_over, k_member = kinds.CALL, kinds.OVERLOADED_REF, kinds.MEMBER_REF
    reference_kinds = frozenset((kinds.DECLARATION_REF, kinds.MEMBER_REF))
    k_variable, k_constructor = kinds.VARIABLE, kinds.CONSTRUCTOR
    preprocessing = kinds.PREPROCESSING

    def number_of(cursor: Cursor) -> int:
        """The symbol that a reference leads to; asked once for each declaration."""
        address = cursor.data0
        kind = cursor.kind
        if kind in function_kinds:
            number = symbols.number(cursor)
            if kind == k_constructor:
                constructors.add(address)
            elif symbols.found[number].kind != "function":
                methods.add(address)
                if lib.CXXMethod_isVirtual(cursor):
                    virtual.add(address)
                if symbols.found[number].name.endswith("DispatchStub::operator()"):
                    stub_operators.add(address)
        elif kind == k_variable and stubs.is_stub(cursor):
            number = symbols.number(cursor)
            stubs.variables.add(address)
        elif kind == k_variable and is_made_by_calls(lib, places, cursor):
            number = symbols.number(cursor)
            made[number] = places.path(places.of(lib.getCursorDefinition(cursor))[0])[0]
        else:
            number = NONE
        numbers[address] = number
        return number

    def emit(callee: int, kind: int, line: int) -> None:
        nonlocal scope
        if scope == NONE:
            # A variable or field counts only when its initialiser calls something.
            file, at = place_of(scope_cursor)
            scope = symbols.define(scope_cursor, file, at)
        callers.append(scope)
        callees.append(callee)
        sorts.append(kind)
        lines.append(line)

    def candidate_of(cursor: Cursor) -> int:
        """The symbol of a candidate, if it says anything: not std::get or an operator, of which there are many."""
        address = cursor.data0
        number = candidates.get(address)
        if number is None:
            is_foreign = places.path(place_of(cursor)[0])[0].startswith("<")
            is_plain = not is_foreign and not is_operator(lib, cursor)
            number = candidates[address] = number_of(cursor) if is_plain else NONE
        return number

    def line_of(cursor: Cursor) -> int:
        nonlocal last_line
        file, line = place_of(cursor)
        if file == scope_file:
            last_line = line
        return last_line

    def name_of_open(name: Cursor, call: Cursor) -> None:
        """A call that clang cannot tell stands at its name's line; a chain of them begins lines before."""
        if referenced_by(call).data0 is not None:
            return
        extent = lib.getCursorExtent(name)
        begin = lib.getRangeStart(lib.getCursorExtent(call))
        if lib.getRangeStart(extent).int_data == begin.int_data:
            file, line = places.at(lib.getRangeEnd(extent))
            if file == scope_file:
                open_lines[-1] = line

    def in_body(cursor: Cursor, parent: Cursor, _: object) -> int:
        nonlocal awaits_stub
        kind = cursor.kind
        if kind in reference_kinds:
            target = referenced_by(cursor)
            address = target.data0
            number = numbers.get(address)
            if number is None:
                if address is None:
                    if scope != NONE and kind == k_member and parent.kind == k_call:
                        name_of_open(cursor, parent)
                    return RECURSE
                number = number_of(target)
            if number == NONE:
                return RECURSE
            waiting = awaited.get(address)
            if waiting:
                lines[waiting.pop()] = line_of(cursor)
            elif address in stubs.variables:
                emit(number, STUB if awaits_stub else REFERENCE, line_of(cursor))
                awaits_stub = False
            else:
                emit(number, REFERENCE, line_of(cursor))
        elif kind == k_call:
            target = referenced_by(cursor)
            address = target.data0
            if address is None:
                if scope != NONE:
                    open_callers.append(scope)
                    open_lines.append(line_of(cursor))
                return RECURSE
            number = numbers.get(address)
            if number is None:
                number = number_of(target)
            if number == NONE:
                return RECURSE
            if address in constructors:
                emit(number, CONSTRUCTOR, line_of(cursor))
                return RECURSE
            is_virtual = address in virtual and is_dynamic(cursor)
            if address in stub_operators:
                awaits_stub = True
            emit(number, VIRTUAL if is_virtual else CALL, line_of(cursor))
            waiting = awaited.get(address)
            if waiting is None:
                awaited[address] = [len(lines) - 1]
            else:
                waiting.append(len(lines) - 1)
        elif kind == k_over:
            count = num_overloaded(cursor)
            if count <= _MAX_CANDIDATES:
                line = line_of(cursor)
                for position in range(count):
                    number = candidate_of(overloaded(cursor, position))
                    if number != NONE:
                        emit(number, CANDIDATE, line)
        return RECURSE

    body_visitor = Visit(in_body)

    def enter(cursor: Cursor, number: int, file: int | None, line: int) -> None:
        nonlocal scope, scope_cursor, scope_file, last_line, awaits_stub
        scope, scope_cursor, scope_file, last_line, awaits_stub = number, cursor, file, line, False
        awaited.clear()
        before = len(callees)
        visit_children(cursor, body_visitor, None)
        if number == NONE and len(callees) > before:
            stubs.registration(cursor, callees[before:], file, line)

    def begin_segment(file: int | None, cursor: Cursor) -> None:
        nonlocal segment_file
        segment_file = file
        path, _ = places.path(file)
        mark = lib.text(lib.getCursorSpelling(cursor)) if path == JUMBO_FILE else ""
        segments.append(
            Segment(
                path, mark, len(callees), len(open_lines), len(definitions), len(overrides),
                len(stubs.kernels),
            )
        )  # fmt: skip

    def in_scope(cursor: Cursor, parent: Cursor, _: object) -> int:
        kind = cursor.kind
        if kind in preprocessing:
            if members and kind == kinds.INCLUSION and (included := lib.getIncludedFile(cursor)):
                within = places.path(place_of(cursor)[0])[0]
                includes.setdefault(within, []).append(places.path(included)[0])
            return CONTINUE
        if parent.kind in kinds.TRANSLATION_UNITS:
            file, line = place_of(cursor)
            if members and (file != segment_file or places.path(file)[0] == JUMBO_FILE):
                begin_segment(file, cursor)
            wanted = wanted_files.get(file)
            if wanted is None:
                path, is_own = places.path(file)
                wanted = is_own and path not in skipped
                wanted_files[file] = wanted
                if wanted:
                    headers[path] = None
            if not wanted:
                return CONTINUE
        if kind in class_scopes:
            return RECURSE
        if kind in function_kinds:
            if lib.isCursorDefinition(cursor):
                # What is instantiated is listed too, with its template's body.
                if symbols.pattern(cursor).data0 != cursor.data0:
                    return CONTINUE
                file, line = place_of(cursor)
                number = symbols.define(cursor, file, line)
                definitions.append(Definition(number, line, len(callees)))
                if symbols.found[number].kind == "method" or kind == kinds.DESTRUCTOR:
                    _overrides(lib, symbols, cursor, number, overrides)
                enter(cursor, number, file, line)
        elif kind in (k_variable, kinds.FIELD):
            file, line = place_of(cursor)
            enter(cursor, NONE, file, line)
        return CONTINUE

    scope_visitor = Visit(in_scope)
    visit_children(lib.getTranslationUnitCursor(unit), scope_visitor, None)
    return Walked(
        symbols, callers, callees, sorts, lines, overrides, stubs.kernels, list(headers),
        open_callers, open_lines, *_left_out(lib, unit, places, symbols, unread or {}),
        segments, definitions, includes, made,
    )  # fmt: skip


def _left_out(
    lib: Libclang,
    unit: int,
    places: Places,
    symbols: Symbols,
    unread: Mapping[str, Sequence[tuple[int, int]]],
) -> tuple[array[int], array[int]]:
    """The lines of definitions that were not parsed: of each the number of its symbol, and itself."""
    ranges = _skipped_ranges(lib, unit, places)
    for path, lines_of in unread.items():
        ranges.setdefault(path, []).extend(lines_of)
    callers, lines = array("I"), array("I")
    for number, symbol in enumerate(symbols.found):
        if not symbol.is_definition:
            continue
        for first, last in ranges.get(symbol.file, ()):
            for line in range(max(first, symbol.line), min(last, symbol.end_line) + 1):
                callers.append(number)
                lines.append(line)
    return callers, lines


def _skipped_ranges(lib: Libclang, unit: int, places: Places) -> dict[str, list[tuple[int, int]]]:
    """By file of the tree the first and last lines of what the preprocessor skipped."""
    found: dict[str, list[tuple[int, int]]] = {}
    listed = lib.getAllSkippedRanges(unit)
    if not listed:
        return found
    try:
        for position in range(listed.contents.count):
            skipped = listed.contents.ranges[position]
            file, first = places.at(lib.getRangeStart(skipped))
            path, is_own = places.path(file)
            if is_own:
                _, last = places.at(lib.getRangeEnd(skipped))
                found.setdefault(path, []).append((first, last))
    finally:
        lib.disposeSourceRangeList(listed)
    return found


def _overrides(
    lib: Libclang, symbols: Symbols, cursor: Cursor, number: int, overrides: list[Override]
) -> None:
    """Append what a method overrides directly."""
    if not lib.CXXMethod_isVirtual(cursor):
        return
    first, count = ctypes.POINTER(Cursor)(), ctypes.c_uint()
    lib.getOverriddenCursors(cursor, ctypes.byref(first), ctypes.byref(count))
    for position in range(count.value):
        overrides.append(Override(number, symbols.number(first[position])))
    if first:
        lib.disposeOverriddenCursors(first)
