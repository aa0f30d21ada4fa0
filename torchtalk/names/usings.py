"""What C++ scopes have from others: using-directives, using-declarations and aliases."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from torchtalk.kept import once
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_HEADERS = (".h", ".cuh", ".hpp")
_DIRECTIVE = "namespace "
_QUALIFIED = re.compile(r"\w+(?:::~?\w+)*")


class _Using(NamedTuple):
    text: str
    path: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


class Usings:
    """Reads those of the scopes that are asked for, each once.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sql = statements(_SQL)
        self._known: dict[str, list[_Using]] = {}

    def of(self, name: str) -> Iterator[tuple[str, str]]:
        """What a name is in other words by one step, with the reason.

        Args:
            name: qualified.
        """
        parts = name.split("::")
        self._read(["::".join(parts[:at]) for at in range(1, len(parts))])
        for at in range(len(parts) - 1, 0, -1):
            scope, last, rest = "::".join(parts[:at]), parts[at], parts[at + 1 :]
            for target, place in self._used(scope, last):
                yield "::".join((target, last, *rest)), f"{scope} has it from {target} ({place})"
            for using in self._known[scope]:
                alias, sign, target = using.text.partition(" = ")
                if not sign or alias != last:
                    continue
                target = target.strip().removeprefix("::")
                note = f"{scope}::{last} is {target} ({using.place})"
                for meant in (target, f"{scope}::{target}"):
                    if _QUALIFIED.fullmatch(meant):
                        yield "::".join((meant, *rest)), note

    def _used(self, scope: str, last: str) -> Iterator[tuple[str, str]]:
        """The scopes that one has a name from, with the place that says so."""
        seen: set[str] = set()
        for using in self._known[scope]:
            # A source file's directives are its own.
            if using.text.startswith(_DIRECTIVE) and using.path.endswith(_HEADERS):
                target = using.text.removeprefix(_DIRECTIVE).removeprefix("::")
                if target not in seen:
                    seen.add(target)
                    yield target, using.place
        for using in self._known[scope]:
            if using.text.endswith(f"::{last}") and " = " not in using.text:
                yield using.text.removesuffix(f"::{last}").removeprefix("::"), using.place
        for using in once(self._conn, _aliases).get(scope, ()):
            yield using.text.partition("=")[2].strip().removeprefix("::"), using.place

    def _read(self, scopes: list[str]) -> None:
        new = [scope for scope in scopes if scope not in self._known]
        if not new:
            return
        self._known.update((scope, []) for scope in new)
        for row in self._conn.execute(self._sql["usings"], {"scopes": json.dumps(new)}):
            self._known[row["scope"]].append(_Using(row["text"], row["path"], row["line"]))


def _aliases(conn: sqlite3.Connection) -> dict[str, list[_Using]]:
    """By their full names the namespaces that are others."""
    found: dict[str, list[_Using]] = {}
    for row in conn.execute(statements(_SQL)["namespace_aliases"]):
        alias = row["text"].partition("=")[0].strip()
        name = f"{row['scope']}::{alias}" if row["scope"] else alias
        found.setdefault(name, []).append(_Using(row["text"], row["path"], row["line"]))
    return found
