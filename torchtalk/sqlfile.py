"""Named statements in `.sql` files, and their parameters."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

_CONDITIONS = Path(__file__).with_name("conditions.sql")
_SHARED = re.compile(r"\{(\w+):(\w+)\}")


@functools.cache
def statements(path: Path) -> dict[str, str]:
    """The statements of a file by name.

    Each begins with a line `-- name: what`, behind which a comment says what it answers. Where it has
    `{condition:row}`, that of conditions.sql is put.

    Args:
        path: of the file.

    Returns:
        The texts by their names, each with its comment.
    """
    return {name: _SHARED.sub(_condition, text) for name, text in _named(path)}


def _named(path: Path) -> Iterator[tuple[str, str]]:
    for part in path.read_text(encoding="utf-8").split("-- name:")[1:]:
        name, _, statement = part.partition("\n")
        yield name.strip(), statement.strip()


def _condition(use: re.Match[str]) -> str:
    return _conditions()[use[1]].replace("{row}", use[2])


@functools.cache
def _conditions() -> dict[str, str]:
    """By name, without what is said of them: each stands within a line."""
    return {name: text.partition("\n")[2] for name, text in _named(_CONDITIONS)}


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
