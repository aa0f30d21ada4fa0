"""One command a file for a selection of tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from torchtalk.testing.commands import filter_command, gtest_program
from torchtalk.testing.environment import Environments
from torchtalk.testing.exact import Wanted, expression

MOST_NAMES = 120
"""More names than this in one `-k` and the file is run as a whole."""


class Selected(NamedTuple):
    """What is to be run of a file.

    Args:
        path: of the file.
        kind: test, gtest or generic.
        owner: class or suite, or None.
        name: of the test; of generic tests, what selects them.
        wanted: of a test in Python that the index knows, what tells it from the file's others.
        id: what pytest calls it, where it runs under its own name alone.
    """

    path: str
    kind: str
    owner: str | None
    name: str
    wanted: Wanted | None = None
    id: str = ""


def commands(
    selected: Iterable[Selected], environments: Environments | None = None
) -> tuple[str, ...]:
    """The commands, in the order in which their files come first.

    Args:
        selected: the tests.
        environments: tells what their files want; None: nothing is known of it.
    """
    files: dict[tuple[str, bool], dict[Selected, None]] = {}
    for one in selected:
        files.setdefault((one.path, one.kind == "gtest"), {})[one] = None
    found: dict[str, None] = {}
    for (path, is_gtest), those in files.items():
        if is_gtest:
            names = dict.fromkeys(f"*{one.owner}*.{one.name}*" for one in those)
            found[f"{gtest_program(path)} --gtest_filter='{':'.join(names)}'"] = None
        else:
            words = _words([*those])
            command = environments.command(path) if environments is not None else ""
            found[command or _of_file(path, [*those], words)] = None
    return tuple(found)


def _of_file(path: str, selected: list[Selected], words: str) -> str:
    if len(selected) == 1 and selected[0].id:
        return f"pytest {selected[0].id}"
    return filter_command(path, words) if words else f"pytest {path}"


def _words(selected: list[Selected]) -> str:
    """What `-k` takes for them; nothing where they are so many that the file is run as a whole."""
    others = dict.fromkeys(one.name for one in selected if one.wanted is None)
    known = [one.wanted for one in selected if one.wanted is not None]
    if len(known) + sum(1 + name.count(" or ") for name in others) > MOST_NAMES:
        return ""
    names = [*others, *([expression(known)] if known else ())]
    parts = (f"({name})" if " and " in name and len(names) > 1 else name for name in names)
    return " or ".join(parts)
