"""What the declarations of one unit are that its cursors refer to: asked once for each, by its address."""

from __future__ import annotations

from indexer.clang import kinds
from indexer.clang.library import Cursor, Libclang
from indexer.clang.stubs import Stubs
from indexer.clang.symbols import NONE, Places, Symbols, is_operator
from indexer.clang.variables import is_made_by_calls

_STUB_OPERATOR = "DispatchStub::operator()"
"""What calls a stub: aten/src/ATen/native/DispatchStub.h."""


class Declarations:
    """The declarations of one unit that were referred to. Addresses are those of libclang (`Cursor.data0`).

    Args:
        lib: libclang.
        places: of the unit.
        symbols: of the unit; what is referred to is added to them.
        stubs: of the unit; variables that are stubs are added to them.

    Attributes:
        numbers: by address the number of the symbol; `NONE` for what is neither a function nor a variable that counts.
        constructors: addresses.
        virtual: addresses of virtual methods.
        stub_operators: addresses of what calls a stub.
        made: by the number of a variable that calls give its value, the file that defines it, as it stands in the
            database.
    """

    def __init__(self, lib: Libclang, places: Places, symbols: Symbols, stubs: Stubs) -> None:
        self._lib = lib
        self._places = places
        self._symbols = symbols
        self._stubs = stubs
        self._candidates: dict[int | None, int] = {}
        self.numbers: dict[int | None, int] = {}
        self.constructors: set[int | None] = set()
        self.virtual: set[int | None] = set()
        self.stub_operators: set[int | None] = set()
        self.made: dict[int, str] = {}

    def learn(self, declaration: Cursor) -> int:
        """The number of the symbol that `declaration` declares, or `NONE`; kept in `numbers`, for the next time."""
        kind = declaration.kind
        if kind in kinds.FUNCTIONS:
            number = self._function(declaration)
        elif kind == kinds.VARIABLE:
            number = self._variable(declaration)
        else:
            number = NONE
        self.numbers[declaration.data0] = number
        return number

    def _function(self, function: Cursor) -> int:
        address = function.data0
        number = self._symbols.number(function)
        symbol = self._symbols.found[number]
        if function.kind == kinds.CONSTRUCTOR:
            self.constructors.add(address)
        elif symbol.kind != "function":
            if self._lib.CXXMethod_isVirtual(function):
                self.virtual.add(address)
            if symbol.name.endswith(_STUB_OPERATOR):
                self.stub_operators.add(address)
        return number

    def _variable(self, variable: Cursor) -> int:
        """Its number where it is a stub, or what stands in it depends on calls; else `NONE`."""
        lib, places = self._lib, self._places
        if self._stubs.is_stub(variable):
            self._stubs.variables.add(variable.data0)
            return self._symbols.number(variable)
        if is_made_by_calls(lib, places, variable):
            number = self._symbols.number(variable)
            defined_in, _ = places.of(lib.getCursorDefinition(variable))
            self.made[number] = places.path(defined_in)[0]
            return number
        return NONE

    def candidate(self, overload: Cursor) -> int:
        """The number of one of the functions that an overloaded name may mean.

        Args:
            overload: its declaration.

        Returns:
            `NONE` where it says nothing: std::get or an operator, of which there are many.
        """
        address = overload.data0
        number = self._candidates.get(address)
        if number is None:
            file, _ = self._places.of(overload)
            is_foreign = self._places.path(file)[0].startswith("<")
            is_plain = not is_foreign and not is_operator(self._lib, overload)
            number = self._candidates[address] = self.learn(overload) if is_plain else NONE
        return number
