"""A header as a whole: beside what stands in it, the functions that it declares and others define, and its macros."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from torchtalk.affected import queries as affected_queries
from torchtalk.affected.places.macros import file_of_all_uses
from torchtalk.affected.places.whole_headers import declared_in, included_alone
from torchtalk.affected.sources import Sources
from torchtalk.counted import counted, few
from torchtalk.graph import nodes
from torchtalk.names.files import files_named, written
from torchtalk.tools.walks.question import Seeds

_OTHERS = ("python", "yaml", "metal", "glsl")
_MOST_MACROS = 4
UNFOLLOWED = "who uses its "
"""So a note of macros begins."""
_MOST_INCLUDED = 6


def declared_seeds(conn: sqlite3.Connection, file: sqlite3.Row, notes: tuple[str, ...]) -> Seeds:
    """What stands for a file that defines nothing: the functions that it declares, where it is a header.

    Args:
        conn: an index.
        file: its row, as the statement `file` has it.
        notes: how the name was understood.
    """
    found = _declared(conn, file)
    if found:
        notes += (f"it defines no function; {_said(found)}",)
    elif included := _included(conn, file):
        said = f"{file['path']} does nothing but include {few(included, _MOST_INCLUDED)}"
        return Seeds(
            (), file["path"], notes, is_place=True, instead=f"{said}: ask for what is meant"
        )
    elif macros := header_macros(conn, file):
        said = f"{file['path']} defines {counted(len(macros), 'macro')} and no function"
        instead = f"{said}: impact follows the functions that use one"
        return Seeds((), file["path"], notes, is_place=True, instead=instead)
    return Seeds(tuple(found), file["path"], notes, is_place=True)


def with_declared(conn: sqlite3.Connection, seeds: Seeds) -> Seeds:
    """The same, with what a header that is meant as a whole declares, and a note of its macros.

    Args:
        conn: an index.
        seeds: what is asked for.
    """
    file = written(seeds.what) if seeds.is_place and seeds.nodes else None
    rows = files_named(conn, file.path)[0] if file is not None and file.first is None else []
    if len(rows) != 1:
        return seeds
    more = [node for node in _declared(conn, rows[0]) if node not in seeds.nodes]
    notes: tuple[str, ...] = (f"{_said(more)}, too",) if more else ()
    macros = header_macros(conn, rows[0])
    if macros:
        listed = few(macros, _MOST_MACROS)
        notes += (
            f"{UNFOLLOWED}{counted(len(macros), 'macro')} is not followed ({listed}): ask for one by its name",
        )
    return replace(seeds, nodes=(*seeds.nodes, *more), notes=(*seeds.notes, *notes))


def header_macros(conn: sqlite3.Connection, file: sqlite3.Row) -> tuple[str, ...]:
    """The macros of a header that come to something; none of a source, whose own functions alone use them.

    Args:
        conn: an index.
        file: its row.
    """
    if file["kind"] in _OTHERS or file_of_all_uses(file) is not None:
        return ()
    rows = conn.execute(affected_queries("places")["macros_of_file"], {"file": file["id"]})
    return tuple(row["name"] for row in rows)


def _declared(conn: sqlite3.Connection, file: sqlite3.Row) -> list[int]:
    if file["kind"] in _OTHERS or file_of_all_uses(file) is not None:
        return []
    return [nodes.code(nodes.FUNCTION, row["id"]) for row in declared_in(conn, file)]


def _included(conn: sqlite3.Connection, file: sqlite3.Row) -> tuple[str, ...]:
    source = Sources(conn).read(file) if file["kind"] not in _OTHERS else None
    return included_alone(source.text) if source is not None and source.is_indexed else ()


def _said(found: list[int]) -> str:
    are = "is" if len(found) == 1 else "are"
    return f"{counted(len(found), 'function')} that it declares and other files define {are} meant"
