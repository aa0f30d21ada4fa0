"""A macro as the subject of `impact`: the functions that use it, themselves or through other macros, or that it makes.

A macro is no node of the graph; what it changes is what these functions do.
"""

from __future__ import annotations

import sqlite3

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.places.macros import (
    Texts,
    file_of_all_uses,
    macro_at,
    made_with,
    of_heads,
    users_of,
    using,
)
from torchtalk.affected.sources import Sources
from torchtalk.answers.base import Place
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.names.files import files_named, written
from torchtalk.tools.walks.question import Seeds

_MOST = 2_000
"""Functions that are followed; what more use concerns nearly everything, and no list of it helps."""
_MOST_PLACES = 4


def macro_seeds(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """What stands for a macro; None for what is none, or is used by no function that is known.

    Args:
        conn: an index.
        name: of the macro, with or without brackets, or `file:line` of a line of its definition.
    """
    texts = Texts(conn)
    what, at = _at(conn, texts, name) or (name.partition("(")[0].strip(), None)
    rows = conn.execute(nodes.sql()["macro"], {"name": what}).fetchall()
    rows = [row for row in rows if at in (None, Place(row["path"], row["line"]))]
    if not rows:
        return None
    files = {file_of_all_uses(row) for row in rows}
    own = files.pop() if len(files) == 1 else None
    names = using(texts, [what], own)
    made = [row["id"] for row in made_with(texts, names, own)]
    users = users_of(conn, texts, names, own, _MOST)
    found = tuple(dict.fromkeys((*users.functions, *made)))[:_MOST]
    if not found:
        return None
    places = few([str(Place(row["path"], row["line"])) for row in rows], _MOST_PLACES)
    uses = f"{counted(users.total, 'function')} {'uses' if users.total == 1 else 'use'} it"
    uses += of_heads(users)
    makes = f", it makes {counted(len(made), 'function')}" if made else ""
    through = f", some through {counted(len(names) - 1, 'other macro')}" if len(names) > 1 else ""
    left = max(0, users.total + len(made) - _MOST)
    some = f"; {counted(len(found), 'function')} of all are followed" if left else ""
    return Seeds(
        tuple(nodes.code(nodes.FUNCTION, function) for function in found),
        what,
        (f"{what} is a macro ({places}): {uses}{through}{makes}; these stand for it{some}",),
        is_class=True,
    )


def _at(conn: sqlite3.Connection, texts: Texts, name: str) -> tuple[str, Place] | None:
    """The macro that a place is in the definition of, and where that begins."""
    file = written(name.strip())
    if file is None or file.first is None:
        return None
    rows, _ = files_named(conn, file.path)
    if len(rows) != 1 or rows[0]["kind"] in ("python", "yaml"):
        return None
    last = max(file.first, file.last or 0)
    source = Sources(conn).read(rows[0])
    is_known = source is not None and source.is_indexed
    # The index has no last line of a macro: its text tells.
    every = source.text.split("\n") if source is not None and is_known else []
    lines, above = every[file.first - 1 : last], every[max(0, file.first - 2) : file.first - 1]
    span = Span(file.first, last, removed=tuple(lines), above=tuple(above))
    macro = macro_at(texts, rows[0], span)
    return None if macro is None else (macro["name"], Place(rows[0]["path"], macro["line"]))
