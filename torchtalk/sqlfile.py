"""Named statements in `.sql` files."""

from __future__ import annotations

import functools
from pathlib import Path


@functools.cache
def statements(path: Path) -> dict[str, str]:
    """The statements of a file by name.

    Each begins with a line `-- name: what`, behind which a comment says what it answers.
    """
    found: dict[str, str] = {}
    for part in path.read_text(encoding="utf-8").split("-- name:")[1:]:
        name, _, statement = part.partition("\n")
        found[name.strip()] = statement.strip()
    return found
