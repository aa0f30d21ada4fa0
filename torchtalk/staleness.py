"""What is said with an answer whose tree has changed since it was indexed."""

from __future__ import annotations

import datetime
import sqlite3

from torchtalk.treestate import LastLook, TreeState, tree_state

EXAMPLES = 3
"""So many changed files are named."""

REMEDY = "bring it up to date with: torchtalk index"


def told(conn: sqlite3.Connection, state: TreeState) -> str:
    """How old an index is, and what has changed since.

    Args:
        conn: the index.
        state: of its tree, which has changed.
    """
    built = conn.execute("SELECT value FROM meta WHERE key = 'built_at'").fetchone()
    files = "1 file" if state.changed == 1 else f"{state.changed:,} files"
    return (
        f"this is of the tree as it was indexed {_age(str(built[0]) if built else '')}; {files} changed since "
        f"({', '.join(state.examples)}{', …' if state.changed > len(state.examples) else ''})"
    )


def note_at_once(conn: sqlite3.Connection) -> str:
    """What to say of a tree where that can be told in no time; "" where it is as it was, or telling takes seconds.

    Where nothing was kept of the tree's files (an index from another machine), all of them would be read.

    Args:
        conn: an index that is asked once.
    """
    last = LastLook()
    state = tree_state(conn, EXAMPLES, last, only_if_kept=True)
    return f"{told(conn, state)}; {REMEDY}" if state.state == "changed" else ""


def _age(built: str) -> str:
    try:
        then = datetime.datetime.fromisoformat(built)
    except ValueError:
        return "before"
    seconds = int((datetime.datetime.now(datetime.timezone.utc) - then).total_seconds())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = seconds // size
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return "less than a minute ago"
