"""What a head declares, and the words that heads are told apart by."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

ANNOTATION = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+$|__\w+__$|__forceinline$|__inline$")
CAPITALS = re.compile(r"_*[A-Z][A-Z0-9_]*$")

SPECIFIERS = frozenset((
    "static", "inline", "constexpr", "consteval", "constinit", "explicit", "virtual", "friend",
    "extern", "typename", "template", "thread_local", "register", "asm", "alignas", "decltype",
    "noexcept", "requires", "export", "typedef",
))  # fmt: skip
NEVER_NAMES = frozenset((
    "if", "for", "while", "switch", "catch", "return", "else", "do", "sizeof", "alignof",
    "alignas", "decltype", "noexcept", "requires", "throw", "explicit", "static_assert",
    "typeof", "__typeof__", "__attribute__", "__declspec", "__launch_bounds__",
    "__asm__", "asm", "new", "delete", "__pragma", "_Pragma", "__cluster_dims__",
    "__block_size__",
))  # fmt: skip

Kind = Literal["namespace", "class", "linkage", "function", "lambda", "macro", "other"]


class Head(NamedTuple):
    """What a head declares.

    Args:
        kind: `macro` where a macro's use makes the function; its text is then in `name`.
        name: as written, without template arguments; "" for what has no name.
        offset: where the name (or the macro's use) starts.
        flavour: of a function: function, constructor, destructor, conversion, operator or kernel; of a lambda that a
            variable holds "", of another value that something is called for variable; of a namespace inline or "".
        bases: of a class: the names of its bases, as written.
        uses: macro uses that stand before the declaration, as (start, end).
        start: where the declaration itself starts, behind such uses.
    """

    kind: Kind
    name: str
    offset: int
    flavour: str = ""
    bases: tuple[str, ...] = ()
    uses: tuple[tuple[int, int], ...] = ()
    start: int = 0


_DEFAULT = re.compile(r"\b(?:class|typename)\s+(\w+)\s*=\s*([\w:]+)")


def default_bases(bases: tuple[str, ...], template: str) -> tuple[str, ...]:
    """The bases of a class that is a template, its parameters being what they are where none is given ([temp.param]).

    `template <class Op, class Base = Expr> class ExprNode : public Base` derives from `Expr`.

    Args:
        bases: as they are written.
        template: what stands before the class: `template <…>`.
    """
    if not bases or "=" not in template:
        return bases
    given: dict[str, str] = dict(_DEFAULT.findall(template))
    return tuple(given.get(base, base) for base in bases)
