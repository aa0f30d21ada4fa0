"""Tests by what their decorators are written with: `@skip_if_lt_x_gpu(2)`, `@dtypes(*all_types())`.

Decorators are no calls of the test's body: they stand as text with each test. A name in them is resolved as Python
does, by what the test's file imports.
"""

from __future__ import annotations

import functools
import re
import sqlite3

from torchtalk.affected import queries
from torchtalk.graph.nodes import tuples
from torchtalk.kept import once

# Dotted names; what stands in quotes is none, and neither is the name of an argument.
_NAME = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])([A-Za-z_][\w.]*)(?!\s*=[^=]|[\w.'\"])")
# Where what tests are written with is defined, which files have in many ways.
_WHERE = ("torch.testing.", "test.")
_Tests = list[tuple[int, int]]
"""Ids of tests and of their files."""


class Decorators:
    """Reads the tests' decorators, when first asked.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    @functools.cached_property
    def _by_last(self) -> dict[str, dict[str, _Tests]]:
        return once(self._conn, _by_last)

    def using(self, name: str) -> _Tests:
        """The tests whose decorators use what a module defines: a function, a class or a name.

        Args:
            name: in full.

        Returns:
            Their ids, and those of their files.
        """
        module, _, last = name.rpartition(".")
        found: dict[tuple[int, int], None] = {}
        for written, tests in self._by_last.get(last, {}).items():
            files = self._files(module, last, written)
            found.update((test, None) for test in tests if test[1] in files)
        return list(found)

    def _files(self, module: str, last: str, written: str) -> set[int]:
        """The files in which a name, as it is written, is one of a module."""
        owner = written[: -len(last) - 1]
        is_any = module.startswith(_WHERE)
        if not owner or is_any:
            of = {"target": f"{module}:{last}", "module": module, "import": is_any and "import"}
            rows = self._conn.execute(queries("graph")["files_with_name"], of)
            return {row["file_id"] for row in rows}
        head, dot, rest = owner.partition(".")
        if not module.endswith(f"{dot}{rest}"):
            return set()
        path = module[: len(module) - len(dot + rest)]
        of = {"name": head, "module": path, "target": ":".join(path.rsplit(".", 1))}
        rows = self._conn.execute(queries("graph")["files_calling_so"], of)
        return {row["file_id"] for row in rows}


def _by_last(conn: sqlite3.Connection) -> dict[str, dict[str, _Tests]]:
    """How names are written in decorators, by their last part, and the tests that have them so."""
    found: dict[str, dict[str, _Tests]] = {}
    for text, tests in _tests(conn).items():
        for name in dict.fromkeys(match[1] for match in _NAME.finditer(text) if match[1]):
            found.setdefault(name.rpartition(".")[2], {}).setdefault(name, []).extend(tests)
    return found


def _tests(conn: sqlite3.Connection) -> dict[str, _Tests]:
    """By what stands above tests all that have just that."""
    found: dict[str, _Tests] = {}
    for test, file, text in tuples(conn).execute(queries("graph")["decorated_tests"]):
        found.setdefault(text, []).append((test, file))
    return found
