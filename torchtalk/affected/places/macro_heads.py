"""Macros that stand in the heads of functions: `template <typename T> C10_HOST_DEVICE inline T f(T x) {`.

They are no calls, and no table holds them: the heads that the index keeps are asked when a macro changes. It has those
of functions with a body; declarations and classes (`class TORCH_API Tensor`) are not among them.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator

from torchtalk.affected import queries
from torchtalk.sqlfile import listed

# As attributes are called (c10/macros/Export.h, c10/macros/Macros.h): another name may be a parameter's.
_ATTRIBUTE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*|__\w+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_FEW = 6  # so many names SQLite looks for faster than all words of all heads are read


def in_heads(
    conn: sqlite3.Connection, names: Iterable[str], file: int | None
) -> Iterator[tuple[int, int]]:
    """The functions in whose heads one of some macros stands, by their files and ids.

    Args:
        conn: an index.
        names: of the macros.
        file: id of the one file that they count in; None for all.
    """
    wanted = frozenset(name for name in names if _ATTRIBUTE.fullmatch(name))
    if not wanted:
        return
    few = listed(tuple(sorted(wanted))) if len(wanted) <= _FEW else "[]"
    for row in conn.execute(queries("macro_heads")["heads"], {"names": few, "file": file}):
        if not wanted.isdisjoint(_WORD.findall(row["head"])):
            yield row["file_id"], row["id"]
