"""Running a query in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchtalk.query.child import SECONDS

_CHILD = Path(__file__).with_name("child.py")
_PATIENCE = 20.0  # seconds; the child ends itself long before, unless the machine is at a stand
_MOST_AT_ONCE = 4  # each may take a core and its share of memory
_WAIT = 5.0  # seconds for one of them to end

_running = threading.BoundedSemaphore(_MOST_AT_ONCE)


class QueryFailed(Exception):
    """A query has no result.

    Args:
        message: of SQLite, or of ours.
        refused: `table x`, `function x`, `PRAGMA x`, or empty for another statement, where the
            authorizer was asked for what it does not allow; None where it was not.
    """

    def __init__(self, message: str, refused: str | None = None) -> None:
        super().__init__(message)
        self.refused = refused


@dataclass(frozen=True)
class Result:
    """What a query gave.

    Args:
        columns: their names.
        rows: those within the bounds; text, numbers and None.
        total: how many rows there are.
        complete: whether that is all of them.
        stopped: the time ran out before as many rows as asked for were there.
        full: rows were left out because they are too large together.
        cut: how many values were shortened.
        read: tables and views that the query read.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int
    complete: bool
    stopped: bool
    full: bool
    cut: int
    read: tuple[str, ...]


def run_query(database: str, query: str, limit: int) -> Result:
    """Run one statement on an index, with all that `torchtalk.query.child` holds against it.

    Args:
        database: path of the file.
        query: one statement that reads.
        limit: most rows.

    Raises:
        QueryFailed: it cannot be run, may not be run, or took more than it may.
    """
    request = json.dumps({"path": database, "query": query, "limit": limit})
    if not _running.acquire(timeout=_WAIT):
        raise QueryFailed("too many queries are running on this server; ask again in a moment")
    try:
        ended = subprocess.run(
            # Without the user's own modules and settings, and quickly: nothing else is imported.
            [sys.executable, "-I", "-S", str(_CHILD)],
            input=request.encode("ascii"), capture_output=True, timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise QueryFailed(_too_long()) from error
    except OSError as error:
        raise QueryFailed(f"the query's process cannot be started ({error})") from error
    finally:
        _running.release()
    if ended.returncode in (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL):
        raise QueryFailed(_too_long())
    if ended.returncode != 0:
        last = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:300]
        if "MemoryError" in last:
            raise QueryFailed(_too_much())
        raise QueryFailed(f"the query's process ended with {ended.returncode} {last}".strip())
    found = json.loads(ended.stdout)
    if "error" in found:
        raise _failure(found)
    found["columns"] = tuple(found["columns"])
    found["rows"] = tuple(tuple(row) for row in found["rows"])
    found["read"] = tuple(found["read"])
    return Result(**found)


def _failure(found: dict[str, Any]) -> QueryFailed:
    message: str = found["error"]
    if found["kind"] == "MemoryError" or "out of memory" in message:
        return QueryFailed(_too_much())
    if message == "interrupted":
        return QueryFailed(_too_long())
    return QueryFailed(message, found["refused"][0] if found["refused"] else None)


def _too_long() -> str:
    return (
        f"the query took longer than {SECONDS} s; ask for less: narrow it by WHERE on a name, "
        "join on ids, or look at EXPLAIN QUERY PLAN"
    )


def _too_much() -> str:
    return "the query needs more memory than it may have; ask for less"
