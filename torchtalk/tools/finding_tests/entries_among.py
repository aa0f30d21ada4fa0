"""Operators with OpInfos that a sentence has among its words: `masked_select out=` is not about select."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from torchtalk.sqlfile import beside, listed

_queries = beside(__file__)
# Shorter names of operators are words of any sentence: `out`, `index`.
_TELLING = 6
_MOST_ENTRIES = 2
_MOST_PARTS = 6


def entries_among(
    conn: sqlite3.Connection, words: Sequence[str], *, alone: bool = True
) -> tuple[str, ...]:
    """The names of OpInfos that stand among some words, those of several words before others.

    Args:
        conn: an index.
        words: of the sentence, in its order.
        alone: whether one word counts as well; `complex` and `gradient` are words of other things, too.
    """
    spans: dict[str, tuple[int, int]] = {}
    for length in range(min(len(words), _MOST_PARTS), 0 if alone else 1, -1):
        for at in range(len(words) - length + 1):
            for name in _names(words[at : at + length]):
                if length > 1 or len(name) >= _TELLING:
                    spans.setdefault(name, (at, at + length))
    rows = conn.execute(
        _queries("entries_among")["entries_called"], {"names": listed(tuple(spans))}
    )
    found: list[tuple[str, int, int]] = []
    for row in rows:
        begin, end = spans[row["name"]]
        is_part = any(begin < other_end and other < end for _, other, other_end in found)
        # Beside a name of several words one alone is what is said of it: `linalg.eigh complex`.
        if not is_part and not (end - begin == 1 and any(e - b > 1 for _, b, e in found)):
            found.append((row["name"], begin, end))
    return tuple(name for name, _, _ in found[:_MOST_ENTRIES])


def said_of_entries(names: Sequence[str]) -> tuple[str, ...]:
    """What is said of them, a sentence each.

    Args:
        names: of OpInfos.
    """
    return tuple(f"{name} has an OpInfo: ask for it alone for generic tests" for name in names)


def _names(words: Sequence[str]) -> Iterator[str]:
    """What entries may be called that have some words: `masked_select`, `linalg.matrix_norm`."""
    yield "_".join(words)
    if len(words) > 1:
        yield f"{words[0]}.{'_'.join(words[1:])}"
