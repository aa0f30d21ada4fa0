"""Kills -9 at random moments of updates of all layers at once, and while units are parsed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from indexer.target import is_being_built
from tests.survive.report import figure
from tests.unit.support import index_dump
from tests.unit.support.command import start
from tests.unit.support.killing import SPAWNING
from tests.unit.support.processes import family, left_over, workers_of
from tests.unit.support.semantic_tree import dump, edited, index, make_tree

KILLS = int(os.environ.get("TORCHTALK_KILLS", "50"))


def test_kills_of_updates_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHTALK_NO_CLANG", raising=False)
    folder = tmp_path.resolve()
    tree, database, cache = make_tree(folder / "tree"), folder / "out" / "x.db", folder / "cache"
    arguments = (
        "index", "--pytorch-source", tree, "--db", database, "--workers", 1, "--quiet",
        "--clang-cache", cache, "--clang-tests",
    )  # fmt: skip
    _run(arguments)
    edited(tree / "c10/core/deep.cpp", "int grow()", "// begin\nint grow()")
    begin = time.monotonic()
    _run(arguments)
    whole = time.monotonic() - begin
    rng, old, new = random.Random(os.environ.get("TORCHTALK_SEED", "8")), 0, 0
    for number in range(KILLS):
        before = _functions(database)
        edited(
            tree / "c10/core/deep.cpp",
            "int grow()",
            f"int g{number}() {{ return deep({number}); }}\nint grow()",
        )
        if rng.random() < 0.2:  # not in place: what everything includes
            edited(tree / "c10/util/deep.h", "int deep(int);", f"int deep(int);\nint h{number}();")
        process = start(*arguments)
        time.sleep(rng.uniform(0.02, 1.3 * whole))
        relatives, workers = family(process.pid), workers_of(process.pid)
        if workers and rng.random() < 0.4:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(workers), signal.SIGKILL)
        else:
            process.kill()
        _, err = process.communicate(timeout=120)
        assert "Traceback" not in SPAWNING.sub("", err), err
        assert left_over(relatives, 5.0) == []
        assert not is_being_built(database)
        same = _functions(database) == before
        old, new = old + same, new + (not same)
    _run(arguments)
    index(tree, folder / "whole.db", cache)
    assert index_dump.differences(dump(database), dump(folder / "whole.db")) == []
    names = {path.name for path in database.parent.iterdir()}
    assert names == {"x.db", "x.db.lock", "x.db.stat"}
    assert old > KILLS // 10
    figure(
        f"kill -9, {KILLS} times at random moments of an update with the semantic layer of {whole:.1f} s",
        f"old index {old}, new index {new}, damaged 0, orphans 0, locks left 0; then equal to a full build",
    )


def _run(arguments: tuple[object, ...]) -> None:
    process = start(*arguments)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err


def _functions(database: Path) -> int:
    """How many functions there are in a database that is checked in full first."""
    conn = sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)
    try:
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
        return int(conn.execute("SELECT count(*) FROM functions").fetchone()[0])
    finally:
        conn.close()
