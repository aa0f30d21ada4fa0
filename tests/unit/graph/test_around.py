"""Paths around what few devices run: why something depends on a function, as a person expects it."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from torchtalk.db import connect
from torchtalk.graph import exclusions
from torchtalk.graph.reached import Reached
from torchtalk.graph.walk import upwards


@pytest.fixture
def changing(fixture_db: Path, tmp_path: Path) -> sqlite3.Connection:
    return sqlite3.connect(shutil.copy(fixture_db, tmp_path / "around.db"))


def _graph(conn: sqlite3.Connection, calls: str, rare: str) -> dict[str, int]:
    """Functions of one letter and their calls, `XV XT`; those that are rare stand in Vulkan's folder."""
    (common,) = conn.execute("SELECT max(id) FROM source_files WHERE kind = 'cpp'").fetchone()
    other = conn.execute(
        "INSERT INTO source_files (path, kind, sha, size)"
        " SELECT 'aten/src/ATen/native/vulkan/X.cpp', kind, sha, size FROM source_files WHERE id = ?",
        (common,),
    ).lastrowid
    nodes = {}
    for name in sorted(set(calls.replace(" ", "")), key=lambda n: (n not in rare, n)):
        row = conn.execute(
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " VALUES (?, '', 'function', ?, 1, 1, 0)",
            (f"at::{name}", other if name in rare else common),
        )
        nodes[name] = int(row.lastrowid or 0) * 16
    for caller, callee in calls.split():
        ends = nodes[caller] >> 4, nodes[callee] >> 4
        conn.execute("INSERT INTO calls VALUES (?, ?, 1, 8)", ends)
    conn.commit()
    return nodes


@pytest.mark.parametrize(
    ("calls", "rare", "shortest", "common"),
    [
        # X leads to K by Vulkan's V, and by two more calls without.
        ("XV VK XS ST TK", "V", "XVK", "XSTK"),
        # Of two as short ones it is the one that stays away.
        ("XV VK XT TK", "V", "XTK", "XTK"),
        # What is asked for is Vulkan's itself, or what asks is.
        ("XV VK XS ST TK", "VK", "XVK", "XVK"),
        ("XV VK XS ST TK", "VX", "XVK", "XVK"),
        # There is no other way, or none that stays away.
        ("XV VK XS ST", "V", "XVK", "XVK"),
        ("XV VK XS ST TK", "VT", "XVK", "XVK"),
        # Before it the path is the same.
        ("WX XV VK XS ST TK", "V", "WXVK", "WXSTK"),
    ],
)
def test_a_path_by_what_most_devices_run(
    changing: sqlite3.Connection, calls: str, rare: str, shortest: str, common: str
) -> None:
    nodes = _graph(changing, calls, rare)
    names = {node: name for name, node in nodes.items()}
    (path,) = (row[2] for row in changing.execute("PRAGMA database_list"))
    changing.close()
    conn = connect(Path(path))
    reached = upwards(conn, [nodes["K"]], 3, exclusions.parse(conn, exclusions.DEFAULT))
    start = shortest[0]
    assert _names(reached, nodes[start], names, is_common=False) == shortest
    assert _names(reached, nodes[start], names, is_common=True) == common
    conn.close()


@pytest.mark.parametrize(
    ("calls", "overrides", "common"),
    [
        ("XV VK XS TK", 2, "XSTK"),
        ("XV VK XS TK", 25, "XVK"),
        # Below where the way comes to what was reached already.
        ("XV VK XR RS TK", 2, "XRSTK"),
        ("XV VK XR RS TK", 25, "XVK"),
    ],
)
def test_no_way_leads_through_what_may_run_anything(
    changing: sqlite3.Connection, calls: str, overrides: int, common: str
) -> None:
    nodes = _graph(changing, calls, "V")
    others = changing.execute("SELECT id FROM functions ORDER BY id LIMIT ?", (overrides - 1,))
    kind = changing.execute("SELECT id FROM edge_kinds WHERE kind = 'virtual'").fetchone() or (
        changing.execute("INSERT INTO edge_kinds (kind, origin) VALUES ('virtual', 'clang')")
        .lastrowid,
    )  # fmt: skip
    changing.executemany(
        "INSERT INTO edges VALUES (?, ?, ?, 1, 1, 1)",
        [(node, nodes["S"], *kind) for node in [nodes["T"], *(16 * i for (i,) in others)]],
    )
    changing.commit()
    names = {node: name for name, node in nodes.items()}
    (path,) = (row[2] for row in changing.execute("PRAGMA database_list"))
    changing.close()
    conn = connect(Path(path))
    reached = upwards(conn, [nodes["K"]], 3, exclusions.parse(conn, exclusions.DEFAULT))
    assert _names(reached, nodes["X"], names, is_common=True) == common
    conn.close()


def _names(reached: Reached, node: int, names: dict[int, str], is_common: bool) -> str:
    path = reached.common_path(node) if is_common else reached.path(node)
    assert [step.source for step in path[1:]] == [step.target for step in path[:-1]]
    return names[node] + "".join(names[step.target] for step in path)
