"""What a search finds besides operators: classes, APIs, kernels, stubs, functions, bindings."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from typing import Final

from torchtalk.answers.base import Page, Place
from torchtalk.answers.search import OtherHit
from torchtalk.names.closest import last_component
from torchtalk.tools import queries
from torchtalk.tools.catalog import OTHER_KINDS

EXACT: Final = "exact name"
WHY: Final = (
    EXACT,
    "word of the name",
    "beginning of a word",
    "part of the name",
    "word of a kernel's name",
)
"""How something fits, by the tier that the statements give it."""

OF_ITS_WORDS: Final = WHY[:3]
"""What fits by words of a name, and not by mere letters."""

_PLACED_AS = {"cuda": "kernel", "function": "kernel"}
_SEVERAL = re.compile(r"[^\W_]_[^\W_]")
_SHORTEST_BEGINNING = 3  # with fewer letters, too much begins alike to mean anything


def others(
    conn: sqlite3.Connection,
    texts: dict[str, str],
    query: str,
    kind: str,
    limit: int,
    offset: int,
    whole: str = "",
) -> tuple[tuple[OtherHit, ...], Page, tuple[tuple[str, int], ...]]:
    """Find what is no operator.

    Args:
        conn: an index.
        texts: the values that the statement for operators takes: `base`, `words`, `beginnings`, `part`.
        query: as it was given.
        kind: one of `OTHER_KINDS`, or empty for all.
        limit: most to show.
        offset: how many to pass over.
        whole: what a name has to end in to be called exact, where its last part alone does not do.

    Returns:
        What is shown, which part of all that is, and how many there are of each kind.
    """
    begin = "".join(texts["base"].split())
    values = {name: texts[name] for name in ("base", "words", "beginnings", "part")}
    values |= {
        "text": query.strip().removeprefix("::"),
        "kind": kind,
        # Words are one in the names of C++'s classes: TensorIterator.
        "begin": begin,
        "literal": begin if _SEVERAL.search(begin) else "",
        # Beyond every name that begins so; with few letters, nothing but the name itself.
        "beyond": begin + ("\U0010ffff" if len(begin) >= _SHORTEST_BEGINNING else "\x01"),
    }
    rows = conn.execute(queries("search")["others"], values).fetchall()
    counted = Counter(row["kind"] for row in rows)
    kinds = tuple((name, counted[name]) for name in OTHER_KINDS if counted[name])
    shown = tuple(
        other_hit(conn, row["kind"], row["name"], _why(row["tier"], row["name"], whole))
        for row in rows[offset : offset + limit]
    )
    return shown, Page(len(rows), offset, len(shown)), kinds


def _why(tier: int, name: str, whole: str) -> str:
    is_other = whole and name != whole and not name.endswith(f"::{whole}")
    return WHY[max(tier, 1) if is_other else tier]


def other_hit(conn: sqlite3.Connection, kind: str, name: str, why: str) -> OtherHit:
    """A name with the place where it stands first, and in how many it does.

    Args:
        conn: an index.
        kind: one of `OTHER_KINDS`.
        name: in full.
        why: it is shown.
    """
    statement = queries("search")[f"place_of_{_PLACED_AS.get(kind, kind)}"]
    row = conn.execute(statement, _named(statement, name)).fetchone()
    if row is None and kind == "kernel":
        row = conn.execute(queries("search")["unwritten"], {"name": name}).fetchone()
        if row is not None and row["line"] is None:
            return OtherHit(kind, name, Place(None, None), 0, why, row["generated_by"])
    if row is None:
        return OtherHit(kind, name, Place(None, None), 0, why)
    return OtherHit(kind, name, Place(row["path"], row["line"]), row["places"], why)


def _named(statement: str, name: str) -> dict[str, str]:
    return {"name": name, "base": last_component(name)} if ":base" in statement else {"name": name}
