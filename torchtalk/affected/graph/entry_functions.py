"""Functions that OpInfos and their like are made with: `error_inputs_func=error_inputs_cat`, `ref=np_unary_wrapper(f)`.

A change of one is a change of the entries' field, which the tests that read it run. What an entry is not given it has
of its class, whose constructor may have such a function as a parameter's default, and a Python reference of the entry
that it refers to (torch/testing/_internal/opinfo/refs.py, `_inherit_constructor_args`).
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.graph.field_readers import GenericTest, reading
from torchtalk.affected.graph.generic_tests import generic
from torchtalk.affected.graph.nodes import Edge, Node, entry, spread
from torchtalk.kept import is_read, once

_IS_FIELD = 0.95
# Of the class, or of what a reference refers to.
_INHERITED = 0.85
# Of more functions than these it takes less time to read all that entries have.
_FEW = 40
_MADE_WITH = re.compile(r"(?:^| )(\w+)=[TFN!?*]([\w.,]+)")
_GIVEN = re.compile(r"(?:^| )(\w+)=")


class _Entry(NamedTuple):
    """An OpInfo or its like, and the names of the fields that it is given."""

    row: sqlite3.Row
    given: frozenset[str]


class EntryFunctions:
    """Reads what entries are made with, when first asked for what one may have.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._asked = 0
        self._readers: dict[tuple[str, frozenset[GenericTest]], frozenset[GenericTest]] = {}

    def using(self, name: str) -> Iterator[Edge]:
        """The fields of entries that are made with a function.

        Args:
            name: in full.
        """
        self._asked += 1
        is_cheap = self._asked > _FEW or is_read(self._conn, _all)
        if not is_cheap and not self._is_named(name.rpartition(".")[2]):
            return
        found = once(self._conn, _all).get(name, {})
        for (_, field), one in found.items():
            of = entry(one.row)
            node = Node("field", f"{of.key}\t{field}", of.name)
            weight = _IS_FIELD if field in one.given else _INHERITED
            yield Edge(node, weight * spread(len(found)), f"is its {field}")

    def tests(self, node: Node) -> Iterator[Edge]:
        """The generic tests that read a field of an entry: all that run over it where most do, or none is known.

        Args:
            node: of the field.
        """
        identity, _, field = str(node.key).partition("\t")
        rows = self._conn.execute(queries("graph")["entry_tests"], {"id": int(identity)}).fetchall()
        every = frozenset((row["path"], row["name"]) for row in rows)
        key = (field, every)
        if key not in self._readers:
            self._readers[key] = frozenset(reading(self._conn, field, every))
        read = self._readers[key]
        if not read:
            yield from generic(node, rows)
            return
        yield from generic(node, rows, field, lambda row: (row["path"], row["name"]) in read)

    def _is_named(self, last: str) -> bool:
        """Whether any entry or class of these has something that is called so: reading them all takes its time."""
        row = self._conn.execute(queries("python_graph")["entries_with"], {"name": last}).fetchone()
        return bool(row[0])


def _all(conn: sqlite3.Connection) -> dict[str, dict[tuple[int, str], _Entry]]:
    """By function in full the entries that have it, by their ids and the names of their fields."""
    sql = queries("python_graph")
    found: dict[str, dict[tuple[int, str], _Entry]] = {}
    entries = [
        _Entry(row, frozenset(_GIVEN.findall(row["fields"])))
        for row in conn.execute(sql["entries_made"])
    ]
    by_class: dict[str, list[_Entry]] = {}
    referring: dict[int, list[_Entry]] = {}
    for one in entries:
        if one.row["ref_id"] is None:
            by_class.setdefault(one.row["class_name"], []).append(one)
        else:
            referring.setdefault(one.row["ref_id"], []).append(one)

    def add(names: list[str], field: str, own: Iterable[_Entry]) -> None:
        for name in names:
            found.setdefault(name, {}).update({(one.row["id"], field): one for one in own})

    for one in entries:
        for field, names in _fields(one.row):
            heirs = referring.get(one.row["id"], ())
            add(names, field, (one, *(heir for heir in heirs if field not in heir.given)))
    classes = {row["name"]: dict(_fields(row)) for row in conn.execute(sql["entry_classes"])}
    below: dict[str, list[str]] = {}
    for row in conn.execute(sql["entry_bases"]) if any(classes.values()) else ():
        below.setdefault(row["base"], []).append(row["name"])
    for of, fields in classes.items():
        for field, names in fields.items():
            for heir in _having(of, field, below, classes):
                own = by_class.get(heir, ())
                add(names, field, [one for one in own if field not in one.given])
    return found


def _having(
    of: str, field: str, below: dict[str, list[str]], classes: dict[str, dict[str, list[str]]]
) -> Iterator[str]:
    """A class and those that derive from it without a default of their own for a field."""
    pending, seen = [of], {of}
    while pending:
        name = pending.pop()
        yield name
        for heir in below.get(name, ()):
            if heir not in seen and field not in classes.get(heir, {}):
                seen.add(heir)
                pending.append(heir)


def _fields(row: sqlite3.Row) -> Iterator[tuple[str, list[str]]]:
    for match in _MADE_WITH.finditer(row["fields"]):
        yield match[1], [_full(name, row["module"]) for name in match[2].split(",")]


def _full(name: str, module: str) -> str:
    return name if "." in name else f"{module}.{name}"
