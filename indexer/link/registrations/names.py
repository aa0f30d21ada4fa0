"""Qualified names of the kernels that registrations name, looked up as C++ does."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from indexer.facts.registrations import Registration

_ALIAS = re.compile(r"(\w+)\s*=\s*(?:typename\s+)?([\w:]+)")


class KernelNames:
    """Qualifies names from the innermost namespace outwards, with the file's `using`s.

    Args:
        conn: with the functions, classes and `using`s of all files.
        scopes: the namespaces around the registering blocks.
    """

    def __init__(self, conn: sqlite3.Connection, scopes: set[tuple[str, ...]]) -> None:
        # Namespaces and classes: what may stand before the last `::` of a name.
        self.owners = {"::".join(s[:n]) for s in scopes for n in range(1, len(s) + 1)}
        self.owners |= {"std", "c10", "at", "torch"}
        self.owners |= {name for (name,) in conn.execute("SELECT name FROM cpp_classes")}
        self.functions: set[str] = set()
        self.by_file: dict[tuple[str, str], set[str]] = {}
        rows = conn.execute(
            "SELECT u.name, f.path FROM functions AS u JOIN source_files AS f ON f.id = u.file_id"
        )
        for name, path in rows:
            self.functions.add(name)
            self.by_file.setdefault((path, name.rsplit("::", 1)[-1]), set()).add(name)
        self.namespaces: dict[str, list[str]] = {}  # by file: `using namespace X`
        self.names: dict[tuple[str, str], str] = {}  # by file and name: `using X::f`
        self.aliases: dict[str, str] = {}  # `using type = T` in a class, both qualified
        self._read_usings(conn)

    def _read_usings(self, conn: sqlite3.Connection) -> None:
        rows = conn.execute(
            "SELECT u.text, u.scope, f.path FROM cpp_usings AS u JOIN source_files AS f ON f.id = u.file_id"
            " WHERE u.keyword = 'using' ORDER BY f.path, u.line, u.text"
        )
        for text, scope, path in rows:
            if text.startswith("namespace "):
                self.namespaces.setdefault(path, []).append(text[10:].strip().removeprefix("::"))
            elif (alias := _ALIAS.match(text)) is not None:
                if scope in self.owners:
                    outer = scope.rpartition("::")[0]
                    self.aliases[f"{scope}::{alias[1]}"] = (
                        f"{outer}::{alias[2]}" if outer else alias[2]
                    )
            elif re.fullmatch(r"[\w:]+", text):
                self.names[path, text.rsplit("::", 1)[-1]] = text.removeprefix("::")

    def qualified(self, found: Registration) -> str:
        """The qualified name of the kernel of `found`; where no function of it is known, as far as its namespace is."""
        name = found.kernel
        if not name or found.form == "fallthrough":
            return name
        for candidate in self._candidates(found):
            if candidate in self.functions:
                return candidate
        # A static member, or a function of another namespace that this file has under that name.
        own = self.by_file.get((found.path, name.rsplit("::", 1)[-1]), set())
        fitting = [n for n in sorted(own) if n == name or n.endswith("::" + name)]
        if len(fitting) == 1:
            return fitting[0]
        owner, _, last = name.rpartition("::")
        if not owner:
            return "::".join((*found.scope, name))
        head = owner.split("::", 1)[0]
        for candidate in self._outwards(found.scope, head):
            if candidate in self.owners:
                full = candidate + owner[len(head) :]
                return f"{self.aliases.get(full, full)}::{last}"
        return name

    def _candidates(self, found: Registration) -> Iterator[str]:
        name = found.kernel
        yield from self._outwards(found.scope, name)
        head, separator, rest = name.partition("::")
        declared = self.names.get((found.path, head))
        if declared is not None:
            yield from self._outwards(found.scope, declared + separator + rest)
        for namespace in self.namespaces.get(found.path, ()):
            yield from self._outwards(found.scope, f"{namespace}::{name}")

    @staticmethod
    def _outwards(scope: tuple[str, ...], name: str) -> Iterator[str]:
        for end in range(len(scope), -1, -1):
            yield "::".join((*scope[:end], name))
