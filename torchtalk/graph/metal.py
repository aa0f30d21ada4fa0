"""Instances of Metal's kernels, which are launched by a name that is put together where that is done."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from torchtalk.sqlfile import beside

_queries = beside(__file__)


class InstanceLaunch(NamedTuple):
    """A launch that may be of an instance.

    Args:
        launch: its id.
        kernel: id of the kernel that it is known of.
        name: of that kernel.
    """

    launch: int
    kernel: int
    name: str


def launches_of(conn: sqlite3.Connection, name: str) -> list[InstanceLaunch]:
    """The launches that may be of an instance which none names in full; none of what is no such instance.

    Args:
        conn: an index.
        name: as a profiler has it: copysign_half.
    """
    rows = conn.execute(_queries("metal")["of_instance"], {"name": name})
    return [InstanceLaunch(row["launch_id"], row["id"], row["name"]) for row in rows]
