"""Processes that tests look after: whose children they are, whether any is left."""

from __future__ import annotations

import os
import time
from pathlib import Path


def family(pid: int) -> list[int]:
    """All descendants of a process that live now."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                about = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            parents[int(entry.name)] = int(about.rsplit(")", 1)[1].split()[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def workers_of(pid: int) -> list[int]:
    """The processes that were started to work for one; Python's own helper is none of them."""
    found = []
    for child in family(pid):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if b"spawn_main" in command:
            found.append(child)
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits for its parent to look does not."""
    try:
        about = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return about.rsplit(")", 1)[1].split()[0] not in "ZX"


def left_over(pids: list[int], seconds: float) -> list[int]:
    """Those of some processes that still live after so many seconds."""
    end = time.monotonic() + seconds
    while (left := [pid for pid in pids if is_alive(pid)]) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def memory(pid: int) -> int:
    """Resident memory of a process, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
