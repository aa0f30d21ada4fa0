"""Tests by what their decorators are written with: `@skip_if_lt_x_gpu(2)`, `@dtypes(*all_types())`.

Decorators are no calls of the test's body: they stand as text with each test. A name in them is resolved as Python
does, by what the test's file imports.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Iterable

from torchtalk.affected import queries
from torchtalk.graph.nodes import tuples

# Dotted names; what stands in quotes is none, and neither is the name of an argument.
_NAME = re.compile(r"'[^']*'|\"[^\"]*\"|(?<![\w.])([A-Za-z_][\w.]*)(?!\s*=[^=]|[\w.'\"])")
# Where what tests are written with is defined, which files have in many ways.
_WHERE = ("torch.testing.", "test.")
# Of more names than these that stand in decorators all of these are read at once.
_FEW = 5

_Tests = list[tuple[int, int]]
"""Ids of tests and of their files."""


class Decorators:
    """Reads the tests' decorators: those that have a name, and all of them when there is more to ask.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._asked: dict[str, dict[str, _Tests]] = {}

    def using(self, name: str) -> _Tests:
        """The tests whose decorators use what a module defines: a function, a class or a name.

        Args:
            name: in full.

        Returns:
            Their ids, and those of their files.
        """
        module, _, last = name.rpartition(".")
        found: dict[tuple[int, int], None] = {}
        for written, tests in self._written(last).items():
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

    def _written(self, last: str) -> dict[str, _Tests]:
        """How a name with this last part is written in full, and the tests that have it so."""
        if last not in self._asked and last in self._texts:
            if len(self._asked) < _FEW:
                self._asked[last] = _named(self._rows(last)).get(last, {})
            else:
                return self._by_name.get(last, {})
        return self._asked.get(last, {})

    def _rows(self, part: str) -> Iterable[tuple[int, int, str]]:
        of = {"part": part}
        return tuples(self._conn).execute(queries("graph")["decorated_tests"], of)

    @functools.cached_property
    def _texts(self) -> str:
        """The decorators of all tests as one text: most names stand in none of them."""
        row = tuples(self._conn).execute(queries("graph")["decorators"]).fetchone()
        return row[0] or ""

    @functools.cached_property
    def _by_name(self) -> dict[str, dict[str, _Tests]]:
        """By the last part of a name how it is written in full, and the tests that have it so."""
        return _named(self._rows(""))


def _named(rows: Iterable[tuple[int, int, str]]) -> dict[str, dict[str, _Tests]]:
    texts: dict[str, _Tests] = {}
    for test, file, text in rows:
        texts.setdefault(text, []).append((test, file))
    found: dict[str, dict[str, _Tests]] = {}
    for text, tests in texts.items():
        for name in dict.fromkeys(match[1] for match in _NAME.finditer(text)):
            if name:
                last = name.rpartition(".")[2]
                found.setdefault(last, {}).setdefault(name, []).extend(tests)
    return found
