"""What stands in a file, a folder, a module of Python or a namespace of C++, for who searches by its name."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from itertools import chain

from torchtalk.answers.base import Page, Place
from torchtalk.answers.search import OtherHit, SearchAnswer
from torchtalk.counted import counted, few
from torchtalk.names.files import files_named, no_name, written
from torchtalk.tools.catalog import OTHER_KINDS
from torchtalk.tools.searching import queries
from torchtalk.tools.searching.others import other_hit

_WHY = "stands in it"
_MOST_FILES = 200
"""Of a folder, whose names are all counted."""
_MOST_FOLDERS = 40
# No name in Python or C++ has such an ending, with at most folders before it.
_UNKNOWN_FILE = re.compile(
    r"(?:[\w.+-]+/)*[\w+-]+\.(?:cpp|cc|cu|cuh|hpp|mm|metal|glsl|py|pyi|yaml|h)|(?:[\w.+-]+/)+[\w.+-]+\.\w+"
)
_Name = tuple[str, str, Callable[[], OtherHit]]
"""What a name is, and how to look up where it stands: a page needs few."""


def inside(
    conn: sqlite3.Connection, query: str, kind: str, limit: int, offset: int
) -> SearchAnswer | None:
    """What a search for a place finds: names have no such words, or many that stand elsewhere.

    Args:
        conn: an index.
        query: as it was given.
        kind: one of `OTHER_KINDS`, or empty for all.
        limit: most names to show.
        offset: how many to pass over.

    Returns:
        Names in the file's order, or the nearest first; none where several files end so; None where the text is no such
        place.
    """
    text = query.strip()
    place = written(text)
    if place is not None and place.first is not None and files_named(conn, place.path)[0]:
        takers = "trace, calls, called_by, impact and find_similar_tests take what stands there"
        return SearchAnswer(query, f"{text} is a line of a file, no name: {takers}", kind=kind)
    files = _files(conn, text)
    if not files and _UNKNOWN_FILE.fullmatch(text):
        alike = conn.execute(
            queries("inside")["called_alike"],
            {"stem": text.rpartition("/")[2].partition(".")[0]},
        )
        return SearchAnswer(
            query,
            f"no file of this index is called {text}",
            closest=tuple(r["path"] for r in alike),
            kind=kind,
        )
    if len(files) > 1:
        return SearchAnswer(query, no_name(conn, text), kind=kind)
    what, names = ("", []) if not files else _of_file(conn, files[0])
    if not what and "/" in text:
        what, names = _of_folder(conn, text.removeprefix("./").rstrip("/"))
        if what and not names:
            return SearchAnswer(query, what, kind=kind)
    if not what and "." in text:
        what, names = _of_module(conn, text)
        if what and not names:
            return SearchAnswer(query, f"{what} that defines no function or class", kind=kind)
    if not what and "::" in text:
        what, names = _of_namespace(conn, text.removesuffix("::"))
    if not what:
        return None
    if not names:
        return SearchAnswer(
            query, no_name(conn, text), kind=kind
        )  # the operators of a YAML file have no part in it
    fitting = [name for name in names if kind in ("", name[1])]
    number = Counter(name[1] for name in fitting)
    shown = tuple(look_up() for _, _, look_up in fitting[offset : offset + limit])
    sort = f" of kind {kind}" if kind else ""
    total = counted(len(fitting), "name") if fitting else "no name"
    return SearchAnswer(
        query,
        f"{what} with {total}{sort}",
        kind=kind,
        others=shown,
        others_page=Page(len(fitting), offset, len(shown)),
        kinds=tuple((name, number[name]) for name in OTHER_KINDS if number[name]),
    )


def _files(conn: sqlite3.Connection, text: str) -> list[sqlite3.Row]:
    place = written(text)
    return [] if place is None or place.first is not None else files_named(conn, place.path)[0]


def _of_file(conn: sqlite3.Connection, row: sqlite3.Row) -> tuple[str, list[_Name]]:
    return f"{row['path']} is a file", _defined(conn, row["id"], row["path"])


def _of_folder(conn: sqlite3.Connection, folder: str) -> tuple[str, list[_Name]]:
    """Of a package what its module has; of another folder what its files define, or, of very many, where they stand."""
    files = conn.execute(queries("inside")["folder"], {"folder": folder}).fetchall()
    if not files:
        return "", []
    in_python = sum(row["path"].endswith(".py") for row in files)
    what, names = (
        _of_module(conn, folder.replace("/", ".")) if in_python * 2 > len(files) else ("", [])
    )
    if what:
        return what, names
    if len(files) <= _MOST_FILES:
        each = [_defined(conn, row["id"], row["path"]) for row in files]
        return f"{folder} is a folder of {counted(len(files), 'file')}", list(chain(*each))
    below = (row["path"][len(folder) + 1 :].rpartition("/")[0].partition("/")[0] for row in files)
    number = Counter(below)
    own = number.pop("", 0)
    parts = few([f"{name} ({count})" for name, count in sorted(number.items())], _MOST_FOLDERS)
    most = f"{counted(own, 'file')} of its own, the others in {parts}" if own else f"in {parts}"
    return (
        f"{folder} is a folder of {len(files)} files: {most}; search one of these folders or files",
        [],
    )


def _defined(conn: sqlite3.Connection, file_id: int, path: str) -> list[_Name]:
    def hit(row: sqlite3.Row) -> Callable[[], OtherHit]:
        return lambda: OtherHit(
            row["kind"], row["name"], Place(path, row["line"]), row["places"], _WHY
        )

    rows = conn.execute(queries("inside")["in_file"], {"file": file_id})
    return [(row["name"], row["kind"], hit(row)) for row in rows]


def _of_module(conn: sqlite3.Connection, text: str) -> tuple[str, list[_Name]]:
    sql = queries("inside")
    module = conn.execute(sql["module"], {"name": text}).fetchone()
    if module is None or conn.execute(sql["is_name"], {"name": text}).fetchone() is not None:
        return "", []
    names = _defined(conn, module["id"], module["path"])
    # What a module defines stands before what it only shows of its submodules.
    known = {name for name, *_ in names}
    for row in conn.execute(sql["in_module"], {"name": text}):
        if row["name"] not in known:
            names.append((row["name"], row["kind"], _looked_up(conn, row["kind"], row["name"])))
    return f"{text} is a module, {module['path']},", names


def _of_namespace(conn: sqlite3.Connection, name: str) -> tuple[str, list[_Name]]:
    sql = queries("inside")
    is_of_operators = conn.execute(
        "SELECT 1 FROM operators WHERE namespace = ? LIMIT 1", (name,)
    ).fetchone()
    if (
        "::" not in name
        or is_of_operators
        or conn.execute(sql["is_name"], {"name": name}).fetchone()
    ):
        return "", []
    if conn.execute("SELECT 1 FROM functions WHERE name = ? LIMIT 1", (name,)).fetchone():
        return "", []
    rows = conn.execute(sql["in_namespace"], {"name": name}).fetchall()
    if not rows:
        whole = [row["name"] for row in conn.execute(sql["namespaces_ending"], {"name": name})]
        if len(whole) != 1:
            return "", []
        name = whole[0]
        rows = conn.execute(sql["in_namespace"], {"name": name}).fetchall()
    names = [(row["name"], "function", _looked_up(conn, "function", row["name"])) for row in rows]
    return (f"{name} is a namespace or a class" if names else ""), names


def _looked_up(conn: sqlite3.Connection, kind: str, name: str) -> Callable[[], OtherHit]:
    return lambda: other_hit(conn, kind, name, _WHY)
