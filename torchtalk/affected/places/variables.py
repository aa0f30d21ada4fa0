"""Where a module of Python gives values to its names: `mm_template = TritonTemplate(…)`.

The index has what a call makes and what is another's name, by its line, and no plain values: the module's text tells.
"""

from __future__ import annotations

import re
import sqlite3
from typing import NamedTuple

from torchtalk.affected import queries
from torchtalk.affected.sources import Sources
from torchtalk.sqlfile import beside

_TOP = re.compile(
    r"^(?P<name>[A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?[-+|&]?=(?!=)|^(?P<other>\S)", re.MULTILINE
)

_queries = beside(__file__)
_MOST = 12
"""So many modules are looked into for one name; `log` is a variable of a hundred."""


class Statements(NamedTuple):
    """The statements of a module, those that stand in no other.

    Args:
        starts: the lines that they begin in, counted from 1.
        names: what each gives a value to; empty for those that assign nothing.
    """

    starts: list[int]
    names: list[str]


def statements_of(text: str) -> Statements:
    """Find the statements of a module: a text of many lines is none, whatever its lines look like.

    Args:
        text: of the module.
    """
    # Loaded with the first module that is looked into.
    from indexer.extract.python.lexical import INSIDE, blank

    found = Statements([], [])
    code, line, at = blank(text), 1, 0
    for match in _TOP.finditer(code):
        if match["name"] or match["other"] not in f")]}}{INSIDE}":
            line += code.count("\n", at, match.start())
            at = match.start()
            found.starts.append(line)
            found.names.append(match["name"] or "")
    return found


class Variable(NamedTuple):
    """A variable of a module.

    Args:
        file: the row of the module's file.
        line: where it is first given a value.
    """

    file: sqlite3.Row
    line: int


def variable(conn: sqlite3.Connection, name: str, sources: Sources) -> Variable | None:
    """The variable of a name; None where no module at hand has one of this name.

    Args:
        conn: an index.
        name: in full.
        sources: the tree.
    """
    module, _, last = name.rpartition(".")
    if not module or not last.isidentifier():
        return None
    file = conn.execute(queries("places")["file_of_module"], {"module": module}).fetchone()
    source = sources.read(file) if file is not None else None
    if source is None or last not in source.text:
        return None
    starts, names = statements_of(source.text)
    return Variable(file, starts[names.index(last)]) if last in names else None


def variables_called(conn: sqlite3.Connection, name: str, sources: Sources) -> list[str]:
    """The variables of modules, in full, that are asked for without their module: those of torch first.

    Args:
        conn: an index.
        name: of the variable alone.
        sources: the tree.
    """
    asked = {"name": name, "most": _MOST}
    return [
        row["name"]
        for row in conn.execute(_queries("variables")["variables_called"], asked)
        if variable(conn, row["name"], sources) is not None
    ]


def is_bound_type(conn: sqlite3.Connection, name: str) -> bool:
    """Whether C++ binds a type by a name in full.

    Args:
        conn: an index.
        name: as Python has it: `torch._C._SDPBackend`.
    """
    row = conn.execute(_queries("variables")["is_bound_type"], {"name": name}).fetchone()
    return row is not None
