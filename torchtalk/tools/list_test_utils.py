"""list_test_utils: what tests are written with, by category, with use counts."""

from __future__ import annotations

import difflib
import sqlite3

from indexer.words import split_words
from torchtalk.answers.base import Page, Place
from torchtalk.answers.tests import CategoryLine, TestUtilsAnswer, UtilityLine
from torchtalk.tools import queries
from torchtalk.tools.spec import LIMIT, OFFSET, Parameter, Tool


def list_test_utils(
    conn: sqlite3.Connection, category: str = "", limit: int = 20, offset: int = 0
) -> TestUtilsAnswer:
    """List test utilities.

    Args:
        conn: an index.
        category: one of the categories, or a word of a utility's name; empty lists the categories.
        limit: most utilities to show.
        offset: how many to pass over.
    """
    sql = queries("list_test_utils")
    categories = conn.execute(sql["categories"]).fetchall()
    if not categories:
        return TestUtilsAnswer(
            category, "this index has no test utilities: the tree has no torch/testing"
        )
    wanted = category.strip()
    if not wanted:
        lines = tuple(_category(conn, row) for row in categories)
        number = sum(line.utilities for line in lines)
        finding = f"{number} functions and classes of torch.testing in {len(lines)} categories"
        return TestUtilsAnswer(category, finding, categories=lines)
    names = [str(row["category"]) for row in categories]
    known = next((name for name in names if name.lower() == wanted.lower()), None)
    conn.create_function("split_words", 1, split_words, deterministic=True)
    parameters = {
        "category": known, "word": "" if known else wanted, "limit": limit, "offset": offset,
    }  # fmt: skip
    rows = conn.execute(sql["utilities"], parameters).fetchall()
    total = rows[0]["total"] if rows else 0
    if not rows and offset:
        total = list_test_utils(conn, category, 1, 0).page.total
    what = f"of category {known}" if known else f"with {wanted!r} in their name"
    finding = (
        f"{total} test utilities {what}"
        if total
        else f"no test utility {what}, and no such category"
    )
    near = difflib.get_close_matches(wanted.lower(), names, 5, 0.4)
    return TestUtilsAnswer(
        query=category,
        finding=finding,
        closest=() if total else tuple(near or names[:5]),
        category=known or "",
        utilities=tuple(_utility(row) for row in rows),
        page=Page(total, offset, len(rows)),
    )


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


TOOL = Tool(
    name="list_test_utils",
    title="Test utilities",
    description="What PyTorch's tests are written with (torch.testing): decorators, assertions, "
    "OpInfo machinery, device and dtype helpers, common_* modules; with use counts.",
    parameters=(
        Parameter("category", str, "a category or a word of a name; empty: the categories", ""),
        LIMIT,
        OFFSET,
    ),
    run=list_test_utils,
    examples=({}, {"category": "decorators", "limit": 5}),
)
