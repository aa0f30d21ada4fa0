"""What is called so, or in part, and stands in no table of names: methods of Python, modules, classes of C++, tests.

A table of words with all of them would be as large as that of all other names; they are looked for where nothing else
is called so.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from torchtalk.answers.base import Page, Place
from torchtalk.answers.search import OtherHit, SearchAnswer
from torchtalk.counted import counted
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


def with_elsewhere(
    conn: sqlite3.Connection, query: str, answer: SearchAnswer, offset: int
) -> SearchAnswer:
    """The same with what no table of names has: where nothing is found, or nothing of a name with its owner.

    Args:
        conn: an index.
        query: a name.
        answer: what the tables of names have.
        offset: how many names are passed over.
    """
    text = query.strip()
    is_named = "." in text or "::" in text
    shown = {one.name for one in answer.hits} | {one.name for one in answer.others}
    if answer.found and (not is_named or any(name.endswith(text) for name in shown)):
        return answer
    more = tuple(
        one
        for one in _found(conn, query)
        # A class is shown by its public name.
        if not answer.found or (one.why == EXACT and one.name not in shown)
    )
    if not more:
        return answer
    page = answer.others_page
    total = page.total + len(more)
    if answer.found:
        # On the first page, before what only has words of it.
        more = more if offset == 0 else ()
        return replace(
            answer,
            finding=f"{text} is the first of the other names; {answer.finding}",
            others=(*more, *answer.others),
            others_page=Page(total, page.offset, page.shown + len(more)),
        )
    also = f"{counted(total, 'other name')} {'does' if total == 1 else 'do'}"
    finding = f"{answer.finding}; {also}"
    return replace(
        answer, finding=finding, others=more, others_page=Page(total, 0, total), closest=()
    )


def _found(conn: sqlite3.Connection, query: str) -> tuple[OtherHit, ...]:
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
