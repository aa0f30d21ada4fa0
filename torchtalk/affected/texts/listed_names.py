"""Who asks modules for their `__all__`, where a diff changes one: what stands there is public, which tests look at.

test/test_public_bindings.py goes through all modules. Who asks one that its file imports by name (`cxx_pytree.__all__`)
is about that one.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable

from torchtalk.affected import queries
from torchtalk.affected.graph.nodes import Node, spread
from torchtalk.affected.places.changes import Changes, Loose, Seed
from torchtalk.affected.places.variables import statements_of
from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.base import Place
from torchtalk.testing.bodies import in_any_way

_ALL = "__all__"
_WEIGHT = 0.6
# Where more tests than these ask, one of them says little.
_MOST = 20
_ASKED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?:\.[A-Za-z_]\w*)*\.__all__\b")


def take_listed(conn: sqlite3.Connection, changes: Changes, sources: Sources) -> None:
    """Add the tests that ask any module for its `__all__`, or this one, where lines of one changed.

    Args:
        conn: an index.
        changes: with the lines of which no function is known.
        sources: the tree.
    """
    of: dict[str, list[Loose]] = {}
    for one in changes.loose:
        if one.file["kind"] == "python":
            of.setdefault(one.file["path"], []).append(one)
    for path, loose in of.items():
        lines = [one for one in loose if _lists(one)]
        if not lines:
            own = sources.read(loose[0].file)
            lines = _within(own, loose) if own is not None and _ALL in own.text else []
        if lines:
            _add(conn, path, lines, changes, sources)


def _lists(one: Loose) -> bool:
    """Whether a line begins an `__all__`, or adds to it."""
    return any(text.lstrip().startswith(_ALL) for text in (*one.span.removed, *one.span.added))


def _within(own: Source, loose: Iterable[Loose]) -> list[Loose]:
    """Those lines that stand in the statement that gives `__all__` its value."""
    tops = statements_of(own.text)
    found = []
    for one in loose:
        at = bisect_right(tops.starts, one.span.first) - 1
        if at >= 0 and tops.names[at] == _ALL:
            found.append(one)
    return found


def _add(
    conn: sqlite3.Connection, path: str, lines: list[Loose], changes: Changes, sources: Sources
) -> None:
    wanted = {"name": in_any_way(_ALL), "most": _MOST + 1}
    rows = conn.execute(queries("texts")["tests_with_name"], wanted).fetchall()
    if len(rows) > _MOST:
        return
    module = conn.execute(queries("texts")["module_of"], {"file": lines[0].file["id"]}).fetchone()
    asking = [row for row in rows if _asks(conn, row, module and module["name"], sources)]
    place = Place(path, lines[0].span.first)
    number = sum(one.span.lines for one in lines)
    for row in asking:
        weight = _WEIGHT * spread(len(asking))
        how = f"asks modules for their `{_ALL}`"
        changes.add(Seed(Node("test", row["test"], row["name"]), weight, place, number, how))


def _asks(conn: sqlite3.Connection, row: sqlite3.Row, module: str | None, sources: Sources) -> bool:
    """Whether a test asks whatever module it has in hand, or the one that changed."""
    source = sources.read(row)
    if source is None or not source.is_indexed:
        return True
    body = "\n".join(source.text.split("\n")[row["line"] - 1 : row["end_line"]])
    heads = {match[1] for match in _ASKED.finditer(body)}
    if not heads:
        return True  # `getattr(mod, "__all__")`
    targets: dict[str, set[str]] = {}
    for binding in conn.execute(queries("texts")["bound_in"], {"module": row["module_id"]}):
        targets.setdefault(binding["name"], set()).add(binding["target"].replace(":", "."))
    return any(head not in targets or module in targets[head] for head in heads)
