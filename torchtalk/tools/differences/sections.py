"""What the sections of a diff have in common: ranking, grouping, places."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from torchtalk.answers.base import Place
from torchtalk.answers.diff import Change
from torchtalk.tools import queries

MOST_DETAIL = 160
"""Characters of a formula or schema in a detail."""


@dataclass(frozen=True)
class Found:
    """All changes of a section.

    Args:
        changes: the most important first.
        counts: things that changed, by the way in which they did.
        facts: what is true of all of them.
    """

    changes: list[Change]
    counts: dict[str, int]
    facts: tuple[str, ...] = ()


def rows(
    conn: sqlite3.Connection, statement: str, one: str = "new", **values: object
) -> list[sqlite3.Row]:
    """Ask a statement of diff.sql of one of the two indexes.

    Args:
        conn: both.
        statement: its name.
        one: `old` or `new`; what the statement calls the other is the other one.
        values: its parameters.
    """
    other = "old" if one == "new" else "new"
    sql = queries("diff")[statement].format(one=one, other=other, db=one)
    found: list[sqlite3.Row] = conn.execute(sql, values).fetchall()
    return found


def place(path: str | None, line: int | None) -> Place | None:
    """The place at a 1-based `line` of the file `path`, where there is one; None without a path."""
    return None if path is None else Place(path, line)


def packet(operator: str) -> str:
    """`aten::add` of the `operator` `aten::add.Tensor`."""
    return operator.partition(".")[0]


def overload(operator: str) -> str:
    """`Tensor` of the `operator` `aten::add.Tensor`; `default` where it has no name, as torch.ops calls it."""
    return operator.partition(".")[2] or "default"


def rank(name: str) -> tuple[int, str]:
    """What sorts operators: aten's before others', public before private, what is for tests last.

    Args:
        name: of an operator or an overload.
    """
    namespace, _, base = packet(name).rpartition("::")
    if "test" in namespace or base.startswith("_test"):
        return 4, name
    outside = 0 if namespace in ("aten", "") else 2
    return outside + base.startswith("_"), name


def short(text: str) -> str:
    """The `text` in one line of at most `MOST_DETAIL` characters."""
    text = " ".join(text.split())
    return text if len(text) <= MOST_DETAIL else f"{text[: MOST_DETAIL - 1]}…"


def tally(values: Iterable[str]) -> str:
    """How often there is each of the `values`, the most first: `Meta 320, MPS 217`."""
    counts: dict[str, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{value} {number}" for value, number in ordered)
