"""How a call is written: patterns of the text backwards, and what a name, a type and arguments come to.

Calls are looked for from the bracket to the name, for brackets are few and names are many.
"""

from __future__ import annotations

import functools
import re

from indexer.extract.cpp.lexical import DEEPEST
from indexer.extract.patterns import never_back

UNKNOWN_COUNT = 255
_FAR = 40_000  # bytes of the arguments of one call

# What stands before a name with brackets without making it a declaration.
_BEFORE_CALLS = frozenset(
    b"return else do throw co_return co_await co_yield case and or not goto in if while constexpr".split()
)
_OF_NO_NAME = _BEFORE_CALLS | {b"new", b"const", b"static"}

TEMPLATE = rb"<[^<>;{}()|]*(?:<[^<>;{}()]*(?:<[^<>;{}()]*>[^<>;{}()]*)*>[^<>;{}()]*)*>"
# Calls are looked for in the text backwards, from the bracket to the name: brackets are few, names are many.
TEMPLATE_BEFORE = rb">(?:[^<>;{}()]*>(?:[^<>;{}()]*>[^<>;{}()]*<)*[^<>;{}()]*<)*[^<>;{}()|]*<"
NAME_BEFORE = rb"\w+\b(?<=[A-Za-z_])"
CALL_BACKWARDS = re.compile(
    rb"(\(|<<<|\{)\s*(?:" + TEMPLATE_BEFORE + rb"\s*)?"
    rb"("
    + NAME_BEFORE
    # White space may stand around `::`; but `return ::f(x)` is no name `return::f`.
    + rb"(?:~?(?:\s+etalpmet)?\s*::(?!\s+(?:"
    + b"|".join(sorted(word[::-1] for word in _OF_NO_NAME))
    + rb")\b)\s*(?:"
    + TEMPLATE_BEFORE
    + rb"\s*)?"
    + NAME_BEFORE
    + rb")*(?:\s*::)?)"
    # What stands before the name: what it is a member of, with what that is a member of, or a word.
    # `x.template f<T>()` says that f is a template, and no more.
    rb"(\s*)(?:etalpmet\s*(?=\.|>-))?(?:(?:\.|>-)\s*(\w*)(\s*(?:\.|>-|:))?|(\w+))?"
)
_BRACKET = re.compile(rb"[()\[\]{}]")
_TEMPLATE_ARGUMENTS = re.compile(TEMPLATE)
_NO_BRACKETS = rb"[^()\[\]{}]*"
BRACKETS = rb"[(\[{]%b(?:[(\[{]%b(?:[(\[{]%b(?:[(\[{]%b[)\]}]%b)*[)\]}]%b)*[)\]}]%b)*[)\]}]" % (
    (_NO_BRACKETS,) * 7
)
_ARGUMENTS = re.compile(rb"\((" + _NO_BRACKETS + rb"(?:" + BRACKETS + _NO_BRACKETS + rb")*)\)")
_BRACED = re.compile(rb"\{(" + _NO_BRACKETS + rb"(?:" + BRACKETS + _NO_BRACKETS + rb")*)\}")
_GROUP = re.compile(BRACKETS)
# The same text backwards: a match can then be anchored at what stands before an offset.
_TEMPLATE_BACKWARDS = rb">[^<>;{}()|]*(?:>[^<>;{}()]*(?:>[^<>;{}()]*<[^<>;{}()]*)*<[^<>;{}()]*)*<"
_TYPE_BACKWARDS = re.compile(
    rb"[\s&*]*(?:\btsnoc\b[\s&*]*)?("
    + _TEMPLATE_BACKWARDS
    # A name may be one of the global namespace, behind a key word: `const ::c10::Scalar& x`.
    + rb")?\s*(\w+\b(?:\s*::\s*(?!(?:tsnoc|citats|enilni|rpxetsnoc|emanepyt)\b)\w+\b)*)(?<=[A-Za-z_])"
)
# What a name is declared as: `T x` or `T& x`, the same with `const`, `T* x`, `const T* x`, anything else.
VALUE, CONST_VALUE, POINTER, CONST_POINTER, UNTOLD = range(5)
_CONST_NEAR = 40  # bytes before a type in which `const` is looked for
_CONST_BACKWARDS = re.compile(
    rb"(?:\s*::)?\s+(?:(?:citats|emanepyt|tcurts|ssalc|elitalov)\s+)*(?:tsnoc|rpxetsnoc)\b"
)
_POINTERS = re.compile(
    rb"(?:shared_ptr|unique_ptr|intrusive_ptr|weak_ptr|optional|reference_wrapper|MaybeOwned|\w*Ptr)\s*$"
)
_NOT_TOLD = re.compile(rb"\b(?:const|typename)\b|\s+")
_FIRST_TYPE = re.compile(rb"<\s*(?:const\s+)?((?:::)?[A-Za-z_][\w:]*)")
_SAYS_TEMPLATE = re.compile(rb"::\s*template\s+")
NEVER_CALLS = frozenset(
    b"if for while switch return sizeof alignof decltype catch noexcept static_assert defined typeid throw co_return"
    b" co_await co_yield new delete operator alignas static_cast dynamic_cast const_cast reinterpret_cast else do and"
    b" or not int float double bool char long short unsigned signed void auto requires typename template asm typeof"
    b" __attribute__ __declspec __has_include __asm__ explicit constexpr case assert".split()
)
_NOT_TYPES = (
    NEVER_CALLS
    | _BEFORE_CALLS
    | frozenset(b"const static mutable new public private class".split())
)
# `Range{from, to}` makes an object; what these words begin is a block.
_NEVER_BRACED = NEVER_CALLS | frozenset(
    b"const mutable override final try union struct std".split()
)
_BEFORE_BLOCKS = frozenset(
    b"struct class union enum namespace public private protected virtual operator".split()
)
NEVER_BRACED_BACKWARDS = frozenset(word[::-1] for word in _NEVER_BRACED)
BEFORE_BLOCKS_BACKWARDS = frozenset(word[::-1] for word in _BEFORE_BLOCKS)
# Several may be declared at once, or an array; `else` alone may stand before the type.
_DECLARED_BACKWARDS = never_back(
    rb";(?:\][^\[\];{}]*\[\s*)?\w+\b(?<=[A-Za-z_])(?:\s*,\s*\w+\b(?<=[A-Za-z_]))*+\s+(?:"
    + TEMPLATE_BEFORE
    + rb"\s*)?(\w+(?:::\w+)*)(?<=[A-Za-z_])(?:\s+(?:tsnoc|citats|lacol_daerht))*[ \t]*(?=[;{}\n]|esle\b)"
)
_MADE = never_back(
    rb"new\s+((?:::)?[A-Za-z_]\w*+(?:::\w++)*+)\s*(?:" + TEMPLATE + rb"\s*)?(?:[;,)\]}\[]|:(?!:))"
)
_NO_CLASSES = _NOT_TYPES | frozenset(b"size_t auto extern friend".split())
NEVER_CALLS_BACKWARDS = frozenset(word[::-1] for word in NEVER_CALLS)
BEFORE_CALLS_BACKWARDS = frozenset(word[::-1] for word in _BEFORE_CALLS)


def type_before(backwards: bytes, at: int) -> str | None:
    """The type that a name is declared with, without its template arguments.

    Args:
        backwards: a file's text from its end to its beginning, comments and literals blanked.
        at: offset in it of the byte that stands before the name in the file.

    Returns:
        For a smart pointer what it points to; None where no type stands there.
    """
    found = types_before(backwards, at)
    return None if found is None else found[0]


def types_before(backwards: bytes, at: int) -> tuple[str, str, int] | None:
    """The type that a name is declared with, twice, and how.

    Args:
        backwards: a file's text from its end to its beginning, comments and literals blanked.
        at: offset in it of the byte that stands before the name in the file.

    Returns:
        The type without its template arguments (for a smart pointer what it points to), and with them, without white
        space and `const` among these; `VALUE` and so on. None where no type stands there.
    """
    if backwards[at : at + 1] not in (b" ", b"\n", b"&", b"*", b"\t", b"\r", b">"):
        return None
    match = _TYPE_BACKWARDS.match(backwards, at)
    if match is None:
        return None
    whole = name = match.group(2)[::-1]
    if match.group(1) is not None:
        arguments = match.group(1)[::-1]
        whole += _NOT_TOLD.sub(b"", arguments)
        if _POINTERS.search(name):
            pointed = _FIRST_TYPE.match(arguments)
            name = pointed.group(1) if pointed is not None else name
    if name in _NOT_TYPES:
        return None
    return written(name), whole.decode("latin-1"), _declared_as(backwards, at, match)


def _declared_as(backwards: bytes, at: int, match: re.Match[bytes]) -> int:
    """`VALUE` and so on, of a match of `_TYPE_BACKWARDS` at an offset."""
    arguments, end = match.group(1), match.end()
    between = backwards[at : match.start(2 if arguments is None else 1)]
    if arguments is not None and b"tsnoc" in arguments:
        return UNTOLD
    is_const = (
        b"sno" in backwards[end : end + _CONST_NEAR]
        and _CONST_BACKWARDS.match(backwards, end) is not None
    )
    star = between.find(b"*")
    if star < 0:
        return CONST_VALUE if is_const or b"tsnoc" in between else VALUE
    if b"*" in between[star + 1 :]:
        return UNTOLD
    # `T const* x` points to what is constant, `T* const x` is so itself.
    return CONST_POINTER if is_const or between.find(b"tsnoc", star) >= 0 else POINTER


def declared_objects(text: bytes, backwards: bytes) -> list[tuple[int, bytes]]:
    """Where a file makes objects without an initializer, `NoGradGuard guard;`, and the name of the type of each.

    Those of simple types and the standard library's are left out.

    Args:
        text: of the file, comments and literals blanked.
        backwards: the same from its end to its beginning.
    """
    size = len(backwards)
    found = [
        (size - match.end(1), match.group(1)[::-1])
        for match in _DECLARED_BACKWARDS.finditer(backwards)
    ]
    at = text.find(b"new ")
    while at >= 0:
        made = _MADE.match(text, at)
        if made is not None and not text[at - 1 : at].isalnum():
            found.append((made.start(1), made.group(1)))
        at = text.find(b"new ", at + 1)
    return sorted(
        (at, name) for at, name in found
        if name not in _NO_CLASSES and not name.endswith(b"_t") and not name.startswith(b"std::")
    )  # fmt: skip


def first_part(spelled: bytes) -> bytes:
    """The first part of the name `spelled`, which is given backwards: `at` of `f::evitan::ta`. Not backwards itself."""
    return spelled[::-1].partition(b"::")[0].partition(b"<")[0].strip()


@functools.lru_cache(maxsize=50_000)
def written(name: bytes) -> str:
    """`name` without white space, template arguments and the word `template`; most names stand in many files."""
    if b"<" in name:
        while True:
            shorter = _TEMPLATE_ARGUMENTS.sub(b"", name)
            if shorter == name:
                break
            name = shorter
    if b"template" in name:
        name = _SAYS_TEMPLATE.sub(b"::", name)
    return b"".join(name.split()).decode("latin-1")


def count_arguments(text: bytes, opening: int) -> int:
    """How many arguments stand in round brackets.

    Args:
        text: of a file, comments and literals blanked.
        opening: offset of the bracket that opens.

    Returns:
        At most 254; `UNKNOWN_COUNT` where the brackets do not close within reach.
    """
    close = text.find(b")", opening, opening + _FAR)
    inner = text[opening + 1 : close]
    if close >= 0 and b"(" not in inner:
        if not inner or inner.isspace():
            return 0
        if b"," not in inner:
            return 1
        if b"{" not in inner and b"[" not in inner:
            return _commas(inner) + 1
    nested = _ARGUMENTS.match(text, opening, opening + _FAR)
    if nested is not None:
        return _commas(_GROUP.sub(b"0", nested.group(1))) + 1
    depth, start = 0, opening + 1
    outer: list[bytes] = []
    for match in _BRACKET.finditer(text, opening, opening + _FAR):
        at = match.start()
        if text[at] in b"([{":
            if depth == 1:
                outer.append(text[start:at])
            depth += 1
            if depth > DEEPEST:
                break
        else:
            depth -= 1
            if depth == 0:
                outer.append(text[start:at])
                return _commas(b"0".join(outer)) + 1
            if depth == 1:
                start = at + 1
    return UNKNOWN_COUNT


def count_braced(text: bytes, opening: int) -> int:
    """How many values stand in the braces of `Range{from, to}`.

    Args:
        text: of a file, comments and literals blanked.
        opening: offset of the brace that opens.

    Returns:
        At most 254; `UNKNOWN_COUNT` where the braces do not close within reach.
    """
    if text[opening + 1 : opening + 2] == b"}":
        return 0
    braced = _BRACED.match(text, opening, opening + _FAR)
    if braced is None:
        return UNKNOWN_COUNT
    inner = braced.group(1)
    return _commas(_GROUP.sub(b"0", inner).rstrip(b", \n\t")) + 1 if inner.strip() else 0


def _commas(arguments: bytes) -> int:
    """The commas between arguments without brackets, as far as they can be counted."""
    if b"<" in arguments:
        arguments = _TEMPLATE_ARGUMENTS.sub(b"", arguments)
    return min(arguments.count(b","), UNKNOWN_COUNT - 2)
