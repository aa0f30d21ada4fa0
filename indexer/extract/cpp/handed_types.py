"""Names in a function's body that may be those of classes handed to templates: `f<Op>(x)`, `f(x, Op<T>{})`.

A template calls the methods of such a class by names that stand in the template alone. What is a class is decided when
all files are known.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from indexer.extract.cpp.characters import EQUALS
from indexer.extract.patterns import never_back

# Three deep, with calls and `sizeof(T)` among the arguments; a `&&` says that it is a comparison.
_PLAIN = rb"[^<>;{}()|&]*"
_INSIDE = _PLAIN + rb"(?:\(" + _PLAIN + rb"\)" + _PLAIN + rb")*"
_ARGUMENTS = re.compile(
    rb"<(?![<=])"
    + _INSIDE
    + rb"(?:<"
    + _INSIDE
    + rb"(?:<"
    + _INSIDE
    + rb">"
    + _INSIDE
    + rb")*>"
    + _INSIDE
    + rb")*>"
)
_NAME = re.compile(rb"(?<![\w:.])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
# What is held by a pointer is neither made nor called by what holds it.
_POINTED = re.compile(
    rb"(?<![\w:.])[A-Za-z_][\w:]*(?:\s+const)?\s*\*|(?<![\w:.])[\w:]*\b(?:shared|unique|weak|intrusive)_ptr<\s*(?:const\s+)?[A-Za-z_][\w:]*(?=\s*[,>])"
)
_FIRST_ARGUMENT = re.compile(rb"\A<\s*(?:const\s+)?[A-Za-z_][\w:]*(?=\s*[,>])")
_POINTERS = (b"shared_ptr", b"unique_ptr", b"weak_ptr", b"intrusive_ptr")
_INNERMOST = re.compile(rb"<[^<>]*>(?=\s*::)")
# f(x, Op()), f(Op{}), auto op = Op(); looked for in the text backwards: what follows the name is rarer than what stands
# before it, and a search for fixed bytes is a quick one.
_MADE = rb"(\w+\b(?<=[A-Za-z_])(?:::\w+\b(?<=[A-Za-z_]))*)\s*([(,=])"
_TEMPORARIES = (re.compile(rb"\)\(" + _MADE), re.compile(rb"\{" + _MADE))
# Op{}(x), Op()(x), ops_t{}(x), backwards: an object that is made to be called at once. Not `maker.op()(x)`.
_CALLED_AT_ONCE = tuple(
    re.compile(rb"\(" + made + rb"(\w+\b(?<=[A-Za-z_])(?:::\w+\b(?<=[A-Za-z_]))*)(?![.:]|>-)")
    for made in (rb"\}\{", rb"\)\(")
)
# Op op; Op op{1}; Op op(1); backwards too, for that begins with two names, where a statement begins with anything.
_VARIABLE = never_back(
    rb"[;({]\s*+(\w++)(?<=[A-Za-z_])\s++([\w:]++)(?<=[A-Za-z_])(?:\s++tsnoc\b)?\s*+(?=[;{}])"
)
_QUALIFIED = re.compile(rb"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
# static Op op; at namespace level
_GLOBAL = re.compile(
    rb"static(?<![^\n]static)\s+(?:const(?:expr)?\s+)?([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)\s+([A-Za-z_]\w*)\s*(?=[;{])"
)
# Op<T>()(x), Op<T>{}(x)
_CALLED = re.compile(rb"\s*(?:\(\s*\)|\{\s*\})\s*\(")
_DECLARED = re.compile(rb"\s*([A-Za-z_]\w*)\s*[;{(=]")
_ALIAS = re.compile(
    rb"using\b(?<!\wusing)\s+(\w+)\s*=\s*(?:typename\s+)?(?:::)?([A-Za-z_][\w:]*)\s*[<;]"
)
_ASSIGNED = re.compile(rb"=\s*(\w+)(?<=[A-Za-z_])")  # backwards
_FAR = 80  # bytes that a name and its `=` take
_NAME_BEFORE = re.compile(rb"[\w:]+")
_OF_NAMES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:")
_SPACE = frozenset(b" \t\r\n")
_NO_SPACE = re.compile(rb"\s*(\S)")
_BEFORE_VALUES = frozenset((b"(", b",", b"=", b"?", b":", b"{", b"&"))
_BEHIND_VALUES = frozenset((b")", b",", b";", b":", b"}"))
_CASTS = frozenset((b"static_cast", b"dynamic_cast", b"const_cast", b"reinterpret_cast"))
_NEVER = frozenset(
    b"if for while switch return sizeof alignof decltype static_cast dynamic_cast const_cast reinterpret_cast do else"
    b" try throw new delete template typename class struct enum union const auto void bool char short int long float"
    b" double unsigned signed true false nullptr case goto using namespace operator this co_return co_await co_yield"
    b" static inline constexpr extern mutable volatile register size_t int8_t int16_t int32_t int64_t uint8_t uint16_t"
    b" uint32_t uint64_t".split()
)


def static_objects(text: bytes) -> dict[bytes, bytes]:
    """The objects that a file makes for itself, outside of functions: `static Op op;`.

    Args:
        text: of the file, comments and literals blanked.

    Returns:
        By the name of each what may be its class.
    """
    return {match.group(2): match.group(1) for match in _GLOBAL.finditer(text)}


class HandedTypes:
    """What a body hands to templates.

    Args:
        text: of the file, comments and literals blanked.
        backwards: the same from its end to its beginning.
        start: of the body.
        end: of the body.

    Attributes:
        values: where each `f<T>` stands that is a value, and the name: a template function, maybe; once all is read.
    """

    def __init__(self, text: bytes, backwards: bytes, start: int, end: int) -> None:
        self._text, self._backwards, self._start, self._end = text, backwards, start, end
        self._arguments: dict[bytes, int] = {}
        self.values: list[tuple[int, bytes]] = []

    def read(self, objects: Mapping[bytes, bytes]) -> Iterator[tuple[bytes, int]]:
        """What may be a class that is handed on, each name once, with the offset where it stands first.

        Args:
            objects: as `static_objects` found them.
        """
        text, backwards, start, end = self._text, self._backwards, self._start, self._end
        found: dict[bytes, int] = {}
        size = len(text)
        for match in _ARGUMENTS.finditer(text, start, end):
            opening = at = match.start()
            before = _NAME_BEFORE.match(backwards, size - opening, size - start)
            if before is not None:
                at = size - before.end()
                if text[at:opening] in _CASTS:
                    continue
            arguments = match.group()
            if text.endswith(_POINTERS, at, opening):
                arguments = _FIRST_ARGUMENT.sub(b"<", arguments)
            for name in _names(arguments):
                found.setdefault(name, opening)
            if at < opening and self._is_value(at, match.end()):
                self.values.append((at, text[at:opening]))
            if at < opening and self._is_handed(at, match.end()):
                found.setdefault(text[at:opening], at)
        temporaries = [
            match
            for made in _TEMPORARIES
            for match in made.finditer(backwards, size - end, size - start)
        ]
        temporaries.sort(key=_place)
        for match in reversed(temporaries):
            if match.group(2) != b"=" or self._is_assigned(size - match.end()):
                found.setdefault(match.group(1)[::-1], size - match.end(1))
        for called in _CALLED_AT_ONCE:
            for match in called.finditer(backwards, size - end, size - start):
                found.setdefault(match.group(1)[::-1], size - match.end(1))
        variables = [*_VARIABLE.finditer(backwards, size - end, size - start)]
        for match in reversed(variables):
            variable, spelled = match.groups()
            name = spelled[::-1]
            if name in _NEVER or (b":" in name and not _QUALIFIED.fullmatch(name)):
                continue
            if self._argument(variable[::-1]) >= 0:
                found.setdefault(name, size - match.end(2))
        for name, class_name in objects.items():
            at = self._argument(name)
            if at >= 0:
                found.setdefault(class_name, at)
        # `using ops_t = Ops<T>; ops_t ops(1); reduce(ops);`
        aliases = []
        at = text.find(b"using", start, end)
        while at >= 0:
            if alias := _ALIAS.match(text, at, end):
                aliases.append(alias)
            at = text.find(b"using", at + 5, end)
        for alias in reversed(aliases):  # one may be made of another before it
            if alias.group(1) in found:
                found.setdefault(alias.group(2), alias.start(2))
        for name, at in found.items():
            if name not in _NEVER and not name.startswith(b"std::"):
                yield name, at

    def _is_value(self, at: int, behind: int) -> bool:
        """Whether `f<T>` stands where a value does: what is handed on, chosen or assigned, and not called."""
        text = self._text
        follows = _NO_SPACE.match(text, behind, self._end)
        before = _NO_SPACE.match(self._backwards, len(text) - at)
        return (
            follows is not None
            and before is not None
            and follows.group(1) in _BEHIND_VALUES
            and before.group(1) in _BEFORE_VALUES
        )

    def _is_handed(self, at: int, behind: int) -> bool:
        """Whether `C<…>` makes an argument, a variable that is one, or what is returned or called at once."""
        text = self._text
        before = at - 1
        while before > self._start and text[before] in _SPACE:
            before -= 1
        if text[before] in b"(," or text[before - 5 : before + 1] == b"return":
            return True
        if _CALLED.match(text, behind, self._end):
            return True
        if text[before] == EQUALS:  # =
            return self._is_assigned(before)
        declared = _DECLARED.match(text, behind, self._end)
        return declared is not None and self._argument(declared.group(1)) >= 0

    def _is_assigned(self, equals: int) -> bool:
        """Whether the variable before a `=` is an argument."""
        size = len(self._text)
        first = max(self._start, equals - _FAR)
        assigned = _ASSIGNED.match(self._backwards, size - equals - 1, size - first)
        return assigned is not None and self._argument(assigned.group(1)[::-1]) >= 0

    def _may_call(self, before: int) -> bool:
        """Whether what ends at an offset leaves a name with brackets behind it to be a call: no type, no receiver."""
        text = self._text
        is_name = text[before] in _OF_NAMES or text[before] in b">.&*"
        return not is_name or text[before - 5 : before + 1] == b"return"

    def _argument(self, name: bytes) -> int:
        """Where a variable is an argument, or is called like a function; -1 for nowhere."""
        known = self._arguments.get(name)
        if known is None:
            known = self._arguments[name] = self._find_argument(name)
        return known

    def _find_argument(self, name: bytes) -> int:
        text, end = self._text, self._end
        at = text.find(name, self._start, end)
        while at >= 0:
            before, behind = at - 1, at + len(name)
            while before > self._start and text[before] in _SPACE:
                before -= 1
            while behind < end and text[behind] in _SPACE:
                behind += 1
            follows = text[behind : behind + 1]
            if text[before] in b"(," and follows in (b")", b","):
                return at
            if follows == b"(" and self._may_call(before):
                return at
            at = text.find(name, behind, end)
        return -1


def _place(match: re.Match[bytes]) -> int:
    return match.start()


@functools.lru_cache(maxsize=20_000)
def _names(arguments: bytes) -> tuple[bytes, ...]:
    """The names in template arguments, most of which stand in many places."""
    if b"*" in arguments or b"_ptr<" in arguments:
        arguments = _POINTED.sub(b"", arguments)
    names = _NAME.findall(arguments)
    shorter = _INNERMOST.sub(b"", arguments)  # Ops<T>::First
    return tuple(names if shorter == arguments else names + _NAME.findall(shorter))
