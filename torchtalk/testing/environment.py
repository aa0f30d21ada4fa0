"""Test files that need variables of the environment, and PyTorch's own runner, which sets them.

test/distributed/test_distributed_spawn.py raises on import unless BACKEND, WORLD_SIZE and TEMP_DIR are set: pytest
alone runs none of its tests. test/run_test.py does (`CUSTOM_HANDLERS`, `test_distributed`), once for each backend that
is there. What selects tests it hands on to pytest alone, and some of these files have runners of their own.
"""

from __future__ import annotations

import functools
import posixpath
import sqlite3

from torchtalk.testing import queries

_RUNNER = "test/run_test.py"
_FOLDER = "test/"


class Environments:
    """Tells which files want what, and remembers of which it was asked.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._asked: dict[str, None] = {}

    def is_wanting(self, path: str) -> bool:
        """Whether a file wants any.

        Args:
            path: of the file that is run.
        """
        return path in self._wanted

    def command(self, path: str) -> str:
        """How to run a file that wants variables, as a whole; an empty text where it wants none, or nothing sets them.

        Args:
            path: of the file that is run.
        """
        if not self.is_wanting(path):
            return ""
        self._asked[path] = None
        if not self._has_runner or not path.startswith(_FOLDER):
            return ""
        return f"python {_RUNNER} -i {posixpath.splitext(path.removeprefix(_FOLDER))[0]}"

    def notes(self) -> tuple[str, ...]:
        """What to say of the files that were asked for and want variables."""
        return tuple(self._said(path) for path in self._asked)

    def _said(self, path: str) -> str:
        names = ", ".join(self._wanted[path])
        said = f"{path} does not run without {names} in the environment"
        if not self._has_runner or not path.startswith(_FOLDER):
            return said
        return f"{said}: {_RUNNER} runs it, as a whole; with them, pytest takes -k"

    @functools.cached_property
    def _wanted(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in self._conn.execute(queries("environment")["wanted"]):
            found.setdefault(row["path"], []).append(row["name"])
        return found

    @functools.cached_property
    def _has_runner(self) -> bool:
        row = self._conn.execute(queries("environment")["runner"], {"path": _RUNNER}).fetchone()
        return row is not None
