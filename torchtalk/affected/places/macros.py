"""What a changed macro changes: the functions that it makes, and those that use it, or others that do.

A use in a body has the look of a call, and all calls of a file are kept as they are written: these are asked when a
macro changes, so that no table has to hold who uses which.
"""

from __future__ import annotations

import functools
import json
import re
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable
from itertools import zip_longest
from operator import itemgetter
from typing import NamedTuple, TypeVar

from indexer.facts.cpp import CALL, PackedCalls
from indexer.write.calls import MADE, WRITTEN, kept_calls, unpacking
from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.places.library import block_of, registered_on
from torchtalk.affected.places.macro_heads import in_heads
from torchtalk.answers.base import Place
from torchtalk.counted import counted
from torchtalk.kept import once
from torchtalk.sqlfile import listed

_MADE = 0.8
_USES = 0.8
# Another file's macro of the same name may be meant.
_NAMESAKE = 0.5
# A line of a macro's body has so many characters or more, mostly; and hardly any macro has shorter ones on the whole.
_LINE = 30
# What a macro's text in the index has no more.
_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*\*/|//.*")
_SHORT_LINE = 8
_MOST_NAMES = 200
_MOST_FUNCTIONS = 120
# Of what so many functions use no choice of tests is better than another.
_ANY = 1_000
T = TypeVar("T")
_WORD = re.compile(r"[A-Za-z_]\w*")
_HEADER = re.compile(r"\.(?:h|hpp|hh|cuh|inl|inc)$")


class Texts:
    """What an index has of macros, read once for all that changed.

    Args:
        conn: the index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._bodies: dict[int | None, dict[str, set[str]]] = {}
        self._defined: dict[int, list[sqlite3.Row]] = {}

    def bodies(self, file: int | None) -> dict[str, set[str]]:
        """By a word of their bodies the macros that have it, of a file or of all."""
        found = self._bodies.get(file)
        if found is None:
            found = self._bodies[file] = {}
            for row in self._conn.execute(queries("places")["macro_bodies"], {"file": file}):
                # A parameter of the name hides the macro.
                given = json.loads(row["params"]) if row["params"] else ()
                for word in set(_WORD.findall(row["body"])).difference(given):
                    found.setdefault(word, set()).add(row["name"])
        return found

    def defined_in(self, file: int) -> list[sqlite3.Row]:
        """The macros that a file defines, line by line."""
        found = self._defined.get(file)
        if found is None:
            rows = self._conn.execute(queries("places")["macros_in"], {"file": file})
            found = self._defined[file] = rows.fetchall()
        return found

    @functools.cached_property
    def made(self) -> dict[str, list[sqlite3.Row]]:
        """The functions that macros make, by the macro: by one that is handed to the one that is used as well.

        `AT_FORALL_OPERATORS(DEFINE_COMPARATOR)` makes all that DEFINE_COMPARATOR does.
        """
        return once(self._conn, _made)

    def having(self, what: str, names: Iterable[str]) -> set[int]:
        """The files of whose calls some have one of the names of macros.

        Args:
            what: which calls, `WRITTEN` or `MADE` of `indexer.write.calls`.
            names: of the macros.

        Returns:
            The files' ids.
        """
        return {at for name in names for at in once(self._conn, _files)[what].get(name, ())}


def _made(conn: sqlite3.Connection) -> dict[str, list[sqlite3.Row]]:
    """The functions that macros make, by the macro, of all that an index has."""
    names = once(conn, _names)
    found: dict[str, list[sqlite3.Row]] = {}
    given: dict[tuple[int, int, str], set[str]] = {}
    for row in conn.execute(queries("places")["uses_of_macros"]):
        handed = names.intersection(_WORD.findall(row["text"].partition("(")[2]))
        given.setdefault((row["file_id"], row["line"], row["name"]), set()).update(handed)
    for row in conn.execute(queries("places")["made_by_macros"]):
        at = row["file_id"], row["line"], row["macro"]
        for name in sorted({row["macro"], *given.get(at, ())}):
            found.setdefault(name, []).append(row)
    return found


def _names(conn: sqlite3.Connection) -> frozenset[str]:
    """What macros are called."""
    return frozenset(name for (name,) in conn.execute(queries("places")["macro_names"]))


def _files(conn: sqlite3.Connection) -> dict[str, dict[str, list[int]]]:
    """By which of a file's calls they are, and the name of a macro that they have: the files."""
    names = once(conn, _names)
    found: dict[str, dict[str, list[int]]] = {}
    for what in (WRITTEN, MADE):
        having = found[what] = {}
        for file_id, _, packed in kept_calls(conn, what):
            with unpacking():
                for name in names.intersection(PackedCalls(packed).texts()):
                    having.setdefault(name, []).append(file_id)
    return found


class Users(NamedTuple):
    """The functions that use a macro.

    Args:
        functions: their ids, of each file one in turn, as many as are followed.
        total: how many there are.
        in_heads: how many of them have it in their heads, before their names.
    """

    functions: tuple[int, ...]
    total: int
    in_heads: int


def macro_at(texts: Texts, file: sqlite3.Row, span: Span) -> sqlite3.Row | None:
    """The macro in whose definition lines stand.

    Args:
        texts: of the index.
        file: row of the lines' file.
        span: the lines.

    Returns:
        Its row, with the columns name, line and body; None where they stand in none.
    """
    macros = texts.defined_in(file["id"])
    at = bisect_right(macros, max(span.first, span.last), key=itemgetter("line"))
    return macros[at - 1] if at and _is_in_macro(macros[at - 1], span) else None


def take_macro(
    conn: sqlite3.Connection,
    file: sqlite3.Row,
    macro: sqlite3.Row,
    span: Span,
    changes: Changes,
    texts: Texts,
) -> list[str]:
    """Add the functions that a macro makes or that use it; returns what of it is not seen.

    Args:
        conn: an index.
        file: that defines it.
        macro: its row, as `macro_at` gives it.
        span: its changed lines.
        changes: to be added to.
        texts: of the index.
    """
    where = f"{macro['name']} ({file['path']}:{macro['line']})"
    number = counted(span.lines, "changed line")
    found = _take(conn, file, (macro,), span.lines, changes, texts, span)
    if not found:
        return [f"{number} in or near the macro {where}"]
    changes.notes.append(f"{number} in the macro {where}, which {found}")
    return []


def take_macros(
    conn: sqlite3.Connection, file: sqlite3.Row, changes: Changes, texts: Texts
) -> None:
    """Add the functions that a whole file's macros make or that use them, and a note that says so.

    Args:
        conn: an index.
        file: row of the file, which is named as a whole.
        changes: to be added to.
        texts: of the index.
    """
    macros = conn.execute(queries("places")["macros_of_file"], {"file": file["id"]}).fetchall()
    found = _take(conn, file, tuple(macros), 0, changes, texts) if macros else ""
    if found:
        changes.notes.append(f"{file['path']}: {counted(len(macros), 'macro')}, which {found}")


def _take(
    conn: sqlite3.Connection,
    file: sqlite3.Row,
    macros: tuple[sqlite3.Row, ...],
    lines: int,
    changes: Changes,
    texts: Texts,
    span: Span | None = None,
) -> str:
    """Add the functions of macros, or what lines of one register by them; returns what is to be said of them."""
    place = Place(file["path"], macros[0]["line"])
    of = macros[0]["name"] if len(macros) == 1 else "one of its macros"
    own = file_of_all_uses(file)
    names = using(texts, [macro["name"] for macro in macros], own)
    made = made_with(texts, names, own)
    for row in made[:_MOST_FUNCTIONS]:
        weight = _MADE * spread(len(made))
        changes.add(
            Seed(Node("cpp", row["id"], row["name"]), weight, place, lines, f"is made with {of}")
        )
    users = users_of(conn, texts, names, own, _MOST_FUNCTIONS)
    weight = _USES * spread(users.total)
    if len(macros) == 1 and _is_ambiguous(conn, macros[0]["name"]):
        weight *= _NAMESAKE
    named = conn.execute(
        queries("places")["functions_of"], {"functions": listed(users.functions)}
    ).fetchall()
    blocks = {row["id"]: block for row in named if (block := block_of(row["name"])) is not None}
    listed_there = list(registered_on(conn, blocks.values(), file["path"], span)) if span else []
    for seed in listed_there:
        changes.add(seed)
    for row in named:
        if not (listed_there and row["id"] in blocks):
            node = Node("cpp", row["id"], row["name"])
            changes.add(Seed(node, weight, place, lines, f"uses {of}"))
    said = []
    if made:
        verb = "makes" if len(macros) == 1 else "make"
        some = _followed(len(made), min(len(made), _MOST_FUNCTIONS))
        said.append(f"{verb} {counted(len(made), 'function')}{some}")
    if named:
        verb = "uses" if users.total == 1 else "use"
        some = _followed(users.total, len(named))
        said.append(f"{counted(users.total, 'function')} {verb}{of_heads(users)}{some}")
    any_test = ": any test may notice" if users.total > _ANY else ""
    return " and ".join(said) + any_test


def _followed(number: int, of_them: int) -> str:
    return f" ({of_them} of them followed)" if number > of_them else ""


def file_of_all_uses(file: sqlite3.Row) -> int | None:
    """The only file that can use the macros and classes of one, or None: what a source defines no other has."""
    return None if _HEADER.search(file["path"]) else int(file["id"])


def made_with(texts: Texts, names: Iterable[str], file: int | None) -> list[sqlite3.Row]:
    """The functions that some macros make, of each file one in turn.

    Args:
        texts: of the index.
        names: of the macros.
        file: id of the one file that they count in; None for all.
    """
    by_file: dict[int, list[sqlite3.Row]] = {}
    for row in sorted(
        (row for name in names for row in texts.made.get(name, ())), key=itemgetter("id")
    ):
        if file in (None, row["file_id"]):
            by_file.setdefault(row["file_id"], []).append(row)
    return _in_turns(by_file.values())


def using(texts: Texts, names: list[str], file: int | None) -> tuple[str, ...]:
    """Macros, and those whose bodies use one of them or of these; of too many the first.

    Args:
        texts: of the index.
        names: of the macros.
        file: id of the one file whose macros are looked at; None for all.
    """
    found = dict.fromkeys(names)
    left = list(found)
    bodies = texts.bodies(file)
    while left and len(found) < _MOST_NAMES:
        for other in sorted(bodies.get(left.pop(0), ())):
            if other not in found:
                found[other] = None
                left.append(other)
    return tuple(found)


def users_of(
    conn: sqlite3.Connection, texts: Texts, names: tuple[str, ...], file: int | None, most: int
) -> Users:
    """Who uses one of some macros, in a file or in all.

    Args:
        conn: an index.
        texts: of the index.
        names: of the macros.
        file: that alone can use them, or None.
        most: functions that are wanted.
    """
    wanted = frozenset(names)
    by_file: dict[int, dict[int, None]] = {}
    for what in (WRITTEN, MADE):
        files = {file} if file is not None else texts.having(what, names)
        for file_id, first, packed in kept_calls(conn, what, files) if files else ():
            with unpacking():
                calls = PackedCalls(packed).unpacked()
            numbers = {at for at, text in enumerate(calls.texts) if text in wanted}
            for caller, callee, form in zip(calls.callers, calls.callees, calls.forms, strict=True):
                if callee in numbers and form == CALL:
                    by_file.setdefault(file_id, {})[first + caller] = None
    in_bodies = sum(map(len, by_file.values()))
    for file_id, function in in_heads(conn, names, file):
        by_file.setdefault(file_id, {})[function] = None
    ids = _in_turns(by_file.values())
    return Users(tuple(ids[:most]), len(ids), len(ids) - in_bodies)


def of_heads(users: Users) -> str:
    """What to say of those functions among `users` that have a macro in their heads; empty where none has."""
    if not users.in_heads:
        return ""
    return f", {users.in_heads:,} of them in their heads (declarations and classes are not counted)"


def _in_turns(by_file: Iterable[Iterable[T]]) -> list[T]:
    """One of each file, then a second one of each that has it, and so on."""
    return [one for turn in zip_longest(*by_file) for one in turn if one is not None]


def _is_ambiguous(conn: sqlite3.Connection, name: str) -> bool:
    """Whether several files define a macro of this name."""
    row = conn.execute(queries("places")["macro_files"], {"name": name}).fetchone()
    return bool(row["files"] > 1)


def _is_in_macro(row: sqlite3.Row, span: Span) -> bool:
    """Whether lines are those of the macro that is defined above them or by them; its last line is not in the index."""
    line: int = row["line"]
    if line >= span.first:
        return True
    if span.above:
        # All lines of a macro but the last end so.
        return span.above[-1].rstrip().endswith("\\")
    if span.first - line > len(row["body"]) // _SHORT_LINE + 1:
        return False
    changed = (*span.removed, *span.added)
    if not changed:
        return span.first - line <= len(row["body"]) // _LINE
    # The last line is what its body ends with.
    if any(text.rstrip().endswith("\\") for text in changed):
        return True
    body = _bare(row["body"])
    return any(_bare(text) and body.endswith(_bare(text)) for text in changed)


def _bare(text: str) -> str:
    return "".join(_COMMENT.sub("", text).split())
