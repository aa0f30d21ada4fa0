"""Facts of layer 4: what a Python file defines, imports, exports and calls.

Names of other things are written as *targets*: a dotted path from a module as far as the file
itself tells (`F.pad` is `torch.nn.functional.pad` where `F` was imported so), with these signs:
`X()` is what calling X gives (an instance where X is a class), `X[]` an element of X, `X[*]` what a loop over X binds,
`union(X()|Y())` an object of one of these classes, `type(X())` a name that annotations have for such objects,
`table(X|Y)` a mapping to these functions or classes, `one(X|Y)` one of them or of modules, `any(X|Y)` any of these,
`of(X())` what the class that is called is told to be for; `super(X).m` the `m` that X inherits; `X().p!` is a property
`p` that is read of such an object, kept only where it is one; `X{}` is what decorators put into the dictionary X, `X@`
the decorator X;
`X=` is what is handed to the helper that makes the operator X; `X().f~` any method of X whose name begins with `f`;
`custom(torch.fx:p)` what functions of the package declare a parameter p as;
`X#m` is the class X, or its method where `m` is one that is not only compared with, and nothing for a class in it;
`?` is a method of a value whose type the text does not tell, kept where a module's or optimizer's
own work is followed, and `?.m` where it may be the only one of its name, or `?x.m` of what is called `x`.
What a target stands for is found by the link step.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from operator import gt
from typing import NamedTuple

from indexer.facts.columns import pack_columns, unpack_columns

BINDING_KINDS = (
    "from", "attribute", "call", "import", "annotation", "alias", "star", "forwarded", "conforms", "answered",
)  # fmt: skip
FUNCTION_KINDS = (
    "method", "function", "staticmethod", "property", "module", "classmethod", "overload", "setter",
)  # fmt: skip
"""What `python_bindings.code` and `python_functions.code` count, in the order of schema.sql."""


class PythonBinding(NamedTuple):
    """A name that a module or class gives to something.

    Args:
        scope: class within the module that the name belongs to, or an empty string.
        name: `*` for a star import, and for what is of no name.
        kind: import, from, star, alias (`a = b.c`), call (`a = w(b)`: what is called and what it is handed), annotation
            (`a: b`), attribute (of `self` or a class), answered (what `__getattr__` and `__setattr__` call where they
            are asked for the name), forwarded (what `__getattr__` asks for any name) or conforms (a class that stands
            for another, which it does not derive from): one of `BINDING_KINDS`.
        target: what it names; `module:name` for `from`; both classes of `conforms`, joined by `|`.
        line: 1-based.
        guarded: it does not exist at runtime: it stands under `if TYPE_CHECKING`, or stands in for
            what another branch defines where something is missing.
    """

    scope: str
    name: str
    kind: str
    target: str
    line: int
    guarded: bool = False


class PythonClass(NamedTuple):
    """A class of a module or of another class.

    Args:
        name: within the module: `Outer.Inner`.
        bases: as written, for people.
        targets: one target a base; an empty string for what is no dotted name.
        decorators: as written.
        doc: first paragraph of the docstring.
        line: of the `class`, 1-based.
        end_line: of its last line.
        guarded: see `PythonBinding`.
    """

    name: str
    bases: tuple[str, ...]
    targets: tuple[str, ...]
    decorators: tuple[str, ...]
    doc: str
    line: int
    end_line: int
    guarded: bool


class PythonFunction(NamedTuple):
    """A function of a module or a method of a class; those nested in functions belong to them.

    Args:
        name: within the module: `Linear.forward`.
        scope: the class within the module, or an empty string.
        kind: function, method, staticmethod, classmethod, property, setter or overload; module, of its own code.
        signature: from the opening bracket on, on one line: `(self, x: int = 1) -> int`.
        returns: target of what it says to return, or an empty string.
        decorators: as written.
        doc: first paragraph of the docstring.
        line: of the `def`, 1-based; 0 of a module, which no line is all of.
        end_line: of its last line.
        guarded: see `PythonBinding`.
    """

    name: str
    scope: str
    kind: str
    signature: str
    returns: str
    decorators: tuple[str, ...]
    doc: str
    line: int
    end_line: int
    guarded: bool


MODULE = "<module>"
"""What tracebacks of Python call the code of a module that stands in no function; it calls like a function."""
UNKNOWN = "?"
READ, SET = "!", "<"
"""Behind an attribute that may be a property, where it is read and where it is given something."""
TABLE, DECORATOR, MADE_OF = "{}", "@", "="
CUSTOMARY = "custom("
MADE_NAME = "~"
INSTRUCTION = f"{MADE_NAME}{MADE_NAME}"
"""In the place of a name that is an instruction's of Python's bytecode, as `dis.opname` has them: `LOAD_CONST`."""
MEMBER = "#"
METACLASS = "metaclass="
"""The name under which a class has the one that makes it: no attribute is called so."""
METHOD = "&"
"""Behind an object's attribute that is handed on, if it is a method: `planner.resolve_data`."""
REGISTERED, WRAPPED, CANDIDATE, FILLS, LOOKS_UP, DECORATED, ASKS = range(5, 12)
"""Kinds of calls beside those of indexer/extract/python/calls.py. Only the first three become rows: what a function
looks up in a table that decorators fill may be any of what they decorate, what it asks for by a name that it puts
together any of what has such a name; what decorates a function; one of the few methods of the name that it calls on
something of which nothing tells the type; and the names of methods that a function asks an argument for."""
CALL_KINDS = ("call", "reference", "operator", "aside", "handed")


class PythonCall(NamedTuple):
    """A use of something inside a function.

    Args:
        caller: position of the function among those of its file.
        target: what is called or referred to.
        kind: call; reference, where it is named but not called on the spot; operator, where
            syntax such as `a + b` or `a[i]` calls a method; aside, where it runs only to check or
            to complain, or for TorchScript, tracing or overrides, or of a class whose members alone are read; handed,
            where a body that is read as text alone passes it on as an argument or element.
        line: 1-based.
    """

    caller: int
    target: str
    kind: str
    line: int


class PythonCalls:
    """The calls of one file while they are read: there are a third of a million in PyTorch."""

    __slots__ = ("_rows", "_targets")

    def __init__(self) -> None:
        self._targets: dict[str, int] = {}
        self._rows = array("i")  # caller, target, kind and line of each call in turn

    def add(self, caller: int, target: str, kind: int, line: int) -> None:
        """Append a call.

        Args:
            caller: position of the function among those of its file.
            target: what is called or referred to.
            kind: a position in `CALL_KINDS`, or one of the kinds beside them.
            line: 1-based.
        """
        position = self._targets.setdefault(target, len(self._targets))
        self._rows.extend((caller, position, kind, line))

    def packed(self) -> PackedPythonCalls:
        """All of them as one value, by their callers."""
        if not self._rows:
            return PackedPythonCalls(b"")
        columns = [self._rows[n::4] for n in range(4)]
        callers = columns[0]
        if any(map(gt, callers, callers[1:])):
            order = sorted(range(len(callers)), key=callers.__getitem__)
            columns = [array("i", map(column.__getitem__, order)) for column in columns]
        columns[2] = array("B", columns[2])
        return PackedPythonCalls(pack_columns(self._targets, columns, _STEPS))


_STEPS = (True, False, False, True)  # callers and lines


@dataclass(frozen=True)
class PackedPythonCalls:
    """The calls of one file as they are kept.

    Args:
        data: as `PythonCalls.packed` makes it; nothing where there are no calls.
    """

    data: bytes

    def unpacked(self) -> tuple[list[str], list[array[int]]]:
        """Each target once, and the columns of the calls: caller, position of the target, kind, line.

        Raises:
            ValueError: the value is damaged.
        """
        return unpack_columns(self.data, _STEPS)

    def __iter__(self) -> Iterator[PythonCall]:
        targets, columns = self.unpacked() if self.data else ([], [array("i")] * 4)
        for caller, target, kind, line in zip(*columns, strict=True):
            yield PythonCall(caller, targets[target], CALL_KINDS[kind], line)


class PythonFile(NamedTuple):
    """What one Python file holds.

    Args:
        path: relative to the source tree.
        module: dotted name that it is imported by.
        is_package: it is an `__init__.py`.
        doc: first paragraph of its docstring.
        exports: names in `__all__`; a target in front of `.*` stands for that
            module's own. None where the module has no `__all__`.
        doc_lines: first and last line of each docstring, and of what becomes one.
        bindings: names that it imports or assigns, and attributes of its classes.
        classes: in their order.
        functions: in their order; calls number them so.
        calls: of all functions.
    """

    path: str
    module: str
    is_package: bool
    doc: str
    exports: tuple[str, ...] | None
    bindings: tuple[PythonBinding, ...]
    classes: tuple[PythonClass, ...]
    functions: tuple[PythonFunction, ...]
    calls: PackedPythonCalls
    doc_lines: tuple[tuple[int, int], ...] = ()


class DocumentedName(NamedTuple):
    """A name that a page of the documentation lists under a heading.

    Args:
        name: in full: `torch.nn.Conv2d`.
        section: the heading: `Convolution Layers`.
        position: among the names of the page.
        line: 1-based.
    """

    name: str
    section: str
    position: int
    line: int


class NativeBinding(NamedTuple):
    """A Python name that C++ or a generator gives to operators, beyond the regular rules.

    Args:
        owner: `torch._C.TensorBase`, `torch._C._VariableFunctions`, `torch._C._nn` …
        name: the Python name.
        operators: bases of the operators (`contiguous`) that its code calls; empty where none.
        how: handwritten, alias, inline, helper or stub; property of a tensor; class or value, which call nothing.
        line: 1-based.
    """

    owner: str
    name: str
    operators: tuple[str, ...]
    how: str
    line: int


class WrittenCall(NamedTuple):
    """A function of C++ that the C++ calls which a function of Python writes.

    Args:
        name: as written, with `*` for what is filled in; of a namespace that `using namespace` opens there, with `::`
            at its end.
        is_called: a bracket follows in the text; else it ends there.
        line: 1-based, of the text.
        writer: the line of the function's `def`.
    """

    name: str
    is_called: bool
    line: int
    writer: int


class BindingRule(NamedTuple):
    """A rule of the tree's own generator of Python bindings.

    Args:
        kind: skip_name (a regular expression), skip_signature, or private (names that are not
            copied into `torch`).
        value: as written.
        line: 1-based.
    """

    kind: str
    value: str
    line: int
