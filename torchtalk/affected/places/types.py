"""Types that have no functions, by their names: `c10::ScalarType`, `c10::IntArrayRef`, `c10d::OpType::ALLREDUCE`.

The index has classes, and not enumerations and aliases, which have nothing to call. Where nothing else is called so,
the headers of the tree are read for a declaration: what follows from its line is what follows from it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from indexer.extract.cpp.scopes import scopes_of
from torchtalk.affected.sources import Source, Sources
from torchtalk.names.usings import Usings

_TYPE = r"""
    ^[^\S\n]*(?:template\s*<[^;{{}}]*>\s*)?
    (?: (?P<kind>enum(?:\s+(?:class|struct))?|struct|class|union)\s+
        (?:[A-Z][A-Z0-9_]*(?:\([^()\n]*\))?\s+|\[\[[^\]\n]*\]\]\s*)*
        {name}\b(?:\s*final\b)?\s*(?::(?!:)[^;{{()]*)?\{{
      | (?P<alias>using)\s+{name}\s*=
      | typedef\b[^;\n{{}}]*\b{name}\s*;
    )"""
_AGAIN = r"[^;{{}}]*\b{name}\b[^;{{}}]*;"
_MOST_USED = 12
_HEADERS = (".h", ".hpp", ".cuh", ".hh")
_OF_TESTS = re.compile(r"(?:^|/)tests?/")


class Declared(NamedTuple):
    """Where a type, or a value of one, is declared.

    Args:
        whole: its name in full.
        what: it is, for people.
        source: of the file.
        start: where in that the name stands.
    """

    whole: str
    what: str
    source: Source
    start: int

    @property
    def line(self) -> int:
        """The line of the name."""
        return self.source.text.count("\n", 0, self.start) + 1

    def __str__(self) -> str:
        return f"{self.source.path}:{self.line}"


def types_called(conn: sqlite3.Connection, name: str) -> list[Declared]:
    """Where types, or values of enumerations, of a name are declared; of tests only where nothing else has one.

    Args:
        conn: an index.
        name: in full or in part, without a leading `::`.
    """
    if not all(part.isidentifier() for part in name.split("::")):
        return []
    owner, _, last = name.rpartition("::")
    every = list(_declared(conn, (name, owner) if owner else (name,)))
    found = [one for of, one in every if of == name]
    found = found or [value for of, one in every if of == owner for value in _value(one, last)]
    return [one for one in found if not _OF_TESTS.search(one.source.path)] or found


def not_declaring(sources: Iterable[Source], name: str) -> Iterator[Source]:
    """Those of some files that declare no type of a name: what has the name there would be their own.

    Args:
        sources: the files.
        name: without namespaces.
    """
    for source in sources:
        if next(_matches(source.text, name), None) is None:
            yield source


def _matches(text: str, name: str) -> Iterator[re.Match[str]]:
    """The declarations in a text; `using Layout = at::Layout;` declares none of its own."""
    if not any(word in text for word in ("enum", "struct", "class", "union", "using", "typedef")):
        return
    quoted = re.escape(name)
    again = re.compile(_AGAIN.format(name=quoted))
    form = re.compile(_TYPE.format(name=quoted), re.MULTILINE | re.VERBOSE)
    for match in form.finditer(text):
        if not (match["alias"] and again.match(text, match.end())):
            yield match


def _declared(conn: sqlite3.Connection, names: Collection[str]) -> Iterator[tuple[str, Declared]]:
    """Where headers declare types of some names; what a namespace uses of others counts only in full: `at::Layout`."""
    sources = Sources(conn)
    rows = (row for row in sources.of_cpp("") if row["path"].endswith(_HEADERS))
    called = {name: (name.rpartition("::")[2], _used(conn, name)) for name in names}
    for source in sources.holding(rows, [last for last, _ in called.values()]):
        for name, (last, used) in called.items():
            for one in _in(source, last) if source.is_indexed and last in source.text else ():
                if one.whole in used or f"::{one.whole}".endswith(f"::{name}"):
                    yield name, one


def _in(source: Source, name: str) -> Iterator[Declared]:
    """The types that a file declares by a name, without those of functions."""
    matches = list(_matches(source.text, name))
    scopes = scopes_of(source.text.encode()) if matches else None
    for match in matches:
        # Offsets of the scopes are those of bytes.
        at = scopes.at(len(source.text[: match.end()].encode()) - 1) if scopes else None
        if at is None or at.function or at.macro:
            continue
        prefix = at.prefix
        if match["kind"] and at.classes and at.classes[-1] == name:
            prefix = "::".join((*at.namespaces, *at.classes[:-1]))
        kind = match["kind"].split()[0] if match["kind"] else ""
        what = (
            "an enumeration"
            if kind == "enum"
            else f"a {kind}"
            if kind
            else "another name of a type"
        )
        start = source.text.index(name, match.start())
        yield Declared(f"{prefix}::{name}" if prefix else name, what, source, start)


def _used(conn: sqlite3.Connection, name: str) -> list[str]:
    """What a name is elsewhere, by the using-directives and declarations of the namespace that it is asked for in."""
    last = name.rpartition("::")[2]
    usings, found = Usings(conn), [name]
    for text in found:
        more = (meant for meant, _ in usings.of(text) if meant.rpartition("::")[2] == last)
        found += [one for one in more if one not in found and len(found) < _MOST_USED]
    return found[1:]


def _value(of: Declared, name: str) -> Iterator[Declared]:
    """The value of a name that an enumeration has."""
    text = of.source.text
    opening, end = text.find("{", of.start), text.find("}", of.start)
    match = re.compile(rf"(?<=[{{,\s]){re.escape(name)}\b(?=\s*(?:[,=]|$))").search(
        text, opening, end
    )
    if of.what == "an enumeration" and match is not None:
        yield Declared(f"{of.whole}::{name}", "a value of an enumeration", of.source, match.start())
