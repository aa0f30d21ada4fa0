"""Names that somebody may have meant: by shared trigrams, then by edit distance."""

from __future__ import annotations

import difflib
import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_KINDS = ("operator", "api", "class", "kernel", "stub")
_BEGINNING = 4  # letters that a C++ function must share to be thought of
_COUNT = 5  # names at most
_LEAST_ALIKE = 0.6  # difflib's own default is the same


def trigrams(text: str) -> list[str]:
    """The groups of three characters of a text, in order and without repeats."""
    lowered = text.lower()
    return list(dict.fromkeys(lowered[at : at + 3] for at in range(len(lowered) - 2)))


def quoted(text: str) -> str:
    """A text as one FTS5 string, whatever stands in it."""
    # A NUL would end the expression in SQLite's C code.
    return '"' + text.replace("\x00", " ").replace('"', '""') + '"'


def closest(conn: sqlite3.Connection, text: str, kinds: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names of the index that are most like a text.

    Args:
        conn: an index.
        text: what was not found.
        kinds: of `names`; empty means what a user most often asks for.

    Returns:
        Names in their own spelling, the most alike first; none where nothing is alike.
    """
    wanted = last_component(text)[:80]
    groups = trigrams(wanted)
    if not groups:
        return ()
    match = " OR ".join(quoted(group) for group in groups)
    of = {"match": match, "kinds": json.dumps(kinds or _KINDS)}
    rows = conn.execute(statements(_SQL)["similar"], of).fetchall()
    if not kinds or "function" in kinds:
        beginning = {"beginning": wanted[:_BEGINNING]}
        rows += conn.execute(statements(_SQL)["same_beginning"], beginning).fetchall()
    ends: dict[str, list[str]] = {}
    for row in rows:
        ends.setdefault(last_component(row["name"]).lower(), []).append(row["name"])
    found: list[tuple[float, float, int, str]] = []
    for ratio, end in _most_alike(ends, wanted.lower()):
        for name in dict.fromkeys(ends[end]):
            # Of names with the same end those come first that begin alike: `torch.nn.Conv9d`, torch.nn.Conv1d.
            whole = difflib.SequenceMatcher(a=name.lower(), b=text[:80].lower()).ratio()
            found.append((-ratio, -whole, len(name), name))
    return tuple(name for *_, name in sorted(found))[:_COUNT]


def _most_alike(ends: Iterable[str], wanted: str) -> list[tuple[float, str]]:
    """The most alike of some words, and all that are as much alike as the last of them."""
    matcher = difflib.SequenceMatcher(b=wanted)
    bounds = []
    for end in ends:
        matcher.set_seq1(end)
        # The cheap upper bounds first: most candidates share no more than a few letters.
        if matcher.real_quick_ratio() >= _LEAST_ALIKE:
            bound = matcher.quick_ratio()
            if bound >= _LEAST_ALIKE:
                bounds.append((bound, end))
    found: list[tuple[float, str]] = []
    for bound, end in sorted(bounds, reverse=True):
        if len(found) >= _COUNT and bound < found[_COUNT - 1][0]:
            break
        matcher.set_seq1(end)
        ratio = matcher.ratio()
        if ratio >= _LEAST_ALIKE:
            found.append((ratio, end))
            found.sort(reverse=True)
    return [(ratio, end) for ratio, end in found if ratio >= found[:_COUNT][-1][0]]


def last_component(name: str) -> str:
    """What stands behind the last `::` or, in a Python path, the last dot."""
    last = name.rpartition("::")[2]
    return last.rpartition(".")[2] or last
