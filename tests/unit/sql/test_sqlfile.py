"""Statements in files, and the conditions that several of them share."""

from __future__ import annotations

from pathlib import Path

import pytest

import torchtalk
from torchtalk.sqlfile import statements

_ROOT = Path(torchtalk.__file__).parent


def test_a_condition_is_about_the_row_that_it_is_asked_of(tmp_path: Path) -> None:
    file = tmp_path / "x.sql"
    file.write_text(
        "-- name: run\n-- Which?\nSELECT 1 FROM tests AS o WHERE NOT {never_run:o} AND {db}\n"
        "-- name: not_run\nSELECT {never_run:t}\n"
    )
    found = statements(file)
    condition = found["not_run"].removeprefix("SELECT ")
    assert "t.name GLOB 'DISABLED_*'" in condition
    assert "\n" not in condition
    other = condition.replace("t.name", "o.name").replace("t.decorators", "o.decorators")
    # What a tool fills in itself stays.
    assert found["run"] == f"-- Which?\nSELECT 1 FROM tests AS o WHERE NOT {other} AND {{db}}"


def test_a_condition_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_text("-- name: run\nSELECT {never:o}\n")
    with pytest.raises(KeyError):
        statements(tmp_path / "x.sql")


def test_which_tests_nobody_runs_is_said_in_one_place() -> None:
    files = [path for path in sorted(_ROOT.rglob("*.sql")) if "DISABLED_" in path.read_text()]
    assert [path.name for path in files] == ["conditions.sql"]
