"""How an index is opened for reading."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from torchtalk.db import connect


def test_questions_write_no_files(fixture_db: Path) -> None:
    with contextlib.closing(connect(fixture_db)) as conn:
        assert conn.execute("PRAGMA temp_store").fetchone()[0] == 2  # MEMORY
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            conn.execute("DELETE FROM meta")
