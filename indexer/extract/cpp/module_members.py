"""Objects and types that the C API puts into modules one by one: `PyModule_AddObject(module, "Name", value)`.

A file may do that through a helper of its own, which hands on the name that it is given: `set_module_attr("X", v)`
in `initModule` (torch/csrc/Module.cpp), `addClass<T, NoCtor>(module, TClass, "T")` (torch/csrc/autograd/functions).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from indexer.extract.cpp.callables import callable_name
from indexer.extract.cpp.lexical import (
    Argument,
    arguments,
    closing,
    next_code,
    squeezed,
    word_before,
)
from indexer.extract.cpp.owners import LAST_WORD, Variables
from indexer.extract.cpp.scopes import Scope
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.bindings import Binding, BindingFact, OwnerLink

_ADD_TYPE = re.compile(
    rb"\bPyModule_AddType\s*\(\s*(?P<module>[A-Za-z_]\w*)\s*,\s*&\s*(?P<type>[A-Za-z_]\w*)\s*\)"
)
_ADD = re.compile(rb"\b(?:PyModule_AddObject(?:Ref)?|PyObject_SetAttrString)\s*\(")
_ADDS = b"PyModule_AddObject"
_NEW = re.compile(rb"=\s*PyType_GenericNew\s*\(\s*&\s*(?P<type>[\w:]+)")
_LAMBDA = re.compile(rb"\b(?P<name>[A-Za-z_]\w*)\s*=\s*\[[^\[\]]*\]\s*\(")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_LITERALS = re.compile(rb'\s*(?:"[^"]*"\s*)+')
_ADDRESS = re.compile(rb"&\s*([A-Za-z_][\w:]*)")
_CALL = re.compile(rb"\s*(?:\(\s*PyObject\s*\*\s*\)\s*)?([A-Za-z_][\w:]*)\s*\(\s*\)\s*")
_MOST_VALUE = 120


class _Helper(NamedTuple):
    """A function or lambda of a file that puts what it is given into a module.

    Args:
        name: by which it is called.
        start: from where on the text may call it.
        end: where that ends.
        owner: the module's node; "" where it is not known.
        module: which of its parameters the module is; -1 where it is given none.
        label: which of them the name is.
        value: which of them is put there; -1 where it makes that itself.
        is_type: whether that is a reference to a type.
        made: what it puts there, in its own words.
    """

    name: str
    start: int
    end: int
    owner: str
    module: int
    label: int
    value: int
    is_type: bool
    made: bytes


def module_members(
    unit: CppUnit, variables: Variables, tables: Collection[str]
) -> Iterator[BindingFact]:
    """What a file puts into modules by name, and which of it are types.

    Args:
        unit: the file.
        variables: of the file, as `pybind` left them.
        tables: names of its arrays of PyMethodDef and the like.
    """
    yield from _Members(unit, variables, tables).read()


class _Members:
    def __init__(self, unit: CppUnit, variables: Variables, tables: Collection[str]) -> None:
        self.unit = unit
        self.text = variables.text
        self.variables = variables
        self.tables = tables
        self.made: dict[str, str] = {}

    def read(self) -> Iterator[BindingFact]:
        self.made = {
            word_before(self.text, m.start()): m.group("type").decode()
            for m in _NEW.finditer(self.text)
        }
        helpers: dict[_Helper, None] = {}
        for match in _ADD.finditer(self.text):
            at = match.start()
            listed = arguments(self.text, match.end() - 1)
            scope = self.unit.scopes.at(at)
            if len(listed) < 3 or scope.function_open < 0 or self._is_in_macro(at):
                continue
            if _WORD.fullmatch(self._said(listed[1]).strip()):
                if (helper := self._helper(scope, at, listed)) is not None:
                    helpers[helper] = None
            elif match.group().startswith(_ADDS):
                # Other objects than modules have attributes set by name.
                name = self.variables.literal(listed[1].start)
                owner = self._module(scope, listed[0], at)
                if name and owner is not None:
                    yield from self._added(name, owner, listed[2], scope, at)
        yield from self._types_added()
        for helper in helpers:
            yield from self._helped(helper)

    def _is_in_macro(self, at: int) -> bool:
        return self.unit.scopes.define_at(at) is not None

    def _link(self, node: str, parent: str, name: str, at: int) -> OwnerLink:
        prefix = self.unit.scopes.at(at).prefix
        return OwnerLink(node, parent, name, prefix, self.unit.path, self.unit.line(at))

    def _module(self, scope: Scope, argument: Argument, at: int) -> str | None:
        """The node of the module that is given; "" where it is not known, None where it is no variable."""
        word = _WORD.match(self.text, next_code(self.text, argument.start), argument.end)
        if word is None:
            return None
        name = word.group()
        if node := self.variables.node(scope, name.decode()):
            return node
        # THPObjectPtr module(PyModule_New("torch._C._functions"));
        made = list(
            re.finditer(
                rb"\bTHPObjectPtr\s+" + name + rb"\s*[({]", self.text[scope.function_open : at]
            )
        )
        if not made:
            return ""
        return self.variables.expression(scope, scope.function_open + made[-1].end())

    def _added(
        self, name: str, owner: str, value: Argument, scope: Scope, at: int
    ) -> Iterator[BindingFact]:
        """`PyModule_AddObject(module, "Name", (PyObject*)&Type)`."""
        text = self._said(value)
        target = _ADDRESS.search(text)
        cpp_name = (
            target.group(1).decode() if target else callable_name(text, 0, len(text), "lambda")
        )
        if target is not None:
            yield self._link(f"type:{cpp_name}", owner, name, at)
        elif cpp_name in self.made:
            cpp_name = self.made[cpp_name]
            yield self._link(f"type:{cpp_name}", owner, name, at)
        elif (source := self._returned_by(cpp_name, scope.function_open, at)) and owner:
            yield self._link(f"call:{source}", owner, name, at)
        yield self._binding(name, owner, cpp_name, scope, "type", at)

    def _binding(
        self, name: str, owner: str, cpp_name: str, scope: Scope, form: str, at: int
    ) -> Binding:
        line = self.unit.line(at)
        return Binding(name, owner, cpp_name, scope.prefix, form, self.unit.path, line)

    def _types_added(self) -> Iterator[BindingFact]:
        """`PyModule_AddType(module, &Type)`: the last part of the type's tp_name is the name (CPython's C API)."""
        for match in _ADD_TYPE.finditer(self.text):
            at, kind = match.start(), match.group("type")
            scope = self.unit.scopes.at(at)
            owner = self.variables.node(scope, match.group("module").decode())
            made = re.search(rb"\b" + kind + rb"\s*=\s*\{[^\"]*", self.text)
            name = self.variables.literal(made.end()).rpartition(".")[2] if made else ""
            if not name or not owner:
                continue
            yield self._link(f"type:{kind.decode()}", owner, name, at)
            yield self._binding(name, owner, kind.decode(), scope, "type", at)

    def _returned_by(self, variable: str, start: int, end: int) -> str:
        """The function whose result a local variable holds."""
        found = re.search(
            rb"\b" + re.escape(variable.encode()) + rb"\s*=\s*([A-Za-z_][\w:]*)\s*\(\s*\)\s*;",
            self.text[start:end],
        )
        return found.group(1).decode() if found is not None else ""

    def _helper(self, scope: Scope, at: int, listed: list[Argument]) -> _Helper | None:
        """The lambda or function around a call that hands its own parameter on as the name."""
        name, start, end = scope.function.rpartition("::")[2], 0, len(self.text)
        declared = self.variables.declarations(scope)
        owner = ""
        for match in _LAMBDA.finditer(self.text, scope.function_open, at):
            close = closing(self.text, match.end() - 1)
            body = self.text.find(b"{", close)
            if close < 0 or not 0 <= body < at < closing(self.text, body):
                continue
            name, start = match.group("name").decode(), match.end()
            end = closing(self.text, scope.function_open)
            declared = [self._said(one) for one in arguments(self.text, match.end() - 1)]
            owner = self._module(scope, listed[0], match.start()) or ""
        words = [LAST_WORD.search(one) for one in declared]
        names = [word.group(1) if word else b"" for word in words]
        module, label = (_index(names, self._said(one).strip()) for one in listed[:2])
        if label < 0 or not name or (module < 0 and not owner):
            return None
        made = self._said(listed[2])
        handed = _WORD.findall(made)
        value = next((i for i, one in enumerate(names) if one in handed), -1)
        is_type = value >= 0 and b"PyTypeObject" in declared[value] and b"&" in declared[value]
        return _Helper(name, start, end, owner, module, label, value, is_type, made)

    def _said(self, argument: Argument) -> bytes:
        return self.text[argument.start : argument.end]

    def _helped(self, helper: _Helper) -> Iterator[BindingFact]:
        """What calls of a helper put into modules."""
        called = re.compile(rb"\b" + helper.name.encode() + rb"\s*(?:<[^;(){}]*>\s*)?\(")
        for match in called.finditer(self.text, helper.start, helper.end):
            at = match.start()
            listed = arguments(self.text, match.end() - 1)
            scope = self.unit.scopes.at(at)
            most = max(helper.label, helper.module, helper.value)
            if len(listed) <= most or scope.function_open < 0 or self._is_in_macro(at):
                continue
            label = listed[helper.label]
            if not _LITERALS.fullmatch(self.text, label.start, label.end):
                continue  # a parameter's own name, or what a macro makes a part of
            name = self.variables.literal(label.start)
            owner = helper.owner
            if helper.module >= 0:
                owner = self._module(scope, listed[helper.module], at) or ""
            if not owner or not name.isidentifier():
                continue
            value = self._said(listed[helper.value]) if helper.value >= 0 else helper.made
            node = _type_of(value, is_type=helper.is_type)
            if node:
                yield self._link(f"type:{node}", owner, name, at)
                for one in listed:
                    table = self.text[one.start : one.end].strip().decode("utf-8", "replace")
                    if table in self.tables:
                        yield self._link(f"table:{table}", f"type:{node}", "", at)
            # A type that another file keeps to itself is asked for: THPModule_DisableTorchFunctionType().
            call = _CALL.fullmatch(value)
            cpp_name = node or (call.group(1).decode() if call else squeezed(value, _MOST_VALUE))
            form = "type" if node or call else "member"
            yield self._binding(name, owner, cpp_name, scope, form, at)


def _index(names: list[bytes], name: bytes) -> int:
    return names.index(name) if name in names else -1


def _type_of(value: bytes, *, is_type: bool) -> str:
    """The type that is put into a module, whose address a value takes or which is handed on as it is."""
    found = _WORD.fullmatch(value.strip()) if is_type else None
    if found is not None:
        return found.group().decode()
    address = _ADDRESS.search(value)
    return address.group(1).decode() if address is not None else ""
