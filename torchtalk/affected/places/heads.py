"""Lines that belong to a definition and stand around it: decorators, a template's parameters, a type of its own line.

The index has a definition from the line of its name to its last one. What stands above, and what is put behind the last
line, is told by the text of the changed lines.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import takewhile

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.sources import Source

_LINE = 30
"""A decorator that is written on several lines has about so many characters on each."""

_COMMENTS = 3
_INDENT = 4
_NEAR = 2
_TEMPLATE = 8
_TEMPLATED = re.compile(r"\s*template\b")
# What ends something or says nothing: a statement, a block, a line of a macro, a directive, a comment, an empty line.
_NO_HEAD = re.compile(r"(?:.*[;{}\\]|\s*#.*|\s*//.*|\s*/?\*.*|\s*)$")
_MACRO = re.compile(r"\s*(\w+)\s*\(.*\)\s*$")


def python_below(conn: sqlite3.Connection, file: int, span: Span) -> sqlite3.Row | None:
    """The function or class whose decorators end the lines of a span, with the `kind` of its node.

    Args:
        conn: an index.
        file: id.
        span: with its text.
    """
    row, ends = _below(conn, "python_below", file, span)
    if row is None:
        return None
    decorators = row["decorators"].split("\n") if row["decorators"] else []
    most = _COMMENTS + sum(2 + len(decorator) // _LINE for decorator in decorators)
    known = _bare("\n".join(decorators))
    for text in ends:
        bare = _bare(text).rstrip(",")
        if bare.startswith("@") or (bare and bare in known):
            return row if row["line"] - span.last <= most else None
    return None


def given_above(
    conn: sqlite3.Connection, source: Source, lines: Iterable[int], name: str
) -> Iterator[Node]:
    """The functions and classes whose decorators are given a name on lines of a file: `@impl(lib, "copy_", "CUDA")`.

    Args:
        conn: an index.
        source: the file; of one that is no longer as it was indexed none is known.
        lines: that have the name, counted from 1.
        name: which is no decorator itself there.
    """
    is_decorator = re.compile(rf"\s*@(?:\w+\.)*{re.escape(name)}\b")
    texts = source.text.split("\n") if source.is_indexed else []
    for line in lines:
        text = texts[line - 1] if line <= len(texts) else ""
        if text.lstrip().startswith("@") and not is_decorator.match(text):
            row = python_below(conn, source.id, Span(line, line, removed=(text,)))
            if row is not None:
                yield Node(row["kind"], row["id"], row["name"])


def python_above(conn: sqlite3.Connection, file: int, span: Span) -> sqlite3.Row | None:
    """The function that lines are appended to: they are inserted behind its last line, and indented as its body is.

    Args:
        conn: an index.
        file: id.
        span: by the lines before, with its text.
    """
    first = next((text for text in span.added if not says_nothing(text, "python")), "")
    if span.last >= span.first or not first:
        return None
    indent = len(first) - len(first.lstrip())
    above = list(takewhile(lambda text: says_nothing(text, "python"), reversed(span.above)))
    last = span.last - len(above)
    rows = conn.execute(queries("places")["python_ending"], {"file": file, "last": last})
    return next((row for row in rows.fetchall() if indent > _INDENT * row["depth"]), None)


def _below(
    conn: sqlite3.Connection, query: str, file: int, span: Span
) -> tuple[sqlite3.Row | None, list[str]]:
    """What is next below a span, and the last lines that the span has before and after the change."""
    ends = [side[-1] for side in (span.removed, span.added) if side]
    values = {"file": file, "last": span.last}
    return conn.execute(queries("places")[query], values).fetchone() if ends else None, ends


def _bare(text: str) -> str:
    return "".join(text.split())


def cpp_below(conn: sqlite3.Connection, file: int, span: Span) -> sqlite3.Row | None:
    """The C++ function whose `template<…>` or type stands on the lines of a span.

    Args:
        conn: an index.
        file: id.
        span: with its text.
    """
    row, ends = _below(conn, "cpp_below", file, span)
    if row is None:
        return None
    is_template = any(_TEMPLATED.match(line) for line in (*span.removed, *span.added))
    if row["line"] - span.last > (_TEMPLATE if is_template else _NEAR):
        return None
    if any(_NO_HEAD.match(text) for text in ends):
        return None
    return None if any(_is_whole(conn, text) for text in ends) else row


def _is_whole(conn: sqlite3.Connection, text: str) -> bool:
    """Whether a line is a macro's use that is a statement of its own, as `DECLARE_DISPATCH(fn, stub)` is.

    `C10_LAUNCH_BOUNDS_1(256)` belongs to the kernel below.
    """
    match = _MACRO.match(text)
    return match is not None and any(
        ";" in row["body"] or "{" in row["body"]
        for row in conn.execute(queries("places")["macro_named"], {"name": match[1]})
    )
