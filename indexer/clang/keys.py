"""The names of what is kept of units and headers: each says what it was made from."""

from __future__ import annotations

import hashlib
import os


def key_of(base: str, *texts: str) -> str:
    """The name of what is made from some texts.

    Args:
        base: what all that is kept depends on: the versions of torchtalk, libclang and the machine.
        texts: what this depends on besides.
    """
    state = hashlib.sha256(base.encode())
    for text in texts:
        state.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return state.hexdigest()[:32]


def is_precompiled(header: str) -> bool:
    """Whether a precompiled header is there with its list, and will stay: what was used last is thrown away last.

    Args:
        header: its path.
    """
    try:
        for file in (header, f"{header}.json"):
            os.utime(file)
    except OSError:
        return False
    return True
