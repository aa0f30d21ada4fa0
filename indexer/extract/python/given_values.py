"""What names are given, in bodies that are read as text: `x = path(…)`, `x = path`, `x = path[i]`, `x: C`.

A value is a path, alone or called, one element of what it stands for, or what `typing.cast` and `copy.copy` make of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.python.attribute_values import FIRST_ARGUMENT, declared_type
from indexer.extract.python.brackets import closing, has_more
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import Scope
from indexer.extract.python.unit import PyUnit
from indexer.extract.python.value_texts import TENSOR, element_of, given_by, is_class, is_generic

# What says which thing a local name or an attribute of `self` is: `name = path(` or `name = path`
# alone; `group = group or path(` gives it where nobody else has. A keyword argument on a line of its own has no
# spaces around its `=`.
_GIVEN = re.compile(
    r" = (?:\w+ or )?([^\W\d][\w.]*)"
    r"((?:\[[^\n()]*\])?\(|\[[^\n()\[\]:]*\](?:(?:\.\w+)+\(|(?:\.\w+)*[ \t]*(?=\n|\Z))"
    r"|(?: if [^\n]+ else None)?[ \t]*(?=\n|\Z))"
)
_NAMED = re.compile(r"\n[ \t]+((?:self\.)?\w+)(?:[ \t]*:[^=\n(]*)?\Z")
_UNPACKED = re.compile(r"\n[ \t]+\(?((?:self\.)?\w+(?:, (?:self\.)?\w+)+),?\)?\Z")
# PEP 572: such an expression mostly stands in brackets of its own, or is all that a condition asks.
_NAMED_INSIDE = re.compile(r"(?:\(|\b(?:el)?if |\bwhile )(\w+) := ([^\W\d][\w.]*)(\(|(?=[):]))")
# PEP 526. Where a bracket or a comma follows, it is an entry of a mapping that stands on a line of its own.
_DECLARED = re.compile(r"\n[ \t]+(\w+): ([^\s=:][^=\n:]*)(?= = |\n(?!\s*[)\]}]))")
_PARTIAL = "functools.partial"
_CAST = ("typing.cast", "typing_extensions.cast")
_COPIES = ("copy.copy", "copy.deepcopy")
_SAME = frozenset((*_CAST, *_COPIES))
_SAYING = frozenset(("cast", "copy", "deepcopy"))
_MARK = re.compile(r"[()\[\],]")
# What gives no tensor where it is called on one, but numbers: torch/_C/__init__.pyi.in, tools/pyi/gen_pyi.py.
_NUMBERS = frozenset(
    f".{name}"
    for name in "tolist item size numel nelement dim stride numpy data_ptr element_size get_device".split()
)
_LONGEST_TYPE = 200
# What stands behind a call, and is asked of what that gives.
_MORE = re.compile(r"\s*((?:\.\w+)+)(\()?")
_STEPS = 4  # calls in a chain of such
_PART = re.compile(r"\[([^\n()\[\]]*)\][ \t]*(?=\n|\Z)")
# What is given then is something else: of an element, or whether it is a thing. Tensors are compared to tensors.
_OTHER = re.compile(r"[ \t]*(?:\[|(?:is|in|not|and)\b)")


class GivenValue(NamedTuple):
    """A value that is given to something.

    Args:
        at: where the statement's `=` stands.
        names: what it is given to, as it is written; several for `a, b = …`, none where it is something else.
        path: dotted name of the value.
        form: `(` where it is called, `[…](`, `[…]`, `[…].a(` and `[…].a` where brackets stand behind it, else an empty
            string.
        opening: where the bracket of a call stands.
        is_cast: it is one of `typing.cast` or of `copy`, which give what they are given.
        is_named: it stands in an expression: `(x := f())`.
        is_default: it is what the name is given if it is None: `if x is None:` stands above.
    """

    at: int
    names: tuple[str, ...]
    path: str
    form: str
    opening: int
    is_cast: bool = False
    is_named: bool = False
    is_default: bool = False


class GivenValues:
    """The values of one file that are given to names or attributes, each by where it stands.

    Args:
        unit: the file.
        scope: what its names stand for.
    """

    def __init__(self, unit: PyUnit, scope: Scope) -> None:
        self._unit = unit
        self._scope = scope
        code = unit.code
        self._found = [self._given(match) for match in _GIVEN.finditer(code)]
        self._declared: list[tuple[int, str, str]] = []
        if unit.is_packaged:
            if ":=" in code:
                self._found += [
                    GivenValue(m.start(), (m[1],), m[2], m[3], m.end() - 1, is_named=True)
                    for m in _NAMED_INSIDE.finditer(code)
                ]
                self._found.sort()
            self._declared = [
                (m.start(), m[1], unit.text[m.start(2) : m.end(2)])
                for m in _DECLARED.finditer(code)
                if not m[2].rstrip().endswith(",")
            ]
        self._at = [given.at for given in self._found]

    def within(self, span: Span) -> list[GivenValue]:
        """The values that the body of the function at `span` gives to something, in their order."""
        first = bisect_left(self._at, span.body)
        return self._found[first : bisect_left(self._at, span.end, first)]

    def declared(self, span: Span, names: Locals) -> Iterator[tuple[int, str, str]]:
        """The local names of which a body says what they are, and the target of that, "" where it is not known.

        The offset in front of the name's line comes first.

        Args:
            span: of the function.
            names: what the names inside it stand for.
        """
        first = bisect_left(self._declared, (span.body,))
        for at, name, written in self._declared[
            first : bisect_left(self._declared, (span.end,), first)
        ]:
            yield at, name, declared_type(written, names)

    def target(self, given: GivenValue, names: Locals) -> str:
        """Target of a value, or an empty string.

        Args:
            given: the value.
            names: what the names where it stands stand for.
        """
        target = names.target(given.path)
        if given.form == "(":
            return self._behind(given, self._called(given, target, names))
        if not given.form:
            return target
        if "]." in given.form:
            return self._of_element(given, target)
        if given.form[-1] == "(":  # `seen = OrderedSet[Node]()`
            if not is_generic(target):
                target = element_of(target) if target and "(" not in target else ""
            return f"{target}()" if target else ""
        if not target or is_generic(target):
            return ""
        return _element(target, given.form.strip()[1:-1])

    def _of_element(self, given: GivenValue, target: str) -> str:
        """Target of what an element has: `self.name_to_buf[name].users`."""
        inside, _, members = given.form.strip()[1:].partition("].")
        element = _element(target, inside) if target and not is_generic(target) else ""
        if "()" not in element:
            return ""
        if members[-1] != "(":
            return f"{element}.{members}"
        if f".{members[:-1]}" in _NUMBERS:
            return ""
        return self._behind(given, given_by(f"{element}.{members[:-1]}"))

    def _behind(self, given: GivenValue, made: str) -> str:
        """Target of the value whose beginning a call is: `f(x).a`.

        Of a method that is called on it, what that gives: `Linear(2, 2).to(device)`, `zeros(2).cuda()`.
        """
        code, opening = self._unit.code, given.opening
        end = closing(code, opening) if made and has_more(code, opening) else 0
        if not end:
            return made
        for _ in range(_STEPS):
            if code.startswith("(", end):  # `Builder(tx)(value)` is what calling a Builder gives
                made, end = given_by(made), closing(code, end)
                if not end:
                    return ""
                continue
            more = _MORE.match(code, end)
            if more is None:
                break
            if not more[2]:
                return f"{made}{more[1]}"
            if more[1] in _NUMBERS:
                return ""
            made = given_by(f"{made}{more[1]}")
            end = closing(code, more.end() - 1)
            if not end:
                return ""
        part = _PART.match(code, end)
        if part is not None:
            # A slice is of the kind that it is cut out of: a tensor, a list, a text.
            return made if ":" in part[1] else _element(made, part[1])
        return "" if _OTHER.match(code, end) is not None else made

    def _called(self, given: GivenValue, target: str, names: Locals) -> str:
        last = given.path.rpartition(".")[2]
        if last == "cast" and self._scope.full(given.path) in _CAST:
            return self._cast(given.opening, names)
        if last in ("copy", "deepcopy") and self._scope.full(given.path) in _COPIES:
            copied = FIRST_ARGUMENT.match(self._unit.code, given.opening)
            return names.target(copied[1]) if copied else ""
        if last == "partial" and given.names and self._scope.full(given.path) == _PARTIAL:
            # What it makes is called as what it is given.
            first = FIRST_ARGUMENT.match(self._unit.code, given.opening)
            made = names.target(first[1]) if first else ""
            is_called = is_class(made) or (self._scope.calls_partials and not made.endswith(")"))
            if made and is_called and not given.names[0].startswith("self."):
                return made
        return given_by(target)

    def cast_by(self, name: str, start: int, names: Locals) -> str:
        """Target of what `cast(C, x)` says that it gives: C; an empty string where the name is another function's.

        Args:
            name: of the function, as it is written.
            start: where it stands.
            names: what the names where it stands stand for.
        """
        is_cast = self._scope.full(name) in _CAST
        return self._cast(start + len(name), names) if is_cast else ""

    def _cast(self, opening: int, names: Locals) -> str:
        code, depth = self._unit.code, 0
        for mark in _MARK.finditer(code, opening + 1, opening + _LONGEST_TYPE):
            if mark[0] == "," and not depth:
                return declared_type(self._unit.text[opening + 1 : mark.start()], names)
            depth += (mark[0] in "([") - (mark[0] in ")]")
            if depth < 0:
                break
        return ""

    def _given(self, match: re.Match[str]) -> GivenValue:
        code, at, (path, form) = self._unit.code, match.start(), match.groups()
        start = code.rfind("\n", 0, at)
        names: tuple[str, ...] = ()
        is_default = False
        if start >= 0:
            named = _NAMED.match(code, start, at)
            is_asked = named is None and self._unit.is_packaged
            several = _UNPACKED.match(code, start, at) if is_asked else None
            names = (named[1],) if named else tuple(several[1].split(", ")) if several else ()
            if named and code[start - 1] == ":":
                is_default = _is_default(code, start, named[1])
        is_cast = path.rpartition(".")[2] in _SAYING and self._scope.full(path) in _SAME
        form = "" if form[:1] not in "([" else form
        return GivenValue(at, names, path, form, match.end() - 1, is_cast, is_default=is_default)


def _is_default(code: str, start: int, name: str) -> bool:
    """Whether the line that ends at an offset asks whether a name is None, or nothing, and begins a block."""
    asked = code[code.rfind("\n", 0, start) + 1 : start].strip()
    return asked in (f"if {name} is None:", f"if not {name}:")


def _element(target: str, inside: str) -> str:
    """Target of what square brackets with something inside give."""
    if ":" in inside:
        return target if target == TENSOR or target.startswith("list(") else ""
    found = element_of(target, int(inside) if inside.isdecimal() else None)
    return f"{found[:-1]}{inside}]" if found.endswith("[]") and inside.isdecimal() else found
