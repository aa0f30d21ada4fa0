"""Names in a function's body that may be those of functions handed on: `each(xs, &f)`, `m.impl("x", TORCH_FN(a::f))`.

A bare name is mostly a variable's; so what stands behind a `&` or is qualified counts, the names of functions that are
the file's alone, among template arguments (`each<f>(xs)`) those of all its functions and long ones, and of what is
returned, assigned or handed on last what the body does not declare. Whether it names a function is decided when all
files are known.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left

from indexer.extract.cpp.lexical import closing
from indexer.extract.cpp.outline import Function
from indexer.extract.cpp.words import first_word
from indexer.extract.patterns import never_back

# Each begins with fixed bytes, which a search is quick with.
_ADDRESS = re.compile(
    rb"&(?<=[(,={?: \n]&)\s*((?:::)?[A-Za-z_]\w*(?:::~?\w+)*)(?:<[^<>;(){}]*>)?\s*(?=[,)};:])"
)
# Types and constants begin with a capital, or a `k` before one.
_QUALIFIED = re.compile(rb"::(?!k[A-Z])[a-z_]\w*\s*[,)};](?!\s*\()")
_NAME_BEFORE = re.compile(rb"(\w+(?:::\w+)*(?:::)?)\s*([^\w\s])")  # backwards
# Both backwards: the last argument, but that which a macro alone is given (see below), or one that has a line to
# itself. Shorter names are mostly variables', though what is handed on may be any argument. A long name at the end of
# brackets is rarer than what stands before it, a comma or where they open.
_ARGUMENT = never_back(
    rb"\)\s*+([A-Za-z0-9]\w{7}\w*+)"
    rb"(?:(?<=[A-Za-z_])\s*+,|(?<=[A-Za-z])\s*+\((?![A-Z_])(?!\d[A-Z_])(?!epytlced)(?!foezis))"
)
_OWN_LINE = re.compile(rb"\n,(?=\w{12,}\s*\n)(\w+\b(?<=[A-Za-z_]))")
_BRANCH = re.compile(rb"#[ \t]*e(?:l|ndif)")
_ALONE = re.compile(rb"[A-Za-z_]\w{7,}(?<!_t)")
_HANDED = frozenset(b"(,={")
_HANDED_ADDRESS = frozenset(b"(,={?:")
_FAR = 200  # bytes of a qualified name
_NEAR = 40  # and of white space beside one
# Lines of the preprocessor may stand between.
_VALUE_ENDS = re.compile(rb"(?:\s*\n[ \t]*#[^\n]*)*\s*(?:[,)};]|:(?!:))")
# What a macro alone is given it may turn into text: VK_KERNEL(clamp_). Registrations with TORCH_FN(f) are read as such.
_OF_MACRO = re.compile(rb"[A-Z_]\(\s*$")
_VALUE_BEGINS = re.compile(
    rb"(?:[(,={?]|[^:]:|\breturn|\n[ \t]*#[^\n]*\n|[(,={?]\s*\((?:\w+::)*[A-Za-z_]\w*\))\s*$"
)
_RETURNED = re.compile(rb"return\s+([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>\s*)?;")
# `slot = name;`, `{.slot = name, …}`, `type->tp_dealloc = (destructor)name;`.
_ASSIGNED = re.compile(
    rb"=(?<![=!<>+*/%&|^-]=)\s*(?:\(\s*(?:[a-z]*func|[a-z]*proc|destructor|inquiry)\s*\)\s*)?"
    rb"([A-Za-z_]\w*)\s*[;,}]"
)
# Among template arguments: types begin with a capital or end in `_t`, and short names are those of values.
_LONG_NAME = re.compile(rb"[a-z]\w{9,}(?<!_t)(?<!_type)")
# An element of a list, or an argument, which a namespace's variable is made with; a macro's lines end with a backslash.
_LISTED = re.compile(rb"[({,][\s\\]*([A-Za-z_]\w{4,})(?:<[^<>;(){}]*>)?(?=[\s\\]*[,)}])")
_LAMBDA_BODY = re.compile(rb"[)\]]\s*(?:(?:mutable|noexcept)\s*)?(?:->[\w\s:<>*&]+)?\{")
_DECLARED = re.compile(rb"\s*[;=\[{,]")
_TYPE_BEFORE = re.compile(rb"(?<!\breturn)(?<=[\w>&*])\s+$")
_COMMA = re.compile(rb",\s*$")
_NOT_CALLED = re.compile(rb"\b[A-Za-z_]\w*\b(?!\s*\()")


class NamedFunctions:
    """Of one file.

    Args:
        text: of the file, comments and literals blanked.
        backwards: the same from its end to its beginning.
        functions: that it defines.
    """

    def __init__(self, text: bytes, backwards: bytes, functions: list[Function]) -> None:
        self._text = text
        self._functions = functions
        self._declared: dict[bytes, bool] = {}
        self._found = sorted(
            [
                *self._addresses(),
                *self._qualified(backwards),
                *self._internal(),
                *self._given(backwards),
            ]
        )

    def _addresses(self) -> list[tuple[int, bytes]]:
        text = self._text
        found = []
        for match in _ADDRESS.finditer(text):
            before = text[max(0, match.start() - _FAR) : match.start()].rstrip()
            if before[-1:] and (before[-1] in _HANDED_ADDRESS or before.endswith(b"return")):
                found.append((match.start(1), match.group(1)))
        return found

    def _qualified(self, backwards: bytes) -> list[tuple[int, bytes]]:
        text, size = self._text, len(self._text)
        found = []
        for match in _QUALIFIED.finditer(text):
            at = match.start()
            first = _NAME_BEFORE.match(backwards, size - at, size - max(0, at - _FAR))
            start = at if first is None else size - first.end(1)
            # Of the global namespace: `std::bind(::lock, fd)`.
            before = (
                text[max(0, at - _NEAR) : at].rstrip()[-1:] if first is None else first.group(2)
            )
            if not before or before[0] not in _HANDED:
                continue
            name = text[start : match.end() - 1].rstrip()
            if not name.startswith((b"std::", b"::std::")):
                found.append((start, name))
        return found

    def _internal(self) -> list[tuple[int, bytes]]:
        """Bare names of functions that no other file sees."""
        text = self._text
        names = {
            function.head.name.encode("latin-1", "replace")
            for function in self._functions
            if function.head.flavour in ("function", "kernel")
            and "::" not in function.head.name
            and not (function.scopes and function.scopes[-1].kind == "class")
            and (function.text.startswith("static") or any(s.is_anonymous for s in function.scopes))
        }
        found = []
        for name in sorted(names):
            at = text.find(name)
            while at >= 0:
                behind = _VALUE_ENDS.match(text, at + len(name))
                near = max(0, at - 80)  # a cast before it, behind the white space of a new line
                if (
                    behind is not None
                    and _VALUE_BEGINS.search(text, near, at)
                    and not (behind.group().endswith(b")") and _OF_MACRO.search(text, near, at))
                ):
                    found.append((at, name))
                at = text.find(name, at + len(name))
        return found

    def _given(self, backwards: bytes) -> list[tuple[int, bytes]]:
        """What is returned, assigned or an argument: mostly a variable, which the body declares then."""
        text, size = self._text, len(backwards)
        found = [
            (match.start(1), match.group(1))
            for form in (_RETURNED, _ASSIGNED)
            for match in form.finditer(text)
        ]
        # As it is written, also among template arguments, where `backwards` may have other brackets.
        for match in _ARGUMENT.finditer(text[::-1]):
            name = match.group(1)[::-1]
            if not name.isupper():
                found.append((size - match.end(1), name))
        for match in _BRANCH.finditer(text):
            # `f(\n#if A\n  name\n#else\n  other\n#endif\n)`.
            line = text.rfind(b"\n", 0, match.start() - 1 if match.start() else 0) + 1
            name = text[line : match.start()].strip()
            if _ALONE.fullmatch(name):
                found.append((text.find(name, line), name))
        for match in _OWN_LINE.finditer(backwards):
            name = match.group(1)[::-1]
            if name[-1:] != b"_" and not name.isupper():
                found.append((size - match.end(1), name))
        return found

    def of(self, function: Function, head: bytes) -> list[tuple[int, bytes]]:
        """What may be functions in a body.

        Args:
            function: of the file.
            head: the function's text up to its body; what it names is a parameter.

        Returns:
            The offset and the name of each place, sorted; without the names that the body declares itself.
        """
        start = function.body
        if function.head.flavour == "constructor":
            start = function.at  # its initializers stand before the body
        found = self._found
        if function.head.flavour == "variable":
            found = sorted({*found, *listed(self._text, function.body, function.end)})
        if not found or found[-1][0] < start:
            return []
        first = bisect_left(found, (start,))
        last = bisect_left(found, (function.end,), first)
        own: dict[bytes, bool] = {}
        text = self._text
        for at, name in found[first:last]:
            if name not in own:
                own[name] = b"::" not in name and (
                    first_word(text, name, function.body, at) >= 0
                    or first_word(head, name, 0, min(len(head), at - function.start)) >= 0
                    or (
                        (is_method(function) or self._is_alone(at, name))
                        and self._is_declared(name)
                    )
                )
        # What a body declares or has as a parameter stands before its first use.
        return [row for row in found[first:last] if not own[row[1]]]

    def _is_alone(self, at: int, name: bytes) -> bool:
        """Whether a name is the only argument of a call, which mostly is a variable."""
        text, end = self._text, at + len(name)
        before, behind = text[max(0, at - _NEAR) : at], text[end : end + _NEAR]
        return before.rstrip()[-1:] == b"(" and behind.lstrip()[:1] == b")"

    def _is_declared(self, name: bytes) -> bool:
        """Whether the file declares a variable of a name anywhere, which may be a data member or a namespace's."""
        known = self._declared.get(name)
        if known is None:
            known = self._declared[name] = self._declares(name)
        return known

    def _declares(self, name: bytes) -> bool:
        text = self._text
        at = text.find(name)
        while at >= 0:
            end = at + len(name)
            if (
                text[at - 1 : at].isspace()
                and _DECLARED.match(text, end)
                and _TYPE_BEFORE.search(text, max(0, at - 12), at)
            ):
                return True
            at = text.find(name, end)
        return False

    def among(self, start: int, end: int, function: Function, head: bytes) -> list[str]:
        """What may be functions among template arguments in a body: `each<compute<T>>(xs)`.

        Args:
            start: offset of the first argument.
            end: offset behind the last.
            function: whose body they stand in.
            head: the function's; what it names is a parameter.
        """
        text = self._text
        found = []
        given = text[start:end]
        for name in dict.fromkeys(_NOT_CALLED.findall(given)):
            is_address = (
                b"&" in given and b"&" + name in given
            )  # `makeFromBoxedFunction<&fallback>()`
            is_named = is_address or name in self._own or _LONG_NAME.fullmatch(name) is not None
            if is_named and first_word(head, name, 0, len(head)) < 0:
                first = first_word(text, name, function.body, end)
                if is_address and text[first - 1 : first] == b"&":
                    near = text[max(0, first - _NEAR) : first - 1]
                    first -= 1 + len(near) - len(near.rstrip())
                # Where it stands first in another way, the body declares something of that name.
                if text[first - 1 : first] == b"<" or _COMMA.search(text, first - 9, first):
                    found.append(name.decode("latin-1"))
        return found

    @functools.cached_property
    def _own(self) -> frozenset[bytes]:
        """The last part of the names of the file's functions that belong to no class."""
        return frozenset(
            function.head.name.rpartition("::")[2].encode("latin-1", "replace")
            for function in self._functions
            if function.head.flavour == "function"
            and not (function.scopes and function.scopes[-1].kind == "class")
        )


def listed(text: bytes, start: int, end: int) -> list[tuple[int, bytes]]:
    """What a namespace's variable is made with: no local variables, but in lambdas, whose bodies are left out.

    Args:
        text: comments and literals blanked.
        start: offset at which what makes it begins.
        end: offset behind it.

    Returns:
        The offset and the name of each place.
    """
    found = []
    at = start
    while at < end:
        match = _LAMBDA_BODY.search(text, at, end)
        until = end if match is None else match.end()
        found += [(m.start(1), m.group(1)) for m in _LISTED.finditer(text, at, until)]
        if match is None:
            break
        at = closing(text, until - 1)
        if at < 0:
            break
    return found


def is_method(function: Function) -> bool:
    """Whether `function` belongs to a class: it is written in one, or may be of one that its name is qualified by."""
    return "::" in function.head.name or any(s.kind == "class" for s in function.scopes[-1:])
