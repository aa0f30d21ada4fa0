"""Callers of a DispatchStub that name a device: they run its kernels for that one alone."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Collection, Iterable

from torchtalk.graph import nodes

_NAMED = re.compile(r"(?:\bk|DeviceType::)(CPU|CUDA|HIP|MPS|XPU|HPU|MTIA|PrivateUse1|Meta)\b")
# All else that kernels are registered for is a capability of the CPU (aten/src/ATen/native/DispatchStub.h).
_DEVICES = frozenset(("CUDA", "MPS", "XPU", "HPU", "MTIA", "PrivateUse1", "Meta"))

Foreign = frozenset[tuple[int, int]]
"""Edges from a caller to a stub, by which other kernels run than those that were reached."""


def foreign(conn: sqlite3.Connection, reached: Collection[int], seeds: Iterable[int]) -> Foreign:
    """Which calls of the stubs that were reached are for other devices than the kernels that were.

    Args:
        conn: an index.
        reached: nodes of a walk upwards.
        seeds: what it began with; who asks for a stub means all its kernels.
    """
    stubs = sorted({n for n in reached if n & 15 == nodes.STUB} - set(seeds))
    if not stubs:
        return frozenset()
    wanted = json.dumps([node >> 4 for node in stubs])
    devices: dict[int, set[str]] = {}
    for row in conn.execute(nodes.sql()["stub_devices"], {"ids": wanted}):
        if row["function_id"] * 16 in reached:
            devices.setdefault(row["node"], set()).add(_device(row["backend"]))
    named: dict[tuple[int, int], bool] = {}
    for row in conn.execute(nodes.sql()["stub_calls"], {"ids": wanted}):
        match = _NAMED.search(row["device"] or "")
        is_other = match is not None and _device(match[1]) not in devices.get(row["node"], ())
        edge = row["function_id"] * 16, row["node"]
        # One call that may be meant is enough.
        named[edge] = named.get(edge, True) and is_other
    return frozenset(edge for edge, is_other in named.items() if is_other and devices.get(edge[1]))


def _device(name: str) -> str:
    if name == "HIP":
        return "CUDA"  # a build for ROCm has its kernels
    return name if name in _DEVICES else "CPU"
