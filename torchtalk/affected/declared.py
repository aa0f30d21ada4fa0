"""What a header only declares: functions that are defined elsewhere, and what belongs to a class as a whole.

The index has definitions. A declaration that changes is told by the text of its line; a field, an enumerator or an
alias in a class changes what its methods do.
"""

from __future__ import annotations

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

_DECLARED = 0.8
_MEMBER = 0.6
_NAMED = re.compile(r"(?<![\w.>])(~?[A-Za-z_]\w*)\s*\(")
_DIRECTIVE = re.compile(r"\s*#")
_ENDING = re.compile(r"(?:_inl|-inl)?\.\w+$")


def declared(conn: sqlite3.Connection, file: sqlite3.Row, span: Span, kind: str) -> Iterator[Seed]:
    """The functions that lines outside of all bodies declare, or the methods of the class they stand in.

    Args:
        conn: an index.
        file: its row.
        span: the lines, with their text.
        kind: of the file.
    """
    texts = [text for text in (*span.removed, *span.added) if not says_nothing(text, kind)]
    texts = [text for text in texts if not _DIRECTIVE.match(text)]
    if not texts:
        return
    at = {"file": file["id"], "first": span.first, "last": max(span.first, span.last)}
    of = conn.execute(queries("places")["cpp_class_at"], at).fetchone()
    names = dict.fromkeys(match[1] for text in texts for match in _NAMED.finditer(text))
    rows = [row for name in names for row in _defined(conn, file["path"], name, of)]
    weight, how = 0.0, ""
    if rows:
        weight, how = _DECLARED * spread(len(rows)), "is declared there"
    elif of is not None:
        rows = conn.execute(queries("places")["cpp_members"], {"class": of["name"]}).fetchall()
        weight, how = _MEMBER * spread(len(rows)), f"is a method of {of['name']}"
    for row in rows:
        node, place = Node("cpp", row["id"], row["name"]), Place(file["path"], span.first)
        yield Seed(node, weight, place, span.lines, how)


def _defined(
    conn: sqlite3.Connection, path: str, name: str, of: sqlite3.Row | None
) -> list[sqlite3.Row]:
    """The functions of a name that a header may declare: of its class, of its own sources, or the only ones."""
    rows: list[sqlite3.Row] = conn.execute(
        queries("places")["cpp_called"], {"last": name}
    ).fetchall()
    if of is not None:
        return [row for row in rows if row["name"] == f"{of['name']}::{name}"]
    near = [row for row in rows if _stem(row["path"]) == _stem(path)]
    if near:
        return near
    return rows if len({row["name"] for row in rows}) == 1 else []


def _stem(path: str) -> str:
    return _ENDING.sub("", posixpath.basename(path))
