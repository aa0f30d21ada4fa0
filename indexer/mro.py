"""In which order Python looks through a class and what it inherits from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Key = TypeVar("Key")


def linearized(
    key: Key, bases: Iterable[Key], order_of: Callable[[Key], Sequence[Key]]
) -> list[Key]:
    """A class and all that it inherits from, as its `__mro__` has them: Python's C3.

    Args:
        key: the class.
        bases: its own, as written.
        order_of: the order of a base, itself first.

    Returns:
        The order. Where Python knows none, as for bases that contradict each other, depth first
        with repeats moved back.
    """
    own = list(dict.fromkeys(bases))
    waiting = [list(order_of(base)) for base in own]
    flat = [entry for order in waiting for entry in order]
    waiting.append(own)
    found = [key]
    while any(waiting):
        waiting = [order for order in waiting if order]
        behind = {entry for order in waiting for entry in order[1:]}
        following = next((order[0] for order in waiting if order[0] not in behind), None)
        if following is None:
            last = {entry: at for at, entry in enumerate(flat)}
            return [key, *(entry for entry in sorted(last, key=last.__getitem__) if entry != key)]
        found.append(following)
        for order in waiting:
            if order[0] == following:
                del order[0]
    return found
