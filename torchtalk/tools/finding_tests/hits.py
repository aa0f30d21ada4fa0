"""Tests as they are shown: what each is called, where it stands, why it is there, and what runs it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from torchtalk.answers.base import Place
from torchtalk.answers.tests import TestHit
from torchtalk.sqlfile import listed
from torchtalk.testing.commands import (
    gtest_command,
    is_by_words,
    makes_names,
    node_id,
    owner_named,
    python_command,
)
from torchtalk.testing.environment import Environments
from torchtalk.testing.exact import Exact, Wanted, expression
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.scored import Scored

_EXPANDED = "parameterized.expand("


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


def test_hits(
    conn: sqlite3.Connection, ranked: list[tuple[int, Scored]], environments: Environments
) -> list[TestHit]:
    """Tests with their scores, in this order, each with its first reasons.

    Args:
        conn: an index.
        ranked: ids of tests, each with its score and reasons.
        environments: takes up what their files want.
    """
    ids = tuple(test_id for test_id, _ in ranked)
    rows = {
        row["id"]: row
        for row in conn.execute(queries("find_similar_tests")["details"], {"tests": listed(ids)})
    }
    exact = Exact(conn)
    return [
        test_hit(rows[test_id], tuple(scored.why[:3]), exact, environments)
        for test_id, scored in ranked
    ]


def test_hit(
    row: sqlite3.Row | dict[str, Any],
    why: tuple[str, ...],
    exact: Exact,
    environments: Environments,
) -> TestHit:
    """One test from a row of the statement `details`.

    Args:
        row: of the test.
        why: the reasons for it.
        exact: tells what its command has to leave out.
        environments: tells what its file wants.
    """
    owner = row["class"]
    name = f"{owner}.{row['name']}" if owner else row["name"]
    place = Place(row["path"], row["line"])
    if row["kind"] == "gtest":
        return TestHit("gtest", name, place, why, gtest_command(row["path"], owner, row["name"]))
    is_generated = _is_generated(row)
    by_words = is_by_words(owner, row["role"], row["run_by"], is_generated=is_generated)
    is_wanting = environments.is_wanting(row["run_by"] or row["path"])
    words = expression([wanted(row, exact)]) if by_words else ""
    command = python_command(
        row["path"], owner, row["role"], row["name"], is_generated=is_generated,
        has_main=bool(row["has_main"]), run_by=row["run_by"], expression=words,
    )  # fmt: skip
    if command and is_wanting:
        command = environments.command(row["run_by"] or row["path"]) or command
    return TestHit("test", name, place, why, command)


def wanted(row: sqlite3.Row | dict[str, Any], exact: Exact) -> Wanted:
    """A Python test as `-k` is given it.

    Args:
        row: of the statement `details`.
        exact: tells what has to be left out.
    """
    owner = owner_named(row["class"], row["role"], row["run_by"])
    decorators = row["decorators"] or ""
    is_made = _EXPANDED in decorators or (row["for_parameters"] and makes_names(decorators))
    return exact.wanted(row, owner, is_made=bool(is_made))


def test_id(row: sqlite3.Row | dict[str, Any]) -> str:
    """What pytest calls a Python test, where it runs under its own name alone; else nothing.

    Args:
        row: of the statement `details`.
    """
    owner = row["class"]
    if is_by_words(owner, row["role"], row["run_by"], is_generated=_is_generated(row)):
        return ""
    return node_id(row["path"], owner, row["name"])


def _is_generated(row: sqlite3.Row | dict[str, Any]) -> bool:
    """Whether the test's name, and maybe its class's, has more behind it when it runs."""
    made = row["for_parameters"] and makes_names(row["decorators"])
    return bool(row["for_devices"] or made or _EXPANDED in (row["decorators"] or ""))
