"""Which templates construct what their first argument names, as far as the files of an index say."""

from __future__ import annotations

import sqlite3

from indexer.facts.cpp import MAKERS, SLOT_MAKER, PackedFields
from indexer.write.cpp import SLOTS
from indexer.write.kept import kept_values


def makers_of(conn: sqlite3.Connection) -> frozenset[str]:
    """The last parts of their names: `MAKERS`, and what hands all that it is given to one of these, or to `new`.

    Args:
        conn: a database that holds what files say of these.

    Raises:
        ValueError: a value there is damaged.
    """
    hands_to: dict[str, set[str]] = {}
    for _, data in kept_values(conn, SLOTS):
        for key, pairs in PackedFields(data).unpacked():
            if key[:1] == SLOT_MAKER:
                for name, called in pairs:
                    hands_to.setdefault(called, set()).add(name)
    found, left = set(MAKERS), ["new", *MAKERS]
    while left:
        more = hands_to.pop(left.pop(), set()) - found
        found |= more
        left += more
    return frozenset(found)
