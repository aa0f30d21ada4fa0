"""Tables of function pointers: members that hold a function, and what the text puts into them.

`disp.cholesky_solve_helper(…)` calls whatever stands in a member of `LinalgDispatch`: what `= {f}` or `.member = f`
put there, here or in another file. Which of these names mean functions is decided when all files are known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from indexer.extract.cpp.characters import CLOSING_BRACE
from indexer.extract.cpp.definitions import joined, qualified
from indexer.extract.cpp.outline import ClassBody, Function
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.patterns import never_back
from indexer.facts.cpp import SLOT_LIST, SLOT_MEMBER, SLOT_VALUE, SLOTS_LIKE, ClassFields

_POINTER = re.compile(rb"\(\s*\*\s*(?:const\s+)?([A-Za-z_]\w*)\s*\)\s*\(")
_OF_FUNCTIONS = re.compile(rb"decltype\s*\(\s*&\s*(\w+)\s*\)\s*\1\s*;")
"""`decltype(&name) name;`, a member for a function of the same name, which a list of names makes by the dozen."""
_VALUE = never_back(rb"=(?<![=!<>+*/%&|^-]=)\s*(&?)\s*((?:\w+(?:::|\.|->))*+[A-Za-z_]\w*)\s*[;,}]")
# Backwards: a member stands before the `=`, which are fewer than the values behind one.
_OF_MEMBER = never_back(rb"=\s*+\w++\s*+(?:\.|>-)")
_MEMBER_BEFORE = re.compile(rb"(^|[\w\s)\],({])(?:\.|->)\s*([A-Za-z_]\w*)\s*$")
_TABLE_BEFORE = re.compile(rb"([A-Za-z_][\w:]*)\s+[A-Za-z_]\w*\s*(?:=\s*)?$")
_TYPE_BEFORE = re.compile(rb"(?:([A-Za-z_][\w:]*)\s+[A-Za-z_]\w*\s*=|([A-Za-z_][\w:]*)\s*\)|=)\s*$")
_LIST_END = re.compile(rb"\}\s*;")
_ELEMENT = re.compile(rb"\s*&?\s*((?:\w+::)*[A-Za-z_]\w*)\s*$")
_NO_TABLES = frozenset(b"enum class struct union namespace return else new".split())
_NO_FUNCTIONS = frozenset(b"true false nullptr NULL".split())
_FAR = 80  # bytes of a member's name and what stands before it
_LONGEST = 4000  # bytes of a list
_SHORTEST = 6  # letters of a function's name that the file does not define


def slots(unit: CppUnit) -> Iterator[ClassFields]:
    """The members that hold functions, and what they are given; a few in few files.

    A member has its position among its class's; what it is given stands by the scope that the text stands in.

    Args:
        unit: the file.
    """
    text = unit.text
    functions = unit.structure.functions
    starts = [function.body for function in functions]
    if b"(*" in text:
        yield from _declared(text, unit.structure.classes, functions, starts)
    if b"decltype(&" in text:
        for match in _OF_FUNCTIONS.finditer(text):
            body = _class_around(unit.structure.classes, match.start())
            if body is not None:
                name = joined(qualified(body.scopes), body.head.name)
                yield ClassFields(SLOTS_LIKE + name, ())
                break
    own = {
        function.head.name.rpartition("::")[2].encode("latin-1", "replace")
        for function in functions
        if function.head.flavour == "function"
        and not (function.scopes and function.scopes[-1].kind == "class")
    }
    written: dict[str, list[tuple[str, str]]] = {}
    for at, kind, slot, value in (*_members(text, own), *_lists(text, own)):
        written.setdefault(kind + _scope(unit, functions, starts, at), []).append((slot, value))
    for key, pairs in written.items():
        yield ClassFields(key, tuple(dict.fromkeys(pairs)))


def _declared(
    text: bytes, classes: list[ClassBody], functions: list[Function], starts: list[int]
) -> Iterator[ClassFields]:
    """Members that are pointers to functions, `R (*name)(…)`."""
    found: dict[str, list[tuple[str, str]]] = {}
    for match in _POINTER.finditer(text):
        at = match.start()
        body = _class_around(classes, at)
        if body is None or _function_around(functions, starts, at) is not None:
            continue
        start = text.find(b"{", body.at) + 1
        statement = max(text.rfind(sign, start, at) for sign in (b";", b"}")) + 1
        before = text[max(start, statement) : at].strip()
        if not before or b"(" in before or before.startswith(b"typedef"):
            continue  # a parameter of a method, or a type
        name = joined(qualified(body.scopes), body.head.name)
        position = text.count(b";", start, at)
        found.setdefault(name, []).append((match.group(1).decode("latin-1"), str(position)))
    for name, members in found.items():
        yield ClassFields(SLOT_MEMBER + name, tuple(dict(members).items()))


def _members(text: bytes, own: set[bytes]) -> Iterator[tuple[int, str, str, str]]:
    """`x.member = f;` and `{.member = f, …}`: where, the member and the function."""
    size = len(text)
    for before in reversed([*_OF_MEMBER.finditer(text[::-1])]):
        match = _VALUE.match(text, size - before.start() - 1)
        if match is None:
            continue
        near = text[max(0, match.start() - _FAR) : match.start()]
        member = _MEMBER_BEFORE.search(near)
        if member is None:
            continue
        value = match.group(2)
        last = re.split(rb"\W+", value)[-1]
        is_designated = not member.group(1).strip() or member.group(1) in b",({"
        is_told = is_designated or match.group(1) == b"&"
        if last in _NO_FUNCTIONS or not _may_be(value, last, own, is_told):
            continue
        if b"." in value or b"->" in value:
            # What another table has: its member's name and its own.
            value = b"." + b".".join(re.split(rb"\W+", value)[-2:])
        of_type = _table_around(text, match.start()) if is_designated else b""
        slot = (of_type + b":" + member.group(2)).decode("latin-1")
        yield match.start(2), SLOT_VALUE, slot, value.decode("latin-1")


def _table_around(text: bytes, at: int) -> bytes:
    """The type of the list that a designated member stands in; b"" where it is not told."""
    depth, end = 0, at
    while end > max(0, at - _LONGEST):
        end = max(text.rfind(b"{", 0, end), text.rfind(b"}", 0, end))
        if end < 0:
            break
        depth += 1 if text[end] == CLOSING_BRACE else -1
        if depth < 0:
            found = _TYPE_BEFORE.search(text, max(0, end - 2 * _FAR), end)
            return found.group(1) or found.group(2) or b"" if found is not None else b""
    return b""


def _may_be(value: bytes, last: bytes, own: set[bytes], is_told: bool) -> bool:
    """Whether a value may be a function that another file defines: an address, or in a list of members."""
    if b"." in value or b"->" in value:
        return is_told
    if last in own:
        return True
    is_name = last[:1].islower() and not (last[:1] == b"k" and last[1:2].isupper())
    return is_name and (b"::" in value or (is_told and len(last) >= _SHORTEST))


def _lists(text: bytes, own: set[bytes]) -> Iterator[tuple[int, str, str, str]]:
    """`Table name = {f, g};`: where, the type with the position, and the function; one is the file's own."""
    if not own:
        return
    for match in _LIST_END.finditer(text):
        opening = text.rfind(b"{", max(0, match.start() - _LONGEST), match.start())
        if opening < 0 or text.find(b"}", opening, match.start()) >= 0:
            continue
        inner = text[opening + 1 : match.start()]
        if b"(" in inner or b";" in inner or b"=" in inner:
            continue
        elements = [_ELEMENT.match(element) for element in inner.split(b",")]
        names = [found.group(1) if found is not None else b"" for found in elements]
        if not any(name.rpartition(b"::")[2] in own for name in names):
            continue
        table = _TABLE_BEFORE.search(text, max(0, opening - 2 * _FAR), opening)
        if table is None or table.group(1) in _NO_TABLES:
            continue
        of_type = table.group(1).decode("latin-1")
        for position, name in enumerate(names):
            if name and name not in _NO_FUNCTIONS:
                yield opening, SLOT_LIST, f"{of_type}:{position}", name.decode("latin-1")


def _class_around(classes: list[ClassBody], at: int) -> ClassBody | None:
    """The innermost class whose body an offset stands in."""
    around = [body for body in classes if body.head.name and body.at < at < body.end]
    return max(around, key=lambda body: body.at, default=None)


def _function_around(functions: list[Function], starts: list[int], at: int) -> Function | None:
    position = bisect_right(starts, at) - 1
    if position >= 0 and at < functions[position].end:
        return functions[position]
    return None


def _scope(unit: CppUnit, functions: list[Function], starts: list[int], at: int) -> str:
    """The namespace or class that a name at an offset is looked up in."""
    function = _function_around(functions, starts, at)
    if function is None:
        return unit.scopes.at(at).prefix
    name = joined(qualified(function.scopes), function.head.name)
    return name.rpartition("::")[0]
