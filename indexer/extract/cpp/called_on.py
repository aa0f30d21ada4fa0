"""What a member call is called on: the type that its receiver is declared with, or the receiver as an expression."""

from __future__ import annotations

import re

from indexer.extract.cpp.call_text import POINTER, VALUE
from indexer.extract.cpp.local_classes import LocalClasses
from indexer.extract.cpp.outline import Function
from indexer.extract.cpp.receivers import Receivers
from indexer.extract.cpp.variables import GENERIC, Declared, Variables, accessed
from indexer.facts.cpp import EMPLACING, is_expression_text

_DOT, _DASH = ord("."), ord("-")
_THIS_BACKWARDS = b"this"[::-1]
_OF_ALL_BACKWARDS = frozenset(
    word[::-1]
    for word in b"append begin c_str clear count def def_property def_property_readonly def_readonly def_readwrite"
    b" def_static emplace emplace_back empty end erase find insert push_back reserve resize size str".split()
)
"""What every container has, and what pybind11's classes are told: whose it is, nobody asks."""
OF_CONTAINERS = frozenset(
    "append begin clear count emplace emplace_back end erase find insert push_back reserve resize".split()
)
"""Of these a data member's class may be one of the tree's: `ring_.clear()`. Where it is not known nobody guesses."""
_OF_CONTAINERS_BACKWARDS = frozenset(word[::-1].encode() for word in OF_CONTAINERS)
_EMPLACING_BACKWARDS = frozenset(word[::-1].encode() for word in EMPLACING)
_LONGEST = 80
_WORD = re.compile(r"\w+")
_GLOBAL_BACKWARDS = re.compile(rb"\w+(?:::\w+)+::(?=[\s(,=!&*{;])")


def _itself(declared: Declared) -> Declared:
    """A variable without what it leads to: `.` behind a smart pointer or an optional asks that itself."""
    own = declared.whole.partition("<")[0]
    if own.endswith("::optional"):
        own = "std::optional"  # where the tree has one of its own, nobody asks who calls it
    return declared if own == declared.plain else declared._replace(plain=own, whole=own)


def _with_elements(declared: Declared, open_types: frozenset[bytes]) -> str:
    """The type of a list with that of its elements, where this is a name that no template decides."""
    whole = declared.whole
    words = {word.encode("latin-1") for word in _WORD.findall(whole)}
    is_told = len(whole) <= _LONGEST and whole.count("<") == 1 and open_types.isdisjoint(words)
    return whole if is_told else declared.plain


class CalledOn:
    """Of one file. Calls are matches of `CALL_BACKWARDS` in the text backwards whose fourth group took part.

    Args:
        text: of the file, comments and literals blanked.
        backwards: the same from its end to its beginning.
        variables: those whose type is written.
    """

    def __init__(self, text: bytes, backwards: bytes, variables: Variables) -> None:
        self._size = len(text)
        self._backwards = backwards
        self._variables = variables
        self._receivers = Receivers(text, backwards, variables)
        self._local = LocalClasses(text)

    def of(
        self, match: re.Match[bytes], function: Function, open_types: frozenset[bytes]
    ) -> tuple[str, bool]:
        """What a member is called on.

        Args:
            match: of the call.
            function: around it, which `variables` has entered.
            open_types: the parameters of the templates around it: what is of such a type may be anything.

        Returns:
            The receiver's type, `this`, or an expression, as in `CallColumns.receivers`; "" where it is not known.
            And whether the body says so, in whose using-directives the type then is looked up.
        """
        member_of, further = match.group(4), match.group(5)
        # What is a member itself, or qualified, has a type that is not written here.
        if member_of == _THIS_BACKWARDS:
            return "this", True
        if not member_of or further or member_of[-1:].isdigit():
            return self._expression(match, function, open_types), True
        name, variables = member_of[::-1], self._variables
        declared = variables.single.get(name) or variables.of(
            name, function, self._size - match.end(4)
        )
        receiver = declared.plain
        if not receiver:
            if declared.whole != GENERIC:
                receiver = self._expression(match, function, open_types)
        elif open_types and receiver.encode("latin-1") in open_types:
            receiver = ""
        else:
            form, byte = declared.form, self._backwards[match.start(4) - 1]
            if byte == _DOT and "<" in declared.whole:
                declared = _itself(declared)
                receiver = declared.plain
            # Most are `x.f()` of a `T x` or `T& x`, or `x->f()` of a `T* x`.
            if form != (VALUE if byte == _DOT else POINTER if byte == _DASH else None):
                by_arrow = b"-" in self._backwards[match.end(3) : match.start(4)]
                receiver = accessed(declared, by_arrow=by_arrow)
            if match.group(2) in _EMPLACING_BACKWARDS and receiver == "std::vector":
                receiver = _with_elements(declared, open_types)
        return receiver, declared.in_body

    def _expression(
        self, match: re.Match[bytes], function: Function, open_types: frozenset[bytes]
    ) -> str:
        """What a member is called on where its type is not written; "" where it is not known."""
        backwards, size = self._backwards, self._size
        by_arrow = b"-" in backwards[match.end(3) : match.start(4)]
        name, further = match.group(4), match.group(5)
        # What every container has may be one of the tree's of a pointer (`store_->append`), and of a data member.
        if not by_arrow and match.group(2) in _OF_ALL_BACKWARDS:
            is_member = name and not further and name[:1] == b"_"
            if not is_member or match.group(2) not in _OF_CONTAINERS_BACKWARDS:
                return ""
            return self._receivers.of_field(name[::-1], size - match.end(4), function)
        if name and not further and not name[-1:].isdigit():
            name, used = name[::-1], size - match.end(4)
            receiver = self._receivers.of_variable(
                name, used, function, open_types, by_arrow=by_arrow
            )
            receiver = receiver or self._receivers.of_field(name, used, function)
        else:
            receiver = self._receivers.before(
                size - match.start(4), function, open_types, by_arrow=by_arrow
            )
            last = match.end(5)
            if name and further is not None and backwards[last - 1 : last + 1] == b"::":
                if not receiver and (whole := _GLOBAL_BACKWARDS.match(backwards, match.start(4))):
                    receiver = whole.group()[::-1].decode("latin-1")
                if receiver and not is_expression_text(receiver):
                    # A variable of a namespace: a type stands before no `.`.
                    receiver = f".{receiver}"
        if not is_expression_text(receiver):
            return receiver
        receiver = self._local.told(receiver, size - match.end(), function, open_types)
        return receiver + "->" if by_arrow else receiver
