"""DispatchStubs among the cursors: which variables are stubs, and which kernels are registered for them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from indexer.clang import kinds
from indexer.clang.library import CONTINUE, Cursor, Libclang, Visit
from indexer.clang.symbols import Places, Symbols
from indexer.facts.clang import StubKernel

_REGISTERING = re.compile(r"\bRegister\w+Dispatch\b")


class Stubs:
    """The stubs of one unit.

    `DECLARE_DISPATCH(type, name)` makes a class `name` derived from `DispatchStub<type, name>` and a variable of it;
    `REGISTER_…_DISPATCH` a variable `name__register` of a class `Register…Dispatch`, or defines the static member
    `DispatchStub<type, name>::DEFAULT` (aten/src/ATen/native/DispatchStub.h).
    """

    def __init__(self, lib: Libclang, places: Places, symbols: Symbols) -> None:
        self._lib = lib
        self._places = places
        self._symbols = symbols
        self._classes: dict[int | None, bool] = {}
        self.variables: set[int | None] = set()
        self.kernels: list[StubKernel] = []

    def is_stub(self, variable: Cursor) -> bool:
        """Whether the variable `variable` is a DispatchStub: its class is derived from one."""
        lib = self._lib
        class_ = lib.getTypeDeclaration(lib.getCursorType(variable))
        known = self._classes.get(class_.data0)
        if known is None:
            known = class_.kind in kinds.CLASSES and self._has_stub_base(class_)
            self._classes[class_.data0] = known
        return known

    def _has_stub_base(self, class_: Cursor) -> bool:
        lib = self._lib
        definition = lib.getCursorDefinition(class_)
        found = False

        def visit(cursor: Cursor, parent: Cursor, _: object) -> int:
            nonlocal found
            if cursor.kind == kinds.BASE:
                written = lib.text(lib.getTypeSpelling(lib.getCursorType(cursor)))
                found = found or re.search(r"\bDispatchStub<", written) is not None
            return CONTINUE

        lib.visitChildren(definition, Visit(visit), None)
        return found

    def registration(
        self, variable: Cursor, callees: Iterable[int], file: int | None, line: int
    ) -> None:
        """Note the kernels that a variable's initialiser registers for a stub, if it does.

        Args:
            variable: its cursor.
            callees: numbers of the symbols that the initialiser calls or names.
            file: handle of the file that the variable stands in.
            line: its 1-based line there.
        """
        lib = self._lib
        name = lib.text(lib.getCursorSpelling(variable))
        type_ = lib.text(lib.getTypeSpelling(lib.getCursorType(variable)))
        form = _REGISTERING.search(type_)
        functions = [n for n in dict.fromkeys(callees) if self._symbols.found[n].kind == "function"]
        path, _ = self._places.path(file)
        if form is not None and name.endswith("__register"):
            stub = name.removesuffix("__register")
            self.kernels.extend(StubKernel(stub, n, form[0], path, line) for n in functions)
            return
        parent = lib.getCursorSemanticParent(variable)
        if parent.kind not in kinds.CLASSES:
            return
        shown = lib.text(lib.getCursorDisplayName(parent))
        if shown.startswith("DispatchStub<"):
            stub = shown.rstrip("> ").rpartition(",")[2].split()[-1].rpartition("::")[2]
            stub = stub.removesuffix("_DECLARE_DISPATCH_type")
            self.kernels.extend(StubKernel(stub, n, name, path, line) for n in functions)
