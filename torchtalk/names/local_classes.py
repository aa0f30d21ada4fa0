"""Classes within functions of Python: no rows of the index, but known to be there."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import NamedTuple

from torchtalk.answers.base import Place
from torchtalk.counted import few
from torchtalk.sqlfile import statements

_SQL = Path(__file__).parent / "names.sql"
_DETAIL = re.compile(r"line (\d+): ([^\s,]+),")
_MOST = 6


class LocalClass(NamedTuple):
    """A class within a function.

    Args:
        name: in full, as Python's `__qualname__` has it behind the module: `torch.a.f.<locals>.C`.
        place: of its `class`.
    """

    name: str
    place: Place

    @property
    def function(self) -> str:
        """The outermost function that it stands in."""
        return self.name.partition(".<locals>")[0]


def said_of_local_classes(conn: sqlite3.Connection, text: str) -> str:
    """What to say of a name that is that of classes within functions, or of a method of one; empty where it is none.

    Args:
        conn: an index.
        text: `C`, `C.forward`, `torch.a.C`, `torch.a.f.C`.
    """
    found = find_local_classes(conn, text)
    if not found:
        return ""
    listed = few([f"{each.name}  {each.place}" for each in found], _MOST)
    functions = list(dict.fromkeys(each.function for each in found))
    what = (
        "a class within a function" if len(found) == 1 else f"{len(found)} classes within functions"
    )
    return (
        f"{text.strip()} is {what}: {listed}; what it does belongs to the function:"
        f" ask for {few(functions, _MOST)}"
    )


def find_local_classes(conn: sqlite3.Connection, text: str) -> list[LocalClass]:
    """The classes within functions that a name, or the name before its last dot, may mean.

    Args:
        conn: an index.
        text: as for `said_of_local_classes`.
    """
    asked = [part for part in text.strip().split(".") if part != "<locals>"]
    if not all(part.isidentifier() for part in asked):
        return []
    found: list[LocalClass] = []
    rows = conn.execute(statements(_SQL)["local_classes"]).fetchall()
    for wanted in (asked, asked[:-1]):
        for row in rows:
            match = _DETAIL.match(row["detail"])
            if match is not None and _fits(wanted, match[2]):
                found.append(LocalClass(match[2], Place(row["file"], int(match[1]))))
        if found:
            break
    return found


def _fits(wanted: list[str], name: str) -> bool:
    """Whether a name's parts stand in a full one in their order, the last part last."""
    parts = [part for part in name.split(".") if part != "<locals>"]
    if not wanted or wanted[-1] != parts[-1]:
        return False
    rest = iter(parts[:-1])
    return all(part in rest for part in wanted[:-1])
