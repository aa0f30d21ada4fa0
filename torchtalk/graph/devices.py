"""Callers of a DispatchStub that name a device: they run its kernels for that one alone."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping

from torchtalk.graph import nodes

_NAMED = re.compile(r"(?:\bk|DeviceType::)(CPU|CUDA|HIP|MPS|XPU|HPU|MTIA|PrivateUse1|Meta)\b")
# All else that kernels are registered for is a capability of the CPU (aten/src/ATen/native/DispatchStub.h).
_DEVICES = frozenset(("CUDA", "MPS", "XPU", "HPU", "MTIA", "PrivateUse1", "Meta"))

Foreign = frozenset[tuple[int, int]]
"""Edges from a caller to a stub, by which other kernels run than those that were reached."""


def foreign(conn: sqlite3.Connection, reached: Mapping[int, int], seeds: Iterable[int]) -> Foreign:
    """Which calls of the stubs that were reached are for other devices than the kernels that were.

    A kernel that was reached because it calls its own stub is none of these: what is registered for CUDA until the
    library of linear algebra is loaded calls the stub for CUDA again
    (aten/src/ATen/native/cuda/LinearAlgebraStubs.cpp).

    Args:
        conn: an index.
        reached: nodes of a walk upwards, with how many calls away each is.
        seeds: what it began with; who asks for a stub means all its kernels.
    """
    begun = set(seeds)
    stubs = sorted({n for n in reached if n & 15 == nodes.STUB} - begun)
    if not stubs:
        return frozenset()
    wanted = json.dumps([node >> 4 for node in stubs])
    calls = conn.execute(nodes.sql()["stub_calls"], {"ids": wanted}).fetchall()
    callers = {(row["function_id"] * 16, row["node"]) for row in calls}
    devices: dict[int, set[str]] = {}
    for row in conn.execute(nodes.sql()["stub_devices"], {"ids": wanted}):
        kernel, stub = row["function_id"] * 16, row["node"]
        if kernel not in reached:
            continue
        is_by_stub = (kernel, stub) in callers and kernel not in begun
        if not is_by_stub or _is_reached_otherwise(conn, kernel, stub, reached):
            devices.setdefault(stub, set()).add(device_of(row["backend"]))
    others: dict[tuple[int, int], bool] = {}
    for row in calls:
        asked = named(row["device"] or "")
        is_other = bool(asked) and not asked & devices.get(row["node"], set())
        edge = row["function_id"] * 16, row["node"]
        # One call that may be meant is enough.
        others[edge] = others.get(edge, True) and is_other
    return frozenset(edge for edge, is_other in others.items() if is_other and devices.get(edge[1]))


def _is_reached_otherwise(
    conn: sqlite3.Connection, kernel: int, stub: int, reached: Mapping[int, int]
) -> bool:
    """Whether a kernel uses something that was reached besides the stub that it is registered with."""
    used = conn.execute(nodes.sql()["used"], {"node": kernel})
    return any(row["node"] in reached and row["node"] not in (stub, kernel) for row in used)


def named(written: str) -> frozenset[str]:
    """The devices that a call's first argument names.

    Args:
        written: the argument: `at::kCUDA`, `x.is_cuda() ? kCUDA : kCPU`; nothing of `iter.device_type()`.
    """
    return frozenset(device_of(name) for name in _NAMED.findall(written))


def device_of(name: str) -> str:
    """The device whose kernels a stub's kernel is one of.

    Args:
        name: what it is registered for: a device or a capability of the CPU.
    """
    if name == "HIP":
        return "CUDA"  # a build for ROCm has its kernels
    return name if name in _DEVICES else "CPU"
