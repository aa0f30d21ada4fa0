"""The calls in the bodies of one unit's functions, and in the initialisers of its variables.

A body has many cursors, and each costs one call from C into Python, about a microsecond: so a visitor looks at the
kind first, and asks libclang as little as it can. Nothing in here refers back to itself, so that a unit's facts go
when nobody has them any more: the worker looks for cycles seldom.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping

from indexer.clang import kinds
from indexer.clang.declarations import Declarations
from indexer.clang.exact_objects import is_of_its_class
from indexer.clang.library import RECURSE, Cursor, Libclang
from indexer.clang.stubs import Stubs
from indexer.clang.symbols import NONE, Places, Symbols
from indexer.facts.clang import CALL, CANDIDATE, CONSTRUCTOR, REFERENCE, STUB, VIRTUAL

_MAX_CANDIDATES = 64
"""Of an overloaded name. The visitors of TensorExpr have forty methods `visit`; std:: has names with hundreds."""


class Bodies:
    """What the bodies that were visited call, as columns; for each body `enter` is called, then its cursors visited.

    Args:
        lib: libclang.
        places: of the unit.
        symbols: of the unit; what is called is added to them.
        stubs: of the unit; variables that are stubs are added to them.

    Attributes:
        declarations: what was referred to.
        callers: of each call the number of the symbol it stands in.
        callees: of each call the number of the symbol that is called.
        sorts: of each call its kind, one of those in `indexer.facts.clang`.
        lines: of each call its 1-based line.
        open_callers: of each call that clang cannot tell the number of the symbol it stands in.
        open_lines: the 1-based lines of these.
    """

    def __init__(self, lib: Libclang, places: Places, symbols: Symbols, stubs: Stubs) -> None:
        self._lib = lib
        self._places = places
        self._symbols = symbols
        self.declarations = Declarations(lib, places, symbols, stubs)
        self.callers, self.callees = array("I"), array("I")
        self.sorts, self.lines = array("B"), array("I")
        self.open_callers, self.open_lines = array("I"), array("I")
        # What is asked for most cursors, without the way there.
        self._referenced, self._place_of = lib.getCursorReferenced, places.of
        self._numbers = self.declarations.numbers
        self._stub_variables = stubs.variables
        # Of the body that is visited:
        self._scope = NONE
        self._scope_cursor = Cursor()
        self._file: int | None = None
        self._last_line = 0
        self._awaits_stub = False
        # By the callee's address, calls whose callee's own expression is still to come.
        self._awaited: dict[int | None, list[int]] = {}
        # Of the calls of virtual methods that Cursor_isDynamicCall says no to those that may be of an operator on what
        # a pointer or reference leads to: `(*hook)(x)` names its operator alone, and `B::f()` the member that it is,
        # of which that function looks at the second only (tools/libclang/CIndex.cpp).
        self._operators: set[int] = set()
        # The last call of which clang does not tell what it calls; what it begins with comes next.
        self._open_call: Cursor | None = None

    def enter(self, cursor: Cursor, number: int, file: int | None, line: int) -> None:
        """Begin a body: what is visited from now on stands in it.

        Args:
            cursor: of the function or variable.
            number: of its symbol; `NONE` for a variable or field, which counts only when its initialiser calls
                something.
            file: handle of the file it stands in.
            line: its 1-based line there.
        """
        self._scope, self._scope_cursor = number, cursor
        self._file, self._last_line = file, line
        self._awaits_stub = False
        self._awaited.clear()
        self._operators.clear()
        self._open_call = None

    def visit(self, cursor: Cursor, parent: Cursor, _: object) -> int:
        """Note what a cursor of the body calls; a CXCursorVisitor.

        Args:
            cursor: any in the body.
            parent: the cursor above it.

        Returns:
            `RECURSE`.
        """
        read = _READERS.get(cursor.kind)
        if read is not None:
            read(self, cursor, parent)
        return RECURSE

    def _reference(self, cursor: Cursor, parent: Cursor) -> None:
        """A name: of what a call around it calls, or handed on."""
        target = self._referenced(cursor)
        address = target.data0
        number = self._numbers.get(address)
        if number is None:
            if address is None:
                is_called = cursor.kind == kinds.MEMBER_REF and parent.kind == kinds.CALL
                if is_called and self._scope != NONE:
                    self._place_open_call(cursor, parent)
                return
            number = self.declarations.learn(target)
        if number == NONE:
            return
        waiting = self._awaited.get(address)
        if waiting:
            position = waiting.pop()
            self.lines[position] = self._line_of(cursor)
            if position in self._operators and cursor.kind == kinds.DECLARATION_REF:
                self.sorts[position] = VIRTUAL
        elif address in self._stub_variables:
            self._add(number, STUB if self._awaits_stub else REFERENCE, self._line_of(cursor))
            self._awaits_stub = False
        elif self._is_broken_call(cursor, parent, target):
            self._add(
                number,
                VIRTUAL if address in self.declarations.virtual else CALL,
                self._line_of(cursor),
            )
        else:
            self._add(number, REFERENCE, self._line_of(cursor))

    def _is_broken_call(self, name: Cursor, parent: Cursor, target: Cursor) -> bool:
        """Whether a name is of what is called with an argument that could not be read: clang refers to it, no more.

        A method that is named with its object can only be called ([expr.ref], 6). Else what stands in the call's place,
        or the call that clang cannot tell, begins with the name and goes on.
        """
        if name.kind == kinds.MEMBER_REF:
            return target.kind in (kinds.METHOD, kinds.FUNCTION_TEMPLATE, kinds.CONVERSION)
        is_within = parent.kind == kinds.UNEXPOSED_EXPRESSION
        if not (is_within or self._open_call is not None) or target.kind not in kinds.FUNCTIONS:
            return False
        lib = self._lib
        of_name = lib.getCursorExtent(name)
        begin, end = lib.getRangeStart(of_name).int_data, lib.getRangeEnd(of_name).int_data
        for around in (parent if is_within else None, self._open_call):
            if around is not None:
                extent = lib.getCursorExtent(around)
                goes_on = end < lib.getRangeEnd(extent).int_data
                if goes_on and begin == lib.getRangeStart(extent).int_data:
                    return True
        return False

    def _call(self, cursor: Cursor, _: Cursor) -> None:
        target = self._referenced(cursor)
        address = target.data0
        if address is None:
            self._open_call = cursor
            if self._scope != NONE:
                self.open_callers.append(self._scope)
                self.open_lines.append(self._line_of(cursor))
            return
        number = self._numbers.get(address)
        if number is None:
            number = self.declarations.learn(target)
        if number == NONE:
            return
        declarations = self.declarations
        if address in declarations.constructors:
            self._add(number, CONSTRUCTOR, self._line_of(cursor))
            return
        may_be_virtual = address in declarations.virtual
        is_virtual = may_be_virtual and self._lib.Cursor_isDynamicCall(cursor)
        if address in declarations.stub_operators:
            self._awaits_stub = True
        self._add(number, VIRTUAL if is_virtual else CALL, self._line_of(cursor))
        position = len(self.lines) - 1
        if (
            may_be_virtual
            and not is_virtual
            and not is_of_its_class(self._lib, self._lib.Cursor_getArgument(cursor, 0))
        ):
            self._operators.add(position)
        waiting = self._awaited.get(address)
        if waiting is None:
            self._awaited[address] = [position]
        else:
            waiting.append(position)

    def _overloaded(self, cursor: Cursor, _: Cursor) -> None:
        """A name in a template that may mean several functions."""
        count = self._lib.getNumOverloadedDecls(cursor)
        if count > _MAX_CANDIDATES:
            return
        line = self._line_of(cursor)
        for position in range(count):
            overload = self._lib.getOverloadedDecl(cursor, position)
            number = self.declarations.candidate(overload)
            if number != NONE:
                self._add(number, CANDIDATE, line)

    def _add(self, callee: int, sort: int, line: int) -> None:
        scope = self._scope
        if scope == NONE:
            # A variable or field counts only when its initialiser calls something.
            file, at = self._place_of(self._scope_cursor)
            scope = self._scope = self._symbols.define(self._scope_cursor, file, at)
        self.callers.append(scope)
        self.callees.append(callee)
        self.sorts.append(sort)
        self.lines.append(line)

    def _line_of(self, cursor: Cursor) -> int:
        """The line it stands at; the one before it, where it stands in another file than the body."""
        file, line = self._place_of(cursor)
        if file == self._file:
            self._last_line = line
        return self._last_line

    def _place_open_call(self, name: Cursor, call: Cursor) -> None:
        """A call that clang cannot tell stands at its name's line; a chain of them begins lines before."""
        lib = self._lib
        if self._referenced(call).data0 is not None:
            return
        extent = lib.getCursorExtent(name)
        begin = lib.getRangeStart(lib.getCursorExtent(call))
        if lib.getRangeStart(extent).int_data == begin.int_data:
            file, line = self._places.at(lib.getRangeEnd(extent))
            if file == self._file:
                self.open_lines[-1] = line


_READERS: Mapping[int, Callable[[Bodies, Cursor, Cursor], None]] = {
    kinds.DECLARATION_REF: Bodies._reference,
    kinds.MEMBER_REF: Bodies._reference,
    kinds.CALL: Bodies._call,
    kinds.OVERLOADED_REF: Bodies._overloaded,
}
"""By the kind of a cursor, what it says; the others say nothing."""
