"""From the name of a data member, `at::native::ConvolutionParams::padding`, to the functions that use it.

The index has no fields of the language's own types: the class's text tells which line declares one. Of those for whose
value something is called it has what is called, and not who uses them.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

from torchtalk.affected import queries as affected_queries
from torchtalk.affected.places.fields import declared_at
from torchtalk.graph import nodes
from torchtalk.names.files import written
from torchtalk.tools.walks.defined_seeds import defined_seeds
from torchtalk.tools.walks.place_seeds import place_seeds
from torchtalk.tools.walks.question import Seeds

_MOST_NAMED = 8


def field_seeds(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """The functions that name a field; None where no class of that name declares it.

    Args:
        conn: an index.
        name: of the field, behind its class's name in full or in part.
    """
    found = {f"{path}:{line}": whole for (path, line), whole in declared_at(conn, name).items()}
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
    notes = (f"{whole} is a data member ({place})", *seeds.notes, *also)
    return replace(seeds, what=whole, notes=notes, is_named=True)


def named_by(conn: sqlite3.Connection, seeds: Seeds) -> tuple[str, ...]:
    """Which functions name a data member, for an answer about what these use or what uses them.

    Args:
        conn: an index.
        seeds: what is asked for.

    Returns:
        A note; nothing where something else is meant.
    """
    if not seeds.is_named:
        return ()
    first = seeds.nodes[:_MOST_NAMED]
    known = nodes.describe(conn, first)
    shown = ", ".join(f"{known[node].name} {known[node].place}" for node in first)
    more = len(seeds.nodes) - len(first)
    return (f"it is named by {shown}" + (f" and {more} more" if more else ""),)


def users_of_values(conn: sqlite3.Connection, seeds: Seeds) -> Seeds:
    """The functions whose text names a data member or variable, where that is meant and no call is seen to use it.

    Args:
        conn: an index.
        seeds: what is asked for.

    Returns:
        The same where something else is meant, or none names it.
    """
    functions = nodes.ids(seeds.nodes, nodes.FUNCTION)
    if seeds.is_place or not functions or len(functions) < len(seeds.nodes):
        return seeds
    asked = {"ids": json.dumps(functions)}
    rows = conn.execute(affected_queries("declared")["unused_values"], asked).fetchall()
    if len(rows) < len(functions):
        return seeds
    named = field_seeds(conn, seeds.what)
    if named is not None and named.nodes:
        return named
    place = f"{rows[0]['path']}:{rows[0]['line']}"
    file = written(place)
    standing = place_seeds(conn, file) if file is not None else Seeds()
    if standing.nodes and set(standing.nodes).isdisjoint(seeds.nodes):
        return replace(standing, what=seeds.what)  # a macro makes it
    found = defined_seeds(conn, place, Seeds(what=seeds.what))
    others = tuple(n for n in found.nodes if n not in seeds.nodes) if found is not None else ()
    return replace(found, nodes=others, is_place=False) if found is not None and others else seeds
