"""Who includes a header of which nothing that changed is known: the nearest of these files stand for what uses it.

No table has who includes what. The tree's files are searched for the header's name in an `#include`.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from torchtalk.affected import queries
from torchtalk.affected.diff.diffs import WHOLE_FILE, Span
from torchtalk.affected.graph.nodes import spread
from torchtalk.affected.places.changes import Changes
from torchtalk.affected.places.standing import seeds_at
from torchtalk.affected.sources import Source, Sources
from torchtalk.answers.base import Place
from torchtalk.counted import counted, few

_WEIGHT = 0.4
# A header that more include is a part of nearly everything, and of each nearly nothing.
_MOST_INCLUDERS = 60
_MOST_FILES = 4
_MOST_SEEDS = 40
HEADER = re.compile(r"\.(?:h|hpp|hh|cuh|inl|inc)$")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)


def take_includers(
    conn: sqlite3.Connection,
    file: sqlite3.Row,
    line: int,
    changes: Changes,
    sources: Sources,
) -> None:
    """Add what stands in the nearest files that include a header, and say so.

    Args:
        conn: an index.
        file: the header's row.
        line: that changed.
        changes: to be added to.
        sources: the tree.
    """
    path = file["path"]
    found = sorted(
        (source for source in _including(file, sources) if source.is_indexed),
        key=lambda source: _far(path, source.path),
    )
    if not 0 < len(found) <= _MOST_INCLUDERS:
        return
    nearest = _far(path, found[0].path)[:2]
    near = [source for source in found if _far(path, source.path)[:2] == nearest][:_MOST_FILES]
    seeds = [
        seed
        for source in near
        for row in conn.execute(queries("places")["file"], {"path": source.path})
        for seed in seeds_at(conn, row, Span(1, WHOLE_FILE))
        if seed.node.kind in ("cpp", "kernel", "stub")
    ][:_MOST_SEEDS]
    for seed in seeds:
        weight = _WEIGHT * seed.weight * spread(len(seeds))
        how = f"stands in {seed.place.file}, which includes it"
        changes.add(replace(seed, weight=weight, lines=0, how=how, place=Place(path, line)))
    if seeds:
        names = few([source.path for source in near], _MOST_FILES)
        changes.notes.append(
            f"{path}: who uses the changed lines is not known; {counted(len(found), 'file')} include it, of which "
            f"followed {'is' if len(near) == 1 else 'are'} {names}"
        )


def _including(file: sqlite3.Row, sources: Sources) -> Iterator[Source]:
    """The files that include a header, by its whole path behind a folder of includes or by its name beside it."""
    path = file["path"]
    folder, name = posixpath.split(path)
    rows = [row for row in sources.of_cpp(path) if row["id"] != file["id"]]
    for source in sources.holding(rows, (f'{name}"', f"{name}>")):
        for match in _INCLUDE.finditer(source.text):
            sign, text = match[1], match[2]
            beside = sign == '"' and posixpath.dirname(source.path) == folder and text == name
            if beside or ("/" in text and f"/{path}".endswith(f"/{text}")):
                yield source
                break


def _far(header: str, path: str) -> tuple[bool, bool, bool, str]:
    """First what is called like the header, then what stands beside it, and sources before other headers."""
    is_like = _stem(path) == _stem(header)
    is_beside = posixpath.dirname(path) == posixpath.dirname(header)
    return (not is_like, not is_beside, HEADER.search(path) is not None, path)


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
