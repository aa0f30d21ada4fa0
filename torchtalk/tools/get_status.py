"""get_status: what is indexed, from which tree, when, how completely, and is it stale?"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from indexer.layers import LAYERS
from torchtalk.answers.status import LayerStatus, StatusAnswer
from torchtalk.tools import queries
from torchtalk.treestate import TreeState, tree_state


def get_status(
    conn: sqlite3.Connection, compare: Callable[[sqlite3.Connection], TreeState] = tree_state
) -> StatusAnswer:
    """Report the state of an index and of its tree.

    Args:
        conn: an index.
        compare: tells whether the tree has changed since.
    """
    sql = queries("get_status")
    meta = {row["key"]: row["value"] for row in conn.execute(sql["meta"])}
    layers = _layers(conn, meta)
    unread = {
        row["status"]: row["number"]
        for row in conn.execute(sql["shortfalls"])
        if row["layer"] == "files"
    }
    state = compare(conn)
    database = conn.execute("PRAGMA database_list").fetchone()[2]
    pages = conn.execute("PRAGMA page_count").fetchone()[0]
    size = pages * conn.execute("PRAGMA page_size").fetchone()[0]
    notes: list[str] = []  # what is missing in a layer stands in its line
    if state.state == "changed":
        notes.append(
            f"the tree has changed since ({state.changed} files; {', '.join(state.examples)}): "
            "answers describe it as it was; bring it up to date with: torchtalk index"
        )
    elif state.state == "absent":
        notes.append("the tree is not on this machine; answers describe it as it was indexed")
    version = meta.get("torch_version") or "of unknown version"
    finding = f"PyTorch {version} from {meta.get('source_root')}, indexed {meta.get('built_at')}"
    return StatusAnswer(
        query="",
        finding=finding,
        notes=tuple(notes),
        database=str(Path(database)) if database else "",
        size=size,
        source_root=meta.get("source_root") or "",
        torch_version=meta.get("torch_version"),
        git_commit=meta.get("git_commit"),
        built_at=meta.get("built_at") or "",
        built_by=meta.get("built_by") or "",
        schema_version=int(meta.get("schema_version") or 0),
        tree=state.state,
        changed_files=state.changed,
        compared_seconds_ago=state.seconds_ago,
        layers=layers,
        unread=unread,
    )


def _layers(conn: sqlite3.Connection, meta: dict[str, str | None]) -> tuple[LayerStatus, ...]:
    sql = queries("get_status")
    status = {row["layer"]: (row["status"], row["detail"]) for row in conn.execute(sql["layers"])}
    shortfalls: dict[str, Counter[str]] = {}
    areas: dict[str, Counter[str]] = {}
    layer_of = {area: layer.name for layer in LAYERS for area in layer.areas}
    for row in conn.execute(sql["shortfalls"]):
        of = layer_of.get(row["layer"])
        shortfalls.setdefault(of or row["layer"], Counter())[row["status"]] += row["number"]
        if of is not None:
            areas.setdefault(of, Counter())[row["layer"]] += row["number"]
    found = []
    for layer in LAYERS:
        state, detail = status.get(layer.name, ("skipped", "not built"))
        prefix = f"count.{layer.name}."
        counts = {
            key.removeprefix(prefix): int(value or 0)
            for key, value in meta.items() if key.startswith(prefix)
        }  # fmt: skip
        text = state if state == "ok" else f"{state} ({detail})"
        found.append(
            LayerStatus(
                layer.name, layer.title, text, counts, dict(shortfalls.get(layer.name, {})),
                dict(areas.get(layer.name, {})),
            )
        )  # fmt: skip
    return tuple(found)
