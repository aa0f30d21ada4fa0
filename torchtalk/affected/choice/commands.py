"""One command a file for a selection of tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from torchtalk.testing.commands import filter_command, gtest_program

MOST_NAMES = 120
"""More names than this in one `-k` and the file is run as a whole."""


class Selected(NamedTuple):
    """What is to be run of a file.

    Args:
        path: of the file.
        kind: test, gtest or generic.
        owner: class or suite, or None.
        name: of the test; of generic tests, what selects them.
    """

    path: str
    kind: str
    owner: str | None
    name: str


def commands(selected: Iterable[Selected]) -> tuple[str, ...]:
    """The commands, in the order in which their files come first."""
    files: dict[tuple[str, bool], dict[str, None]] = {}
    for one in selected:
        if one.kind == "gtest":
            files.setdefault((one.path, True), {})[f"*{one.owner}*.{one.name}*"] = None
        else:
            files.setdefault((one.path, False), {})[one.name] = None
    found: dict[str, None] = {}
    for (path, is_gtest), names in files.items():
        if is_gtest:
            found[f"{gtest_program(path)} --gtest_filter='{':'.join(names)}'"] = None
        elif sum(1 + name.count(" or ") for name in names) > MOST_NAMES:
            found[f"pytest {path}"] = None
        else:
            parts = (f"({name})" if " and " in name and len(names) > 1 else name for name in names)
            found[filter_command(path, " or ".join(parts))] = None
    return tuple(found)
