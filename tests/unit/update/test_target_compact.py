"""A change that writes most of a file leaves no room between rows; others leave what is free for the next one."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer.target import changed_database


@pytest.mark.parametrize("compact", [False, True])
def test_room_that_a_change_leaves(fixture_db: Path, tmp_path: Path, compact: bool) -> None:
    target = Path(shutil.copy(fixture_db, tmp_path / "x.db"))
    before = target.stat().st_size
    with changed_database(target, compact=compact) as conn:
        conn.execute("DELETE FROM kept")
        conn.execute("INSERT INTO meta (key, value) VALUES ('changed', 'yes')")
    with contextlib.closing(sqlite3.connect(target)) as conn:
        free = conn.execute("PRAGMA freelist_count").fetchone()[0]
        assert conn.execute("SELECT value FROM meta WHERE key = 'changed'").fetchone() == ("yes",)
    assert (free == 0) == compact
    assert (target.stat().st_size < before) == compact
    assert [path.name for path in tmp_path.iterdir() if "lock" not in path.name] == ["x.db"]
