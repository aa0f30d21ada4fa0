"""Who uses what changed lines outside of all functions define: a constant, an alias, an enumerator, a module's table.

No table has who reads a variable. The tree's files are searched for its name, and the index has what stands around it:
of Python those that bind the name, of C++ the file itself, and of a header all others.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import FileChange, Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph.decorators import Decorators
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Loose, Seed
from torchtalk.affected.places.heads import given_above
from torchtalk.affected.places.newcode import TEMPLATE, kernels_named, told
from torchtalk.affected.places.types import not_declaring
from torchtalk.affected.places.variables import Statements, statements_of
from torchtalk.affected.sources import Source, Sources
from torchtalk.affected.texts import imports
from torchtalk.affected.texts.decorated import take_decorated
from torchtalk.affected.texts.importers import importers
from torchtalk.affected.texts.includers import HEADER, take_includers
from torchtalk.affected.texts.initializers import Valued, valued
from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.sqlfile import listed

_WEIGHT = 0.6
_OF_TYPE = 0.9
_MOST_FUNCTIONS = 60
_MOST_NAMES = 8
_SHORT = 3
_ABOVE = 3
_HEAD = 200
_BRACKET = re.compile(r"[(){}]")
_ENDED = re.compile(r"[;{}:]\s*(?://.*)?$|^\s*(?://.*|#.*)?$")
_ASSIGNED = re.compile(
    r"(?m)^(?P<indent>[ \t]*)(?P<name>[A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?[-+|&]?=(?!=)"
)
# White space is that of a line, and what may run over lines is bounded: long diffs took the square of their length.
_CPP = (
    re.compile(r"\busing\s+(?P<name>[A-Za-z_]\w*)\s*="),
    re.compile(r"\btypedef\b[^;]{0,400}?\b(?P<name>[A-Za-z_]\w*)\s*;"),
    re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)", re.MULTILINE),
    # What has a type before it and a value behind it.
    re.compile(
        r"(?m)^[ \t]*(?!(?:return|throw|delete|goto|case|else|typedef|using|(?:inline[ \t]+)?namespace)\b"
        # What is only told to be a class is defined elsewhere.
        r"|(?:enum[ \t]+)?(?:class|struct|union)[ \t]+[\w:]+[ \t]*(?::[^{;]{0,80})?;|enum[ \t][\w \t]{1,200}:(?!:))"
        rf"(?:[\w:]+(?:{TEMPLATE})?[ \t*&]+){{1,12}}(?P<name>[A-Za-z_]\w*)\s*(?:\[[^\]]{{0,200}}\]\s*){{0,4}}"
        r"(?:=(?!=)|\{|;)"
    ),
    # Of `enum class Layout : int8_t {` the type behind the colon is not what it defines.
    re.compile(
        r"(?m)^[ \t]*enum[ \t](?:[\w \t]{0,200}[ \t])?(?P<name>[A-Za-z_]\w*)[ \t]*:(?!:)[^{;\n]{0,80}\{"
    ),
)
_ENTRY = re.compile(  # an enumerator, or an entry of a list
    r"(?m)^[ \t]*(?P<name>[A-Za-z_]\w*)(?:\s*=[^,;(){}]{0,400})?(?:[ \t]{0,100},)?[ \t]{0,100}(?://.*)?$"
)
# What stands before the bracket around the entries of a list or an enumeration.
_LIST = re.compile(r"(?:\benum\b[^;{}()]*|[=,{(\]]\s*)$")
_KEYWORDS = frozenset(
    "return break continue else public private protected default namespace struct class enum union template using const"
    " constexpr static inline typename void int bool auto float double char long unsigned None True False".split()
)


def take_users(
    conn: sqlite3.Connection, files: Iterable[FileChange], changes: Changes, sources: Sources
) -> None:
    """Add the functions that use what loose lines define, and say of the others that nothing is seen of them.

    Args:
        conn: an index.
        files: what a diff changes.
        changes: with the loose lines.
        sources: the tree.
    """
    files = tuple(files)
    by_path = {change.path: change for change in files}
    kernels = kernels_named(files)
    left: dict[str, list[Loose]] = {}
    of: dict[str, Users] = {}
    decorators = Decorators(conn)
    for path, own in _by_file(changes.loose).items():
        users = of[path] = Users(conn, own[0].file, by_path.get(path), sources)
        known: set[int] = set()
        for name, lines in users.names(own).items():
            file, line = own[0].file, lines[0].span.first
            is_decorator = file["kind"] == "python" and take_decorated(
                conn, decorators, file, name, line, changes
            )
            if _add(users, name, lines, changes) or is_decorator:
                known.update(id(one) for one in lines)
        rest = [one for one in own if id(one) not in known]
        if known and not rest:
            changes.blank.pop(path, None)
        left[path] = rest
    for path, every in left.items():
        rest, included = every, [*imports.told(path, every, of[path].is_import)]
        for one, text in (*told(path, every, kernels), *included):
            rest = [other for other in rest if other is not one]
            changes.unseen += [text] if text else []
        changes.unseen += [one.unseen for one in rest if one.unseen]
        number = sum(one.span.lines for one in rest if not (one.unseen or one.is_known))
        if number:
            what = (
                "statements of the module, or new definitions"
                if path.endswith((".py", ".pyi"))
                else "declarations, tables or new definitions"
            )
            changes.unseen.append(
                f"{path}: {counted(number, 'changed line')} in no function ({what})"
            )
        if (number or included) and HEADER.search(path) and not changes.has_of(path):
            first = min(one.span.first for one in (*rest, *(one for one, _ in included)))
            take_includers(conn, every[0].file, first, changes, sources)
    changes.loose.clear()


def _by_file(loose: Iterable[Loose]) -> dict[str, list[Loose]]:
    found: dict[str, list[Loose]] = {}
    for one in loose:
        found.setdefault(one.file["path"], []).append(one)
    return found


def _add(users: Users, name: str, lines: list[Loose], changes: Changes) -> bool:
    nodes, stubs = users.of(name), users.stubs_of(name)
    path = lines[0].file["path"]
    place = Place(path, lines[0].span.first)
    number = sum(one.span.lines for one in lines)
    for node in nodes[:_MOST_FUNCTIONS]:
        changes.add(Seed(node, _WEIGHT * spread(len(nodes)), place, number, f"uses {name}"))
    for node in stubs:
        weight = _OF_TYPE * spread(len(stubs))
        changes.add(Seed(node, weight, place, number, f"is of type {name}"))
    if stubs:
        changes.notes.append(f"{path}: {name} changed, the type of {counted(len(stubs), 'stub')}")
    if nodes:
        some = f" ({_MOST_FUNCTIONS} of them followed)" if len(nodes) > _MOST_FUNCTIONS else ""
        verb = "uses" if len(nodes) == 1 else "use"
        changes.notes.append(
            f"{path}: {name} changed, which {counted(len(nodes), 'function')} {verb}{some}"
        )
    return bool(nodes or stubs)


class Users:
    """Looks for the functions that use what a file defines.

    Args:
        conn: an index.
        file: its row.
        change: what a diff says of it, if it does.
        sources: the tree.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        file: sqlite3.Row,
        change: FileChange | None,
        sources: Sources,
    ) -> None:
        self._conn = conn
        self._file = file
        self._change = change
        self._sources = sources
        self._own = sources.read(file)
        self._is_python = file["kind"] == "python"
        # By id of a file of Python: what stands before a name of this one there.
        self._owners: dict[int, str] = {}

    def names(self, loose: list[Loose]) -> dict[str, list[Loose]]:
        """What changed lines define, or belong to.

        Args:
            loose: the lines of this file of which no function is known.

        Returns:
            By each name that is long enough to be looked for, and no keyword, the lines that it is of.
        """
        found: dict[str, list[Loose]] = {}
        for one in loose:
            for name in one.names or self._named(one.span):
                if len(name) >= _SHORT and name not in _KEYWORDS:
                    found.setdefault(name, []).append(one)
        return dict(list(found.items())[:_MOST_NAMES])

    def _named(self, span: Span) -> Iterator[str]:
        kind = self._file["kind"]
        sides = [
            "\n".join(text for text in side if not says_nothing(text, kind))
            for side in (span.removed, span.added)
        ]
        if self._is_python and self.is_import(span):
            names = list(imports.changed(span).gone)
        elif self._is_python:
            # A text may have lines that look like statements: what goes on from above is of what begins there.
            names = self._tables((span,), goes_on=True) or [
                match["name"] for side in sides for match in _ASSIGNED.finditer(side)
                if not match["indent"]
            ]  # fmt: skip
            names += [] if names else self._tables((span,))
        elif not (names := self._tables((span,), goes_on=True)):
            # A statement may begin above. What is only inserted defines what nothing that was there uses.
            begun = self._begun(span)
            own = sides[0] if span.removed or not begun else sides[1]
            names = [match["name"] for form in _CPP for match in form.finditer(f"{begun}{own}")]
            if self._is_in_list(span):
                names += [match["name"] for match in _ENTRY.finditer(own)]
            names += [] if names else self._tables((span,))
        yield from dict.fromkeys(names)

    def is_import(self, span: Span) -> bool:
        """Whether lines of Python import, or stand in what does, or in the `__all__`.

        Args:
            span: the lines.
        """
        line = span.first if self._own is None or self._own.is_indexed else self._after(span)
        at = bisect_right(self._tops.starts, line) - 1
        if at < 0 or self._own is None or imports.are_imports(span):
            return imports.are_imports(span)
        first = self._own.text.split("\n")[self._tops.starts[at] - 1]
        return self._tops.names[at] == "__all__" or bool(imports.IMPORT.match(first))

    def _is_in_list(self, span: Span) -> bool:
        """Whether lines may have entries of a list or an enumeration: arguments of a call or a template are none."""
        if self._own is None:
            return True
        line = span.first if self._own.is_indexed else self._after(span)
        before = "\n".join(self._own.text.split("\n")[: line - 1])
        depth = 0
        for match in reversed(list(_BRACKET.finditer(before))):
            depth += 1 if match[0] in ")}" else -1
            if depth < 0:
                at = match.start()
                return match[0] == "{" and bool(_LIST.search(before[max(0, at - _HEAD) : at]))
        return False

    def _begun(self, span: Span) -> str:
        above = list(span.above)
        if not above and self._own is not None:
            line = span.first if self._own.is_indexed else self._after(span)
            above = self._own.text.split("\n")[max(0, line - 1 - _ABOVE) : line - 1]
        found: list[str] = []
        for text in reversed(above[-_ABOVE:]):
            if _ENDED.search(text):
                break
            found.insert(0, f"{text}\n")
        return "".join(found)

    def _tables(self, spans: Iterable[Span], *, goes_on: bool = False) -> list[str]:
        """The variables in whose values lines outside of functions stand: tables and texts of many lines.

        Args:
            spans: the lines.
            goes_on: leave out those that begin on the lines themselves, and of C++ all but texts.
        """
        if self._own is None:
            return []
        found: dict[str, None] = {}
        for span in spans:
            line = span.first if self._own.is_indexed else self._after(span)
            name = (self._statement if self._is_python else self._value)(line, goes_on)
            if name:
                found[name] = None
        return list(found)

    def _statement(self, line: int, goes_on: bool) -> str:
        """What a statement of a module of Python gives a value to, where a line of it is; empty for none."""
        starts, names = self._tops
        at = bisect_right(starts, line) - 1
        return "" if at < 0 or (goes_on and starts[at] == line) else names[at]

    def _value(self, line: int, goes_on: bool) -> str:
        """The variable of C++ that a line is in the value of, or `goes_on` the text; empty where there is none."""
        for first, last, one in self._valued:
            if first <= line <= last and (not goes_on or (one.is_text and first < line)):
                return one.name
        return ""

    @functools.cached_property
    def _valued(self) -> list[tuple[int, int, Valued]]:
        """The first and last line of the values of a C++ file's variables."""
        from indexer.extract.cpp.lexical import blanked

        code = blanked(self._own.text.encode()) if self._own is not None else b""
        breaks = [match.start() for match in re.finditer(rb"\n", code)]
        return [
            (bisect_left(breaks, one.start) + 1, bisect_left(breaks, one.end) + 1, one)
            for one in valued(code)
        ]

    @functools.cached_property
    def _tops(self) -> Statements:
        """The statements of a module of Python."""
        return statements_of(self._own.text if self._own is not None else "")

    def _after(self, span: Span) -> int:
        """The line of a span after the change."""
        for old, new in (
            zip(self._change.old, self._change.new, strict=True) if self._change else ()
        ):
            if old == span:
                return new.first
        return span.first

    def _before(self, line: int) -> int:
        """A line of the file before the change."""
        moved = 0
        for old, new in (
            zip(self._change.old, self._change.new, strict=True) if self._change else ()
        ):
            if new.last < line:
                moved += (old.last - old.first) - (new.last - new.first)
        return line + moved

    def of(self, name: str) -> list[Node]:
        """The functions that use what has a name, of each file one in turn; or a table of the file that has it."""
        found = self.using(name)
        if self._own is not None and not (self._is_python and self._in(self._own, name)):
            lines = [Span(line, line) for line in self._lines(self._own, name)]
            for table in self._tables(lines)[:_MOST_NAMES]:
                found += self.using(table) if table != name else []
        return list(dict.fromkeys(found))

    def stubs_of(self, name: str) -> list[Node]:
        """The stubs whose functions have a type, by DECLARE_DISPATCH: `using reduce_fn = void (*)(TensorIterator&)`.

        Args:
            name: of the type.

        Returns:
            Their nodes; none for a file of Python.
        """
        if self._is_python:
            return []
        of = {"type": name, "file": self._file["id"]}
        rows = self._conn.execute(queries("texts")["stubs_of_type"], of)
        return [Node("stub", row["name"], row["name"]) for row in rows]

    def using(self, name: str) -> list[Node]:
        """The functions that use a name, of each file one in turn."""
        by_file = [self._in(source, name) for source in self._files(name)]
        return [node for turn in zip_longest(*by_file) for node in turn if node is not None]

    def _files(self, name: str) -> Iterator[Source]:
        if self._own is not None and name in self._own.text:
            yield self._own
        rows: list[sqlite3.Row] = []
        if self._is_python:
            rows, self._owners = importers(self._conn, self._file["path"], name)
        elif HEADER.search(self._file["path"]):
            of_file = {"file": self._file["id"], "last": name}
            # A class of the same name is another's own.
            namesakes = self._conn.execute(queries("places")["namesakes"], of_file)
            others = {row["path"] for row in namesakes}
            rows = [
                row
                for row in self._sources.of_cpp(self._file["path"])
                if row["id"] != self._file["id"] and row["path"] not in others
            ]
        yield from not_declaring(self._sources.holding(rows, [name]), name)

    def _in(self, source: Source, name: str) -> list[Node]:
        """The functions of a file whose text has a name."""
        is_own = source.id == self._file["id"]
        if not source.is_indexed and not (is_own and self._change):
            return []
        kind = "python" if self._is_python else "cpp"
        lines = [
            line if source.is_indexed else self._before(line) for line in self._lines(source, name)
        ]
        statement = "functions_with_lines" if self._is_python else "cpp_with_lines"
        of = {"file": source.id, "lines": listed(tuple(lines))}
        rows = self._conn.execute(queries("texts")[statement], of)
        above = given_above(self._conn, source, lines, name) if self._is_python else ()
        return [*(Node(kind, row["id"], row["name"]) for row in rows), *above]

    def _lines(self, source: Source, name: str) -> list[int]:
        """The lines of a file that have a name, but not as a text or a comment."""
        owner = self._owners.get(source.id, "")
        form = re.compile(rf"(?<![\w.\"']){owner}{re.escape(name)}(?!\w)")
        return [
            line
            for line, text in enumerate(source.text.split("\n"), 1)
            if name in text and form.search(text) and not says_nothing(text, self._file["kind"])
        ]
