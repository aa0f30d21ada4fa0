"""Tests as they are shown: what each is called, where it stands, why it is there, and what runs it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from torchtalk.answers.base import Place
from torchtalk.answers.tests import TestHit
from torchtalk.sqlfile import listed
from torchtalk.testing.commands import gtest_command, makes_names, python_command
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.scoring import Scored


def paged(
    sections: tuple[tuple[int, Callable[[int, int], list[TestHit]]], ...], offset: int, limit: int
) -> list[TestHit]:
    """What stands on a page of several lists that follow one another.

    Args:
        sections: how long each list is, and what makes the part of it from one position up to another.
        offset: how many to pass over, of all lists together.
        limit: most to show.
    """
    found: list[TestHit] = []
    for length, part in sections:
        end = min(length, offset + limit - len(found))
        if offset < end:
            found += part(offset, end)
        offset = max(0, offset - length)
    return found


def test_hits(conn: sqlite3.Connection, ranked: list[tuple[int, Scored]]) -> list[TestHit]:
    """Tests with their scores, in this order, each with its first reasons."""
    ids = tuple(test_id for test_id, _ in ranked)
    rows = {
        row["id"]: row
        for row in conn.execute(queries("find_similar_tests")["details"], {"tests": listed(ids)})
    }
    return [test_hit(rows[test_id], tuple(scored.why[:3])) for test_id, scored in ranked]


def test_hit(row: sqlite3.Row | dict[str, Any], why: tuple[str, ...]) -> TestHit:
    """One test from a row of the statement `details`."""
    owner = row["class"]
    name = f"{owner}.{row['name']}" if owner else row["name"]
    if row["kind"] == "gtest":
        command = gtest_command(row["path"], owner, row["name"])
        kind = "gtest"
    else:
        kind = "test"
        command = python_command(
            row["path"], owner, row["role"], row["name"], is_generated=_is_generated(row),
            has_main=bool(row["has_main"]), run_by=row["run_by"],
        )  # fmt: skip
    return TestHit(kind, name, Place(row["path"], row["line"]), why, command)


def _is_generated(row: sqlite3.Row | dict[str, Any]) -> bool:
    """Whether the test's name, and maybe its class's, has more behind it when it runs."""
    made = row["for_parameters"] and makes_names(row["decorators"])
    return bool(row["for_devices"] or made or "parameterized.expand(" in (row["decorators"] or ""))
