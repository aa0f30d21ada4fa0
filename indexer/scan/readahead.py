"""Files on their way into memory before somebody waits for them."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable
from pathlib import Path

_FEW = 50
"""So few files are read as soon as they are asked for."""


def read_ahead(paths: Iterable[str | Path]) -> threading.Thread | None:
    """Have the system read files, many at a time and in a thread of its own, while they are not needed yet.

    Where a disk has to be asked, each small file takes its millisecond, and who reads one after another waits for all
    of these. What cannot be read is left to whoever needs it.

    Args:
        paths: in the order in which they will be needed.

    Returns:
        The thread, which nobody has to wait for; None where the files are few or the system takes no advice.
    """
    if not hasattr(os, "posix_fadvise"):
        return None
    wanted = list(paths)
    if len(wanted) < _FEW:
        return None
    thread = threading.Thread(target=_advise, args=(wanted,), name="read ahead", daemon=True)
    thread.start()
    return thread


def _advise(paths: list[str | Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_WILLNEED)
            finally:
                os.close(descriptor)
