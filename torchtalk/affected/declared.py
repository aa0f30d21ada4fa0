"""What a header only declares: functions that are defined elsewhere, and what belongs to a class as a whole.

The index has definitions. A declaration that changes is told by the text of its line; a field, an enumerator or an
alias in a class changes what its methods do.
"""

from __future__ import annotations

import functools
import posixpath
import re
import sqlite3
from collections.abc import Iterator

from torchtalk.affected import queries
from torchtalk.affected.changes import Seed
from torchtalk.affected.diffs import Span
from torchtalk.affected.nodes import Node, spread
from torchtalk.affected.quiet import says_nothing
from torchtalk.answers.base import Place
from torchtalk.sqlfile import listed

_DECLARED = 0.8
_MEMBER = 0.6
_NAMED = re.compile(r"(?<![\w.>])(~?[A-Za-z_]\w*)\s*\(")
_PIECE = re.compile(
    r'(?<!\\)"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?|[{};]|[^{};"/]+|.', re.DOTALL
)
# What has declarations between its braces, not statements.
_OPEN = re.compile(
    r"\s*(?:(?:inline\s+)?namespace\b[^()]*|extern\s*\"C\"\s*|(?:template\s*<.*>\s*)?(?:class|struct|union)\b[^()=]*)$",
    re.DOTALL,
)
# Behind a type stands the name that is declared; behind these words, what is called.
_TYPE = re.compile(
    r"(?<![\w])(?!(?:return|throw|else|case|new|delete|co_return|do)\b)[\w:]*[\w>]\s*[&*\s]*$"
)
_FAR = 300
_DIRECTIVE = re.compile(r"\s*#")
_ENDING = re.compile(r"(?:_inl|-inl)?\.\w+$")


class Declarations:
    """What lines of one file outside of all bodies declare, or belong to.

    Args:
        conn: an index.
        file: its row.
        spans: its changed lines, with their text.
        kind: of the file.
    """

    def __init__(
        self, conn: sqlite3.Connection, file: sqlite3.Row, spans: tuple[Span, ...], kind: str
    ) -> None:
        self._conn = conn
        self._file = file
        self._spans = spans
        self._kind = kind

    def of(self, span: Span) -> Iterator[Seed]:
        """The functions that some of the lines declare, or the methods of the class they stand in."""
        names = self._names(span)
        if names is None:
            return
        at = {
            "file": self._file["id"], "first": span.first, "last": max(span.first, span.last),
        }  # fmt: skip
        of = self._conn.execute(queries("places")["cpp_class_at"], at).fetchone()
        path = self._file["path"]
        # What has no type before it may be a constructor in a class, and is a call elsewhere.
        told = [name for name, has_type in names if has_type or of is not None]
        rows = [row for name in told for row in self._defined(name, of)]
        weight, how = 0.0, ""
        if rows:
            weight, how = _DECLARED * spread(len(rows)), "is declared there"
        elif of is not None:
            values = {"class": of["name"]}
            rows = self._conn.execute(queries("places")["cpp_members"], values).fetchall()
            weight, how = _MEMBER * spread(len(rows)), f"is a method of {of['name']}"
        for row in rows:
            node, place = Node("cpp", row["id"], row["name"]), Place(path, span.first)
            yield Seed(node, weight, place, span.lines, how)

    def _names(self, span: Span) -> tuple[tuple[str, bool], ...] | None:
        """The names that lines declare, as `names_declared` has them; None where no line says anything."""
        sides = [
            [
                text for text in side
                if not says_nothing(text, self._kind) and not _DIRECTIVE.match(text)
            ]
            for side in (span.removed, span.added)
        ]  # fmt: skip
        if not any(sides):
            return None
        found = (name for side in sides for name in names_declared("\n".join(side)))
        return tuple(dict.fromkeys(found))

    @functools.cached_property
    def _called(self) -> dict[str, list[sqlite3.Row]]:
        """The functions of all names that lines of the file declare: one look for all of them."""
        names = {name for span in self._spans for name, _ in self._names(span) or ()}
        found: dict[str, list[sqlite3.Row]] = {}
        of = {"names": listed(tuple(sorted(names)))}
        for row in self._conn.execute(queries("places")["cpp_called"], of) if names else ():
            found.setdefault(row["last"], []).append(row)
        return found

    def _defined(self, name: str, of: sqlite3.Row | None) -> list[sqlite3.Row]:
        """The functions of a name that a header may declare: of its class, of its own sources, or the only ones."""
        rows = self._called.get(name, [])
        if of is not None:
            return [row for row in rows if row["name"] == f"{of['name']}::{name}"]
        near = [row for row in rows if _stem(row["path"]) == _stem(self._file["path"])]
        if near:
            return near
        return rows if len({row["name"] for row in rows}) == 1 else []


def names_declared(text: str) -> Iterator[tuple[str, bool]]:
    """The names of the functions that lines of C++ declare, each with whether a type stands before it.

    What bodies among the lines call is left out.

    Args:
        text: of lines, which may begin and end anywhere but in a body.
    """
    for statement in _statements(text):
        match = _NAMED.search(statement)
        if match is not None:
            before = statement[: match.start()].rstrip()
            if not before or _TYPE.search(before[-_FAR:]):
                yield match[1], bool(before)


def _statements(text: str) -> Iterator[str]:
    """What ends with a semicolon outside of bodies, and what the text leaves unfinished."""
    statement, inside = "", 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if inside:
            inside += (piece == "{") - (piece == "}")
        elif piece == "{":
            inside = not _OPEN.match(statement)
            statement = ""
        elif piece in (";", "}"):
            if piece == ";":
                yield statement
            statement = ""
        elif not piece.startswith(("//", "/*")):
            statement += piece
    yield statement


def _stem(path: str) -> str:
    return _ENDING.sub("", posixpath.basename(path))
