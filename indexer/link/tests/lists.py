"""Lists of OpInfos: what each holds, and which tests run over it."""

from __future__ import annotations

import ast
import functools
import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.python.scope import dotted
from indexer.extract.python.testing.lists import handed
from indexer.link.tests.conditions import Condition, Entry
from indexer.link.tests.fields import Fields
from indexer.link.tests.names import Names

_WORD = re.compile(r"[A-Za-z_]\w+")


class _Part(NamedTuple):
    target: str
    class_name: str
    condition: Condition


class _Lists:
    """What is in each list, worked out when it is asked for."""

    def __init__(self, conn: sqlite3.Connection, names: Names) -> None:
        self.names = names
        self.own: dict[str, list[int]] = {}
        self.places: dict[str, tuple[int, int]] = {}
        for identity, name, file_id, line in conn.execute(
            "SELECT o.id, m.name || '.' || o.list_name, o.file_id, o.line FROM opinfos AS o"
            " JOIN python_modules AS m ON m.file_id = o.file_id"
            " WHERE o.list_name IS NOT NULL ORDER BY o.id"
        ):
            self.own.setdefault(name, []).append(identity)
            self.places.setdefault(name, (file_id, line))
        self.parts: dict[str, list[_Part]] = {}
        for name, target, class_target, condition, file_id, line in conn.execute(
            "SELECT list, target, class_target, condition, file_id, line FROM opinfo_list_parts"
            " ORDER BY id"
        ):
            of = names.full(class_target) if class_target else ""
            part = _Part(names.full(target), of, self.condition(condition or "", name))
            self.parts.setdefault(name, []).append(part)
            self.places.setdefault(name, (file_id, line))
        self.classes = dict(conn.execute("SELECT id, class_name FROM opinfos"))
        self.bases: dict[str, list[str]] = {}
        for name, base in conn.execute(
            "SELECT c.name, b.name FROM python_bases AS b"
            " JOIN python_classes AS c ON c.id = b.class_id"
            " WHERE c.name GLOB '*Info' ORDER BY c.id, b.position"
        ):
            self.bases.setdefault(name, []).append(names.full(base))
        defaults = dict(conn.execute("SELECT name, fields FROM opinfo_classes ORDER BY line"))
        fields = Fields(defaults, self.bases)
        self.entries = {
            identity: Entry(
                name, variant, aten_name, class_name, fields.of(class_name, given, ref is not None)
            )
            for identity, name, variant, aten_name, class_name, given, ref in conn.execute(
                "SELECT id, name, variant, aten_name, class_name, fields, ref_name FROM opinfos"
                " WHERE kind = 'op' AND name IS NOT NULL AND aten_name IS NOT NULL"
            )
        }
        # Of modules and optimizers lists ask for the class that they are for.
        self.entries |= {
            identity: Entry(name, "", "", class_name, subject=subject)
            for identity, name, class_name, subject in conn.execute(
                "SELECT id, name, class_name, subject FROM opinfos"
                " WHERE kind IN ('module', 'optimizer') AND name IS NOT NULL AND subject IS NOT NULL"
            )
        }
        self._members: dict[str, dict[int, bool]] = {}

    def condition(self, text: str, name: str) -> Condition:
        """A condition that stands in the module of a name."""
        module = name.rpartition(".")[0]

        def is_of(class_name: str, written: str) -> bool | None:
            wanted = self.names.full(f"{module}.{written}")
            known = wanted in self.bases or wanted in self.classes.values()
            return self._is(class_name, wanted) if known else None

        return Condition(text, functools.cache(is_of))

    def named(self, module: str, owner: str, name: str) -> str:
        """The full name of a list as decorators of a class's methods write it.

        Args:
            module: that the class stands in.
            owner: the class with a dot behind it, or nothing.
            name: as written.
        """
        own = f"{module}.{owner}{name}"
        return own if owner and own in self.parts else self.names.full(f"{module}.{name}")

    def members(self, name: str) -> dict[int, bool]:
        """Ids of a list's entries, and whether each is in it for certain."""
        known = self._members.get(name)
        if known is None:
            known = self._members[name] = {}  # a list that leads back to itself adds nothing
            known.update(dict.fromkeys(self.own.get(name, ()), True))
            for part in self.parts.get(name, ()):
                self.add(known, part)
        return known

    def add(self, found: dict[int, bool], part: _Part) -> None:
        """Add what a part contributes."""
        for identity, is_certain in self.members(part.target).items():
            if not part.class_name or self._is(self.classes[identity], part.class_name):
                holds = part.condition.holds(self.entries.get(identity))
                if holds is not False:
                    certain = is_certain and holds is True
                    found[identity] = found.get(identity, False) or certain

    def _is(self, name: str, wanted: str) -> bool:
        return name == wanted or any(self._is(base, wanted) for base in self.bases.get(name, ()))


def link_lists(conn: sqlite3.Connection, names: Names) -> None:
    """Fill `opinfo_lists`, their members, and `test_lists`.

    Args:
        conn: the database, in a transaction; tests and OpInfos must be linked.
        names: what its test machinery's names stand for.
    """
    lists = _Lists(conn, names)
    ids: dict[str, int] = {}
    for name in dict.fromkeys([*lists.own, *lists.parts]):
        entries = lists.members(name)
        if entries:
            ids[name] = _insert(conn, name, None, *lists.places[name], entries)
    conn.execute("DELETE FROM opinfo_list_parts WHERE list NOT IN (SELECT name FROM opinfo_lists)")
    # Most decorators name no list: looking for the last parts of lists' names tells quickly.
    last = {name.rpartition(".")[2] for name in ids}
    written: dict[tuple[int, str], int] = {}
    rows: dict[tuple[int, int], str] = {}
    for test_id, module, owner, file_id, line, decorators in conn.execute(
        "SELECT t.id, m.name, substr(p.name, 1, instr(p.name, '.')), t.file_id, t.line, p.decorators FROM tests AS t"
        " JOIN python_functions AS p ON p.id = t.function_id"
        " JOIN python_modules AS m ON m.id = p.module_id"
        " WHERE p.decorators IS NOT NULL ORDER BY t.id"
    ).fetchall():
        if last.isdisjoint(_WORD.findall(decorators)):
            continue
        for decorator, expression in _arguments(decorators):
            parts = [
                _Part(
                    lists.named(module, owner, name),
                    of and names.full(f"{module}.{of}"),
                    lists.condition(condition, f"{module}."),
                )
                for name, of, condition in handed(expression)
            ]
            if not any(lists.members(part.target) for part in parts):
                continue
            plain = isinstance(expression, (ast.Name, ast.Attribute))
            if plain and parts[0].target in ids:
                list_id = ids[parts[0].target]
            else:
                text = ast.unparse(expression)
                key = (file_id, text)
                if key not in written:
                    members: dict[int, bool] = {}
                    for part in parts:
                        lists.add(members, part)
                    written[key] = _insert(conn, None, text[:300], file_id, line, members)
                list_id = written[key]
            rows.setdefault((test_id, list_id), decorator)
    conn.executemany(
        "INSERT INTO test_lists VALUES (?, ?, ?)",
        [(test_id, list_id, decorator) for (test_id, list_id), decorator in rows.items()],
    )


def _insert(
    conn: sqlite3.Connection,
    name: str | None,
    expression: str | None,
    file_id: int,
    line: int,
    members: dict[int, bool],
) -> int:
    list_id = conn.execute(
        "INSERT INTO opinfo_lists (name, expression, file_id, line) VALUES (?, ?, ?, ?)",
        (name, expression, file_id, line),
    ).lastrowid
    conn.executemany(
        "INSERT INTO opinfo_list_members VALUES (?, ?, ?)",
        [(list_id, identity, certain) for identity, certain in sorted(members.items())],
    )
    return list_id or 0


@functools.lru_cache(maxsize=20_000)
def _arguments(decorators: str) -> tuple[tuple[str, ast.expr], ...]:
    """The first argument of every decorator that has one which could be a list."""
    return tuple(_parsed(decorators))


def _parsed(decorators: str) -> Iterator[tuple[str, ast.expr]]:
    for text in decorators.split("\n"):
        bracket = text.find("(")
        # A text, a number or a condition is none; most decorators have one of these or nothing.
        if bracket < 0 or text[bracket + 1 : bracket + 2] in ("", ")", "'", '"', "*"):
            continue
        try:
            node = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(node, ast.Call):
            given = node.args[:1] or [k.value for k in node.keywords[:1]]
            if given:
                yield dotted(node.func).rpartition(".")[2], given[0]
