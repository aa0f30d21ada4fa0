"""Variables of namespaces and data members for whose values something is called: `static bool done = f();`.

So are constructors: `static Register r;`.
What stands in an initializer runs when the library is loaded ([basic.start.dynamic]); what stands in a lambda there
when whoever is given that calls it.
Default member initializers run in constructors that give the member no other value ([class.base.init], 9).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.characters import HASH, OPENING
from indexer.extract.cpp.head import Head
from indexer.extract.cpp.type_slots import unnamed_slots
from indexer.extract.cpp.words import first_word

_LEADING = re.compile(rb"(?:\s+|#[^\n\\]*(?:\\[\s\S][^\n\\]*)*)*")
"""White space and lines of the preprocessor, behind which a statement begins."""

_ACCESS = re.compile(rb"(?:\s*(?:public|private|protected)\s*:(?!:))*\s*")

_CONDITION = re.compile(rb"#[ \t]*(if|el|endif)")

_FIRST = re.compile(rb"[={(#]")
_DECLARED = re.compile(
    rb"(?:[\w:&*,\s\[\]]|<[^;{}()=]*>)+?(?<=[\s&*>])((?:\w+::)*[A-Za-z_]\w*)\s*(?:\[[^\]\[]*\]\s*)*\Z"
)
"""A type and a name."""

_NO_VARIABLE = re.compile(
    rb"(?:using|typedef|template|namespace|return|friend|extern|class|enum|union|if|for|while|else|case|do)\b"
    rb"|struct\s+\w+\s*\Z"
)
_BOUND = re.compile(
    rb"\bPy(?:(?:Method|GetSet|Member|Module)Def|TypeObject|\w+Methods|StructSequence_\w+)\b"
)
"""CPython's tables: their functions are read as what Python finds in them (method_tables.py, type_slots.py)."""

_NO_PARAMETER = re.compile(rb"\(\s*(?:[{\"0-9]|\[(?!\[)|(?:\w+::)+[A-Z]{2,}\s*,)")
"""What stands behind a round bracket that opens no list of parameters ([dcl.ambig.res])."""

_CALL = re.compile(rb"[\w>]\s*\(")
_HANDED = re.compile(
    rb"[({]\s*(?:\"|(?:\w+::)+[A-Z]{2,}\s*(?=,))[^()]*,\s*&?(?:\w+::)*[a-z]\w{7,}\s*[)}]\s*\Z"
)
"""An object is made with a text or constant, last with a long name, maybe a function's: `Register r("f", made_f);`."""

_MADE_OF = re.compile(rb"\(\s*(?:&\s*[a-zA-Z_]|new\b|\")")
_OF_CLASS = re.compile(rb"(?<!std::)\b[A-Z]\w*(?:<[^;{}()=]*>)?\s+(?:\w+::)*\w+\s*\Z")
"""An object of a class is made with an address, a text or a new object: `Register r(&f);`."""

_OWN = re.compile(
    rb"(?:(?:static|const|thread_local)\s+)*(?P<type>[A-Za-z_]\w*)\s+(?P<name>[A-Za-z_]\w*)\s*\Z"
)

_METHODS = re.compile(rb"[({,]\s*&\s*(?:[A-Za-z_]\w*::)+\w+\s*[,})]")
"""Pointers to methods and functions of a namespace, of which there are tables."""

_ALONE = re.compile(rb"(?:[({]|=(?!=))\s*&?\s*([A-Za-z_]\w{7,})\s*[)}]?\s*\Z")

_DEFINES = re.compile(rb"\s*\([^;{}]*\)\s*\{")
_IS_CLASS = re.compile(rb"\b(?:struct|class)\s[^;{}()]*\Z")
_OPENS = re.compile(rb"[^;{}()]*\{")
_FAR = 80  # bytes of what may stand between `struct` and a class's name

_STRINGIFIED = re.compile(rb"\(\s*(?:template\b|(?:[\w:]+[\s&*]+)+\w+\s*\([^()]*\)\s*\{)")
"""A definition, which no expression holds: a macro makes a string of it (`jiterator_stringify`, jit_macros.h)."""


def valued(text: bytes, begin: int, end: int) -> tuple[Head, int, int] | None:
    """What a statement at namespace level declares with a value that something is called for.

    Args:
        text: of the file, comments and literals blanked.
        begin: of the statement.
        end: where its `;` is.

    Returns:
        The head, and the offsets of the declaration and of the value; None where it is no such one.
    """
    begin = _behind_directives(text, begin, end)
    first = _FIRST.search(text, begin, end)
    if first is None:
        return None
    at = first.start()
    is_function = _is_own_function(text, begin, at, end)
    is_object = _MADE_OF.match(text, at, end) and _OF_CLASS.search(text, begin, at)
    if text[at] == HASH or (
        text[at] == OPENING and not (is_object or is_function or _NO_PARAMETER.match(text, at, end))
    ):
        return None
    if not (
        is_object
        or is_function
        or _CALL.search(text, at + 1, end)
        or _HANDED.match(text, at, end)
        or _METHODS.search(text, at, end)
    ) or _STRINGIFIED.search(text, at + 1, end):
        return None
    bound = _BOUND.search(text, begin, at)
    if _NO_VARIABLE.match(text, begin, at) or (
        bound is not None and not is_type_object(text, bound.start(), end)
    ):
        return None
    declared = _DECLARED.match(text, begin, at)
    if declared is None or declared[1] == b"operator":
        return None
    name = declared[1].decode("latin-1")
    return Head("lambda", name, declared.start(1), "variable"), begin, at


def _is_own_function(text: bytes, begin: int, at: int, end: int) -> bool:
    """Whether a value, which begins at `at`, is one of the file's functions: `std::atomic<F> hook(plain_hook);`."""
    alone = _ALONE.match(text, at, end)
    if alone is None or text.find(alone.group(1) + b"(", 0, begin) < 0:
        return False
    name = alone.group(1)
    return any(_DEFINES.match(text, at + len(name), begin) for at in _places(text, name, begin))


def _places(text: bytes, word: bytes, end: int) -> Iterator[int]:
    """Where a word stands before an offset."""
    at = first_word(text, word, 0, end)
    while at >= 0:
        yield at
        at = first_word(text, word, at + len(word), end)


def is_type_object(text: bytes, at: int, end: int) -> bool:
    """Whether one of CPython's types begins at an offset that has functions of which Python knows nothing.

    Args:
        text: of the file, comments and literals blanked.
        at: where the type of a variable is written.
        end: where the variable's value ends.
    """
    opening = text.find(b"{", at, end)
    is_type = text.startswith(b"PyTypeObject", at) and opening >= 0
    return is_type and any(True for _ in unnamed_slots(text, opening, text.rfind(b"}", at, end)))


def own_object(text: bytes, begin: int, end: int) -> tuple[Head, int, int] | None:
    """What a statement without brackets declares: an object of one of the file's classes that has a constructor.

    Args:
        text: of the file, comments and literals blanked.
        begin: of the statement.
        end: where its `;` is.

    Returns:
        As `valued`, the value being empty.
    """
    begin = _behind_directives(text, begin, end)
    declared = _OWN.match(text, begin, end)
    if declared is None or _NO_VARIABLE.match(text, begin, end):
        return None
    of_type, has_class = declared["type"], False
    if text.find(of_type + b"(", 0, begin) < 0:
        return None
    for at in _places(text, of_type, begin):
        behind = at + len(of_type)
        if not has_class:
            has_class = _IS_CLASS.search(text, max(0, at - _FAR), at) is not None and (
                _OPENS.match(text, behind, begin) is not None
            )
        elif text[behind] == OPENING and text[at - 1 : at] != b"~":
            break
    else:
        return None
    name = declared["name"].decode("latin-1")
    return Head("lambda", name, declared.start("name"), "variable"), begin, end


def member_value(text: bytes, begin: int, end: int) -> int | None:
    """Where the declaration of a data member begins that a statement of a class may be, with a value.

    Args:
        text: of the file, comments and literals blanked.
        begin: of the statement.
        end: where its `;` is.

    Returns:
        None where a bracket opens before any value, as of functions.
    """
    opening = text.find(b"(", begin, end)
    if text.find(b"=", begin, opening) < 0 and text.find(b"{", begin, opening) < 0:
        return None
    return _ACCESS.match(text, begin, end).end()  # type: ignore[union-attr]  # it matches nothing too


def _behind_directives(text: bytes, begin: int, end: int) -> int:
    """Where a statement begins that lines of the preprocessor come before.

    In an `#else` all of the branches before it stand there as well.
    """
    start = begin
    while True:
        begin = _LEADING.match(text, start, end).end()  # type: ignore[union-attr]  # it matches nothing too
        if text.find(b"#", start, begin) < 0:
            return begin
        depth = 0
        for match in _CONDITION.finditer(text, begin, end):
            word = match.group(1)
            if word == b"endif":
                depth -= 1
            elif word == b"if":
                depth += 1
            if depth < 0 or (not depth and word == b"el"):
                start = match.start()
                break
        else:
            return begin
