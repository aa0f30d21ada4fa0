"""What is said of assertions that tests inherit from unittest, whose calls are not in the index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from indexer.facts.assertions import INHERITED
from torchtalk.testing import queries

_MOST = 3


def of_assertions(conn: sqlite3.Connection, functions: Sequence[int]) -> tuple[str, ...]:
    """What to say of who uses `TestCase.assertEqual` and its like: next to nobody that does is known.

    Args:
        conn: an index.
        functions: ids of functions of Python that are asked for, or changed.

    Returns:
        A sentence for each such assertion, of a few; none for other functions.
    """
    said = {}
    rows = (
        conn.execute(queries("assertions")["methods"], {"functions": json.dumps(functions)})
        if functions
        else ()
    )
    for row in rows:
        last = row["name"].rpartition(".")[2]
        if last in INHERITED and last not in said:
            uses = f": the text has {row['uses']:,}" if row["uses"] else ""
            said[last] = (
                f"calls `self.{last}(…)` are not in the index, as of no assertion that unittest has{uses}"
            )
    return tuple(said.values())[:_MOST]
