"""One command a file for a selection of tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from torchtalk.tools.testcommands import gtest_program

MOST_NAMES = 60
"""More names than this in one `-k` and the file is run as a whole."""


class Selected(NamedTuple):
    """What is to be run of a file.

    Args:
        path: of the file.
        kind: test, gtest or generic.
        owner: class or suite, or None.
        name: of the test; of generic tests, the OpInfo's.
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
            files.setdefault((one.path, False), {})[one.name.replace(".", "_")] = None
    found: dict[str, None] = {}
    for (path, is_gtest), names in files.items():
        if is_gtest:
            found[f"{gtest_program(path)} --gtest_filter='{':'.join(names)}'"] = None
        elif len(names) > MOST_NAMES:
            found[f"pytest {path}"] = None
        elif len(names) == 1:
            found[f"pytest {path} -k {next(iter(names))}"] = None
        else:
            found[f"pytest {path} -k '{' or '.join(names)}'"] = None
    return tuple(found)
