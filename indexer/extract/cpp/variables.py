"""The types that local variables and parameters are declared with, by the nearest declaration that is seen.

A lambda's parameter or an inner block's variable hides what is around it ([basic.scope]).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from indexer.extract.cpp.call_text import (
    CONST_POINTER,
    CONST_VALUE,
    POINTER,
    TEMPLATE_BEFORE,
    UNTOLD,
    VALUE,
    types_before,
)
from indexer.extract.cpp.outline import Function
from indexer.extract.cpp.words import first_word, is_directive
from indexer.facts.cpp import CONST_OBJECT, LED_OBJECT, OPEN_OBJECT

_DECLARES = re.compile(rb"\s*(?:\[[^\]]*\]\s*)?[=;({:,)]")
_PARAMETER = re.compile(rb"\s*[,)]")
_ITEM = re.compile(rb"[(){};]")
_NEAR = 80  # bytes before a name, with the white space of a new line
_NAME_ENDS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_>")
_TYPE_ENDS = _NAME_ENDS | frozenset(b"&*")
_MAY_DECLARE = frozenset(b" \t\r\n[=;({:,)")
_BLANK = ord(" ")
_MAY_BE_LISTED = frozenset(b",\t\r\n ")
# The names before one in a declaration, with what they begin with; and the type at the beginning of the statement.
_LISTED_BACKWARDS = re.compile(
    rb"(?:\s*,\s*(?:(?:\}[^{};]*\{|\)[^();]*\(|[^,;(){}=]+=(?!=))\s*)?\w+\b(?<=[A-Za-z_]))+(?=\s)"
)
_DECLARES_BACKWARDS = re.compile(
    rb"\s+(?:"
    + TEMPLATE_BEFORE
    + rb"\s*)?\w+(?:::\w+)*(?<=[A-Za-z_])(?:\s+(?:tsnoc|citats))*\s*[;{}]"
)
_WORD_BEFORE = re.compile(rb"(\w+)\s+[*&]$")


class Declared(NamedTuple):
    """What a variable is declared with.

    Args:
        plain: the type without its template arguments; "" for `auto`.
        in_body: whether the body says so, and not the function's head.
        whole: with them; `auto` for a generic lambda's parameter.
        at: where that stands; -1 for the head.
        form: `VALUE` and so on (`indexer.extract.cpp.call_text`).
    """

    plain: str
    in_body: bool
    whole: str
    at: int = -1
    form: int = UNTOLD


NOT_DECLARED = Declared("", False, "")
GENERIC = "auto"


_HOLDERS = re.compile(r"(?:std::|c10::)?(?:shared_ptr|unique_ptr|intrusive_ptr)<")


def accessed(declared: Declared, *, by_arrow: bool) -> str:
    """What a member is called on, a variable's type, with a sign of whether the object is constant.

    Args:
        declared: the variable.
        by_arrow: whether `->` calls the member, and no `.`.
    """
    return sign_of(declared, by_arrow=by_arrow) + declared.plain


def sign_of(declared: Declared, *, by_arrow: bool) -> str:
    """The sign of whether what a variable gives is constant, as in `CallColumns.receivers`.

    Args:
        declared: the variable.
        by_arrow: whether `->` stands behind it.
    """
    form = declared.form
    if by_arrow:
        if form in (VALUE, CONST_VALUE):  # what a pointer points to is not constant for its sake
            if _HOLDERS.match(declared.whole):
                return ""
            return LED_OBJECT if declared.whole == declared.plain else OPEN_OBJECT
        return "" if form == POINTER else CONST_OBJECT if form == CONST_POINTER else OPEN_OBJECT
    return "" if form == VALUE else CONST_OBJECT if form == CONST_VALUE else OPEN_OBJECT


class Variables:
    """Of one file.

    Args:
        text: of the file, comments and literals blanked.
        backwards: the same from its end to its beginning.

    Attributes:
        single: of the present function, those that are declared once, as far as they were asked for.
    """

    def __init__(self, text: bytes, backwards: bytes) -> None:
        self._text, self._backwards = text, backwards
        self._function: Function | None = None
        self._head, self._head_backwards = b"", b""
        self._declared: dict[bytes, list[Declared]] = {}
        self._ends: dict[int, int] = {}
        self.single: dict[bytes, Declared] = {}

    def enter(self, function: Function) -> None:
        """Begin with the body of `function`: what is known of another one's variables is forgotten."""
        self._function = function
        self._head = b""
        self._declared, self._ends, self.single = {}, {}, {}

    def of(self, name: bytes, function: Function, used: int) -> Declared:
        """What a name is declared with that is used at an offset.

        Args:
            name: of the variable.
            function: that it is used in.
            used: offset at which it is used.
        """
        if function is not self._function:
            self.enter(function)
        known = self._declared.get(name)
        if known is None:
            known = self._declared[name] = self._find(name, function)
        if not known:
            return self.single.setdefault(name, NOT_DECLARED)
        if len(known) == 1:
            if known[0].at >= used:
                return NOT_DECLARED
            return self.single.setdefault(name, known[0])
        for declared in reversed(known):
            if declared.at < used and (declared.at < 0 or used < self._end(declared.at, function)):
                return declared
        return NOT_DECLARED

    def seen(self, name: bytes, function: Function, used: int) -> Declared | None:
        """What the function's body declares a name with, where that is in scope; None where it is not.

        Args:
            name: of the variable.
            function: that it is used in.
            used: offset at which it is used.
        """
        found = self.of(name, function, used)
        is_seen = found.at >= 0 and used < self._end(found.at, function)
        return found if is_seen else None

    def _find(self, name: bytes, function: Function) -> list[Declared]:
        text, size, end = self._text, len(name), function.end
        found = self._of_head(name, function)
        at = first_word(text, name, function.body, end)
        # Behind the first use a type and white space stand in front of what declares it anew: to look for these
        # passes over other uses, and over parts of other words.
        anew = b" " + name
        while at > 0:
            behind = at + size
            if (
                text[behind] in _MAY_DECLARE
                and _DECLARES.match(text, behind)
                and not _is_operand(text, at)
            ):
                declared = types_before(self._backwards, len(text) - at)
                if declared is not None:
                    found.append(Declared(declared[0], True, declared[1], at, declared[2]))
                elif text[at - 9 : at].rstrip(b" &*").endswith(b"auto"):
                    is_generic = _PARAMETER.match(text, behind) is not None
                    found.append(Declared("", True, GENERIC if is_generic else "", at))
                elif text[at - 2 if text[at - 1] == _BLANK else at - 1] in _MAY_BE_LISTED:
                    listed = self._listed(at)
                    if listed is not None:
                        found.append(listed)
            at = text.find(anew, behind, end) + 1
            while at > 0 and text[at - 2] not in _TYPE_ENDS:
                at = text.find(anew, at + size, end) + 1
        return found

    def _listed(self, at: int) -> Declared | None:
        """What a name is declared with that stands behind others: `Tensor q, k = x, v;` ([dcl.dcl], 8)."""
        start = len(self._text) - at
        others = _LISTED_BACKWARDS.match(self._backwards, start)
        if others is None or not _DECLARES_BACKWARDS.match(self._backwards, others.end()):
            return None
        declared = types_before(self._backwards, others.end())
        if declared is None:
            return None
        return Declared(declared[0], True, declared[1], at, declared[2])

    def _of_head(self, name: bytes, function: Function) -> list[Declared]:
        if not self._head:
            self._head = function.text.encode("latin-1", "replace") + b")"
            self._head_backwards = self._head[::-1]
        head = self._head
        at = first_word(head, name, 0, len(head))
        if at < 0 or not _DECLARES.match(head, at + len(name)):
            return []
        declared = types_before(self._head_backwards, len(head) - at)
        if declared is None:
            return []
        return [Declared(declared[0], False, declared[1], -1, declared[2])]

    def _end(self, at: int, function: Function) -> int:
        """Where a declaration ceases to hold: with its block, or with what stands behind its brackets."""
        known = self._ends.get(at)
        if known is None:
            known = self._ends[at] = self._block_end(at, function.end)
        return known

    def _block_end(self, at: int, end: int) -> int:
        curly = round_ = 0
        is_parameter = False
        for match in _ITEM.finditer(self._text, at, end):
            item = match.group()
            if item == b"(":
                round_ += 1
            elif item == b")":
                round_ -= 1
                is_parameter |= round_ < 0 and not curly
            elif item == b"{":
                curly += 1
            elif item == b"}":
                curly -= 1
                if curly < 0 or (is_parameter and not curly):
                    return match.start()
            elif is_parameter and not curly and round_ <= -1:
                return match.start()  # `for (auto& x : all) f(x);`
        return end


def _is_operand(text: bytes, at: int) -> bool:
    """Whether what stands before an offset is no type that a name follows.

    `a && ` and `a * ` are operators, where `T&& ` and `T* ` declare; and a statement may begin behind `#ifdef X`.
    """
    if not text[at - 1 : at].isspace():
        return False
    if text[at - 1] == _BLANK and (
        text[at - 2] in _NAME_ENDS or (text[at - 2] in _TYPE_ENDS and text[at - 3] in _NAME_ENDS)
    ):
        return False  # `T x`, `T* x`: most are
    near = text[max(0, at - _NEAR) : at]
    before = near.rstrip()
    if b"\n" in near[len(before) :] and is_directive(text, at - len(near) + len(before)):
        return True
    if before.endswith(b"&&"):
        return before[-3:-2].isspace()
    word = _WORD_BEFORE.search(before)
    return word is not None and word.group(1)[:1].islower() and not word.group(1).endswith(b"_t")
