"""What is said of an installed package, which has C++ headers and no C++ sources."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from torchtalk.tools import called_by, cuda_kernels


@pytest.fixture
def installed(conn: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    copy = sqlite3.connect(":memory:")
    copy.row_factory = sqlite3.Row
    conn.backup(copy)
    copy.execute("UPDATE meta SET value = 'installed' WHERE key = 'source_kind'")
    yield copy
    copy.close()


def test_launches_are_those_of_headers(
    conn: sqlite3.Connection, installed: sqlite3.Connection
) -> None:
    said = "it has no .cu or .cpp file"
    assert said in cuda_kernels.TOOL.ask(installed, name="softcap").notes[-1]
    assert not any(said in note for note in cuda_kernels.TOOL.ask(conn, name="softcap").notes)


def test_callers_are_those_of_headers(installed: sqlite3.Connection) -> None:
    notes = called_by.TOOL.ask(installed, name="softcap_stub").notes
    assert any("of C++ it has the headers alone" in note for note in notes)
