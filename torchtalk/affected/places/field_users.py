"""Who uses a data member from outside of its class: `args.params.padding` in a file that knows ConvolutionParams.

No table has who reads a field. The tree's files are searched for what is written behind a dot or an arrow; a file that
neither includes the class's header nor names the class has another field of that name in mind, and so has a function
whose variable is declared with another type.
"""

from __future__ import annotations

import functools
import posixpath
import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.sources import Sources
from torchtalk.sqlfile import listed

_DECLARED = (
    r"(?:\b(?:const|struct|typename)\s+)*(?P<type>[A-Za-z_][\w:]*)(?P<given>\s*<[^;{}()]*>)?(?:::\w+)*"
    r"(?:\s+const\b)?[\s&*]+(?:const\s+)?"
)
# What looks like a type before a name and tells none.
_NO_TYPES = frozenset(
    "auto const return throw delete new else case goto typename struct class using namespace co_return and or not"
    " operator constexpr static mutable".split()
)
_BUILT_IN = frozenset(
    "int bool char long short unsigned float double size_t int64_t int32_t void".split()
)
_FAR = 8
_WORD = re.compile(r"\w+")
_ARGUMENTS = re.compile(r"<.*")
_CHAINED = re.compile(r"(?:\.|->)\s*$")
_KEPT_LINES = re.compile(r"[^\n]")
_ASIDE = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


class _Read(NamedTuple):
    """A place where a field is named.

    Args:
        line: of the file, 1-based.
        at: where in the text.
        on: the variable that it is a field of; empty where that is an expression.
    """

    line: int
    at: int
    on: str


def users_outside(
    conn: sqlite3.Connection,
    sources: Sources,
    file: sqlite3.Row,
    of: str,
    names: Iterable[str],
    *,
    is_alone: bool,
) -> list[sqlite3.Row]:
    """The functions that name fields of a class behind a dot or an arrow, in files that know the class.

    Args:
        conn: an index.
        sources: of the tree.
        file: that the class is written in.
        of: the class's whole name.
        names: of the fields.
        is_alone: whether no other file can know the class: it stands in a source.

    Returns:
        Their rows with id and name, each once.
    """
    short = _last(of)
    wanted = tuple(names)
    if not short or not wanted:
        return []
    form = re.compile(
        rf"(?:(?P<on>\b[A-Za-z_]\w*)|[)\]])\s*(?:\.|->)\s*(?:{'|'.join(map(re.escape, wanted))})\b(?!\s*\()"
        rf"|[{{,]\s*\.(?:{'|'.join(map(re.escape, wanted))})\s*="
    )
    of_class = {"last": short, "file": file["id"]}
    namesakes = [row["path"] for row in conn.execute(queries("places")["namesakes"], of_class)]
    is_named = re.compile(rf"\b{re.escape(short)}\b")
    includes, includes_other = _including([file["path"]]), _including(namesakes)
    is_own_type = _OwnTypes(conn, short)
    found: dict[int, sqlite3.Row] = {}
    rows = (
        [file]
        if is_alone
        else [file, *(r for r in sources.of_cpp(file["path"]) if r["id"] != file["id"])]
    )
    for source in sources.holding(rows, wanted):
        if not source.is_indexed:
            continue
        if source.id != file["id"] and not includes.search(source.text):
            is_others = source.path in namesakes or includes_other.search(source.text)
            if is_others or not is_named.search(source.text):
                continue
        text = _ASIDE.sub(lambda match: _KEPT_LINES.sub(" ", match[0]), source.text)
        reads = list(_reads(text, form))
        lines = {
            "file": source.id,
            "lines": listed(tuple(dict.fromkeys(read.line for read in reads))),
        }
        for row in conn.execute(queries("texts")["cpp_around_lines"], lines) if reads else ():
            within = [read for read in reads if read.line == row["at"]]
            if row["id"] not in found and any(
                _may_be(text, row, read, is_own_type) for read in within
            ):
                found[row["id"]] = row
    return list(found.values())


def _including(paths: Iterable[str]) -> re.Pattern[str]:
    """What includes one of some headers has the look of; what no text has, where there is none."""
    names = "|".join(sorted({re.escape(posixpath.basename(path)) for path in paths}))
    return re.compile(
        rf"^[ \t]*#[ \t]*include[^\n]*[\"</](?:{names})[\">]" if names else r"(?!)", re.MULTILINE
    )


class _OwnTypes:
    """Tells whether a type that a variable is declared with may be a class or one that derives from it.

    Args:
        conn: an index.
        short: the last part of the class's name.
    """

    def __init__(self, conn: sqlite3.Connection, short: str) -> None:
        self._conn = conn
        self._short = short

    @functools.cached_property
    def _own(self) -> frozenset[str]:
        """The last parts of the names of the class and of those that derive from it."""
        by_base: dict[str, list[str]] = {}
        for name, base in self._conn.execute(queries("places")["cpp_bases"]):
            by_base.setdefault(base.rpartition("::")[2], []).append(_last(name))
        found = {self._short}
        left = [self._short]
        while left:
            further = set(by_base.get(left.pop(), ())) - found
            found |= further
            left += further
        return frozenset(found)

    @functools.cached_property
    def _others(self) -> frozenset[str]:
        """The last parts of the names of all other classes, and the language's own types."""
        rows = self._conn.execute(queries("places")["cpp_class_names"])
        return (_BUILT_IN | {_last(name) for (name,) in rows}) - self._own

    def may_be(self, name: str, given: str) -> bool:
        """Whether it may be.

        Args:
            name: of the type, as it is written.
            given: its arguments in angle brackets, if it has any.
        """
        last = name.rpartition("::")[2]
        return (
            last in self._own
            or not self._own.isdisjoint(_WORD.findall(given))
            or last not in self._others
        )


def _last(name: str) -> str:
    return _ARGUMENTS.sub("", name).rpartition("::")[2]


def _reads(text: str, form: re.Pattern[str]) -> Iterator[_Read]:
    line, at = 1, 0
    for match in form.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        # The name may stand on a line below what it is a field of.
        further = text.count("\n", match.start(), match.end())
        on = match["on"] or ""
        if on == "this":
            continue
        is_chained = _CHAINED.search(text[max(0, at - _FAR) : at]) is not None
        yield _Read(line + further, at, "" if is_chained else on)


def _may_be(text: str, row: sqlite3.Row, read: _Read, types: _OwnTypes) -> bool:
    """Whether the variable may be of the class: it is declared so in the function, or nothing is told of its type."""
    if not read.on:
        return True
    begin = _begin_of(text, row["line"])
    declared = re.compile(rf"{_DECLARED}{re.escape(read.on)}\b\s*(?=[,;=({{\[):])")
    told = [
        match for match in declared.finditer(text, begin, read.at)
        if match["type"] not in _NO_TYPES
    ]  # fmt: skip
    return not told or types.may_be(told[-1]["type"], told[-1]["given"] or "")


def _begin_of(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
    return at
