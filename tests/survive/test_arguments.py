"""Hostile arguments against an index of a whole tree, with the time that each answer takes."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.survive.report import figure
from tests.unit.support.hostile_arguments import at_random, every_tool, one_at_a_time
from torchtalk.arguments import BadArgument
from torchtalk.db import connect
from torchtalk.render import to_text
from torchtalk.render.text import MAX_CHARACTERS
from torchtalk.tools import all_tools

SECONDS = 2.0
"""CPU time that an answer may take."""

_RANDOM = int(os.environ.get("TORCHTALK_RANDOM", "150"))


@pytest.fixture(scope="module")
def real(fixture_db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TORCHTALK_TEST_DB, else an index of PYTORCH_SOURCE_2_6_0, else of the embedded tree."""
    if named := os.environ.get("TORCHTALK_TEST_DB"):
        return Path(named)
    if tree := os.environ.get("PYTORCH_SOURCE_2_6_0"):
        target = tmp_path_factory.mktemp("real") / "x.db"
        build(open_tree(Path(tree)), target)
        return target
    return fixture_db


def _short(value: object) -> str:
    return "huge" if isinstance(value, int) and value.bit_length() > 99 else repr(value)[:40]


@pytest.mark.parametrize("name", every_tool())
def test_no_answer_is_slow_or_long(name: str, real: Path) -> None:
    tool = all_tools()[name]
    conn = connect(real)
    slowest, longest, answered, refused = (0.0, ""), 0, 0, 0
    number = _RANDOM if tool.parameters else 3
    several = [*one_at_a_time(tool), *at_random(tool, random.Random(name), number)]
    try:
        for arguments in several:
            shown = ", ".join(f"{key}={_short(value)}" for key, value in arguments.items())
            start = time.process_time()
            try:
                text = to_text(tool.ask(conn, **arguments))
                answered += 1
            except BadArgument as error:
                text = str(error)
                refused += 1
            seconds = time.process_time() - start
            assert 0 < len(text) <= MAX_CHARACTERS, shown
            slowest, longest = max(slowest, (seconds, shown)), max(longest, len(text))
    finally:
        conn.close()
    figure(
        f"hostile arguments: {name}",
        f"{answered} answered, {refused} refused; longest {longest:,} characters, slowest "
        f"{slowest[0]:.2f} s of CPU ({slowest[1].replace('|', '/')[:120]})",
    )
    assert slowest[0] < SECONDS, slowest


def test_the_index_is_a_whole_one_or_says_so(real: Path) -> None:
    conn = sqlite3.connect(f"file:{real}?mode=ro&immutable=1", uri=True)
    operators = conn.execute("SELECT count(*) FROM v_operators").fetchone()[0]
    conn.close()
    figure(
        "index that the arguments were put to",
        f"{operators:,} operators, {real.stat().st_size / 1e6:.0f} MB",
    )
    assert operators > 0
