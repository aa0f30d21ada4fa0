"""Where the text names a function that nothing is seen to call: in a class's initializer, in what a macro is given.

What makes the value of a class's own variable runs when the library is loaded, and no function calls it. The tree's
files are read for it, as long as there is time: those nearest to the function first.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from itertools import islice

from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.graph import Subject
from torchtalk.counted import few
from torchtalk.sqlfile import listed
from torchtalk.tools.walks import queries

SHORTEST = 5
"""Names of fewer letters are too often something else's."""

_KINDS = ("cpp", "cuda", "objc")  # of files
_MOST_SHOWN = 4
_MOST_OF_FILE = 20
_LONGEST = 100
# What stands before a name that is used, and not declared.
_USED = re.compile(rb"(?:[=({,!?<|+-]|\breturn|[=({,?]\s*&|&&)\s*(?:::)?(?:\w+::)*$")
# Before a call that a statement begins with: the end of another, of a condition, or a line of the preprocessor.
_BEGINS = re.compile(rb"(?:[;{})]|(?:^|\n)[ \t]*#[^\n]*\n)\s*(?:::)?(?:\w+::)*$")
_MEMBER = re.compile(rb"(?:\.|->)\s*$")
_CALLED = re.compile(rb"\s*\(")
_IS_SCOPE = re.compile(rb"\s*(?:::|[&*>])")
_NEAR = 120


def named_at(conn: sqlite3.Connection, thing: Subject) -> tuple[str, ...]:
    """What to say of where a function is named; nothing where its name is another's as well.

    Args:
        conn: an index.
        thing: a C++ function without a caller.
    """
    last = thing.name.rpartition("::")[2]
    if len(last) < SHORTEST or not last.isidentifier() or thing.place.file is None:
        return ()
    # Of thousands that are called so, as the bodies of C++ tests, one tells it.
    wanted = {"last": last, "name": thing.name}
    if conn.execute(queries("named_at")["has_namesake"], wanted).fetchone()["yes"]:
        return ()
    named = conn.execute(queries("named_at")["namesakes"], {"last": last}).fetchall()
    if not named:
        return ()
    sources = Sources(conn)
    rows = conn.execute(
        queries("named_at")["files_near"], {"path": thing.place.file, "kinds": listed(_KINDS)}
    ).fetchall()
    if all(row["is_hidden"] for row in named):
        rows = rows[:1]  # no other file can name it
    own = {(row["path"], row["line"]) for row in named}
    found = [
        text
        for source in sources.holding(rows, (last,))
        for text in islice(_uses(source, thing.name, own), _MOST_OF_FILE)
    ]
    if not found:
        return ()
    more = f" ({sources.shortfall})" if sources.shortfall else ""
    return (f"the text names it, in no call that is known, at {few(found, _MOST_SHOWN)}{more}",)


def _uses(source: Source, name: str, own: set[tuple[str, int]]) -> Iterator[str]:
    """Places and lines of a file that name a function otherwise than to declare it."""
    from indexer.extract.cpp.lexical import blanked

    if not source.is_indexed:
        return
    owner, _, last = name.rpartition("::")
    # A class declares it as a call is written.
    is_constructor = owner.rpartition("::")[2] == last
    text = blanked(source.text.encode())
    lines = source.text.split("\n")
    for match in re.finditer(rb"\b%b\b" % last.encode(), text):
        line = text.count(b"\n", 0, match.start()) + 1
        before = text[max(0, match.start() - _NEAR) : match.start()]
        is_used = (
            _USED.search(before)
            # `Counter::Callback` names the class, and so does `Counter&`.
            and not (is_constructor and _IS_SCOPE.match(text, match.end()))
        ) or (
            _CALLED.match(text, match.end())
            and (_MEMBER.search(before) or (not is_constructor and _BEGINS.search(before)))
        )
        if (source.path, line) in own or not is_used:
            continue
        yield written_at(source.path, line, lines[line - 1])


def written_at(path: str, line: int, text: str) -> str:
    """A place, and what is written in that line.

    Args:
        path: of the file in the tree.
        line: its number, 1-based.
        text: of the line, which is shown in one line of bounded length.
    """
    written = " ".join(text.split())
    cut = written if len(written) <= _LONGEST else f"{written[:_LONGEST]} …"
    return f"{path}:{line} `{cut}`"
