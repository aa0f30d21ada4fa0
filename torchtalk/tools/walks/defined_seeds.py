"""What lines outside of all functions define, as the subject of `impact`: a constant, an alias, an enumerator, a class.

None of these is a node of the graph; the functions whose texts name it stand for it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.places.changes import Loose
from torchtalk.affected.places.declared import with_text
from torchtalk.affected.sources import Sources
from torchtalk.affected.texts.defined import Users
from torchtalk.counted import counted
from torchtalk.graph import nodes
from torchtalk.names.files import files_named, written
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.question import Seeds

MOST = 2_000
"""Functions that are followed; what more use concerns nearly everything, and no list of it helps."""

_NUMBERS = {"cpp": nodes.FUNCTION, "python": nodes.PYTHON}


def defined_seeds(conn: sqlite3.Connection, name: str, seeds: Seeds) -> Seeds | None:
    """The functions and stubs that use what stands on lines; None where nothing does, or no lines are meant.

    Args:
        conn: an index.
        name: `file:line` or `file:first-last`, or what `seeds` says to be a C++ class.
        seeds: what is meant by the name, of which the graph has nothing.
    """
    name = seeds.declared or name.strip()
    if seeds.is_class:
        row = conn.execute(queries("place_seeds")["class_at"], {"name": seeds.what}).fetchone()
        name = f"{row['path']}:{row['line']}" if row is not None else name
    place = written(name)
    if place is None or place.first is None:
        return None
    rows, _ = files_named(conn, place.path)
    if len(rows) != 1 or rows[0]["kind"] == "yaml":
        return None
    file, sources = rows[0], Sources(conn)
    span = with_text(Span(place.first, max(place.first, place.last or 0)), sources.read(file))
    users = Users(conn, file, None, sources)
    found: dict[int, None] = {}
    notes: list[str] = []
    where = (
        f"line {span.first}"
        if span.first == span.last
        else f"one of lines {span.first} to {span.last}"
    )
    for what in users.names([Loose(file, span)]) if span.removed else ():
        functions = [node for node in users.of(what) if node.kind in _NUMBERS]
        stubs = _stubs(conn, [str(node.key) for node in users.stubs_of(what)])
        codes = [*stubs, *(nodes.code(_NUMBERS[node.kind], int(node.key)) for node in functions)]
        found.update(dict.fromkeys(codes))
        if codes:
            of_type = f" and {counted(len(stubs), 'stub')} of this type" if stubs else ""
            notes.append(
                f"{where} defines {what}, or belongs to it: {counted(len(functions), 'function')} whose text names it"
                f"{of_type} {'is' if len(codes) == 1 else 'are'} meant"
            )
    if not found and seeds.is_class:
        return replace(
            seeds, instead=f"{seeds.what} is a C++ class that no function is seen to name"
        )
    if not found:
        return None
    left = len(found) - MOST
    notes += [f"{MOST:,} of {len(found):,} are followed"] if left > 0 else []
    notes += [sources.shortfall] if sources.shortfall else []
    return Seeds(
        tuple(found)[:MOST],
        seeds.what or name,
        (*seeds.notes, *notes),
        is_place=not seeds.is_class,
    )


def _stubs(conn: sqlite3.Connection, names: list[str]) -> list[int]:
    rows = [conn.execute(nodes.sql()["stub_named"], {"name": name}).fetchone() for name in names]
    return [nodes.code(nodes.STUB, row["id"]) for row in rows if row is not None]
