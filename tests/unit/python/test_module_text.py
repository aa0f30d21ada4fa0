"""What the text of an answer about a module leaves out, it marks."""

from __future__ import annotations

import dataclasses
import sqlite3

from tests.unit.support.asking import ask
from torchtalk.render import to_text


def test_a_long_description_is_cut_where_one_sees_it(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace_module", name="Cap")
    long = dataclasses.replace(answer, doc="word " * 60)
    assert any(
        line.startswith("word word") and line.endswith("…") for line in to_text(long).splitlines()
    )
