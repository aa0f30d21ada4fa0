"""Tests by what their decorators are written with: `@skip_if_lt_x_gpu(2)`, `@dtypes(*all_types())`.

Decorators are no calls of the test's body: they stand as text with each test. A name in them is resolved as Python
does, by what the test's file imports.
"""

from __future__ import annotations

import re
import sqlite3

from torchtalk.affected import queries
from torchtalk.graph.nodes import tuples

# Dotted names; what stands in quotes is none, and neither is the name of an argument.
_NAME = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])([A-Za-z_][\w.]*)(?!\s*=[^=]|[\w.])")
# Where what tests are written with is defined. Others' decorators are of what a test is about, not of how it is run.
_WHERE = ("torch.testing.", "test.")


class Decorators:
    """Reads the tests' decorators, once and when first asked.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._tests: dict[str, list[tuple[int, int]]] = {}
        self._all = ""

    def using(self, name: str) -> list[tuple[int, int]]:
        """The tests whose decorators use a function or class of a module.

        Args:
            name: in full.

        Returns:
            Their ids, and those of their files.
        """
        module, _, last = name.rpartition(".")
        if not module.startswith(_WHERE):
            return []
        self._read()
        if last not in self._all:
            return []
        texts = [text for text in self._tests if last in text and last in _names(text)]
        if not texts:
            return []
        of = {"target": f"{module}:{last}", "module": module}
        rows = self._conn.execute(queries("graph")["files_with_name"], of)
        files = {row["file_id"] for row in rows}
        return [test for text in texts for test in self._tests[text] if test[1] in files]

    def _read(self) -> None:
        if self._tests:
            return
        rows = tuples(self._conn).execute(queries("graph")["decorated_tests"])
        for test, file, text in rows:
            self._tests.setdefault(text, []).append((test, file))
        self._all = "\n".join(self._tests)


def _names(text: str) -> set[str]:
    """The last parts of the names in decorators."""
    return {match[1].rpartition(".")[2] for match in _NAME.finditer(text) if match[1]}
