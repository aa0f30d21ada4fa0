"""What the merged facts of all units come from, kept beside the parsed units so that one of them can be replaced.

The database says what all units together tell; to take a unit out again one has to know what others tell as well. That
is kept here, outside the database: for each function that units mention its row, and how many mention it. It belongs
to one file of a database, and is thrown away when that is another one.
"""

from __future__ import annotations

import bisect
import contextlib
import hashlib
import json
import zlib
from array import array
from dataclasses import dataclass, field
from pathlib import Path

from indexer.facts.clang import Symbol
from indexer.replacing import replace_file

MAGIC = b"torchtalk state 3\n"
"""What the file begins with; another number where what is kept is another."""


def usr_key(usr: str) -> int:
    """`usr`, or any text, as a number of 64 bits."""
    return int.from_bytes(hashlib.blake2b(usr.encode(), digest_size=8).digest(), "little")


def place_key(symbol: Symbol) -> int:
    """What tells `symbol` from another declaration of its function: where it stands and how it reads."""
    return usr_key(f"{symbol.file}\0{symbol.line}\0{symbol.signature}")


@dataclass
class Mention:
    """A function as units mention it.

    Args:
        row: its id in the database; of several definitions the first one's.
        place: key of the declaration that counts; meaningless where it is defined.
        mentions: how often units mention it.
        same: how many of these with that declaration.
        definitions: how many it has.
    """

    row: int
    place: int
    mentions: int
    same: int
    definitions: int


@dataclass
class State:
    """Everything that is kept.

    Args:
        first: ids from here on are of functions that only this layer has.
        declared: ids from here on are of functions that are only declared in what was read.
        keys: of USRs, in order.
        rows, places, mentions, same, definitions: columns of `Mention`.
        plain: keys of USRs with const parameters, as they are without; in order.
        partial: ids of functions that were read with errors only.
        open_ids: ids of functions with calls whose callee clang could not tell.
        open_lines: the lines of these.
        left_ids: ids of functions with lines that `#if` leaves out.
        left_lines: these lines.
    """

    first: int = 0
    declared: int = 0
    keys: array[int] = field(default_factory=lambda: array("Q"))
    rows: array[int] = field(default_factory=lambda: array("q"))
    places: array[int] = field(default_factory=lambda: array("Q"))
    mentions: array[int] = field(default_factory=lambda: array("I"))
    same: array[int] = field(default_factory=lambda: array("I"))
    definitions: array[int] = field(default_factory=lambda: array("I"))
    plain: array[int] = field(default_factory=lambda: array("Q"))
    partial: array[int] = field(default_factory=lambda: array("q"))
    open_ids: array[int] = field(default_factory=lambda: array("q"))
    open_lines: array[int] = field(default_factory=lambda: array("I"))
    left_ids: array[int] = field(default_factory=lambda: array("q"))
    left_lines: array[int] = field(default_factory=lambda: array("I"))

    def get(self, key: int) -> Mention | None:
        """What is known of a function, by the `key` of its USR; None where nobody mentions it."""
        at = bisect.bisect_left(self.keys, key)
        if at == len(self.keys) or self.keys[at] != key:
            return None
        return Mention(
            self.rows[at], self.places[at], self.mentions[at], self.same[at], self.definitions[at]
        )

    def put(self, key: int, mention: Mention | None) -> None:
        """Replace what is known of a function.

        Args:
            key: of its USR.
            mention: what is known now; None where nobody mentions it any more.
        """
        at = bisect.bisect_left(self.keys, key)
        known = at < len(self.keys) and self.keys[at] == key
        columns = (
            self.keys, self.rows, self.places, self.mentions, self.same, self.definitions,
        )  # fmt: skip
        if mention is None:
            if known:
                for column in columns:
                    del column[at]
            return
        values = (
            key, mention.row, mention.place, mention.mentions, mention.same, mention.definitions,
        )  # fmt: skip
        for column, value in zip(columns, values, strict=True):
            if known:
                column[at] = value
            else:
                column.insert(at, value)

    def has_twin(self, key: int, plain: int) -> bool:
        """Whether the same function is mentioned by another USR: a parameter is const where it is defined.

        Args:
            key: of its USR.
            plain: of its USR without that.
        """
        at = bisect.bisect_left(self.plain, plain)
        same = bisect.bisect_right(self.plain, plain) - at
        if key == plain:
            return same > 0
        return same > (self.get(key) is not None) or self.get(plain) is not None

    def note(self, plain: int, *, there: bool) -> None:
        """Note that a USR with const parameters is mentioned now, or no more.

        Args:
            plain: its key, as it is without them.
            there: it is mentioned.
        """
        at = bisect.bisect_left(self.plain, plain)
        if there:
            self.plain.insert(at, plain)
        elif at < len(self.plain) and self.plain[at] == plain:
            del self.plain[at]


_COLUMNS = (
    "keys", "rows", "places", "mentions", "same", "definitions", "plain", "partial", "open_ids", "open_lines",
    "left_ids", "left_lines",
)  # fmt: skip


def save_state(path: Path, token: list[object], state: State) -> None:
    """Keep a state; a folder that refuses is no error.

    Args:
        path: where.
        token: what tells the database that it belongs to.
        state: to be kept.
    """
    parts = [getattr(state, name).tobytes() for name in _COLUMNS]
    head = {"token": token, "first": state.first, "declared": state.declared}
    body = b"".join(parts)
    head |= {"lengths": [len(part) for part in parts], "crc": zlib.crc32(body)}
    with contextlib.suppress(OSError):
        replace_file(path, MAGIC, json.dumps(head).encode(), b"\n", body)


def load_state(path: Path, token: list[object]) -> State | None:
    """The state that was kept of a database.

    Args:
        path: where it was kept.
        token: what the database is known by.

    Returns:
        None where it is of another one, damaged or not there.
    """
    try:
        data = path.read_bytes()
        end = data.index(b"\n", len(MAGIC))
        head = json.loads(data[len(MAGIC) : end])
        body = memoryview(data)[end + 1 :]
        if not data.startswith(MAGIC) or head["token"] != token or head["crc"] != zlib.crc32(body):
            return None
        state = State(int(head["first"]), int(head["declared"]))
        at = 0
        for name, length in zip(_COLUMNS, head["lengths"], strict=True):
            getattr(state, name).frombytes(body[at : at + length])
            at += length
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return state
