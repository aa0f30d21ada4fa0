"""Names that somebody may have meant: by shared trigrams, then by edit distance."""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from torchtalk.names.initials import classes_with_initials, with_initials
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "likely.sql"
_KINDS = ("operator", "api", "class", "kernel", "stub")
_BEGINNING = 4  # letters that a C++ function must share to be thought of
_SHORTEST = 4  # letters of a word that may lack one, or have another
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"
_MANY = 8  # groups of three letters
_LEAST_ALIKE = 0.6  # difflib's own default is the same
_ALL_WORDS = 0.9  # as alike as that is what has all words of a name: `vmapDecrement` and _vmap_decrement_nesting
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def trigrams(text: str) -> list[str]:
    """The groups of three characters of a text, in order and without repeats."""
    lowered = text.lower()
    return list(dict.fromkeys(lowered[at : at + 3] for at in range(len(lowered) - 2)))


def quoted(text: str) -> str:
    """A text as one FTS5 string, whatever stands in it."""
    # A NUL would end the expression in SQLite's C code.
    return '"' + text.replace("\x00", " ").replace('"', '""') + '"'


def numbered(words: Iterable[str]) -> str:
    """Words that follow one another, as FTS5 takes them, also with a number at their end.

    `unpack ex` is what test_unpack_ex2 is about; one word with a number is mostly another one: `log`, `log2`.

    Args:
        words: in lower case.
    """
    phrase = " ".join(words)
    if " " not in phrase or phrase[-1].isdigit():
        return quoted(phrase)
    return " OR ".join(quoted(f"{phrase}{number}") for number in ("", *"123456789"))


def closest(
    conn: sqlite3.Connection, text: str, kinds: tuple[str, ...] = (), count: int = 5
) -> tuple[str, ...]:
    """The names of the index that are most like a text.

    Args:
        conn: an index.
        text: what was not found.
        kinds: of `names`; empty means what a user most often asks for.
        count: how many at most.

    Returns:
        Names in their own spelling, the most alike first; none where nothing is alike.
    """
    wanted = last_component(text)[:80]
    groups = trigrams(wanted)
    if not groups:
        return ()
    # Of a long name some of the groups do: what is like it shares most of them, and each is that of thousands.
    match = " OR ".join(quoted(group) for group in groups[:: -(-len(groups) // _MANY)])
    of = {"match": match, "kinds": json.dumps(kinds or _KINDS)}
    slips = _slips(wanted.lower())
    of["lasts"] = json.dumps(slips)
    sql = statements(_SQL)
    rows = [*conn.execute(sql["similar"], of), *conn.execute(sql["one_of"], of)]
    if not kinds or "function" in kinds:
        rows += conn.execute(sql["same_beginning"], {"beginning": wanted[:_BEGINNING]})
        rows += conn.execute(sql["function_of"], of)
    ends: dict[str, list[str]] = {}
    for row in rows:
        ends.setdefault(last_component(row["name"]).lower(), []).append(row["name"])
    found: list[tuple[float, float, int, str]] = []
    # One slip of the finger is the likeliest: `Covn3d` is Conv3d and not ConvBn3d, which shares more of its letters.
    meant = [(1.0, end) for end in ends.keys() & set(slips)]
    others = ends.keys() - set(slips)
    for ratio, end in (*meant, *_most_alike(others, wanted.lower(), count)):
        for name in dict.fromkeys(ends[end]):
            # Of names with the same end those come first that begin alike: `torch.nn.Conv9d`, torch.nn.Conv1d.
            whole = difflib.SequenceMatcher(a=name.lower(), b=text[:80].lower()).ratio()
            found.append((-ratio, -whole, len(name), name))
    alike = {name for *_, name in found}
    words = [word.lower() for word in _PARTS.findall(wanted) if len(word) > 1]
    if len(words) > 1:
        match = " AND ".join(f"{quoted(word)}*" for word in words)
        for row in conn.execute(sql["all_words"], {**of, "match": match, "any": not kinds}):
            if row["name"] not in alike:
                found.append((-_ALL_WORDS, 0.0, len(row["name"]), row["name"]))
    meant_by = with_initials(conn, wanted) if not kinds or "operator" in kinds else ()
    if not meant_by and (not kinds or "class" in kinds):
        meant_by = classes_with_initials(conn, wanted)
    return tuple(dict.fromkeys((*meant_by, *(name for *_, name in sorted(found)))))[:count]


def _slips(wanted: str) -> list[str]:
    """A word, and what it is with two neighbours swapped, or a letter too many, too few or another."""
    cuts = [(wanted[:at], wanted[at:]) for at in range(len(wanted) + 1)]
    swapped = [a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1]
    shorter = [a + b[1:] for a, b in cuts if b and len(wanted) > _SHORTEST]
    # Short words would be every other short word.
    letters = _LETTERS if len(wanted) > _SHORTEST else ""
    other = [a + letter + b[1:] for a, b in cuts if b for letter in letters]
    longer = [a + letter + b for a, b in cuts for letter in letters]
    return sorted({wanted, *swapped, *shorter, *other, *longer})


def _most_alike(ends: Iterable[str], wanted: str, count: int) -> list[tuple[float, str]]:
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
        if len(found) >= count and bound < found[count - 1][0]:
            break
        matcher.set_seq1(end)
        ratio = matcher.ratio()
        if ratio >= _LEAST_ALIKE:
            found.append((ratio, end))
            found.sort(reverse=True)
    return [(ratio, end) for ratio, end in found if ratio >= found[:count][-1][0]]


def last_component(name: str) -> str:
    """What of `name` stands behind the last `::` or, in a Python path, the last dot; without these all of it."""
    last = name.rpartition("::")[2]
    return last.rpartition(".")[2] or last
