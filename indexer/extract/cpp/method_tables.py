"""The C API's way to Python: arrays of PyMethodDef, PyGetSetDef, PyMemberDef; types; modules.

Also the templates of tools/autograd/templates, where `${py_method_defs}` stands for entries that are generated from
native_functions.yaml (tools/autograd/gen_python_functions.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.callables import callable_name
from indexer.extract.cpp.lexical import (
    Argument,
    arguments,
    closing,
    next_code,
    squeezed,
    word_before,
)
from indexer.extract.cpp.module_members import module_members
from indexer.extract.cpp.owners import Variables
from indexer.extract.cpp.scopes import Scopes
from indexer.extract.cpp.type_slots import FIELD, TABLE, TABLES, python_names, slots_of
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.bindings import Binding, BindingFact, OwnerLink

_TABLE = re.compile(
    rb"\b(?P<type>PyMethodDef|PyGetSetDef|PyMemberDef)\s*(?:,\s*\w+\s*)?>?\s+(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]*\])?\s*=\s*\{"
)
_FORMS = {b"PyMethodDef": "method_table", b"PyGetSetDef": "getset", b"PyMemberDef": "member"}
_TYPE = re.compile(rb"\bPyTypeObject\s+(?P<name>[A-Za-z_][\w:]*)\s*=\s*\{")
_MODULE = re.compile(rb"\bPyModuleDef\s+(?P<name>[A-Za-z_]\w*)\s*=\s*\{")
_FIELD = re.compile(
    rb"(?:\.|->)\s*(?P<field>tp_(?:methods|getset|members|name)|m_methods)\s*=\s*&?\s*(?P<value>[A-Za-z_][\w:]*)?"
)
_RETURNED_MODULE = re.compile(
    rb"\breturn\s+(?P<name>[A-Za-z_]\w*)\s*;|\breturn\s+PyModule_Create\w*\s*\(\s*&\s*(?P<def>\w+)"
)
_GATHER = re.compile(rb"\bTHPUtils_addPyMethodDefs\s*\(|\.\s*(?:assign|insert)\s*\(")
_RETURN = re.compile(rb"\breturn\s+(?:std::data\s*\(\s*)?(?P<name>[A-Za-z_]\w*)\s*\)?\s*;")
_PLACEHOLDER = re.compile(rb"\$\{(?P<name>\w+)\}")
_WORD = re.compile(rb"[A-Za-z_][\w:]*")


def method_tables(unit: CppUnit, variables: Variables) -> Iterator[BindingFact]:
    """Every entry of a file's tables, and which types and modules the tables belong to.

    Args:
        unit: the file.
        variables: of the file, as `pybind` left them.
    """
    yield from _Tables(unit, variables).read()


class _Tables:
    def __init__(self, unit: CppUnit, variables: Variables) -> None:
        self.unit = unit
        self.data = unit.data
        self.text = variables.text
        self.scopes: Scopes = unit.scopes
        self.variables = variables
        self.tables: set[str] = set()

    def read(self) -> Iterator[BindingFact]:
        for match in _TABLE.finditer(self.text):
            yield from self._table(match)
        for match in TABLE.finditer(self.text):
            yield from self._slots(match, match.group("type").decode(), "table")
        vectors = {
            m.decode()
            for m in re.findall(rb"\bvector\s*<\s*PyMethodDef\s*>\s*&?\s*(\w+)", self.text)
        }
        for match in _TYPE.finditer(self.text):
            yield from self._object(match, "type", vectors)
        for match in _MODULE.finditer(self.text):
            yield from self._object(match, "def", vectors)
        yield from self._fields(vectors)
        yield from self._slot_fields()
        yield from self._gathered(vectors)
        yield from self._returned()
        yield from self._replaced()
        yield from module_members(self.unit, self.variables, self.tables)

    def _link(self, node: str, parent: str, name: str, at: int) -> OwnerLink:
        return OwnerLink(
            node, parent, name, self.scopes.at(at).prefix, self.unit.path, self.unit.line(at)
        )

    def _qualified(self, name: str, at: int) -> str:
        prefix = self.scopes.at(at).prefix
        return f"{prefix}::{name}" if prefix else name

    def _table(self, match: re.Match[bytes]) -> Iterator[BindingFact]:
        at, opening = match.start(), match.end() - 1
        end = closing(self.text, opening)
        if end < 0 or self.scopes.define_at(at) is not None:
            return
        name, form = match.group("name").decode(), _FORMS[match.group("type")]
        self.tables.add(name)
        owner = f"table:{self._qualified(name, at)}"
        scope = self.scopes.at(at)
        inner = next_code(self.text, opening + 1)
        if self.text[inner : inner + 1] == b'"':
            entries = [(opening, end)]  # one entry, not an array
        else:
            below = next_code(self.text, inner + 1)
            if self.text[inner : inner + 1] + self.text[below : below + 1] == b"{{":
                opening, end = inner, closing(self.text, inner)  # std::array's inner list
            entries = list(self._entries(opening, end))
        for start, stop in entries:
            listed = arguments(self.text, start, stop)
            if len(listed) < 2:
                continue
            quote = self.text.find(b'"', *listed[0])  # a cast may stand before it
            entry = self.variables.literal(quote) if quote >= 0 else ""
            if not entry:
                continue
            cpp_name = callable_name(
                self.text,
                listed[1].start,
                listed[1].end,
                f"{scope.qualified or scope.prefix}::lambda",
            )
            if form == "member" and len(listed) > 2:
                cpp_name = squeezed(self.text[listed[2].start : listed[2].end], 120)
            line = self.unit.line(start)
            yield Binding(entry, owner, cpp_name, scope.prefix, form, self.unit.path, line)
            if form == "getset" and len(listed) > 2 and not self._is_null(listed[2]):
                setter = callable_name(
                    self.text,
                    listed[2].start,
                    listed[2].end,
                    f"{scope.qualified or scope.prefix}::lambda",
                )
                yield Binding(entry, owner, setter, scope.prefix, "setter", self.unit.path, line)
        for hole in _PLACEHOLDER.finditer(self.data, opening, end):
            yield Binding(
                "",
                owner,
                hole.group("name").decode(),
                scope.prefix,
                "generated",
                self.unit.path,
                self.unit.line(hole.start()),
            )

    def _is_null(self, argument: Argument) -> bool:
        text = self.text[argument.start : argument.end].strip()
        return text in (b"nullptr", b"NULL", b"0", b"")

    def _entries(self, opening: int, end: int) -> Iterator[tuple[int, int]]:
        at = opening + 1
        while True:
            at = self.text.find(b"{", at, end)
            if at < 0:
                return
            stop = closing(self.text, at)
            if stop < 0:
                return
            yield at, stop
            at = stop + 1

    def _object(
        self, match: re.Match[bytes], kind: str, vectors: set[str]
    ) -> Iterator[BindingFact]:
        """A PyTypeObject or PyModuleDef: its first string is its name, and it names its tables."""
        at, opening = match.start(), match.end() - 1
        end = closing(self.text, opening)
        if end < 0:
            return
        name = match.group("name").decode()
        node = f"type:{name}" if kind == "type" else f"def:{self.unit.path}:{name}"
        if kind == "type":
            yield from self._slots(match, "PyTypeObject", "type")
        quote = self.text.find(b'"', opening, end)
        if quote >= 0:
            path = self.variables.literal(quote, with_macros=kind == "type")
            if path:
                yield self._link(node, f"py:{path}", "", at)
        for word in _WORD.finditer(self.text, opening, end):
            found = word.group().decode()
            if found in self.tables:
                yield self._link(f"table:{found}", node, "", at)
            elif found in vectors:
                yield self._link(f"vec:{self.unit.path}:{found}", node, "", at)

    def _slots(self, match: re.Match[bytes], of_type: str, kind: str) -> Iterator[BindingFact]:
        """What a type's object, or a table of its slots, has Python run."""
        at, opening = match.start(), match.end() - 1
        end = closing(self.text, opening)
        if end < 0 or self.scopes.define_at(at) is not None:
            return
        name = match.group("name").decode()
        owner = f"{kind}:{name}"
        if kind == "table":
            self.tables.add(name)
            owner = f"table:{self._qualified(name, at)}"
        for slot in slots_of(self.text, of_type, opening, end):
            yield from self._slot(slot.names, owner, slot.start, slot.end)

    def _slot(self, names: tuple[str, ...], owner: str, start: int, end: int) -> Iterator[Binding]:
        start = next_code(self.text, start)
        scope = self.scopes.at(start)
        inside = f"{scope.qualified or scope.prefix}::lambda"
        function = callable_name(self.text, start, end, inside)
        if function and not function.isdecimal():
            line = self.unit.line(start)
            for name in names:
                yield Binding(name, owner, function, scope.prefix, "slot", self.unit.path, line)

    def _slot_fields(self) -> Iterator[BindingFact]:
        """`Type.tp_new = f;`, of an object that the file has itself: elsewhere the name is a parameter's."""
        for match in FIELD.finditer(self.text):
            name, slot = match.group("type"), match.group("slot").decode()
            is_own = re.search(rb"\bPyTypeObject\s+" + name + rb"\s*[={;]", self.text)
            if is_own is None:
                continue
            around = self.scopes.at(is_own.start())
            if around.classes or around.function_open >= 0:
                continue
            owner = f"type:{name.decode()}"
            if slot in TABLES:
                table = match.group("value").strip(b"& \n\t").decode()
                if table in self.tables:
                    yield self._link(f"table:{table}", owner, "", match.start())
                continue
            yield from self._slot(
                python_names(slot), owner, match.start("value"), match.end("value")
            )

    def _fields(self, vectors: set[str]) -> Iterator[BindingFact]:
        for match in _FIELD.finditer(self.text):
            owner = f"type:{word_before(self.text, match.start())}"
            value = (match.group("value") or b"").decode()
            if match.group("field") == b"tp_name":
                path = self.variables.literal(match.end())
                if path:
                    yield self._link(owner, f"py:{path}", "", match.start())
            elif value in vectors:
                yield self._link(f"vec:{self.unit.path}:{value}", owner, "", match.start())
            elif value in self.tables:
                yield self._link(f"table:{value}", owner, "", match.start())

    def _gathered(self, vectors: set[str]) -> Iterator[BindingFact]:
        """Tables that are put into a vector of PyMethodDef."""
        if not vectors:
            return
        for match in _GATHER.finditer(self.text):
            opening = match.end() - 1
            listed = arguments(self.text, opening)
            is_method = match.group()[:1] == b"."
            if is_method:
                vector = word_before(self.text, match.start())
            elif listed:
                vector = squeezed(self.text[listed[0].start : listed[0].end])
            else:
                continue
            if vector not in vectors or self.scopes.at(match.start()).function_open < 0:
                continue
            node = f"vec:{self.unit.path}:{vector}"
            for item in listed[0 if is_method else 1 :]:
                target = self._source(item)
                if target:
                    yield self._link(target, node, "", match.start())
        for match in re.finditer(rb"\b([A-Za-z_]\w*)\s*\(\s*([A-Za-z_]\w*)\s*\)\s*;", self.text):
            vector = match.group(2).decode()
            if vector in vectors and match.group(1) != b"THPUtils_addPyMethodDefs":
                # A function that adds to the vector it is given; its parameter has the same name everywhere.
                yield self._link(
                    f"vec:*:{vector}", f"vec:{self.unit.path}:{vector}", "", match.start()
                )

    def _replaced(self) -> Iterator[BindingFact]:
        """`table[0] = function()[0]`: an entry that another file writes."""
        for match in re.finditer(
            rb"\b(\w+)\s*\[\s*\d+\s*\]\s*=\s*([A-Za-z_][\w:]*)\s*\(\s*\)\s*\[", self.text
        ):
            if match.group(1).decode() in self.tables:
                table = f"table:{match.group(1).decode()}"
                yield self._link(f"call:{match.group(2).decode()}", table, "", match.start())

    def _source(self, item: Argument) -> str:
        piece = self.text[item.start : item.end]
        call = re.match(rb"\s*(?:std::data\s*\(\s*)?([A-Za-z_][\w:]*)\s*(\(\s*\))?", piece)
        if call is None:
            return ""
        name = call.group(1).decode()
        if call.group(2):
            return f"call:{name}"
        return (
            f"table:{name}"
            if name in self.tables or b"::" in piece or _WORD.fullmatch(piece.strip())
            else ""
        )

    def _returned(self) -> Iterator[BindingFact]:
        """Functions that give a table to another file: `PyMethodDef* f() { return methods; }`."""
        for match in _RETURN.finditer(self.text):
            name = match.group("name").decode()
            scope = self.scopes.at(match.start())
            if name in self.tables and scope.function:
                yield self._link(f"table:{name}", f"call:{scope.qualified}", "", match.start())
        if b"PyModule_Create" not in self.text:
            return
        for match in _RETURNED_MODULE.finditer(self.text):
            scope = self.scopes.at(match.start())
            definition = match.group("def")
            if definition is None:
                made = re.search(
                    rb"\b" + match.group("name") + rb"\s*=\s*PyModule_Create\w*\s*\(\s*&\s*(\w+)",
                    self.text[max(scope.function_open, 0) : match.start()],
                )
                definition = made.group(1) if made is not None else None
            if definition is not None and scope.function:
                node = f"def:{self.unit.path}:{definition.decode()}"
                yield self._link(f"call:{scope.qualified}", node, "", match.start())
