"""Options of torch.compile, logs and environment variables, which are no functions and have names all the same."""

from __future__ import annotations

import re
import sqlite3

from torchtalk.counted import few
from torchtalk.sqlfile import beside

_queries = beside(__file__)
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_MOST_PLACES, _MOST_NAMES = 4, 5
_WHAT = {
    "config": "an option of torch.compile, set at",
    "env": "an environment variable, read at",
    "log": "a logger of TORCH_LOGS, registered at",
    "artifact": "an artifact of TORCH_LOGS, registered at",
}


def options_called(conn: sqlite3.Connection, name: str) -> list[sqlite3.Row]:
    """The options of a name, each place once: `kind`, `name`, `path`, `line`.

    Args:
        conn: an index.
        name: in full, `torch._inductor.config.max_autotune`; or, where it is the only one of all that ends so, the end.
    """
    text = name.strip()
    if not _NAME.fullmatch(text):
        return []
    sql = _queries("options")
    rows = conn.execute(sql["called"], {"name": text}).fetchall()
    ending = _ending(conn, text) if not rows else []
    return conn.execute(sql["called"], {"name": ending[0]}).fetchall() if len(ending) == 1 else rows


def said_of_options(conn: sqlite3.Connection, name: str) -> str:
    """What to say of the name of an option, and which tools go on; empty for any other.

    Args:
        conn: an index.
        name: as it was asked for.
    """
    rows = options_called(conn, name)
    if not rows:
        several = _ending(conn, name.strip()) if _NAME.fullmatch(name.strip()) else []
        if not several:
            return ""
        return f"{name.strip()} could be an option of torch.compile: {few(several, _MOST_NAMES)}; ask for one of them"
    kind = rows[0]["kind"]
    places = few(
        [f"{row['path']}:{row['line']}" for row in rows if row["kind"] == kind], _MOST_PLACES
    )
    return (
        f"{rows[0]['name']} is {_WHAT[kind]} {places}, and no node of the graph: compile_options says more of it,"
        " affected and find_similar_tests have its tests"
    )


def _ending(conn: sqlite3.Connection, text: str) -> list[str]:
    rows = conn.execute(_queries("options")["ending"], {"name": text})
    return [row["name"] for row in rows]
