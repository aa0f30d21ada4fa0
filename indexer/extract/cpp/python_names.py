"""What of Python a C++ file names: the modules that it imports, and their attributes.

    py::module::import("torch._jit_internal").attr("_qualified_name")(obj)
    auto annotations = py::module::import("torch.jit.annotations"); … annotations.attr("try_ann_to_type")(…)
    THPObjectPtr mod(PyImport_ImportModule("torch.fx.traceback")); … PyObject_CallMethod(mod.get(), "format_stack", "")

A variable that holds a module is known to the end of the function that fills it. What is asked for by a name that is
no literal is not known. Of an object that no module gave the methods are told without its class, where a file calls
many: `getPyObj().attr("wrap_int")(num)` of torch/csrc/utils/python_symnode.h, and what hands its own name on to a
function that calls so (`dispatch_common_(__func__, other)`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

PYTHON_TYPE = "py::module"
"""In the place of a receiver's type: what is called is Python's, and named in full."""

# pybind11's `module_::import`, the handle of `PYBIND11_…_CONSTINIT`, and Python's own function.
_IMPORT = re.compile(
    rb'\b(?:import|PyImport_ImportModule)\s*\(\s*(?:"(torch(?:\.\w+)*)"|([A-Za-z_]\w*))\s*\)'
)
_CONSTANT = re.compile(rb'\b(\w+)(?:\[\])?\s*=\s*"(torch(?:\.\w+)*)"\s*;')
_ATTRIBUTE = re.compile(rb'\s*(?:\.|->)\s*attr\s*\(\s*"(\w+)"\s*\)')
# `x = py::module::import(…)`, `THPObjectPtr x(PyImport_ImportModule(…))`, with what it may be wrapped in.
_HELD = re.compile(rb"(?<![\w.>])(\w+)\s*(?:=|\(|\{)\s*(?:(?:\w+::)*\w+\s*\(\s*)?(?:\w+::)*\Z")
_LONGEST = 120  # of what stands between a variable and the import that fills it
_CALLED = re.compile(rb"\bPyObject_CallMethod\w*\((?=\s*\Z)")
_METHOD = re.compile(rb'(?:\.|->)attr\(\s*"(\w+)"\s*\)\s*(?=\()')
# A function that calls the method that it is told: `dispatch_common_(const char* fname, …) { … .attr(fname)(…) }`.
_TOLD = re.compile(rb"\b(\w+)\(\s*const char\s*\*\s*(\w+)\b[^{};]*\{")
_OWN_NAME = re.compile(rb"\b(\w+)\(\s*(?:__func__|__FUNCTION__)\b")
_LONGEST_BODY = 800
_LEAST = 5  # methods that a file has to call: of fewer nobody knows whose they are
OF_OBJECT = "?."
"""In front of a method's name that is called on an object of no known class."""
_OPENING = re.compile(rb"\s*\(")


class PythonUse(NamedTuple):
    """A place where an attribute of a module of Python is taken.

    Args:
        at: its offset.
        name: in full, torch._jit_internal._qualified_name, or behind `OF_OBJECT`.
        opening: of the bracket, where it is called on the spot; else -1.
    """

    at: int
    name: str
    opening: int


class PythonNames:
    """The uses of one file.

    Args:
        data: of the file.
        text: the same, with comments blanked.

    Attributes:
        imports: of each import where it begins and ends, and the module; mostly none.
        methods: of each method that is called on an object where its name stands, and the name; an empty one where it
            is that of the function around it; mostly none.
    """

    def __init__(self, data: bytes, text: bytes) -> None:
        self._data = data
        self.imports: list[tuple[int, int, bytes]] = []
        if b'"torch' in data and (b"import(" in data or b"PyImport_ImportModule" in data):
            # torch/csrc/distributed/rpc/python_rpc_handler.cpp names its module in a constant.
            constants = {match[1]: match[2] for match in _CONSTANT.finditer(data)}
            for match in _IMPORT.finditer(data):
                module = match[1] or constants.get(match[2])
                if module and text[match.start()] == data[match.start()]:
                    self.imports.append((match.start(), match.end(), module))
        self.methods = self._methods() if b'.attr("' in data else []

    def _methods(self) -> list[tuple[int, bytes]]:
        """See `methods`."""
        data = self._data
        found = [(match.start(), match[1]) for match in _METHOD.finditer(data)]
        if len({name for _, name in found}) < _LEAST:
            return []
        telling = {
            match[1]
            for match in _TOLD.finditer(data)
            if data.find(b".attr(%s)(" % match[2], match.end(), match.end() + _LONGEST_BODY) >= 0
        }
        for match in _OWN_NAME.finditer(data) if telling else ():
            if match[1] in telling:
                found.append((match.start(), b""))
        # What a module gives is told in full.
        return sorted(
            (at, name)
            for at, name in found
            if not any(behind == at for _, behind, _ in self.imports)
        )

    def of_objects(self, name: str, start: int, end: int) -> Iterator[PythonUse]:
        """The methods that a function calls on objects.

        Args:
            name: the function's own, without what it stands in.
            start: of its body.
            end: behind it.
        """
        first = bisect_left(self.methods, (start,))
        for at, method in self.methods[first:]:
            if at >= end:
                return
            opening = self._data.index(b"(", at)
            yield PythonUse(at, OF_OBJECT + (method.decode("ascii") or name), opening)

    def within(self, start: int, end: int) -> Iterator[PythonUse]:
        """What a function takes of Python's modules.

        Args:
            start: of its body.
            end: behind it.
        """
        data = self._data
        first = bisect_left(self.imports, (start,))
        for at, behind, module in self.imports[first:]:
            if at >= end:
                return
            use = self._taken(at, behind, module)
            if use is not None:
                yield use
                continue
            held = _HELD.search(data, max(start, at - _LONGEST), at)
            if held is not None:
                yield from self._of_variable(held[1], module, behind, end)

    def _of_variable(self, name: bytes, module: bytes, at: int, end: int) -> Iterator[PythonUse]:
        taken = re.compile(
            rb'(?<![\w.>])%s(?:(?=\s*(?:\.|->)\s*attr\s*\()|(?:\.(?:get|ptr)\(\))?\s*,\s*"(\w+)"\s*[,)])'
            % re.escape(name)
        )
        for match in taken.finditer(self._data, at, end):
            if match[1] is not None:  # PyObject_GetAttrString(x, "name")
                called = _CALLED.search(
                    self._data, max(at, match.start() - _LONGEST), match.start()
                )
                opening = called.end() - 1 if called else -1
                yield PythonUse(match.start(), (module + b"." + match[1]).decode("ascii"), opening)
            elif (use := self._taken(match.start(), match.end(), module)) is not None:
                yield use

    def _taken(self, at: int, behind: int, name: bytes) -> PythonUse | None:
        """The attribute that is taken of what stands before an offset; None where none is."""
        data = self._data
        match = _ATTRIBUTE.match(data, behind)
        if match is None:
            return None
        while match is not None:
            name += b"." + match[1]
            behind = match.end()
            match = _ATTRIBUTE.match(data, behind)
        bracket = _OPENING.match(data, behind)
        return PythonUse(at, name.decode("ascii"), bracket.end() - 1 if bracket else -1)
