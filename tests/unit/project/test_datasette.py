"""docs/datasette.yaml: what it names exists, its queries run, and datasette itself takes it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml

from tests.conftest import ROOT

FILE = ROOT / "docs" / "datasette.yaml"
DATABASE: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))["databases"][
    "torchtalk"
]
QUERIES: dict[str, dict[str, str]] = DATABASE["queries"]
PARAMETERS = {
    "base": "softcap", "key": "CUDA", "part": "softc", "words": "softcap",
    "function": "at::native::softcap", "operator": "aten::softcap.int", "name": "grad", "path": "aten",
}  # fmt: skip
# What the embedded tree has nothing of.
EMPTY = {"callers_of"}


def test_tables_and_columns_exist(conn: sqlite3.Connection) -> None:
    for name, table in DATABASE["tables"].items():
        columns = {row["name"] for row in conn.execute(f"PRAGMA table_info({name})")}
        assert columns, name
        named = {*table.get("columns", ()), *filter(None, [table.get("label_column")])}
        named |= {table["fts_pk"]} if "fts_pk" in table else set()
        assert named <= columns, name
        if "fts_table" in table:
            conn.execute(f"SELECT 1 FROM {table['fts_table']} LIMIT 1").fetchall()


def test_every_view_is_described(conn: sqlite3.Connection) -> None:
    views = conn.execute(
        "SELECT name FROM sqlite_master WHERE type = 'view' AND name LIKE 'v~_%' ESCAPE '~'"
    )
    for (view,) in views:
        assert DATABASE["tables"][view]["description"], view


@pytest.mark.parametrize("name", QUERIES)
def test_canned_queries_run(conn: sqlite3.Connection, name: str) -> None:
    sql = QUERIES[name]["sql"]
    wanted = set(re.findall(r"(?<!:):([a-z]+)", sql))
    rows = conn.execute(sql, {key: PARAMETERS[key] for key in wanted}).fetchall()
    assert bool(rows) != (name in EMPTY), name
    # Whatever is typed into the box is text, not syntax.
    for hostile in ('"', "a* OR b", "' --", "NEAR(", ""):
        conn.execute(sql, dict.fromkeys(wanted, hostile)).fetchall()


# Of this very environment; another version can be named.
DATASETTE = os.environ.get("TORCHTALK_DATASETTE") or str(
    Path(sys.executable).with_name("datasette")
)


@pytest.mark.slow
def test_datasette_opens_the_file(fixture_db: Path, tmp_path: Path) -> None:
    database = tmp_path / "torchtalk.db"
    shutil.copy(fixture_db, database)
    options = ["--metadata", str(FILE)]
    version = subprocess.run([DATASETTE, "--version"], capture_output=True, text=True, check=True)
    if "version 0." not in version.stdout:
        options += ["--config", str(FILE)]

    def get(path: str) -> str:
        command = [DATASETTE, "serve", "--immutable", str(database), *options, "--get", path]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "Every operator overload." in get("/torchtalk/v_operators")
    found = json.loads(get("/torchtalk/names.json?_search=softc&_shape=array"))
    assert "aten::softcap" in {row["name"] for row in found}
    for name in sorted(set(QUERIES) - EMPTY):
        assert json.loads(get(f"/torchtalk/{name}.json?_shape=array&{urlencode(PARAMETERS)}")), name
