"""A macro as the subject of `impact`: the functions that use it, themselves or through other macros, or that it makes.

So is a header that has nothing else than macros: those that use one of them.

A macro is no node of the graph; what it changes is what these functions do.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import NamedTuple

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.places.macros import (
    Texts,
    Users,
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
from torchtalk.tools.walks.file_seeds import UNFOLLOWED, header_macros
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
    header = _header(conn, name)
    if header is not None:
        macros = header_macros(conn, header)
        what = header["path"]
        followed = _follow(conn, texts, macros, None)
        said, one = (
            f"{what} has {counted(len(macros), 'macro')} ({few(macros, _MOST_PLACES)})",
            "one",
        )
    else:
        what, at = _at(conn, texts, name) or (name.partition("(")[0].strip(), None)
        rows = conn.execute(nodes.sql()["macro"], {"name": what}).fetchall()
        rows = [row for row in rows if at in (None, Place(row["path"], row["line"]))]
        if not rows:
            return None  # as most names are none: to look for users takes half a second
        files = {file_of_all_uses(row) for row in rows}
        followed = _follow(conn, texts, (what,), files.pop() if len(files) == 1 else None)
        places = few([str(Place(row["path"], row["line"])) for row in rows], _MOST_PLACES)
        said, one = f"{what} is a macro ({places})", "it"
        macros = (what,)
    if not macros or not followed.functions:
        return None
    return Seeds(
        tuple(nodes.code(nodes.FUNCTION, function) for function in followed.functions),
        what,
        (f"{said}: {followed.said(one)}",),
        is_class=True,
    )


def with_macros(conn: sqlite3.Connection, name: str, seeds: Seeds) -> Seeds | None:
    """What is asked for, with those that use a macro of it; None where that is no header with such macros.

    Args:
        conn: an index.
        name: of the header.
        seeds: of what it defines and declares.
    """
    macros = macro_seeds(conn, name) if _header(conn, name) is not None else None
    if macros is None:
        return None
    told = tuple(note for note in seeds.notes if not note.startswith(UNFOLLOWED))
    both = tuple(dict.fromkeys((*seeds.nodes, *macros.nodes)))
    return replace(seeds, nodes=both, notes=(*told, *macros.notes), is_class=True)


class _Followed(NamedTuple):
    """Who stands for macros.

    Args:
        functions: ids of those that are followed.
        users: all that use one of them.
        made: how many functions they make.
        through: how many other macros use them.
    """

    functions: tuple[int, ...]
    users: Users
    made: int
    through: int

    def said(self, one: str) -> str:
        """What to say of them, `one` being the word for the macro that is used."""
        number = self.users.total
        uses = f"{counted(number, 'function')} {'uses' if number == 1 else 'use'} {one}"
        uses += of_heads(self.users)
        verb = "it makes" if one == "it" else "they make"
        makes = f", {verb} {counted(self.made, 'function')}" if self.made else ""
        through = f", some through {counted(self.through, 'other macro')}" if self.through else ""
        is_cut = number + self.made > _MOST
        some = f"; {counted(len(self.functions), 'function')} of all are followed" if is_cut else ""
        return f"{uses}{through}{makes}; these stand for {'it' if one == 'it' else 'them'}{some}"


def _follow(
    conn: sqlite3.Connection, texts: Texts, macros: tuple[str, ...], own: int | None
) -> _Followed:
    """Who uses one of some macros, or is made by one; in one file where only that can."""
    names = using(texts, list(macros), own)
    made = [row["id"] for row in made_with(texts, names, own)]
    users = users_of(conn, texts, names, own, _MOST)
    found = tuple(dict.fromkeys((*users.functions, *made)))[:_MOST]
    return _Followed(found, users, len(made), len(names) - len(macros))


def _header(conn: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    """The row of a header that is meant as a whole."""
    file = written(name.strip())
    rows = files_named(conn, file.path)[0] if file is not None and file.first is None else []
    return rows[0] if len(rows) == 1 and header_macros(conn, rows[0]) else None


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
