"""What a small text registers, for the tests of registrations."""

from __future__ import annotations

from typing import Any

from indexer.extract.cpp.preprocess import parse_defines
from indexer.extract.cpp.registrations import registrations as read_cpp
from indexer.extract.cpp.unit import CppUnit
from indexer.extract.python.registrations import registrations as read_python
from indexer.facts.registrations import (
    DispatchKeyAlias,
    HelperUse,
    RegistrationBlock,
    RegistrationHelper,
    UnreadRegistration,
)
from indexer.link.registrations.expansion import read_registrations
from indexer.workers import WorkerPool


def expand(text: str, headers: dict[str, str] | None = None, path: str = "a.cpp") -> list[Any]:
    """What one file registers, with the macros of some headers."""
    facts = list(read_cpp(CppUnit(path, text.encode())))
    sources = {path: text, **(headers or {})}
    macros = [d for p, t in sources.items() for d in parse_defines(t.encode(), p)]
    blocks = [f for f in facts if isinstance(f, RegistrationBlock)]
    aliases = [DispatchKeyAlias("Autocast", "AutocastCUDA")]
    return [f for f in facts if isinstance(f, UnreadRegistration)] + list(
        read_registrations(blocks, macros, aliases, WorkerPool(0))
    )


def python(text: str, path: str = "torch/a.py") -> list[Any]:
    """What a file registers; not what it offers to others or asks of them."""
    found = list(read_python(path, text.encode()))
    return [f for f in found if not isinstance(f, (HelperUse, RegistrationHelper))]
