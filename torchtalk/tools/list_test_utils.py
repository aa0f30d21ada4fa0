"""list_test_utils: what tests are written with, by category, with use counts."""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from collections.abc import Iterator

from indexer.words import split_words
from torchtalk.answers.base import Page, Place
from torchtalk.answers.tests import CategoryLine, TestUtilsAnswer, UtilityLine
from torchtalk.counted import counted, few
from torchtalk.layers import is_built
from torchtalk.tools import queries

_MOST_CATEGORIES = 6
_MODULE = re.compile(r"[\w.]*\w(?<!\.py)")


def list_test_utils(
    conn: sqlite3.Connection, category: str = "", limit: int = 20, offset: int = 0
) -> TestUtilsAnswer:
    """List test utilities.

    Args:
        conn: an index.
        category: one of the categories, a file, a utility's name or a word of it; empty lists the categories.
        limit: most utilities, or categories, to show.
        offset: how many to pass over.
    """
    sql = queries("list_test_utils")
    categories = conn.execute(sql["categories"]).fetchall()
    if not categories:
        why = ": the tree has no torch/testing" if is_built(conn, "tests") else ""
        return TestUtilsAnswer(category, f"this index has no test utilities{why}")
    wanted = category.strip().removeprefix("@")
    if not wanted:
        number = sum(row["utilities"] for row in categories)
        finding = f"{number:,} functions, classes and names of torch.testing in {len(categories)} categories"
        lines = tuple(_category(conn, row) for row in categories[offset : offset + limit])
        page = Page(len(categories), offset, len(lines))
        return TestUtilsAnswer(category, finding, categories=lines, page=page)
    names = [str(row["category"]) for row in categories]
    conn.create_function("split_words", 1, split_words, deterministic=True)
    for how, text, what in _ways(wanted, names):
        parameters = {"how": how, "text": text, "limit": limit, "offset": offset}
        rows = conn.execute(sql["utilities"], parameters).fetchall()
        total = rows[0]["total"] if rows else 0
        if not rows and offset:
            first = conn.execute(
                sql["utilities"], {**parameters, "limit": 1, "offset": 0}
            ).fetchall()
            total = first[0]["total"] if first else 0
        if total:
            return TestUtilsAnswer(
                query=category,
                finding=f"{counted(total, 'test utility', 'test utilities')} {_agreeing(what, total)}",
                notes=_named_so(categories, wanted) if how == "word" else (),
                category=text if how == "category" else "",
                utilities=tuple(_utility(row) for row in rows),
                page=Page(total, offset, len(rows)),
            )
    near = difflib.get_close_matches(wanted.lower(), names, 5, 0.4)
    return TestUtilsAnswer(
        query=category,
        finding=f"no test utility has {wanted!r} in its name, and no category is called so",
        closest=tuple(near or names[:5]),
        page=Page(0, offset, 0),
    )


def _ways(wanted: str, names: list[str]) -> Iterator[tuple[str, str, str]]:
    """How a text may be meant, the likeliest first: of the statement `utilities`, what it asks, and that for people."""
    lower = wanted.lower()
    known = next((name for name in names if name.lower() in (lower, f"{lower}s")), None)
    if known is not None:
        yield "category", known, f"of category {known}"
    file = wanted.replace("\\", "/").removeprefix("./")
    if _MODULE.fullmatch(file):
        # common_cuda, torch.testing._internal.common_cuda
        file = file.replace(".", "/") + ".py"
    if file.endswith(".py"):
        yield "file", file, f"in {file}"
    last = wanted.rpartition(".")[2]
    if last != wanted and last != "py":
        yield "name", wanted, f"called {wanted}"
    yield "word", wanted, f"with {wanted!r} in their name"
    words = wanted.lower().replace("_", " ").split()
    if len(words) > 1:
        told = " and ".join(repr(word) for word in words)
        yield "words", json.dumps(words), f"with {told} in their name"
        yield "told", json.dumps(words), f"with {told} in their name or description"
    if last != wanted and last != "py":
        # torch.testing.assert_close is torch.testing._comparison.assert_close.
        yield "word", last, f"with {last!r} in their name"
    yield "part", wanted, f"of categories with {wanted!r} in their name"


def _agreeing(what: str, total: int) -> str:
    return what.replace(" in their name", " in its name") if total == 1 else what


def _named_so(categories: list[sqlite3.Row], wanted: str) -> tuple[str, ...]:
    """A note on the categories that have a text in their names, where it was taken for a utility's."""
    fitting = [row for row in categories if wanted.lower() in row["category"].lower()]
    if not fitting:
        return ()
    shown = few([f"{row['category']} ({row['utilities']})" for row in fitting], _MOST_CATEGORIES)
    return (f"categories with {wanted!r} in their name: {shown}",)


def _category(conn: sqlite3.Connection, row: sqlite3.Row) -> CategoryLine:
    examples = conn.execute(queries("list_test_utils")["examples"], {"category": row["category"]})
    return CategoryLine(
        row["category"], row["utilities"], row["uses"], tuple(e["last"] for e in examples)
    )


def _utility(row: sqlite3.Row) -> UtilityLine:
    return UtilityLine(
        row["name"], row["category"], Place(row["path"], row["line"]), row["signature"], row["doc"],
        row["uses"], row["used_in"],
    )  # fmt: skip
