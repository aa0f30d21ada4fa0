"""What compile_path says of a text that names nothing in the index: words of an option, or what Python brings."""

from __future__ import annotations

import builtins
import re
import sqlite3
import sys

from torchtalk.counted import counted
from torchtalk.sqlfile import listed
from torchtalk.tools import queries
from torchtalk.tools.compile_options import compile_options

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_MOST_SHOWN = 60


def said_of_words(conn: sqlite3.Connection, text: str) -> tuple[str, ...]:
    """A note that leads to the options and graph breaks that words are of; none where there are none.

    Args:
        conn: an index.
        text: as it was asked for; what has no space in it is a name.
    """
    words = text.strip()
    if not any(letter.isspace() for letter in words):
        return ()
    answer = compile_options(conn, words, limit=1)
    if not answer.hits:
        return ()
    kind, name = answer.hits[0].kind, answer.hits[0].name
    shown = name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}…"
    entries = counted(answer.page.total, "entry", "entries")
    return (
        f"this is no name; compile_options has {entries} of these words, such as [{kind}] {shown}",
    )


def said_of_python(conn: sqlite3.Connection, text: str) -> str:
    """What to say of a name in a module that Python brings and the tree does not have; empty for any other.

    Args:
        conn: an index.
        text: as it was asked for, of which Dynamo has neither rule, handler nor polyfill: `warnings.warn`.
    """
    name = text.strip()
    root, _, rest = name.partition(".")
    is_method = hasattr(getattr(builtins, root, None), rest)  # of `dict` or `str`
    if not _DOTTED.fullmatch(name) or not (is_method or root in sys.stdlib_module_names):
        return ""
    if conn.execute(queries("compile_path")["is_module"], {"name": root}).fetchone() is not None:
        return ""
    if is_method:
        return (
            f"{name} is no operator: {root} is a type of Python's own, and what the `call_method` of Dynamo's variables"
            " does for each of its methods is not in the index"
        )
    of = {"names": listed((root,))}
    row = conn.execute(queries("compile_path")["rules"], of).fetchone()
    skips = f", whose functions Dynamo skips ({row['path']}:{row['line']})," if row else ","
    return (
        f"{name} is no operator: {root} is a module of Python's own{skips} and no rule, handler or polyfill of"
        f" Dynamo's in this index is for it; compile_options has the messages of graph breaks"
    )
