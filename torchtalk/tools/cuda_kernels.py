"""cuda_kernels: GPU kernels and launch sites by kernel, launcher, operator or file; without a name by folder."""

from __future__ import annotations

import json
import sqlite3

from torchtalk.answers.base import Page, Place
from torchtalk.answers.cuda_kernels import (
    CudaKernelsAnswer,
    Folder,
    LaunchSite,
    UnlaunchedKernel,
)
from torchtalk.names import resolve
from torchtalk.names.closest import closest
from torchtalk.tools import queries
from torchtalk.tools.spec import LIMIT, OFFSET, Parameter, Tool

_DEPTH = 7
_MOST_OPERATORS = 200


def cuda_kernels(
    conn: sqlite3.Connection, name: str = "", limit: int = 20, offset: int = 0
) -> CudaKernelsAnswer:
    """Find GPU kernels and what launches them.

    Args:
        conn: an index.
        name: of a kernel, a launching function, an operator (in any form) or a file, or a part of one; empty for
            an overview by folder.
        limit: most rows to show.
        offset: how many to pass over.
    """
    text = name.strip()
    if not text:
        return _overview(conn, name, limit, offset)
    sql = queries("cuda_kernels")
    resolved = resolve(conn, text).target
    last = text.removeprefix("torch.").rsplit("::", 1)[-1]
    base = last.rsplit(".", 1)[-1] if "/" not in text and resolved is None else last
    overloads = list(resolved.overloads) if resolved is not None else []
    if resolved is not None and overloads:
        base = overloads[0].partition("::")[2].partition(".")[0]
    operators = conn.execute(
        sql["operators"], {"name": base, "resolved": json.dumps(overloads)}
    ).fetchall()[:_MOST_OPERATORS]
    # A name that somebody qualified means that function, one that names an operator its last part.
    part = base if overloads else text
    rows = conn.execute(
        sql["sites"],
        {
            "operators": json.dumps([row["id"] for row in operators]),
            "name": part,
            "pattern": part.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_"),
            "depth": _DEPTH,
            "limit": limit,
            "offset": offset,
        },
    ).fetchall()
    total = rows[0]["total"] if rows else _total(conn, name, offset)
    unlaunched = conn.execute(sql["unlaunched"], {"name": part}).fetchall()
    packets = tuple(dict.fromkeys(str(row["packet"]) for row in operators))
    return CudaKernelsAnswer(
        query=name,
        finding=_finding(text, total, packets, unlaunched[0]["total"] if unlaunched else 0),
        closest=() if total or unlaunched else closest(conn, text),
        operators=packets,
        sites=tuple(_site(row) for row in rows),
        unlaunched=tuple(
            UnlaunchedKernel(row["name"], Place(row["path"], row["line"]), row["platform"])
            for row in unlaunched
        ),
        page=Page(total, offset, len(rows)),
    )


def _total(conn: sqlite3.Connection, name: str, offset: int) -> int:
    """How many there are when the page asked for lies behind the last one."""
    return cuda_kernels(conn, name, 1, 0).page.total if offset else 0


def _finding(text: str, total: int, packets: tuple[str, ...], unlaunched: int) -> str:
    behind = ""
    if packets:
        shown = ", ".join(packets[:5])
        more = f" and {len(packets) - 5} more operators" if len(packets) > 5 else ""
        behind = f"; followed: {shown}{more}"
    idle = f", {unlaunched} kernels of that name without a launch" if unlaunched else ""
    sites = f"{total} launch sites for {text!r}" if total else f"no launch site for {text!r}"
    return f"{sites}{idle}{behind}"


def _site(row: sqlite3.Row) -> LaunchSite:
    whys = (
        "the kernel's name",
        "behind the operator"
        if not row["depth"]
        else f"behind the operator, {row['depth']} calls on",
        "in the kernel's name",
        "in the launcher's name",
        "in the file's path",
    )
    return LaunchSite(
        kernel=row["kernel"],
        kernel_place=Place(row["kernel_path"], row["kernel_line"]),
        launcher=row["launcher"] or None,
        place=Place(row["path"], row["line"]),
        kind=row["kind"],
        platform=row["platform"],
        grid=row["grid"],
        block=row["block"],
        why=whys[row["tier"]],
    )


def _overview(conn: sqlite3.Connection, name: str, limit: int, offset: int) -> CudaKernelsAnswer:
    sql = queries("cuda_kernels")["folders"]
    rows = conn.execute(sql, {"limit": limit, "offset": offset}).fetchall()
    first = rows[0] if rows else conn.execute(sql, {"limit": 1, "offset": 0}).fetchone()
    if first is None:
        return CudaKernelsAnswer(name, "this index has no GPU kernels")
    finding = (
        f"{first['all_kernels']} GPU kernels, {first['all_launches']} launches, "
        f"{first['all_others']} launches through helpers and libraries in {first['folders']} folders"
    )
    return CudaKernelsAnswer(
        query=name,
        finding=finding,
        folders=tuple(
            Folder(row["path"], row["kernels"], row["launches"], row["others"]) for row in rows
        ),
        page=Page(first["folders"], offset, len(rows)),
    )


TOOL = Tool(
    name="cuda_kernels",
    title="GPU kernels",
    description="Find CUDA and Metal kernels and their launch sites by kernel, launcher, operator or file; "
    "without a name an overview by folder.",
    parameters=(
        Parameter(
            "name",
            str,
            "kernel, launching function, operator or file, or a part; empty: overview",
            "",
        ),
        LIMIT,
        OFFSET,
    ),
    run=cuda_kernels,
    examples=({"name": "layer_norm"}, {}),
)
