"""Files that are named together: a folder with all that stands in it, or a pattern such as `torch/optim/*.py`."""

from __future__ import annotations

import re
import sqlite3

from torchtalk.affected import queries
from torchtalk.counted import counted, few

MOST_FILES = 40
"""So many files are taken for one name: of more the change in one of them would be no part of the answer."""

_SHOWN = 4
_SIGN = re.compile(r"[*?]")
_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANT = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


class TooMany(Exception):
    """More files than are taken at once; the message says how many, and what to do."""


def files_together(conn: sqlite3.Connection, name: str) -> tuple[list[sqlite3.Row], str]:
    """The files of a folder or of a pattern.

    Args:
        conn: an index.
        name: `torch/optim/`, or a path with `*`, `?` or `**`, of which only the last goes into folders.

    Returns:
        The files with id, path, kind and sha, in their order; and what to say of them, nothing of what is no path.

    Raises:
        TooMany: there are more than `MOST_FILES`.
    """
    path = name.removeprefix("./")
    if path.startswith("/"):
        return _of_checkout(conn, path.strip("/").split("/"))
    sign = _SIGN.search(path)
    if sign is None and "/" not in path:
        return [], ""
    stem = path[: sign.start()] if sign is not None else f"{path.rstrip('/')}/"
    if sign is not None and "/" not in path and "." not in path:
        return [], ""  # `operator*` is no path
    rows = conn.execute(
        queries("places")["files_below"], {"stem": stem, "end": f"{stem}\U0010ffff"}
    )
    if sign is None:
        found, what = rows.fetchall(), f"{path.rstrip('/')} is a folder with"
    else:
        wanted = re.compile(
            "".join(_MEANT.get(part) or re.escape(part) for part in _PARTS.findall(path))
        )
        found, what = [row for row in rows if wanted.fullmatch(row["path"])], f"{path} fits"
    if len(found) > MOST_FILES:
        raise TooMany(
            f"{what} {counted(len(found), 'file')} of this index, more than the {MOST_FILES} that are taken at once:"
            f" ask for some of them, such as {found[0]['path']}"
        )
    if not found:
        return [], f"no file of this index fits {path}" if sign is not None and "/" in path else ""
    shown = few([row["path"] for row in found], _SHOWN)
    taken = "all of which are taken" if len(found) > 1 else "which is taken"
    return found, f"{what} {counted(len(found), 'file')} of this index, {taken}: {shown}"


def _of_checkout(conn: sqlite3.Connection, parts: list[str]) -> tuple[list[sqlite3.Row], str]:
    """The same of a path of another checkout, as the longest of its ends that is one of the tree; a name is no path."""
    for at in range(len(parts) - 1):
        files, note = files_together(conn, "/".join(parts[at:]))
        if files:
            return files, note
    return [], ""
