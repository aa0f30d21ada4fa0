"""Replacing what some units told: the rows of layer 7 that an edit of their own files changes, and no others.

All units together give the tables (`indexer.write.clang`). Where units tell of other files' functions what they told
before, the rest can be brought up to date from `State`: functions of their own files, what these call, and what
nobody else mentions. Where an edit could change more, `TooFar` leaves it to the whole.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from indexer.facts.clang import UnitFacts
from indexer.write.clang_definitions import Definitions
from indexer.write.clang_mentions import Mentions
from indexer.write.clang_names import check_names, keep_open
from indexer.write.clang_references import drop_unfolded, refer, write_units
from indexer.write.clang_room import Room
from indexer.write.clang_state import State
from indexer.write.clang_text import keep_text
from indexer.write.clang_told import Fast, TooFar, of_others


def change_semantic(
    conn: sqlite3.Connection,
    state: State,
    units: Iterable[tuple[UnitFacts, UnitFacts]],
    fast: Fast,
) -> None:
    """Bring the layer's rows up to date, all but those that link steps make and what is said of the layer as a whole.

    Args:
        conn: a database with the layer, whose other layers are up to date.
        state: of the database; changed with it, and useless when this fails.
        units: facts of each unit that was parsed again, before and now.
        fast: what changed in the other layers.

    Raises:
        TooFar: the layer has to be written anew; the database is not whole then.
    """
    pairs = list(units)
    for old, new in pairs:
        if of_others(old) != of_others(new):
            raise TooFar(f"{new.unit} tells something else of other files")
    room = Room(conn)
    definitions = Definitions(conn, state, fast, room)
    for _, new in pairs:
        definitions.define(new)
    definitions.clear()
    definitions.lead_declarations()
    check_names(conn, state, fast, definitions.taken)
    mentions = Mentions(conn, state, fast, room, definitions)
    for old, new in pairs:
        mentions.change(old, new)
    before = definitions.all_before()
    of_text = refer(conn, before, mentions.moved)
    keep_open(state, before, pairs, definitions.ids)
    drop_unfolded(conn, state, room, mentions.unfolded, definitions.taken)
    write_units(conn, (new for _, new in pairs), room, definitions, mentions)
    keep_text(conn, state, fast, of_text)
