"""What a member is called on, where that is no variable whose type is written: `Node->outputs().at()`.

The text of such an expression is kept with the types of its variables in the place of their names, and without the
arguments in its brackets; what it comes to is decided when all files are known
(`indexer.link.cpp.expression_types`). In it stand
`f()` for a call, `f(_)` for one with arguments, `[]` for an element, `[*]` for each of all elements, `[0]` for the
first of what a pair or tuple consists of, and `[&]` behind what a `*` stood before. What begins with `.` is of a data
member of the method's own class, or of a variable of a namespace around it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection

from indexer.extract.cpp.autos import autos_of
from indexer.extract.cpp.c_casts import cast_at, cast_before, has_casts
from indexer.extract.cpp.call_text import (
    BRACKETS,
    NAME_BEFORE,
    POINTER,
    TEMPLATE,
    TEMPLATE_BEFORE,
)
from indexer.extract.cpp.outline import Function
from indexer.extract.cpp.variables import GENERIC, Variables, accessed, sign_of
from indexer.extract.cpp.words import first_word
from indexer.facts.cpp import (
    MOVED_OBJECT,
    NAMED_OBJECT,
    OPEN_OBJECT,
    plain_object,
)

_LONGEST = 240
"""No longer text is kept: what goes on for so long says little of a type."""

_FARTHEST = 8192
"""Nor is what is longer with its arguments: at each of a chain's calls all before it would be gone through again."""

_DEEPEST = 10
"""So many steps are followed, from a variable to its initializer and on to the variable there."""

_PLAIN = rb"[^()\[\]{}]*"
_WITHIN = rb"%b(?:[)\]}]%b(?:[)\]}]%b(?:[)\]}]%b[(\[{]%b)*[(\[{]%b)*[(\[{]%b)*" % ((_PLAIN,) * 7)
_BACK = rb"[)\]]" + _WITHIN + rb"[(\[]"
_PART_BACK = (
    rb"(?:\s*(?:" + _BACK + rb"(?:\s*" + _BACK + rb")*"
    # An object that is made there: `Var{tree}.name()`.
    rb"|\}" + _WITHIN + rb"\{)\s*(?:" + TEMPLATE_BEFORE + rb"\s*)?|\s*)"
) + NAME_BEFORE
# Keywords that an expression may follow, backwards.
_KEYWORDS_BACK = b"|".join(
    word[::-1] for word in (b"return", b"co_return", b"throw", b"else", b"do", b"case", b"delete")
)
# From what stands before a `.` or `->` to where the expression begins; nothing it is a member of may be left.
_CHAIN_BACK = re.compile(
    _PART_BACK
    + rb"(?:\s*(?:\.|>-|::\s*(?:"
    + TEMPLATE_BEFORE
    + rb")?)(?:"
    + _PART_BACK
    + rb"))*(?!\s*(?:\.|>-|::|(?!(?:"
    + _KEYWORDS_BACK
    # Macros that have a line to themselves, and directives, end no type: `HANDLE_TH_ERRORS`, `#ifdef MKL_ILP64`.
    + rb"|[A-Z0-9_]{4,}(?=\s*\n))\b|fidne#|\w+[ \t]+(?:fedn?fi|fi|file)#)\w))"
)
_MEMBERS_BACK = re.compile(rb"(?:" + _PART_BACK + rb"\s*(?:\.|>-))*")
_NO_CALLS = frozenset(b"return co_return throw else do case delete".split())
# `(*it)` or `(all.first())` before a member, and an element of that.
_HELD_BACK = re.compile(
    rb"\s*(\][^\[\](){};]*\[\s*)?\)\s*("
    + _PART_BACK
    + rb"(?:\s*(?:\.|>-|::)(?:"
    + _PART_BACK
    + rb"))*)\s*(\*\s*)?\((?!\s*(?:[>)\]]|(?!(?:"
    + _KEYWORDS_BACK
    + rb")\b)\w))"
)
_NAME = rb"[A-Za-z_]\w*"
_PART = (
    _NAME + rb"\s*(?:" + TEMPLATE + rb"\s*)?(?:::\s*" + _NAME + rb"\s*(?:" + TEMPLATE + rb"\s*)?)*"
)
_GROUPS = rb"(?:" + BRACKETS + rb"\s*)*"
_MEMBERS = _PART + _GROUPS + rb"(?:(?:\.|->)\s*(?:template\s+)?" + _PART + _GROUPS + rb")*"
# An initializer that is one such expression, to its end.
_CHAIN = re.compile(rb"([*&\s]*)((?:::\s*)?" + _MEMBERS + rb")[;),]")
# One of two alternatives, `held ? f() : g()`: both come to one type ([expr.cond]).
_CHOSEN = re.compile(rb"[^;{}?]{1,200}\?([*&\s]*)((?:::\s*)?" + _MEMBERS + rb"):(?!:)")
_MOVED = re.compile(rb"std::move\(\s*(" + _MEMBERS + rb")\)")
# One of several: `std::get<0>(f(x))`.
_PART_OF = re.compile(rb"std::get<\s*(\d{1,2})\s*>\(\s*(" + _MEMBERS + rb")\)")
_MOVED_THIS = b"std::move(*this)"
_DECLARED = re.compile(rb"\s*(?:\[[^\]]*\]\s*)?(?:[;({,):]|=(?!=))")
# A type may end here: `T&& x` is one, `a && x` is none.
_TYPED = re.compile(rb"(?:\b(\w+)|>)(?:\s+|\s*[&*]\s*|&&\s*|\s*\*\*\s*)$")
_OF_THIS = re.compile(r"->[A-Za-z_]\w*(?![\w(<:])")
_NO_TYPES = frozenset(
    b"return co_return co_yield co_await throw else do case delete new goto in and or not sizeof".split()
)
_NEAR = 60  # bytes before a name in which the end of a type is looked for
_GROUP = re.compile(BRACKETS)
_CONST = re.compile(rb"\b(?:const|typename|template)\b")
_OPEN_OR_MOVED = frozenset((OPEN_OBJECT, MOVED_OBJECT))
_WORD = re.compile(rb"\w+")
_FIRST = re.compile(rb"(::)?[A-Za-z_]\w*")


class Receivers:
    """Of one file.

    Args:
        text: of the file, comments and literals blanked.
        backwards: the same from its end to its beginning.
        variables: those whose type is written.
    """

    def __init__(self, text: bytes, backwards: bytes, variables: Variables) -> None:
        self._text, self._backwards, self._variables = text, backwards, variables
        self._autos, self._bound = autos_of(text)
        self._has_casts = has_casts(text)
        self._function: Function | None = None
        self._fields: dict[bytes, bool] = {}  # of a function's names
        self._known: dict[bytes, str] = {}  # of an expression, without its variables' types
        self._initial: dict[int, str] = {}  # of an `auto`, by where it stands

    def before(
        self, at: int, function: Function, open_types: Collection[bytes], *, by_arrow: bool
    ) -> str:
        """The expression that ends at an offset; "" where it says nothing.

        Args:
            at: of its end.
            function: around it.
            open_types: the template's parameters.
            by_arrow: whether `->` stands behind it.
        """
        size = len(self._text)
        # A constructor's initializers stand before its body.
        first = function.at if function.head.flavour == "constructor" else function.body
        farthest = min(size - first, size - at + _FARTHEST)
        match = _CHAIN_BACK.match(self._backwards, size - at, farthest)
        if match is not None and match.end() == farthest < size - first:
            return ""
        chain = b"" if match is None else match.group()[::-1]
        if match is not None and chain.partition(b"(")[0].strip() in _NO_CALLS:
            match = None
        if match is None and self._has_casts:
            cast = self._cast(size - at, size - first, open_types)
            if cast:
                return cast
        if match is None:
            held = _HELD_BACK.match(self._backwards, size - at, size - first)
            if held is None:
                return ""
            start, behind = size - held.end(2), "" if held.group(3) is None else "[&]"
            behind += "" if held.group(1) is None else "[]"
            return self._told(held.group(2)[::-1], start, function, open_types, _DEEPEST, behind)
        end = size - match.end()
        if _WORD.fullmatch(chain):  # `x` of `for (auto& y : x.all())`
            declared = self._variables.of(chain, function, end)
            if declared.plain and declared.plain.encode("latin-1") not in open_types:
                return accessed(declared, by_arrow=by_arrow)
            if not declared.plain and declared.whole != GENERIC:
                told = self.of_variable(chain, end, function, open_types, by_arrow=by_arrow)
                if told:
                    return told
        return self._told(chain, end, function, open_types, _DEEPEST)

    def _cast(self, at: int, end: int, open_types: Collection[bytes]) -> str:
        """Members of what is cast as C does it, from an offset of the text backwards on: `((THPEvent*)self)->event`."""
        members = _MEMBERS_BACK.match(self._backwards, at, end)
        at = at if members is None else members.end()
        cast = cast_before(self._backwards, at, end, open_types)
        if not cast or members is None:
            return cast
        told = cast + _canonical(members.group()[::-1])
        return told if len(told) <= _LONGEST else ""

    def of_variable(
        self,
        name: bytes,
        used: int,
        function: Function,
        open_types: Collection[bytes],
        *,
        by_arrow: bool,
    ) -> str:
        """What an `auto` variable is made from; "" where none of the name is seen from there.

        Args:
            name: of the variable.
            used: offset at which it is used.
            function: that it is used in.
            open_types: parameters of the templates around it, which are no types.
            by_arrow: whether `->` stands behind it.
        """
        told, form = self._variable(name, used, function, open_types, _DEEPEST)
        if by_arrow or not told:
            is_open = told and (form == OPEN_OBJECT or told.startswith(MOVED_OBJECT))
            return OPEN_OBJECT + plain_object(told) if is_open else told
        if form == NAMED_OBJECT:
            return told if told[:1] in _OPEN_OR_MOVED else NAMED_OBJECT + told
        return form + plain_object(told)

    def of_field(self, name: bytes, used: int, function: Function) -> str:
        """A name as one of a data member, or of a namespace's variable; "" where the function declares it.

        Args:
            name: of the member.
            used: offset at which it is used.
            function: that it is used in.
        """
        if function is not self._function:
            self._function, self._fields = function, {}
        known = self._fields.get(name)
        if known is None:
            known = self._fields[name] = not self._is_local(name, used, function)
        return "." + name.decode("latin-1") if known else ""

    def _is_local(self, name: bytes, used: int, function: Function) -> bool:
        """Whether something in a function may declare a name, before an offset where it is used."""
        if any(function.body < at < used for at in self._bound.get(name, ())):
            return True
        text = self._text
        at = function.start
        while (at := first_word(text, name, at, used)) >= 0:
            behind = at + len(name)
            if _DECLARED.match(text, behind):
                typed = _TYPED.search(text, max(0, at - _NEAR), at)
                if typed is not None and typed.group(1) not in _NO_TYPES:
                    return True
            at = behind
        return False

    def _variable(
        self,
        name: bytes,
        used: int,
        function: Function,
        open_types: Collection[bytes],
        deepest: int,
    ) -> tuple[str, str]:
        autos = self._autos.get(name)
        if autos is None:
            return "", ""
        number = bisect_left(autos, (used,)) - 1
        if number < 0 or autos[number][0] < function.body:
            return "", ""
        at, initial, is_each, form, part = autos[number]
        known = self._initial.get(at)
        if known is None:
            known = ""
            match = _CHAIN.match(self._text, initial, function.end)
            if match is None and not is_each:
                match = _CHOSEN.match(self._text, initial, function.end)
            if match is not None:
                held, chain = match.groups()
                behind = ("[*]" if is_each else "[&]" if b"*" in held else "") + part
                known = self._told(chain, at, function, open_types, deepest - 1, behind)
                if known and match.re is _CHOSEN:  # the other may be another kind of value
                    known = OPEN_OBJECT + plain_object(known)
            elif not is_each:
                known = cast_at(self._text, initial, function.end, open_types)
            self._initial[at] = known
        return known, form

    def _told(
        self,
        chain: bytes,
        at: int,
        function: Function,
        open_types: Collection[bytes],
        deepest: int,
        behind: str = "",
    ) -> str:
        """An expression with its variable's type, as it is kept; "" for one that says nothing."""
        if chain.startswith(b"std::move("):
            if (moved := _MOVED.match(chain)) is not None:
                size = len(chain)
                chain = moved.group(1) + chain[moved.end() :]
                told = self._told(chain, at, function, open_types, deepest, behind)
                if told and len(moved.group()) == size and not behind:
                    return MOVED_OBJECT + told
                return OPEN_OBJECT + plain_object(told) if told else ""
            if chain == _MOVED_THIS:
                return OPEN_OBJECT + "this"
        if chain.startswith(b"std::get<") and (part := _PART_OF.match(chain)) is not None:
            behind = f"[{int(part.group(1))}]" + _canonical(chain[part.end() :]) + behind
            told = self._told(part.group(2), at, function, open_types, deepest, behind)
            return OPEN_OBJECT + plain_object(told) if told else ""
        known = self._known.get(chain)
        if known is None:
            known = self._known[chain] = _canonical(chain)
        told = known + behind
        first = _FIRST.match(chain)
        if first is None or not deepest:
            return ""
        end = first.end()
        if told[end : end + 1] in ("(", "<", ":") or first.group(1):
            return told if len(told) <= _LONGEST else ""
        name = chain[:end]
        if name != b"this":
            declared = self._variables.of(name, function, at)
            plain, whole, rest = declared.plain, declared.whole, told[end:]
            if whole == GENERIC or plain.encode("latin-1") in open_types:
                return ""
            of_type = whole if rest else plain
            by_arrow = rest.startswith("->")
            if of_type:
                # What a pointer's own element is, its type does not say.
                is_told = rest and not (rest.startswith("[]") and declared.form >= POINTER)
                by_arrow = by_arrow or rest.startswith("[&]")
                of_type = (
                    sign_of(declared, by_arrow=by_arrow) if is_told else OPEN_OBJECT
                ) + of_type
            else:
                of_type, form = self._variable(name, at, function, open_types, deepest - 1)
                if of_type and (not by_arrow or form == OPEN_OBJECT or of_type[0] == MOVED_OBJECT):
                    of_type = OPEN_OBJECT + plain_object(of_type)
            of_type = of_type or self.of_field(name, at, function)
            if not of_type:
                return ""
            told = of_type + rest
        elif told[end : end + 2] == "->" and _OF_THIS.match(told, end):
            told = "." + told[end + 2 :]
        return told if len(told) <= _LONGEST else ""


def _canonical(chain: bytes) -> str:
    """An expression without arguments and white space."""
    text = _GROUP.sub(_emptied, chain)
    if b"const" in text or b"te" in text:
        text = _CONST.sub(b"", text)
    return b"".join(text.split()).decode("latin-1")


def _emptied(match: re.Match[bytes]) -> bytes:
    group = match.group()
    if group[:1] == b"[":
        return b"[]"
    return b"()" if len(group) == 2 else b"(_)"
