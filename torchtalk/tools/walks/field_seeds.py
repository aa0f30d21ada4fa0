"""From the name of a data member, `at::native::ConvolutionParams::padding`, to the functions that use it.

The index has no fields of the language's own types: the class's text tells which line declares one.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from torchtalk.affected.places.fields import fields_in
from torchtalk.affected.sources import Sources
from torchtalk.names.files import written
from torchtalk.tools.walks import queries
from torchtalk.tools.walks.place_seeds import place_seeds
from torchtalk.tools.walks.question import Seeds

_MOST_CLASSES = 8


def field_seeds(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """The functions that name a field; None where no class of that name declares it.

    Args:
        conn: an index.
        name: of the field, behind its class's name in full or in part.
    """
    owner, _, last = name.removeprefix("::").rpartition("::")
    if not owner or not last.isidentifier():
        return None
    sources = Sources(conn)
    found: dict[str, str] = {}
    rows = conn.execute(queries("place_seeds")["classes_ending"], {"name": owner}).fetchall()
    for row in rows[:_MOST_CLASSES]:
        source = sources.read(row)
        if source is None or not source.is_indexed:
            continue
        lines = source.text.split("\n")[: row["end_line"]]
        for line, written_there in enumerate(lines[row["line"] - 1 :], row["line"]):
            # A small class may stand on one line.
            text = written_there.partition("{")[2] if line == row["line"] else written_there
            if last in text and last in fields_in(text):
                found[f"{row['path']}:{line}"] = f"{row['name']}::{last}"
                break
    if not found:
        return None
    if len(set(found.values())) > 1:
        return Seeds(candidates=tuple(dict.fromkeys(found.values())))
    (place, whole), *more = found.items()
    file = written(place)
    seeds = place_seeds(conn, file) if file is not None else Seeds()
    also = (
        (f"also declared at {', '.join(one for one, _ in more)}: ask for that place",)
        if more
        else ()
    )
    if not seeds.nodes:
        return Seeds(instead=f"{whole} is a data member ({place}) that no function is seen to name")
    return replace(
        seeds, what=whole, notes=(f"{whole} is a data member ({place})", *seeds.notes, *also)
    )
