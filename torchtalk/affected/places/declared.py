"""What a header only declares: functions that are defined elsewhere, and what belongs to a class as a whole.

The index has definitions. A declaration that changes is told by the text of its line; a field, an enumerator or an
alias in a class changes what its methods do.
"""

from __future__ import annotations

import functools
import posixpath
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.at_hand import AtHand
from torchtalk.affected.diff.diffs import WHOLE_FILE, Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Seed
from torchtalk.affected.places.cpp_heirs import cpp_heirs
from torchtalk.affected.places.field_users import users_outside
from torchtalk.affected.places.fields import fields_begun, fields_in, naming
from torchtalk.affected.places.macros import file_of_all_uses
from torchtalk.affected.places.statements import argument_list
from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.base import Place
from torchtalk.counted import few
from torchtalk.sqlfile import listed

DECLARED = 0.8
"""The weight of a change in what is declared, for those that define it."""

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
_TYPE_ALONE = re.compile(
    r"(?!\s*(?:return|throw|else|case|new|delete|co_return|do|public|private|protected)\b)[\w:<>,&*\s]*[\w>][&*\s]*$"
)
_FAR = 300
_ABOVE = 3
_METHODS = "the methods whose text names it"
_OTHERS = "the functions that name it behind a dot or an arrow"
_FEW_FIELDS = 3
_VIRTUAL = re.compile(r"\bvirtual\b|\)[\w\s]*=\s*0\s*;")
_DIRECTIVE = re.compile(r"\s*#")
_ENDING = re.compile(r"(?:_inl|-inl)?\.\w+$")


class Belonging(NamedTuple):
    """What lines outside of all bodies belong to.

    Args:
        functions: their rows, with id and name.
        weight: of a change of the lines, where it is of one function.
        how: what each of the functions has to do with the lines.
        said: what the lines are, behind their numbers.
        begin: the line that a declaration begins on which goes on in them; 0 where none does.
    """

    functions: list[sqlite3.Row]
    weight: float
    how: str
    said: str
    begin: int = 0


class Declarations:
    """What lines of one file outside of all bodies declare, or belong to.

    Args:
        conn: an index.
        file: its row.
        spans: its changed lines, with their text.
        at_hand: the text of the file, for what stands above them.
    """

    def __init__(
        self, conn: sqlite3.Connection, file: sqlite3.Row, spans: tuple[Span, ...], at_hand: AtHand
    ) -> None:
        self._conn = conn
        self._file = file
        self._spans = spans
        self._kind: str = file["kind"]
        self._at_hand = at_hand
        self._sources = Sources(conn)

    def of(self, span: Span) -> Iterator[Seed]:
        """The functions that `span` declares, or that use a field which it declares, or the methods of its class.

        Nothing where the lines belong to none of these.
        """
        found = self.belonging(span)
        if found is None:
            return
        for row in found.functions:
            node, place = Node("cpp", row["id"], row["name"]), Place(self._file["path"], span.first)
            weight = found.weight * spread(len(found.functions))
            yield Seed(node, weight, place, span.lines, found.how)

    def belonging(self, span: Span) -> Belonging | None:
        """What the lines of `span` belong to; None where none of them says anything that belongs to a function."""
        span = self._with_text(span)
        names = self._names(span)
        if names is None:
            return None
        of = self._class(span)
        rows, begin = self._declaring(names, of), 0
        if not rows and (rows := self._declaring(self._begun(span), of)):
            above = self._at_hand.above(span)
            begin = span.first - len(above) + (argument_list(above) or 0) - 1
        if rows:
            return Belonging(
                rows,
                DECLARED,
                "is declared there",
                "declares functions that are defined elsewhere, which are meant",
                begin,
            )
        if of is None:
            return None
        rows = self._overriding(span, of)
        if rows:
            how = "overrides what is declared there"
            return Belonging(
                rows, DECLARED, how, "declares methods that others override, which are meant"
            )
        inside = of["name"]
        rows = self._conn.execute(queries("places")["cpp_members"], {"class": inside}).fetchall()
        fields = fields_begun("\n".join(span.removed))
        if not fields:
            return _of_class(inside, rows)
        users = naming(self._sources, fields, rows)
        own = {row["id"] for row in rows}
        is_alone = file_of_all_uses(self._file) is not None
        others = [
            row
            for row in users_outside(
                self._conn, self._sources, self._file, inside, fields, is_alone=is_alone
            )
            if row["id"] not in own
        ]
        if not users and not others:
            return _of_class(inside, rows)
        what = f"{few(fields, _FEW_FIELDS)} of {inside}"
        who = [text for text, found in ((_METHODS, users), (_OTHERS, others)) if found]
        said = f"declares {what}: {' and '.join(who)} are meant"
        return Belonging([*users, *others], _MEMBER, f"uses {what}", said)

    def _declaring(
        self, names: Iterable[tuple[str, bool]], of: sqlite3.Row | None
    ) -> list[sqlite3.Row]:
        """The functions that are declared by these names, as `names_declared` has them, in the class `of` or none."""
        # What has no type before it may be a constructor in a class, and is a call elsewhere.
        told = [name for name, has_type in names if has_type or of is not None]
        return [row for name in told for row in self._defined(name, of)]

    def _overriding(self, span: Span, of: sqlite3.Row) -> list[sqlite3.Row]:
        """The methods of classes derived from `of` that override one which it only declares: `virtual f() = 0;`."""
        above = self._at_hand.above(span)
        begin = argument_list(above)
        text = "\n".join([*(above[begin - 1 :] if begin else ()), *span.removed, *span.added])
        if not _VIRTUAL.search(text):
            return []
        names = [name for name, has_type in (self._names(span) or ()) if has_type]
        names += [name for name, has_type in self._begun(span) if has_type]
        heirs = cpp_heirs(self._conn, of["name"]) if names else ()
        wanted = {f"{heir}::{name}" for heir in heirs for name in names}
        rows = [row for name in dict.fromkeys(names) for row in self._called.get(name, ())]
        return [row for row in rows if row["name"] in wanted]

    def _class(self, span: Span) -> sqlite3.Row | None:
        at = {
            "file": self._file["id"], "first": span.first, "last": max(span.first, span.last),
        }  # fmt: skip
        row: sqlite3.Row | None = self._conn.execute(
            queries("places")["cpp_class_at"], at
        ).fetchone()
        return row

    def fields(self, span: Span) -> tuple[str, ...]:
        """The data members that the lines of `span` declare in a class, where they declare no function.

        Of a class that a source file has for itself: who uses one is in the same file. Empty for all others, and where
        the lines before the change declare none.
        """
        span = self._with_text(span)
        if file_of_all_uses(self._file) is None or any(
            has_type for _, has_type in self._names(span) or ()
        ):
            return ()
        return fields_in("\n".join(span.removed)) if self._class(span) is not None else ()

    def _with_text(self, span: Span) -> Span:
        return span if span.removed or span.added else with_text(span, self._own)

    @functools.cached_property
    def _own(self) -> Source | None:
        return self._sources.read(self._file)

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
        above = _type_alone(span.above)
        found = (name for side in sides if side for name in names_declared("\n".join(above + side)))
        return tuple(dict.fromkeys(found))

    def _begun(self, span: Span) -> tuple[tuple[str, bool], ...]:
        """The name that a declaration is of which begins above `span` and has parameters on its lines; or none."""
        above = self._at_hand.above(span)
        begin = argument_list(above)
        if begin is None:
            return ()
        text = "\n".join([*_type_alone(above[: begin - 1]), *above[begin - 1 :]])
        return tuple(names_declared(text))[-1:]

    @functools.cached_property
    def _called(self) -> dict[str, list[sqlite3.Row]]:
        """The functions of all names that lines of the file declare: one look for all of them."""
        names = set[str]()
        for span in map(self._with_text, self._spans):
            names.update(name for name, _ in (*(self._names(span) or ()), *self._begun(span)))
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
        near = [row for row in rows if stem(row["path"]) == stem(self._file["path"])]
        if near:
            return near
        return rows if len({row["name"] for row in rows}) == 1 else []


def _of_class(name: str, methods: list[sqlite3.Row]) -> Belonging | None:
    """What lines belong to of which only the class is known."""
    said = f"is in none of the functions of {name}: all of its own are meant"
    return Belonging(methods, _MEMBER, f"is a method of {name}", said) if methods else None


def with_text(span: Span, source: Source | None) -> Span:
    """Lines that are known by their numbers alone, with their text and that of the line above.

    Args:
        span: the lines.
        source: their file; where it is not as it was indexed, its lines are not those that are meant.
    """
    if source is None or not source.is_indexed or span.last >= WHOLE_FILE:
        return span
    every = source.text.split("\n")
    above = every[max(0, span.first - 1 - _ABOVE) : span.first - 1]
    return replace(span, removed=tuple(every[span.first - 1 : span.last]), above=tuple(above))


def declared_on(
    conn: sqlite3.Connection, file: sqlite3.Row, first: int, last: int
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The functions that lines outside of all bodies declare, or that use what they declare; and what to say of it.

    Args:
        conn: an index.
        file: its row, as the statement `file` has it.
        first: line, counted from 1.
        last: line.
    """
    span = Span(first, last)
    found = Declarations(conn, file, (span,), AtHand(conn, file)).belonging(span)
    if found is None:
        return (), ()
    where = f"line {first}" if first == last else f"from line {first} to {last}"
    where = f"line {found.begin}" if found.begin else where
    return tuple(row["id"] for row in found.functions), (f"{where} {found.said}",)


def _type_alone(above: Sequence[str]) -> list[str]:
    """The last of some lines, where a type stands alone on it, whose name is on the next."""
    return [text for text in above[-1:] if _TYPE_ALONE.match(text)]


def names_declared(text: str) -> Iterator[tuple[str, bool]]:
    """The names of the functions that lines of C++ declare, each with whether a type stands before it.

    What bodies among the lines call is left out.

    Args:
        text: of lines, which may begin and end anywhere but in a body.
    """
    for statement in _statements(text):
        match = _NAMED.search(statement)
        if match is not None:
            is_first = not statement[: match.start()].strip()
            if is_first or has_type_before(statement, match.start()):
                yield match[1], not is_first


def has_type_before(statement: str, at: int) -> bool:
    """Whether a type stands before a name in a statement, so that this declares it.

    Args:
        statement: without comments.
        at: where the name begins.
    """
    return _TYPE.search(statement[max(0, at - _FAR) : at].rstrip()) is not None


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


def stem(path: str) -> str:
    """The name of a file that its header has as well, in `path` without folders and endings."""
    return _ENDING.sub("", posixpath.basename(path))
