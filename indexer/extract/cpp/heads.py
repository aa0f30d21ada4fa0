"""What the text before a `{` at namespace or class level declares: a namespace, a class, a function, something else.

The text is read by its brackets and names, not by a grammar, since macros stand before, in and behind the heads of
PyTorch's functions (`C10_LAUNCH_BOUNDS_1(256) __global__ void f(int n)`, `TORCH_IMPL_FUNC(add_out)(const Tensor& a)`)
and a grammar that does not know them takes a macro for the function.
"""

from __future__ import annotations

import re

from indexer.extract.cpp.head import (
    ANNOTATION,
    CAPITALS,
    NEVER_NAMES,
    SPECIFIERS,
    Head,
    default_bases,
)
from indexer.extract.cpp.items import Item, items_of
from indexer.extract.cpp.plain_heads import plain_head

_AFTER_PARAMETERS = frozenset((
    "const", "volatile", "noexcept", "override", "final", "try", "mutable", "requires", "throw",
))  # fmt: skip
_CLASS_KEYS = frozenset(("class", "struct", "union"))


def _chain_start(items: list[Item], last: int) -> int:
    """Index of the first item of the qualified name that ends at `last` (a word or its template arguments)."""
    at = last
    while True:
        if items[at].kind == "<" and at > 0:
            at -= 1
        if items[at].text.startswith("~") and at == 0:
            return at
        if at >= 2 and items[at - 1].text == "::" and items[at - 2].kind in "w<":
            at -= 2
            continue
        if at >= 1 and items[at - 1].text == "::":
            return at - 1
        return at


def _spelled(items: list[Item]) -> str:
    """A qualified name without template arguments."""
    return "".join(item.text for item in items if item.kind == "w" or item.text == "::")


def _is_annotation(item: Item) -> bool:
    return item.kind == "w" and (item.text in SPECIFIERS or ANNOTATION.match(item.text) is not None)


def _namespace(items: list[Item]) -> Head | None:
    for index in range(len(items) - 1, -1, -1):
        item = items[index]
        if item.text == "namespace":
            names = [i for i in items[index + 1 :] if i.kind == "w" or i.text == "::"]
            first = len(names)
            while first > 0 and (
                first == len(names)
                or (names[first].text == "::") != (names[first - 1].text == "::")
            ):
                first -= 1
            inline = any(i.text == "inline" for i in items[max(0, index - 1) :])
            name = _spelled([i for i in names[first:] if i.text != "inline"])
            return Head("namespace", name, item.start, "inline" if inline else "")
        if item.kind not in "w[(" and item.text != "::":
            return None
    return None


def _class(items: list[Item]) -> Head | None:
    key = next((n for n, item in enumerate(items) if item.text in _CLASS_KEYS), -1)
    if key < 0:
        return None
    rest = items[key + 1 :]
    colon = next((n for n, item in enumerate(rest) if item.text == ":"), len(rest))
    named = [item for item in rest[:colon] if item.kind != "["]
    while named and named[-1].text in ("final", "sealed"):
        named.pop()
    if any(item.kind in "sqn" and item.text != "::" for item in named):
        return None
    for position, item in enumerate(named):
        if item.kind == "(" and (position == 0 or not _takes_brackets(named[position - 1])):
            return None
    if not named or named[-1].kind == "(":
        name, offset = "", items[key].start
    else:
        first = _chain_start(named, len(named) - 1)
        before = named[:first]
        if any(
            item.kind == "<"
            or (item.kind == "w" and not _is_annotation(item) and item.text not in NEVER_NAMES)
            for item in before
        ):
            return None
        name, offset = _spelled(named[first:]), named[first].start
    template = " ".join(item.text for item in items[:key] if item.kind == "<")
    bases = default_bases(_bases(rest[colon + 1 :]), template)
    return Head("class", name, offset, bases=bases)


def _takes_brackets(item: Item) -> bool:
    return _is_annotation(item) or item.text in NEVER_NAMES


def _bases(items: list[Item]) -> tuple[str, ...]:
    bases: list[str] = []
    current: list[Item] = []
    for item in [*items, Item("s", ",", 0, 0)]:
        if item.text == ",":
            name = _spelled(
                [
                    i
                    for i in current
                    if i.text not in ("public", "private", "protected", "virtual", "typename")
                ]
            )
            if name:
                bases.append(name)
            current = []
        else:
            current.append(item)
    return tuple(bases)


def _operator(items: list[Item], at: int) -> tuple[str, int, str] | None:
    """An operator's name, the index of its parameters and its flavour, for the word `operator` at index `at`."""
    stop = at + 1
    if stop < len(items) and items[stop].kind == "(" and items[stop].text.replace(" ", "") == "()":
        symbol = "()"
        stop += 1
    else:
        while stop < len(items) and items[stop].kind != "(":
            stop += 1
        symbol = ""
        for item in items[at + 1 : stop]:
            symbol += (
                " " if item.kind == "w" and symbol and symbol[-1].isalnum() else ""
            ) + item.text
    if stop >= len(items) or items[stop].kind != "(" or not symbol:
        return None
    conversion = (symbol[0].isalpha() or symbol.startswith(("_", "::"))) and symbol.split()[
        0
    ] not in (
        "new",
        "delete",
        "co_await",
    )
    spaced = " " if conversion or symbol[0].isalpha() or symbol[0] == '"' else ""
    symbol = " ".join(symbol.split())
    return "operator" + spaced + symbol, stop, "conversion" if conversion else "operator"


def _macro_uses(items: list[Item]) -> tuple[list[Item], int]:
    """The macro uses of their own at the front (`FOO(a) static BAR(b) …`): their items, and where the rest starts."""
    found: list[Item] = []
    rest = at = 0
    while at + 2 < len(items) and items[at].kind == "w":
        if items[at].text in ("static", "inline", "constexpr"):
            at += 1
            continue
        following = items[at + 2]
        if items[at + 1].kind != "(" or following.kind != "w":
            break
        # A `const` that a type follows begins the next declaration; a method's own ends the head.
        qualified = (
            at + 3 < len(items)
            and items[at + 3].kind == "w"
            and following.text in ("const", "volatile")
        )
        if following.text in _AFTER_PARAMETERS and not (
            qualified
            and items[at + 3].text not in _AFTER_PARAMETERS
            and not _is_annotation(items[at + 3])
        ):
            break
        if items[at].text in NEVER_NAMES:
            break
        found += items[at : at + 2]
        at += 2
        rest = at
    return found, rest


_MOST_ITEMS = 2000
"""No declaration has so many names and brackets side by side; the longest of PyTorch's has 166."""


def parse_head(text: str, class_name: str = "") -> Head:
    """Say what the text before a `{` declares.

    Args:
        text: the text since the last `;`, `{` or `}`, with comments and directives blanked.
        class_name: the class it stands in, for its constructors; "" at namespace level.
    """
    plain = plain_head(text, class_name)
    if plain is not None:
        return plain
    items = items_of(text)
    while (
        len(items) > 1
        and items[0].text in ("public", "private", "protected")
        and items[1].text == ":"
    ):
        del items[:2]
    used_items, used = _macro_uses(items)
    uses = tuple((used_items[n].start, used_items[n + 1].end) for n in range(0, len(used_items), 2))
    start = items[used].start if used < len(items) else (items[0].start if items else 0)
    head = _parse(items, used, class_name, text)
    if head.kind == "macro":  # the last of them may be the head itself
        return head._replace(uses=tuple(use for use in uses if use[0] < head.offset))
    return head._replace(uses=uses, start=start)


def _parse(items: list[Item], used: int, class_name: str, text: str) -> Head:
    other = Head("other", "", items[0].start if items else 0)
    if not items or len(items) - used > _MOST_ITEMS:
        return other
    if items[-1].kind == "q" and len(items) > 1 and items[-2].text == "extern":
        return Head("linkage", "", items[-1].start)
    namespace = _namespace(items)
    if namespace is not None:
        return namespace
    if any(item.text == "enum" for item in items) and not any(
        item.kind == "(" for item in items[used:]
    ):
        return other
    found = _class(items)
    if found is not None:
        return found
    operator = next((n for n, item in enumerate(items) if item.text == "operator"), -1)
    if operator >= 0:
        named = _operator(items, operator)
        if named is None:
            return other
        first = operator
        if operator >= 2 and items[operator - 1].text == "::":
            first = _chain_start(items, operator)
        name = _spelled(items[first:operator]) + named[0]
        return Head("function", name, items[operator].start, named[2])
    equals = next((n for n, item in enumerate(items) if item.text == "="), -1)
    if equals >= 0:
        return _lambda(items, equals) or other
    return _function(items, class_name, text) or other


def _lambda(items: list[Item], equals: int) -> Head | None:
    """`auto f = [](int x) {`: a lambda that a variable at namespace or class level holds."""
    after = items[equals + 1 :]
    if not after or after[0].kind != "[" or equals == 0 or items[equals - 1].kind not in "w<":
        return None
    first = _chain_start(items, equals - 1)
    return Head("lambda", _spelled(items[first:equals]), items[first].start)


def _function(items: list[Item], class_name: str, text: str) -> Head | None:
    candidates: list[tuple[int, int]] = []  # index of the name's first item, of its parameters
    for index, item in enumerate(items):
        if item.text in (":", "->") and candidates:
            break
        if item.kind != "(" or index == 0 or items[index - 1].kind not in "w<":
            continue
        first = _chain_start(items, index - 1)
        last = index - 2 if items[index - 1].kind == "<" else index - 1
        if items[last].text in NEVER_NAMES:
            continue
        candidates.append((first, index))
    if not candidates:
        return None
    chosen = next(
        (
            c
            for c in candidates
            if not CAPITALS.match(_last_name(items, c)) and _fits(items, c, class_name)
        ),
        None,
    )
    if chosen is None:
        chosen = next((c for c in candidates if _fits(items, c, class_name)), None)
    if chosen is None:
        return _macro(items, candidates, text)
    first, index = chosen
    name = _spelled(items[first:index])
    parts = name.split("::")
    flavour = "function"
    if parts[-1].startswith("~"):
        flavour = "destructor"
    elif (len(parts) > 1 and parts[-1] == parts[-2]) or name == class_name:
        flavour = "constructor"
    elif any(item.text == "__global__" for item in items[:first]):
        flavour = "kernel"
    at = next(item for item in reversed(items[first:index]) if item.kind == "w")
    return Head("function", name, at.start, flavour)


def _last_name(items: list[Item], candidate: tuple[int, int]) -> str:
    return next(item.text for item in reversed(items[: candidate[1]]) if item.kind == "w")


def _fits(items: list[Item], candidate: tuple[int, int], class_name: str) -> bool:
    """Whether a name with brackets behind it can be the function of this head."""
    first, index = candidate
    name = _spelled(items[first:index])
    if index + 1 < len(items):
        following = items[index + 1]
        if following.kind == "(":
            return False
        if following.kind == "w" and not (
            following.text in _AFTER_PARAMETERS
            or ANNOTATION.match(following.text)
            or CAPITALS.match(following.text)
        ):
            return False
    if "::" in name.lstrip(":") or name.startswith("~") or name == class_name:
        return True
    before = [item for n, item in enumerate(items[:first]) if item.kind != "[" and item.kind != "q"]
    # A type may be in capitals as a macro is (`CBLAS_TRANSPOSE to_blas(`): then the name must not be.
    named = CAPITALS.match(items[index - 1].text) is None
    for n, item in enumerate(before):
        if item.kind == "w" and item.text in ("decltype", "typeof", "__typeof__"):
            return True
        if item.kind != "w" or item.text in SPECIFIERS or item.text in NEVER_NAMES:
            continue
        if item.text.startswith("__") and item.text.endswith("__"):
            continue
        if not named and (
            ANNOTATION.match(item.text) or (before[n + 1 : n + 2] and before[n + 1].kind == "(")
        ):
            continue
        return True
    return False


def _macro(items: list[Item], candidates: list[tuple[int, int]], text: str) -> Head | None:
    """A macro's use that makes the head: `TORCH_IMPL_FUNC(f)(…)`, `TEST(a, b)`."""
    if any(item.text == "typedef" for item in items):
        return None
    plain = [c for c in candidates if c[1] - c[0] == 1 and not items[c[1]].text.startswith("(*")]
    if not plain:
        return None
    # The last one that nothing but more brackets or qualifiers follows: those before it are uses of their own.
    for first, index in reversed(plain):
        if index == len(items) - 1 or not (
            items[index + 1].kind == "w" and items[index + 1].text not in _AFTER_PARAMETERS
        ):
            if first and not CAPITALS.match(
                items[first].text
            ):  # C's implicit int: `static f(void) {`
                return Head("function", items[first].text, items[first].start, "function")
            start = first
            while start > 0 and _is_annotation(items[start - 1]):
                start -= 1
            return Head("macro", text[items[start].start :].strip(), items[first].start)
    return None


def in_initializers(text: str) -> bool:
    """Whether a `{` opens a member's initializer: `A::A() : x{`.

    Args:
        text: what stands before the brace, back to where the declaration begins; comments and literals blanked.
    """
    stripped = text.rstrip()
    if not stripped or not (stripped[-1].isalnum() or stripped[-1] in "_>"):
        return False
    return re.search(r"\)[^()]*?(?<!:):(?!:)", stripped) is not None
