"""What a parameter is that says nothing, by what all functions of the package that say it declare under its name.

Of torch._dynamo's functions 328 declare their `tx` as a translator of instructions, and 201 say nothing of it. That is
custom, not a rule of Python's, so what it leads to is a candidate.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Iterable

from indexer.facts.python import CUSTOMARY
from indexer.link.python.resolver import Resolver

_LEAST = 3
"""So many that say the same make a custom."""

_DECLARED = re.compile(r"[(,] ?(\w+): ((?:[^\[(,=)]|\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\])+)")
_OPTIONAL = re.compile(r"(?:typing\.)?Optional\[(.+)\]\Z", re.DOTALL)
_PATH = re.compile(r"[^\W\d][\w.]*\Z")

_SIGNATURES = """
SELECT m.name, f.signature FROM python_functions AS f JOIN python_modules AS m ON m.id = f.module_id
WHERE f.signature LIKE '%: %' AND m.name LIKE 'torch.%' AND m.name NOT LIKE 'torch.testing.%'
"""


class Customary:
    """What parameters of the packages of torch are mostly declared as.

    Args:
        resolver: what targets stand for; bases are linked.
        conn: the database, whose signatures are read when the first is asked for.
    """

    def __init__(self, resolver: Resolver, conn: sqlite3.Connection) -> None:
        self._resolver = resolver
        self._conn = conn
        self._said: dict[str, list[tuple[str, str]]] | None = None
        self._known: dict[str, str] = {}

    def target(self, target: str) -> str:
        """A target with what is declared elsewhere in the parameter's place.

        Args:
            target: `custom(torch._dynamo:tx).f`.

        Returns:
            `C().f`; an empty string where there is no such custom.
        """
        asked, _, rest = target.removeprefix(CUSTOMARY).partition(")")
        if asked not in self._known:
            self._known[asked] = self._of(asked)
        found = self._known[asked]
        return f"{found}{rest}" if found else ""

    def _of(self, asked: str) -> str:
        """Target of an object of what it is declared as, which is one class, and what derives from that."""
        if self._said is None:
            self._said = _said(self._conn.execute(_SIGNATURES))
        said = self._said.get(asked, [])
        if len(said) < _LEAST:
            return ""
        tables = self._resolver.tables
        classes: dict[int, str] = {}
        for module, written in said:
            found = self._class_of(module, written) if _PATH.match(written) else None
            if found is None:
                return ""
            classes.setdefault(found, tables.classes[found].name)
        order = self._resolver.order
        if any(all(each in order(other) for other in classes) for each in classes):
            objects = "|".join(f"{path}()" for path in classes.values())
            return objects if len(classes) == 1 else f"union({objects})"
        return ""

    def _class_of(self, module: str, written: str) -> int | None:
        """The class that a module means by a name; it may not import what it only writes in quotes."""
        found = self._resolver.resolve(f"{module}.{written}")
        if found is None:
            named = self._named.get(f"{_package(module)}:{written}", ())
            return named[0] if len(named) == 1 else None
        return found.id if found.kind == "class" else None

    @functools.cached_property
    def _named(self) -> dict[str, list[int]]:
        """By package and name the classes of modules."""
        named: dict[str, list[int]] = {}
        for each in self._resolver.tables.classes.values():
            named.setdefault(f"{_package(each.name)}:{each.name.rpartition('.')[2]}", []).append(
                each.id
            )
        return named


def _said(rows: Iterable[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """By package and parameter: the module of each function that declares it, and what as."""
    said: dict[str, list[tuple[str, str]]] = {}
    for module, signature in rows:
        package = _package(module)
        for name, written in _DECLARED.findall(signature):
            said.setdefault(f"{package}:{name}", []).append((module, _bare(written)))
    return said


def _package(name: str) -> str:
    return ".".join(name.split(".")[:2])


def _bare(written: str) -> str:
    """`X` of `Optional["X"]` and of `X | None`."""
    written = written.strip().strip("'\"").strip()
    if match := _OPTIONAL.match(written):
        return _bare(match[1])
    return written.removesuffix("| None").removeprefix("None |").strip().strip("'\"")
