"""How the full-text table of the names in tests' bodies is asked for one.

A name of several words has a mark before it where the body only calls it by itself, and its file imports nothing of
this name (`0make_tensor`), or where it has capitals (`1RETURN_VALUE`), which the table cannot tell from those without
(`indexer.facts.tests`, `ALONE`, `CAPITALS`).
"""

from __future__ import annotations

from torchtalk.names.closest import quoted

_ALONE = "0"
_CAPITALS = "1"


def in_any_way(name: str) -> str:
    """What matches the bodies with a name, however they have it and whatever the case of its letters.

    Args:
        name: one identifier.
    """
    return " OR ".join(quoted(f"{mark}{name}") for mark in ("", _ALONE, _CAPITALS))


def of_something(name: str) -> str:
    """What matches the bodies that have exactly this name behind a dot: of a value, a class or a module.

    Or by itself, where the file imports it. Else a name by itself is that of something which the function defines.

    Args:
        name: one identifier.
    """
    return quoted(name if name == name.lower() else f"{_CAPITALS}{name}")
