"""list_modules: modules, optimizers and schedulers, grouped as the documentation groups them."""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from collections.abc import Mapping
from itertools import groupby

from torchtalk.answers.base import Page, Place
from torchtalk.answers.module import ListedModule, ModuleGroup, ModuleListAnswer
from torchtalk.counted import counted, few
from torchtalk.names.closest import closest
from torchtalk.tools import queries

_MOST_ALIKE = 5
_MOST_HEADINGS = 24
_CATEGORIES = ("nn", "optim", "lr_scheduler")


def list_modules(
    conn: sqlite3.Connection, category: str = "nn", limit: int = 20, offset: int = 0
) -> ModuleListAnswer:
    """List classes.

    Those that the documentation lists come first, in its order and under its headings; then
    public ones by the module they are imported from; then private ones.

    Args:
        conn: an index.
        category: nn, optim, lr_scheduler, all; or a text that a heading or a name contains.
        limit: most classes to show.
        offset: how many to pass over.
    """
    wanted = category.strip()
    known = wanted in _CATEGORIES
    arguments = {
        "categories": json.dumps([wanted] if known else _CATEGORIES),
        "text": "" if known or wanted == "all" else wanted.lower(),
        "limit": limit,
        "offset": offset,
    }
    sql = queries("list_modules")
    totals = {row["title"]: row["total"] for row in conn.execute(sql["sections"], arguments)}
    total = sum(totals.values())
    rows = conn.execute(sql["list"], arguments).fetchall()
    groups = tuple(
        ModuleGroup(title, totals[title], tuple(_listed(conn, row) for row in group))
        for title, group in groupby(rows, key=lambda row: row["title"])
    )
    what = f"{wanted} classes" if known else f"classes that fit {wanted!r}"
    if wanted == "all":
        what = "modules, optimizers and schedulers"
    finding = f"no {what}"
    if total:
        one = what.replace("classes that fit", "class that fits")
        finding = f"{counted(total, one, what)} under {counted(len(totals), 'heading')}"
    alike = () if total else _alike(conn, wanted, arguments)
    return ModuleListAnswer(
        query=category,
        finding=finding,
        notes=_notes(totals, total, limit) if total or alike else _kinds(conn, arguments),
        closest=alike,
        category=wanted,
        groups=groups,
        page=Page(total, offset, len(rows)),
    )


def _alike(
    conn: sqlite3.Connection, wanted: str, arguments: Mapping[str, object]
) -> tuple[str, ...]:
    """Headings with a word like a text, and classes that are called like it."""
    rows = conn.execute(queries("list_modules")["sections"], {**arguments, "text": ""})
    titles: dict[str, list[str]] = {}
    for row in rows:
        for word in re.findall(r"\w{4,}", row["title"].lower()):
            titles.setdefault(word, []).append(row["title"])
    words = difflib.get_close_matches(wanted.lower(), titles, _MOST_ALIKE, 0.75)
    headings = [title for word in words for title in titles[word]]
    near = closest(conn, wanted, ("class",), _MOST_ALIKE * 2)
    asked = {"names": json.dumps(near), "categories": json.dumps(_CATEGORIES)}
    listed = {row["name"] for row in conn.execute(queries("list_modules")["listed"], asked)}
    names = [name for name in near if name in listed]
    return tuple(dict.fromkeys((*headings, *names)))[:_MOST_ALIKE]


def _notes(totals: dict[str, int], total: int, limit: int) -> tuple[str, ...]:
    if total <= limit:
        return ()
    headings = [f"{title} ({number})" for title, number in totals.items()]
    return (f"headings: {few(headings, _MOST_HEADINGS, 'headings')}",)


def _kinds(conn: sqlite3.Connection, arguments: Mapping[str, object]) -> tuple[str, ...]:
    """What could have been asked for where nothing is like a text."""
    rows = conn.execute(queries("list_modules")["sections"], {**arguments, "text": ""})
    headings = [row["title"] for row in rows]
    listed = f"; headings are {few(headings, _MOST_HEADINGS, 'headings')}" if headings else ""
    return (
        f"a category is {', '.join(_CATEGORIES)} or all, or a word of a class or heading{listed}",
    )


def _listed(conn: sqlite3.Connection, row: sqlite3.Row) -> ListedModule:
    bases = conn.execute(queries("list_modules")["bases"], {"id": row["id"]})
    return ListedModule(
        row["public_name"] or row["name"],
        Place(row["path"], row["line"]),
        ", ".join(name for (name,) in bases),
        row["doc"] or "",
    )
