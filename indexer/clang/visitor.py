"""Walking one translation unit: its definitions, and from within them every call (`indexer.clang.bodies`)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence, Set

from indexer.clang import kinds
from indexer.clang.bodies import Bodies
from indexer.clang.jumbo import JUMBO_FILE
from indexer.clang.left_out import left_out
from indexer.clang.library import CONTINUE, RECURSE, Cursor, Libclang, Visit
from indexer.clang.stubs import Stubs
from indexer.clang.symbols import NONE, Places, Symbols
from indexer.clang.walked import Definition, Segment, Walked
from indexer.facts.clang import Override


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
        members: of a jumbo unit, its units as they stand in the database; empty for any other.

    Returns:
        What the unit says; its segments and includes are of a jumbo unit alone.
    """
    places = Places(lib, shorten)
    symbols = Symbols(lib, places, members)
    scopes = _Scopes(lib, places, symbols, skipped, is_jumbo=bool(members))
    visitor = Visit(scopes.visit)
    lib.visitChildren(lib.getTranslationUnitCursor(unit), visitor, None)
    left_callers, left_lines = left_out(lib, unit, places, symbols, unread or {})
    bodies = scopes.bodies
    return Walked(
        symbols=symbols,
        callers=bodies.callers,
        callees=bodies.callees,
        kinds=bodies.sorts,
        lines=bodies.lines,
        overrides=scopes.overrides,
        stub_kernels=scopes.stubs.kernels,
        headers=list(scopes.headers),
        open_callers=bodies.open_callers,
        open_lines=bodies.open_lines,
        left_callers=left_callers,
        left_lines=left_lines,
        segments=scopes.segments,
        definitions=scopes.definitions,
        includes=scopes.includes,
        made=bodies.declarations.made,
    )


class _Scopes:
    """What stands in the files, namespaces and classes of one unit."""

    def __init__(
        self, lib: Libclang, places: Places, symbols: Symbols, skipped: Set[str], *, is_jumbo: bool
    ) -> None:
        self._lib = lib
        self._places = places
        self._symbols = symbols
        self._skipped = skipped
        self._is_jumbo = is_jumbo
        self.stubs = Stubs(lib, places, symbols)
        self.bodies = Bodies(lib, places, symbols, self.stubs)
        self._body_visitor = Visit(self.bodies.visit)
        self._wanted_files: dict[int | None, bool] = {}
        self._segment_file: int | None = -1
        self.headers: dict[str, None] = {}
        self.overrides: list[Override] = []
        self.segments: list[Segment] = []
        self.definitions: list[Definition] = []
        self.includes: dict[str, list[str]] = {}

    def visit(self, cursor: Cursor, parent: Cursor, _: object) -> int:
        """Look at a cursor outside of bodies; a CXCursorVisitor."""
        kind = cursor.kind
        if kind in kinds.PREPROCESSING:
            if self._is_jumbo and kind == kinds.INCLUSION:
                self._include(cursor)
            return CONTINUE
        if parent.kind in kinds.TRANSLATION_UNITS and not self._is_wanted(cursor):
            return CONTINUE
        if kind in kinds.SCOPES:
            return RECURSE
        if kind in kinds.FUNCTIONS:
            if self._lib.isCursorDefinition(cursor):
                self._function(cursor)
        elif kind in (kinds.VARIABLE, kinds.FIELD):
            file, line = self._places.of(cursor)
            self._body(cursor, NONE, file, line)
        return CONTINUE

    def _is_wanted(self, cursor: Cursor) -> bool:
        """Whether what stands outside of everything is of a file that is walked; in a jumbo unit, note the file."""
        file, _ = self._places.of(cursor)
        if self._is_jumbo and (
            file != self._segment_file or self._places.path(file)[0] == JUMBO_FILE
        ):
            self._begin_segment(file, cursor)
        wanted = self._wanted_files.get(file)
        if wanted is None:
            path, is_own = self._places.path(file)
            wanted = self._wanted_files[file] = is_own and path not in self._skipped
            if wanted:
                self.headers[path] = None
        return wanted

    def _begin_segment(self, file: int | None, cursor: Cursor) -> None:
        self._segment_file = file
        path, _ = self._places.path(file)
        mark = self._lib.text(self._lib.getCursorSpelling(cursor)) if path == JUMBO_FILE else ""
        self.segments.append(
            Segment(
                path,
                mark,
                calls=len(self.bodies.callees),
                opens=len(self.bodies.open_lines),
                definitions=len(self.definitions),
                overrides=len(self.overrides),
                stub_kernels=len(self.stubs.kernels),
            )
        )

    def _include(self, inclusion: Cursor) -> None:
        """Note what a file of a jumbo unit includes, if the file was found."""
        if included := self._lib.getIncludedFile(inclusion):
            within, _ = self._places.of(inclusion)
            paths = self.includes.setdefault(self._places.path(within)[0], [])
            paths.append(self._places.path(included)[0])

    def _function(self, cursor: Cursor) -> None:
        symbols = self._symbols
        # What is instantiated is listed too, with its template's body.
        if symbols.pattern(cursor).data0 != cursor.data0:
            return
        file, line = self._places.of(cursor)
        number = symbols.define(cursor, file, line)
        self.definitions.append(Definition(number, line, len(self.bodies.callees)))
        if cursor.kind in kinds.OVERRIDING:
            self._overridden(cursor, number)
        self._body(cursor, number, file, line)

    def _body(self, cursor: Cursor, number: int, file: int | None, line: int) -> None:
        """Visit a function's body, or what a variable or field is initialised with."""
        callees = self.bodies.callees
        before = len(callees)
        self.bodies.enter(cursor, number, file, line)
        self._lib.visitChildren(cursor, self._body_visitor, None)
        if number == NONE and len(callees) > before:
            self.stubs.registration(cursor, callees[before:], file, line)

    def _overridden(self, method: Cursor, number: int) -> None:
        """Note what a method overrides directly."""
        lib = self._lib
        if not lib.CXXMethod_isVirtual(method):
            return
        first, count = ctypes.POINTER(Cursor)(), ctypes.c_uint()
        lib.getOverriddenCursors(method, ctypes.byref(first), ctypes.byref(count))
        for position in range(count.value):
            self.overrides.append(Override(number, self._symbols.number(first[position])))
        if first:
            lib.disposeOverriddenCursors(first)
