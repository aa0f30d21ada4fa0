"""Which operator a message names first, and whether a test that has a part of it calls others.

PyTorch's checks begin so: `masked_scatter_ only supports boolean masks`. A test of masked_fill that expects
`only supports boolean masks` expects another message with the same words.
"""

from __future__ import annotations

import re
import sqlite3

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node

_NAMED = re.compile(r"(?:at::|torch\.)?([a-z_]\w*(?:\.\w+)*)")


class MessageOperators:
    """Of one index.

    Args:
        conn: the index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._named: dict[str, str] = {}

    def is_of_another(self, node: Node, text: str, run: str) -> bool:
        """Whether a test that has a part of a message calls operators, and none that the message names before that.

        Args:
            node: the test; a helper may be run for any.
            text: the message.
            run: the part.
        """
        if node.kind != "test" or text.startswith(run):
            return False
        base = self._base(text)
        if not base:
            return False
        rows = self._conn.execute(queries("texts")["operators_of_test"], {"test": node.key})
        called = {row["base"] for row in rows}
        return bool(called) and not any(base in one or one in base for one in called)

    def _base(self, text: str) -> str:
        """The operator that a message begins with, without what tells variants apart; empty where it is none."""
        match = _NAMED.match(text)
        if match is None:
            return ""
        name = match[1]
        if name not in self._named:
            base = name.replace(".", "_").strip("_")
            row = self._conn.execute(queries("texts")["is_base"], {"base": base}).fetchone()
            self._named[name] = base if row is not None else ""
        return self._named[name]
