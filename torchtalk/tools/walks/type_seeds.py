"""From the name of a type that has no functions, or of a value of an enumeration, to its declaration."""

from __future__ import annotations

import sqlite3

from torchtalk.affected.places.types import types_called
from torchtalk.tools.walks.question import Seeds


def type_seeds(conn: sqlite3.Connection, name: str) -> Seeds | None:
    """What it is, which is nothing in the graph, and where; None where no file declares it.

    Args:
        conn: an index.
        name: in full or in part.
    """
    found = types_called(conn, name.removeprefix("::"))
    names = tuple(dict.fromkeys(one.whole for one in found))
    if not found:
        return None
    if len(names) > 1:
        return Seeds(candidates=names)
    first, *more = found
    also = f"; also declared at {', '.join(map(str, more))}" if more else ""
    return Seeds(
        what=first.whole,
        instead=f"{first.whole} is {first.what} ({first}{also}), and no node of the graph;"
        " impact follows those whose text names it",
        declared=str(first),
    )
