"""pybind11's definitions: `m.def(…)`, `py::class_<T>(m, "Name").def(…)`, enumerations, submodules, attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.callables import callable_name, overload_types
from indexer.extract.cpp.characters import CLOSING, DOT, GREATER, OPENING
from indexer.extract.cpp.expansion import telling_defines
from indexer.extract.cpp.lexical import (
    Argument,
    arguments,
    blanked,
    closing,
    next_code,
    previous_code,
    squeezed,
    template_end,
    template_start,
    word_before,
)
from indexer.extract.cpp.owners import Variables, joined
from indexer.extract.cpp.preprocess import MacroTable, expand
from indexer.extract.cpp.scopes import Scope, Scopes
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.bindings import Binding, BindingFact, OwnerLink

_FORMS = {
    "def": "function", "def_static": "static_method", "def_property": "property",
    "def_property_readonly": "property", "def_property_static": "property_static",
    "def_property_readonly_static": "property_static", "def_readwrite": "field", "def_readonly": "field",
    "def_readwrite_static": "field", "def_readonly_static": "field", "value": "value",
    "def_submodule": "submodule", "attr": "attribute", "def_pickle": "method", "def_buffer": "method",
}  # fmt: skip
# All begin with one of a few bytes, which lets the search skip everything else.
_EVENT = (
    rb"[.\-ce=p(](?:(?:(?<=\.)|(?<=-)>)"
    rb"\s*(?P<method>def\w*|value|attr|export_values|[A-Z][A-Z_0-9]+)\s*(?P<angle><[^;(){}]*>\s*)?\("
    rb"|(?P<class>(?<=c)lass_|(?<=e)num_)\s*<"
    rb"|(?P<assigned>(?<==)(?!=)\s{0,80}(?=[^;=]{0,300}?(?:module|[Ii]mport|PyModule_Create|handle|_init\b)))"
    rb"|(?P<declared>(?<=p)(?<!\wp)y(?:bind11)?::(?:module_?|object)\s+(?P<name>\w+)\s*[({])"
    rb"|(?<=\()\s*\*?(?P<passed>[A-Za-z_]\w*)\s*(?:\.ptr\(\)|\.get\(\))?\s*[,)]%b)"
)
_PLAIN_EVENT = re.compile(_EVENT % rb"|(?P<bare>(?!))")
_OPERATOR = re.compile(rb"\s*(?:py::|pybind11::)?self\s*(==|!=|<=|>=|<|>|\+=|-=|\+|-|\*|/)")
_DUNDERS = {
    b"==": "__eq__", b"!=": "__ne__", b"<": "__lt__", b"<=": "__le__", b">": "__gt__", b">=": "__ge__",
    b"+": "__add__", b"-": "__sub__", b"*": "__mul__", b"/": "__truediv__", b"+=": "__iadd__", b"-=": "__isub__",
}  # fmt: skip
_NOT_CALLS = frozenset(
    ("if", "for", "while", "switch", "return", "sizeof", "catch", "defined", "decltype")
)
_NOT_PASSED_ON = re.compile(
    r"(?:py|pybind11)::(?!exception|register_exception|bind_vector|bind_map)|std::|Py|THPUtils_"
)
_MODULE_PARAMETER = re.compile(rb"module|class_|\bpy::handle\b|_C\b|_m$|\bm$", re.IGNORECASE)
# Behind a binding comes another one, or nothing more of the function.
_BINDS_ON = re.compile(rb"\s*(?:[.}]|;\s*(?:\}|\w+\s*\.\s*def|(?:py|pybind11)::(?:class_|enum_)))")
_TELLING = re.compile(rb"\bdef(?:_\w+)?\s*\(")


def pybind(unit: CppUnit, variables: Variables) -> Iterator[BindingFact]:
    """Every definition by pybind11, and which calls pass modules and classes on.

    Args:
        unit: the file.
        variables: of the file; what is learnt of them stays there for `method_tables`.
    """
    yield from _Pybind(unit, variables).read()


class _Pybind:
    def __init__(self, unit: CppUnit, variables: Variables) -> None:
        self.unit = unit
        self.data = unit.data
        self.text = variables.text
        self.scopes: Scopes = unit.scopes
        self.variables = variables
        self.ends: dict[
            int, str
        ] = {}  # what the call that ends at an offset gives back: its chain's object
        self.classes: set[str] = set()
        # Functions of the file that bind a class under a name they are given: which parameter it is.
        self.naming: dict[str, tuple[str, int]] = {}
        self.macros = telling_defines(self.scopes, _TELLING)
        self.table: MacroTable | None = None

    def read(self) -> Iterator[BindingFact]:
        event = _PLAIN_EVENT
        if self.macros:  # `MAKE_GETTER(x)` whose expansion starts with `.def`
            names = b"|".join(re.escape(name.encode()) for name in sorted(self.macros))
            event = re.compile(rb"(?P<bare>(?<![\w.])(?:" + names + rb"))\s*\(|" + _EVENT % b"")
        for match in event.finditer(self.text):
            at = match.start()
            if self.scopes.define_at(at) is not None:
                continue
            if match.group("bare"):
                scope, end = self.scopes.at(at), closing(self.text, match.end() - 1)
                owner = self._receiver(at, scope)
                if owner and end >= 0:
                    yield from self._macro(
                        match.group("bare").decode(), at, match.end(), end, owner, scope
                    )
            elif match.group("method"):
                yield from self._member(match)
            elif match.group("class"):
                yield from self._class(match)
            elif match.group("assigned") is not None or match.group("declared"):
                self._assignment(match)
            else:
                yield from self._call(match)

    def _assignment(self, match: re.Match[bytes]) -> None:
        scope = self.scopes.at(match.start())
        if scope.function_open < 0:
            return
        name = word_before(self.text, match.start())
        if match.group("declared"):
            name = match.group("name").decode()
        node = self.variables.expression(scope, match.end())
        if node:
            self.variables.assign(scope, name, node)

    def _class(self, match: re.Match[bytes]) -> Iterator[BindingFact]:
        text = self.text
        angle = template_end(text, match.end() - 1, len(text))
        if angle < 0:
            return
        at = next_code(text, angle + 1)
        variable = re.compile(rb"[A-Za-z_]\w*").match(text, at)
        if variable is not None:
            at = next_code(text, variable.end())
        if text[at : at + 1] not in (b"(", b"{"):
            return
        listed = arguments(text, at)
        end = closing(text, at)
        scope = self.scopes.at(match.start())
        kind = word_before(text, match.end("class"))
        before = previous_code(text, match.end("class") - len(kind))
        if before >= 0 and text[before] == DOT:  # m.class_<T>("Name") of a TORCH_LIBRARY
            library = self.variables.node(scope, word_before(text, before))
            name = self.variables.literal(listed[0].start) if listed else ""
            owner = f"py:torch.classes.{library.removeprefix('library:')}" if library else ""
        elif len(listed) < 2:
            return
        elif kind.startswith(
            "torch::"
        ):  # a TorchScript class: its first argument is a library's name
            owner = f"py:torch.classes.{self.variables.literal(listed[0].start)}"
            name = self.variables.literal(listed[1].start)
        elif scope.function_open < 0:
            return
        else:
            owner = self._object(scope, listed[0])
            name = self.variables.literal(listed[1].start)
            if not name and owner:
                self._named_by_caller(scope, listed[1], end)
        if not name:
            return
        node = joined(owner, name) if owner else f"class:{self.unit.path}:{name}|{name}"
        self.classes.add(node)
        self.ends[end] = node
        if variable is not None:
            self.variables.assign(scope, variable.group().decode(), node)
        else:
            if before > 0 and text[before : before + 1] == b"=":
                self.variables.assign(scope, word_before(text, before), node)
        cpp_name = squeezed(text[match.end() : angle].split(b",")[0], 160)
        form = "enum" if kind.endswith("enum_") else "class"
        yield self._binding(name, owner, cpp_name, scope, form, match.start())
        if (
            before > 0 and text[before] == OPENING
        ):  # add_module_bindings(py::class_<Module>(nn, "Module"))
            callee = word_before(text, previous_code(text, before) + 1)
            if callee and callee not in _NOT_CALLS and not _NOT_PASSED_ON.match(callee):
                line = self.unit.line(match.start())
                self.ends[closing(text, before)] = node  # what it is given it gives back
                yield OwnerLink(f"arg:{callee}#0", node, "", scope.prefix, self.unit.path, line)

    def _named_by_caller(self, scope: Scope, argument: Argument, end: int) -> None:
        """`py::class_<T>(m, name)` in a function that is given the name: members belong to what its callers name."""
        word = self.text[argument.start : argument.end].strip().decode("utf-8", "replace")
        parameters = self.variables.parameters(scope)
        if word.isidentifier() and word in parameters:
            index = parameters.index(word)
            node = f"arg:{scope.qualified}#{index}"
            self.classes.add(node)
            self.ends[end] = node
            self.naming[scope.qualified.rpartition("::")[2]] = scope.qualified, index

    def _object(self, scope: Scope, argument: Argument) -> str:
        """The node of an expression used as a module or class (`m`, `m.ptr()`, `py::module::import("torch")`)."""
        piece = self.text[argument.start : argument.end]
        word = re.match(
            rb"\s*(?:std::move\(|\*)?\s*([A-Za-z_]\w*)\s*(?:\.ptr\(\)|\.get\(\))?\)?\s*$", piece
        )
        if word is not None:
            return self.variables.node(scope, word.group(1).decode())
        return self.variables.expression(scope, argument.start) if b"(" in piece else ""

    def _receiver(self, at: int, scope: Scope) -> str:
        """The node of the object in front of a `.` or `->`."""
        text = self.text
        last = previous_code(text, at)
        while last >= 0 and (define := self.scopes.define_at(last)) is not None:
            last = previous_code(text, define.start)
        if last >= 0 and text[last] == CLOSING:
            return self.ends.get(last, "")
        return self.variables.node(scope, word_before(text, last + 1))

    def _member(self, match: re.Match[bytes]) -> Iterator[BindingFact]:
        at, method = match.start(), match.group("method").decode()
        opening = match.end() - 1
        scope = self.scopes.at(at)
        owner = self._receiver(at, scope)
        if scope.function_open < 0 and not owner:
            return
        if owner.startswith("library:"):
            return
        end = closing(self.text, opening)
        if end < 0:
            return
        if method in self.macros:
            yield from self._macro(method, at, match.end(), end, owner, scope)
            return
        self.ends[end] = owner
        form = _FORMS.get(method)
        if form is None:
            return
        name = self.variables.literal(opening + 1)
        if form == "attribute":
            after = next_code(self.text, end + 1)
            sets = self.text[after : after + 1] == b"=" and self.text[after : after + 2] != b"=="
            if name and owner:
                self.ends[end] = joined(owner, name)
            if not (name and owner and sets):
                return
            stop = self.text.find(b";", after)
            value = squeezed(self.text[next_code(self.text, after + 1) : stop], 120)
            yield self._binding(name, owner, value, scope, form, at)
            return
        if form == "submodule":
            if name and owner:
                self.ends[end] = joined(owner, name)
                yield self._binding(name, owner, "", scope, form, at)
            return
        if method in ("def_pickle", "def_buffer"):
            name = "__getstate__" if method == "def_pickle" else "__buffer__"
            cpp_name = f"{scope.qualified}::lambda"
            yield self._binding(name, owner, cpp_name, scope, form, at)
            return
        listed = arguments(self.text, opening, end)
        if not name and form == "function" and listed and owner:
            yield from self._constructor(listed, owner, scope, at)
            return
        if not name or (form == "value" and owner not in self.classes) or len(listed) < 2:
            return
        cpp_name = callable_name(
            self.text, listed[1].start, listed[1].end, f"{scope.qualified}::lambda"
        )
        if cpp_name and not cpp_name.endswith("lambda"):
            cpp_name += overload_types(self.text, *listed[1])
        if form == "value":
            cpp_name = squeezed(self.text[listed[1].start : listed[1].end], 120)
        if form == "function" and (owner in self.classes or self._is_class(owner, scope)):
            form = "method"
        yield self._binding(name, owner, cpp_name, scope, form, at)
        if cpp_name.endswith("::lambda") and not _BINDS_ON.match(self.text, end + 1):
            # What comes behind it calls for itself.
            line = self.unit.line(end)
            yield OwnerLink("lambda", "", "", scope.prefix, self.unit.path, line)

    def _is_class(self, owner: str, scope: Scope) -> bool:
        """Whether a parameter is declared as a class that is being bound."""
        if not owner.startswith("arg:") or "|" in owner:
            return False
        index = int(owner.rsplit("#", 1)[1])
        declared = self.variables.declarations(scope)
        return index < len(declared) and b"class_" in declared[index]

    def _constructor(
        self, listed: list[Argument], owner: str, scope: Scope, at: int
    ) -> Iterator[BindingFact]:
        """`.def(py::init<…>())`: a constructor has no name of its own."""
        name = callable_name(
            self.text, listed[0].start, listed[0].end, f"{scope.qualified}::lambda"
        )
        piece = self.text[listed[0].start : listed[0].end]
        if b"init" in piece:
            yield self._binding("__init__", owner, name, scope, "method", at)
        elif (operator := _OPERATOR.match(piece)) is not None:
            yield self._binding(
                _DUNDERS[operator.group(1)], owner, squeezed(piece), scope, "method", at
            )

    def _macro(
        self, macro: str, at: int, start: int, end: int, owner: str, scope: Scope
    ) -> Iterator[BindingFact]:
        """A use of the file's own macro in a chain: `.VS(unique)` with `#define VS(name) def(#name, …)`."""
        self.ends[end] = owner
        if self.table is None:
            self.table = MacroTable(self.unit.defines)
        name_at = self.text.rfind(macro.encode(), at, start)
        line = self.unit.line(name_at)
        use = self.data[name_at : end + 1].decode("utf-8", "replace")
        expansion = "." + expand(use, self.table, self.unit.path, line).lstrip(". ")
        for found in re.finditer(r"\.\s*(def\w*)\s*\(\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+)", expansion):
            form = _FORMS.get(found.group(1))
            if form is None:
                continue
            name = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(2)))
            text = blanked(expansion.encode())
            opening = text.find(b"(", found.start())
            listed = arguments(text, opening)
            cpp_name = ""
            if len(listed) > 1:
                cpp_name = callable_name(
                    text, listed[1].start, listed[1].end, f"{scope.qualified}::lambda"
                )
            yield self._binding(
                name, owner, cpp_name, scope, "method" if form == "function" else form, name_at
            )

    def _call(self, match: re.Match[bytes]) -> Iterator[BindingFact]:
        """A call that passes a module or class on as its first argument."""
        at = match.start()
        end = previous_code(self.text, at) + 1
        if end and self.text[end - 1] == GREATER:  # a template's arguments
            opening = template_start(self.text, end - 1)
            end = previous_code(self.text, opening) + 1 if opening >= 0 else 0
        name = word_before(self.text, end)
        if not name or name in _NOT_CALLS or _NOT_PASSED_ON.match(name):
            return
        if name.endswith(("class_", "enum_")):
            return  # shared_ptr_class_<T>(m, "T") is read as a class
        scope = self.scopes.at(at)
        if scope.function_open < 0 or at < scope.function_open:
            return
        passed = match.group("passed").decode()
        node = self.variables.node(scope, passed)
        if not node or node.startswith("library:") or not self._is_module(scope, node):
            return
        bound = (
            self.variables.literal(match.end())
            if self.text[match.end() - 1 : match.end()] == b","
            else ""
        )
        naming = self.naming.get(name.rpartition("::")[2])
        is_template = self.text[previous_code(self.text, at)] == GREATER
        if bound.isidentifier() and (is_template or (naming is not None and naming[1] == 1)):
            # A template that binds its argument under a name: py_context_manager<Guard>(m, "_Guard").
            made = joined(node, bound)
            self.classes.add(made)
            bound_type = self._template_argument(at)
            if naming is not None:
                link = f"arg:{naming[0]}#{naming[1]}"
                yield OwnerLink(link, made, "", scope.prefix, self.unit.path, self.unit.line(at))
            yield self._binding(
                bound, node, bound_type, scope, "class", previous_code(self.text, end)
            )
            close = closing(self.text, self.text.index(b"(", at))
            if close > 0:
                self.ends[close] = joined(node, bound)
            return
        yield OwnerLink(f"arg:{name}#0", node, "", scope.prefix, self.unit.path, self.unit.line(at))

    def _template_argument(self, at: int) -> str:
        """The first one of the function called at a bracket, or of the class that it is a member of."""
        text = self.text
        last = previous_code(text, at)
        if text[last] != GREATER:  # slot_dict<Policy>::bind(m, "Name")
            colons = text.rfind(b"::", 0, last)
            last = previous_code(text, colons)
        start = template_start(text, last) if last >= 0 and text[last] == GREATER else -1
        return squeezed(text[start + 1 : last].split(b",")[0], 160) if start >= 0 else ""

    def _is_module(self, scope: Scope, node: str) -> bool:
        """Whether a variable may be a module or a class being bound: a parameter must look like one."""
        if not node.startswith("arg:"):
            return True
        index = int(node.rsplit("#", 1)[1].split("|")[0])
        declared = self.variables.declarations(scope)
        return index < len(declared) and _MODULE_PARAMETER.search(declared[index]) is not None

    def _binding(
        self, name: str, owner: str, cpp_name: str, scope: Scope, form: str, at: int
    ) -> Binding:
        start = at
        while start < len(self.text) and self.text[start] in b".->" + b" \t\r\n":
            start += 1
        return Binding(
            name, owner, cpp_name, scope.prefix, form, self.unit.path, self.unit.line(start)
        )
