"""What the statements of a body that is read as text say of the names that they give something to."""

from __future__ import annotations

from typing import NamedTuple

from indexer.extract.python.given_values import GivenValue
from indexer.extract.python.value_texts import any_of

NONE = "None"
"""What is given for nothing, and what stands for it while nothing else is given."""


class Told(NamedTuple):
    """What the statements of a body say of names, each by the name.

    Args:
        alone: what it is given, where it is nothing else.
        cast: what it is said to be by `cast`, each time.
        elements: of what else holds something.
        unpacked: where it is one of several names that are given something together.
        lists: what it holds, where it is a list that is written there.
        named: the target and offset of each value that is given without a call.
        defaults: those that are given something only where they are None.
    """

    alone: dict[str, str]
    cast: dict[str, list[str]]
    elements: dict[str, str]
    unpacked: dict[str, str]
    lists: dict[str, str]
    named: list[tuple[str, int]]
    defaults: set[str]


def give(told: Told, name: str, target: str, value: GivenValue) -> None:
    """Take in what a name is given; one that is given different things may be any of them.

    Args:
        told: of the body, to which is added.
        name: that is given something.
        target: what that is, or an empty string.
        value: how it stands there.
    """
    alone = told.alone
    if value.path == NONE:
        alone.setdefault(name, NONE)  # nothing is called on it
    elif value.form[:1] == "[" and value.form[-1] != "(":
        if value.path.partition(".")[0] != name != "self":
            known = told.elements.get(name, target)
            told.elements[name] = target if known == target else ""
    elif value.is_cast:
        told.cast.setdefault(name, []).append(target)
    elif value.is_named and not target:
        pass  # it says nothing of what other statements tell
    elif alone.get(name, NONE) == NONE:
        alone[name] = target
    elif alone[name] != target:
        alone[name] = any_of(alone[name], target)
