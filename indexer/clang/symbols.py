"""Who a cursor is: its USR, qualified name, signature and place, numbered within one unit."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Set

from indexer.clang import kinds
from indexer.clang.library import Cursor, Libclang, Location
from indexer.facts.clang import Symbol

NONE = -1
_INVALID = range(70, 74)
_OPERATOR = "operator"
_TYPE_ARGUMENT, _NUMBER_ARGUMENT = 1, 4
"""CXTemplateArgumentKind."""

# C spells what C++ knows, too, in its own way, and both include a header: whose turn it was must not be seen.
_RESTRICT = re.compile(r" ?\b(?:__)?restrict(?:__)?\b")
_NAMELESS = re.compile(r"(\((?:unnamed|anonymous|lambda)\b[^()]*?) at [^()]*:\d+:\d+\)")
"""What clang calls a type without a name, `(unnamed struct at /home/x/a.h:18:3)`: no two checkouts would agree."""

# What a declaration at one place is called never changes while the tree does not: kept by each worker over its units.
_described: dict[tuple[str, str, int], tuple[str, str, str]] = {}
_KEPT = 200_000


def is_operator(lib: Libclang, cursor: Cursor) -> bool:
    """Whether a function is an operator, and none that converts.

    Args:
        lib: libclang.
        cursor: of the function, or of its template.
    """
    kind = cursor.kind
    if kind == kinds.FUNCTION_TEMPLATE:
        kind = lib.getTemplateCursorKind(cursor)
    return kind != kinds.CONVERSION and _is_operators(lib.text(lib.getCursorSpelling(cursor)))


def _is_operators(name: str) -> bool:
    # `operator()`, not `operator_name`.
    after = name[len(_OPERATOR) :]
    return name.startswith(_OPERATOR) and not after[:1].isalnum()


class Places:
    """Files and lines of cursors.

    Args:
        lib: libclang.
        shorten: from a file's absolute path to (how it stands in the database, whether it is the tree's).
    """

    def __init__(self, lib: Libclang, shorten: Callable[[str], tuple[str, bool]]) -> None:
        self._lib = lib
        self._shorten = shorten
        self._paths: dict[int | None, tuple[str, bool]] = {None: ("", False)}
        self._file, self._line = ctypes.c_void_p(), ctypes.c_uint()
        # Nobody asks for column and offset; to find them takes as long as the line.
        self._out = (ctypes.byref(self._file), ctypes.byref(self._line), None, None)

    def at(self, location: Location) -> tuple[int | None, int]:
        """A handle of the file and the 1-based line of a `location`; macros' bodies count where the macro is used.

        The handle is None, and the line 0, for what stands in no file.
        """
        self._lib.getFileLocation(location, *self._out)
        return self._file.value, self._line.value

    def of(self, cursor: Cursor) -> tuple[int | None, int]:
        """A handle of the file that a `cursor` stands in, and its 1-based line there; see `at`."""
        self._lib.getFileLocation(self._lib.getCursorLocation(cursor), *self._out)
        return self._file.value, self._line.value

    def path(self, file: int | None) -> tuple[str, bool]:
        """How a file stands in the database, and whether it is the tree's; "" and False for no file.

        Args:
            file: its handle, as `at` gives it.
        """
        known = self._paths.get(file)
        if known is None:
            known = self._shorten(self._lib.text(self._lib.getFileName(file)))
            self._paths[file] = known
        return known


class Symbols:
    """The numbered symbols of one unit.

    Args:
        lib: libclang.
        places: of the unit.
        members: the units of a jumbo unit, as they stand in the database.

    Attributes:
        found: by number.
        declared: in a jumbo unit, by number what the first declaration says, and those that were referred to: not
            every member can see all of them.
    """

    def __init__(self, lib: Libclang, places: Places, members: Set[str] = frozenset()) -> None:
        self._lib = lib
        self._places = places
        self._members = members
        self.declared: dict[int, list[Symbol]] = {}
        self._numbers: dict[str, int] = {}
        self._scopes: dict[int | None, str] = {}
        self.found: list[Symbol] = []

    def pattern(self, cursor: Cursor) -> Cursor:
        """The template that an instantiation was made from, else the cursor itself.

        What `template <>` spells out is no instantiation: it has a body of its own.

        Args:
            cursor: of a function or variable.
        """
        while True:
            template = self._lib.getSpecializedCursorTemplate(cursor)
            if template.kind in _INVALID or template.data0 == cursor.data0:
                return cursor
            if self._is_written(cursor, template):
                return cursor
            cursor = template

    def _is_written(self, cursor: Cursor, template: Cursor) -> bool:
        """Whether a specialization stands somewhere itself; an instantiation is where its template is.

        That is where the template was declared, or defined once the instantiation has got its body.
        """
        lib = self._lib
        place = lib.getCursorLocation(cursor).int_data
        if place == lib.getCursorLocation(template).int_data:
            return False
        definition = lib.getCursorDefinition(template)
        return definition.kind in _INVALID or place != lib.getCursorLocation(definition).int_data

    def number(self, cursor: Cursor) -> int:
        """The number of a symbol that is referred to; one that is new stands where its first declaration does.

        Args:
            cursor: of its declaration; an instantiation counts as its template.
        """
        cursor = self.pattern(cursor)
        file, _ = self._places.of(cursor)
        path, _ = self._places.path(file)
        usr = self.usr(cursor, path)
        known = self._numbers.get(usr)
        if known is None or self._members:
            # Which declaration a reference is to depends on what stands before it: the first one is always the same.
            first = self._lib.getCanonicalCursor(cursor)
            if known is None:
                first_file, first_line = self._places.of(first)
                first_path, _ = self._places.path(first_file)
                known = self._add(usr, first, first_path, first_line, 0, False)
            if self._members:
                self._declare(known, first)
                if first.data0 != cursor.data0:
                    self._declare(known, cursor)
        return known

    def _declare(self, number: int, cursor: Cursor) -> None:
        file, line = self._places.of(cursor)
        path, _ = self._places.path(file)
        usr = self.usr(cursor, path)
        name, signature, kind = self._describe(usr, cursor, path, line)
        symbol = Symbol(usr, name, signature, kind, path, line, 0, False)
        said = self.declared.setdefault(number, [])
        if symbol not in said:
            said.append(symbol)

    def define(self, cursor: Cursor, file: int | None, line: int) -> int:
        """The number of a symbol that has its body here; of several bodies the first one counts.

        Args:
            cursor: of the definition.
            file: handle of the file it stands in.
            line: its 1-based line there.
        """
        path, _ = self._places.path(file)
        usr = self.usr(cursor, path)
        extent = self._lib.getCursorExtent(cursor)
        end_file, end = self._places.at(self._lib.getRangeEnd(extent))
        end = max(end, line) if end_file == file else line
        known = self._numbers.get(usr)
        if known is None:
            return self._add(usr, cursor, path, line, end, True)
        if not self.found[known].is_definition:
            name, signature, kind = self._describe(usr, cursor, path, line)
            self.found[known] = Symbol(usr, name, signature, kind, path, line, end, True)
        return known

    def usr(self, cursor: Cursor, path: str) -> str:
        """The USR of a `cursor`, behind a space the file where others may have the same.

        Args:
            cursor: of a function, variable or field.
            path: of the file it stands in, as it stands in the database.
        """
        usr = self._lib.text(self._lib.getCursorUSR(cursor))
        # Only the last part of the path stands in the USR of what has internal linkage.
        return usr if usr.startswith("c:@") else f"{usr} {path}"

    def _add(
        self, usr: str, cursor: Cursor, path: str, line: int, end: int, is_definition: bool
    ) -> int:
        number = len(self.found)
        self._numbers[usr] = number
        name, signature, kind = self._describe(usr, cursor, path, line)
        self.found.append(Symbol(usr, name, signature, kind, path, line, end, is_definition))
        return number

    def _describe(self, usr: str, cursor: Cursor, path: str, line: int) -> tuple[str, str, str]:
        key = usr, path, line
        known = _described.get(key)
        if known is not None:
            return known
        lib = self._lib
        own = lib.text(lib.getCursorSpelling(cursor))
        scope = self.scope(lib.getCursorSemanticParent(cursor))
        kind = cursor.kind
        if kind == kinds.FUNCTION_TEMPLATE:
            kind = lib.getTemplateCursorKind(cursor)
        word = kinds.KIND_NAMES.get(kind, "function")
        if kind in (kinds.CONSTRUCTOR, kinds.DESTRUCTOR):
            own = own.partition("<")[0]
        elif word != "conversion" and _is_operators(own):
            word = _OPERATOR
        if word in ("variable", "field"):
            signature = lib.text(lib.getTypeSpelling(lib.getCursorType(cursor)))
        else:
            shown = lib.text(lib.getCursorDisplayName(cursor))
            result = lib.text(lib.getTypeSpelling(lib.getCursorResultType(cursor)))
            plain = kind in (kinds.CONSTRUCTOR, kinds.DESTRUCTOR, kinds.CONVERSION)
            signature = shown if plain else f"{result} {shown}"
            # Of functions that are no patterns only specializations get here.
            if lib.getSpecializedCursorTemplate(cursor).kind not in _INVALID:
                signature = f"template <> {self._with_arguments(cursor, own, signature)}"
        if own.startswith("(") or " at " in signature:
            own, signature = _NAMELESS.sub(r"\1)", own), _NAMELESS.sub(r"\1)", signature)
        if "_Bool" in signature or "restrict" in signature:
            signature = _RESTRICT.sub("", signature).replace("_Bool", "bool")
        described = (f"{scope}{own}", signature, word)
        if len(_described) >= _KEPT:
            _described.clear()
        _described[key] = described
        return described

    def _with_arguments(self, cursor: Cursor, own: str, signature: str) -> str:
        """The signature of a specialization with the types in place of `<>`; nothing else may tell two apart."""
        lib = self._lib
        shown = []
        for position in range(max(0, lib.Cursor_getNumTemplateArguments(cursor))):
            kind = lib.Cursor_getTemplateArgumentKind(cursor, position)
            if kind == _TYPE_ARGUMENT:
                of_type = lib.Cursor_getTemplateArgumentType(cursor, position)
                shown.append(lib.text(lib.getTypeSpelling(of_type)))
            elif kind == _NUMBER_ARGUMENT:
                shown.append(str(lib.Cursor_getTemplateArgumentValue(cursor, position)))
            else:
                shown.append("...")
        return signature.replace(f"{own}<>(", f"{own}<{', '.join(shown)}>(", 1)

    def scope(self, cursor: Cursor) -> str:
        """The qualifying part of names in a scope: `at::native::`; "" for the unit itself.

        Args:
            cursor: of the scope. Inline namespaces, and scopes without a name, add nothing.
        """
        if cursor.data0 in self._scopes:
            return self._scopes[cursor.data0]
        lib = self._lib
        if cursor.kind in kinds.TRANSLATION_UNITS or cursor.kind in _INVALID:
            found = ""
        else:
            found = self.scope(lib.getCursorSemanticParent(cursor))
            own = lib.text(lib.getCursorSpelling(cursor))
            inline = cursor.kind == kinds.NAMESPACE and lib.Cursor_isInlineNamespace(cursor)
            nameless = (
                not own
                or own.startswith("(")
                or cursor.kind in (kinds.LINKAGE, kinds.UNEXPOSED_DECLARATION)
            )
            if not inline and not nameless:
                found += (
                    own.partition("<")[0] + "::" if cursor.kind in kinds.CLASSES else own + "::"
                )
        self._scopes[cursor.data0] = found
        return found
