"""Which definitions of a class template's method its arguments mean: `Vectorized<float>::exp` is none of double's.

The index has names without arguments; what a class is specialized for stands in its head ([temp.expl.spec],
[temp.spec.partial]), which is read from the tree where that is here. What the template itself has stays beside it:
calls that depend on a parameter stand there.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from torchtalk.affected.sources import Sources
from torchtalk.tools.walks import queries

_COMPONENT = re.compile(r"\s*(\w+)\s*<(.*)>\s*$", re.DOTALL)
_PARAMETER = re.compile(
    r"\b(?:typename|class|int|size_t|bool|auto|int64_t|unsigned)\s*(?:\.\.\.\s*)?(\w+)"
)
_NAMESPACES = re.compile(r"\b\w+::")
_WORD = re.compile(r"\w+")
_OPERATOR = re.compile(r"\boperator\b")
# On the platforms that PyTorch is built for.
_SIZED = {
    "int": "int32_t", "unsigned": "uint32_t", "unsignedint": "uint32_t", "short": "int16_t",
    "long": "int64_t", "longlong": "int64_t", "signedchar": "int8_t", "unsignedchar": "uint8_t",
}  # fmt: skip
_ABOVE, _BELOW = 6, 4
"""So many lines of a class's head stand at most above that of its name, and below."""

_MOST_READ = 120


class Chosen(NamedTuple):
    """Some of a name's definitions.

    Args:
        functions: their ids, those of the arguments that were asked for first.
        exact: how many these are.
        written: the class with its arguments, as asked for.
    """

    functions: tuple[int, ...]
    exact: int
    written: str


def of_arguments(conn: sqlite3.Connection, text: str, functions: Sequence[int]) -> Chosen | None:
    """Those definitions of a method that a class template's arguments leave.

    Args:
        conn: an index.
        text: as it was asked for: `Vectorized<float>::exp`.
        functions: the definitions of the name.

    Returns:
        Those of the specialization and of the template itself; None where the text has no such arguments, or where
        no definition is of a specialization for them.
    """
    asked = _asked(text)
    if asked is None or len(functions) > _MOST_READ:
        return None
    name, wanted = asked
    asked_for = {"ids": json.dumps(list(functions))}
    rows = conn.execute(queries("specialized")["methods"], asked_for).fetchall()
    sources = Sources(conn)
    lines: dict[str, list[str]] = {}
    aliases = _aliases(conn)
    exact, general = [], []
    for row in rows:
        if row["path"] not in lines:
            source = sources.read(row)
            is_known = source is not None and source.is_indexed
            lines[row["path"]] = source.text.split("\n") if source is not None and is_known else []
        head = _specialized(lines[row["path"]], row, name)
        if head is None:
            general.append(row["id"])
            continue
        own, open_names = head
        if own == wanted or [_plain(aliases.get(part, part)) for part in own] == wanted:
            exact.append(row["id"])
        elif _may_fit(own, open_names, wanted):
            general.append(row["id"])
    if not exact:
        return None
    return Chosen((*exact, *general), len(exact), f"{name}<{', '.join(wanted)}>")


def _may_fit(own: list[str], open_names: set[str], wanted: list[str]) -> bool:
    """Whether a partial specialization may be for some arguments: all that is written in full is the same."""
    if open_names.isdisjoint(word for part in own for word in _WORD.findall(part)):
        return False
    return all(
        part == given
        or part in open_names
        # `intrusive_ptr<T>` for any T: of such a template it has to be.
        or (
            not open_names.isdisjoint(_WORD.findall(part))
            and part.partition("<")[0] == given.partition("<")[0]
        )
        # What an `enable_if` comes to is not looked into; nothing need be written in its place.
        for part, given in zip(own, wanted, strict=False)
    )


def _asked(text: str) -> tuple[str, list[str]] | None:
    """The class of a method as it is asked for, and its arguments."""
    before = _OPERATOR.split(text, maxsplit=1)
    parts = _split(before[0], "::")
    if len(before) == 1:
        parts = parts[:-1]
    match = _COMPONENT.match(parts[-1] if parts and parts[-1].strip() else "".join(parts[-2:-1]))
    return None if match is None else (match[1], _arguments(match[2]))


def _arguments(text: str) -> list[str]:
    return [_plain(part) for part in _split(text, ",")]


def _split(text: str, sign: str) -> list[str]:
    """A text at a sign that stands in no bracket, as far as the first round one."""
    found, depth, start, at = [], 0, 0, 0
    while at < len(text):
        if text[at] == "(" and depth == 0:
            break
        depth += (text[at] in "<(") - (text[at] in ">)")
        if depth == 0 and text.startswith(sign, at):
            found.append(text[start:at])
            at = start = at + len(sign)
            continue
        at += 1
    return [*found, text[start:at]]


def _specialized(
    lines: list[str], row: sqlite3.Row, name: str
) -> tuple[list[str], set[str]] | None:
    """What a definition's class is specialized for, and the parameters that this leaves; None of the template itself.

    A method may be defined outside of it: `template <> int List<bool>::size()`.
    """
    head = row["signature"] if row["class_line"] is None else ""
    if row["class_line"] is not None:
        at = row["class_line"] - 1
        above = "\n".join(lines[max(0, at - _ABOVE) : at])
        # What ends before it is another declaration's.
        above = re.split(r"[;{}]", above)[-1]
        head = f"{above}\n" + "\n".join(lines[at : at + _BELOW]).partition("{")[0]
    match = re.search(rf"\b{re.escape(name)}\s*<", head)
    if match is None:
        return None
    end = _closed(head, match.end() - 1)
    before = head[: match.start()]
    template = before.rpartition("template")[2] if "template" in before else ""
    return _arguments(head[match.end() : end]), set(_PARAMETER.findall(template))


def _closed(text: str, opening: int) -> int:
    """Where the angle bracket that opens at an offset is closed."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "<") - (text[at] == ">")
        if depth == 0:
            return at
    return len(text)


def _aliases(conn: sqlite3.Connection) -> dict[str, str]:
    """By its own name what each alias of a type stands for, as written: `ComplexDbl` is `c10::complex<double>`."""
    rows = conn.execute(queries("specialized")["aliases"])
    parts = (row["text"].partition(" = ") for row in rows)
    return {name: meant for name, _, meant in parts}


def _plain(text: str) -> str:
    """A type as arguments are compared: without white space and namespaces."""
    name = _NAMESPACES.sub("", "".join(text.split()))
    return _SIZED.get(name, name)
