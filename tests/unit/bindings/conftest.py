"""An empty index for what binds C++ to Python."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from indexer import schema


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    schema.create(connection)
    yield connection
    connection.close()
