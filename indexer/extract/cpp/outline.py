"""What the outer structure of a C++ file consists of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from indexer.extract.cpp.head import Head


class Scope(NamedTuple):
    """A namespace, class or `extern "C"` block that is open.

    Args:
        kind: namespace, class or linkage.
        name: what it adds to a qualified name; "" for an anonymous or inline one.
        is_anonymous: an anonymous namespace.
    """

    kind: str
    name: str
    is_anonymous: bool = False


Scopes = tuple[Scope, ...]


@dataclass
class Function:
    """A function's definition: its head, and the offsets of its head, name and body."""

    head: Head
    scopes: Scopes
    text: str
    start: int
    at: int
    body: int
    end: int = -1
    twins: list[Function] = field(default_factory=list)


class ClassBody(NamedTuple):
    """A class's definition; `at` is the offset of its name, `end` that of its closing bracket."""

    head: Head
    scopes: Scopes
    at: int
    end: int


class Use(NamedTuple):
    """A macro's use at namespace or class level: its name, its text with its lines and where it stands."""

    name: str
    text: str
    scopes: Scopes
    at: int


class Using(NamedTuple):
    """A `using` or namespace alias: `names` as written behind the key word, and where it holds."""

    keyword: str
    text: str
    scopes: Scopes
    at: int


class Field(NamedTuple):
    """A data member of the class around it or a namespace's variable, and its type without `const`, `&` and `*`."""

    scopes: Scopes
    name: str
    of_type: str


@dataclass
class Structure:
    """All that one file's outer structure holds, in the order of the file."""

    functions: list[Function] = field(default_factory=list)
    classes: list[ClassBody] = field(default_factory=list)
    uses: list[Use] = field(default_factory=list)
    usings: list[Using] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)


def outside_classes(scopes: Scopes) -> Scopes:
    """`scopes` without the classes at their end: a friend that is defined in one is a function of the namespace,
    [class.friend].
    """
    while scopes and scopes[-1].kind == "class":
        scopes = scopes[:-1]
    return scopes
