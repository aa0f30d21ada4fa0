"""What is called so, or in part, and stands in no table of names: methods of Python, modules, classes of C++, tests.

A table of words with all of them would be as large as that of all other names; they are looked for where nothing else
is called so.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from torchtalk.answers.base import Place
from torchtalk.answers.search import OtherHit
from torchtalk.graph import nodes
from torchtalk.names import resolve
from torchtalk.tools.searching import queries
from torchtalk.tools.searching.others import EXACT, WHY
from torchtalk.tools.walks.seeds import find

_PART = WHY[3]
_MOST = 20
_LEAST = 5  # letters that say enough
_NAME = re.compile(r"[\w.:]+\Z")
# As other names are sorted; `function` is one of C++.
_KINDS = {
    nodes.PYTHON: "python",
    nodes.CLASS: "class",
    nodes.NATIVE: "binding",
    nodes.BINDING: "binding",
}
_OF = {"cpp_class": ("classes", "class"), "module": ("modules", "module")}


def found_elsewhere(conn: sqlite3.Connection, query: str) -> tuple[OtherHit, ...]:
    """The things that a name means, else methods with it in their names.

    Args:
        conn: an index.
        query: a name.
    """
    text = query.strip()
    if not _NAME.match(text):
        return ()
    meant = resolve(conn, text, near=False)
    target = meant.target
    if target is not None and target.kind in _OF:
        statement, kind = _OF[target.kind]
        rows = conn.execute(queries("elsewhere")[statement], {"name": target.name}).fetchall()
        if rows:
            place = Place(rows[0]["path"], rows[0]["line"])
            return (OtherHit(kind, target.name, place, len(rows), EXACT),)
    if target is not None or meant.candidates:
        found = tuple(_described(conn, text))
        if found:
            return found
    suite, _, part = text.rpartition(".")
    of = {"name": part, "suite": suite}
    if gtests := conn.execute(queries("elsewhere")["gtests"], of).fetchall():
        return tuple(
            OtherHit("test", row["name"], Place(row["path"], row["line"]), 1, EXACT)
            for row in gtests
        )
    if len(part) < _LEAST or "::" in text:
        return ()
    like = "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
    rows = conn.execute(queries("elsewhere")["methods"], {"part": like, "most": _MOST}).fetchall()
    return tuple(
        OtherHit("python", row["name"], Place(row["path"], row["line"]), 1, _PART) for row in rows
    )


def _described(conn: sqlite3.Connection, text: str) -> Iterator[OtherHit]:
    known = nodes.describe(conn, find(conn, text).nodes[:_MOST])
    for node in known.values():
        if node.place.file is not None:
            yield OtherHit(_KINDS.get(node.code & 15, "function"), node.name, node.place, 1, EXACT)
