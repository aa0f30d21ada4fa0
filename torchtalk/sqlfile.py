"""Named statements in `.sql` files, and their parameters."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path


@functools.cache
def statements(path: Path) -> dict[str, str]:
    """The statements of a file by name.

    Each begins with a line `-- name: what`, behind which a comment says what it answers.

    Args:
        path: of the file.

    Returns:
        The texts by their names, each with its comment.
    """
    found: dict[str, str] = {}
    for part in path.read_text(encoding="utf-8").split("-- name:")[1:]:
        name, _, statement = part.partition("\n")
        found[name.strip()] = statement.strip()
    return found


def beside(module: str) -> Callable[[str], dict[str, str]]:
    """What gives the statements of the files that stand beside a module, by the files' names without `.sql`.

    Args:
        module: its `__file__`.
    """
    folder = Path(module).parent

    @functools.cache
    def of(name: str) -> dict[str, str]:
        return statements(folder / f"{name}.sql")

    return of


def listed(values: tuple[object, ...]) -> str:
    """The `values` as one parameter of a statement, for `json_each`."""
    return json.dumps(list(values))
