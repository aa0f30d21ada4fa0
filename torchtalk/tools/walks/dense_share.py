"""How much of what a change reaches dense tensors of the CPU and CUDA notice, for `impact`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from torchtalk.counted import counted, few
from torchtalk.graph.entries import Entries, entries
from torchtalk.graph.layouts import few_kernels
from torchtalk.graph.reached import Reached
from torchtalk.graph.walk import into_python, without

_MOST_KEYS = 3
_NEARLY_ALL = 0.9
"""Where so many of the operators are left it is not worth a word: a hub is used by kernels of every kind."""


@dataclass(frozen=True)
class Usual:
    """What users know of what was reached, and what there is to say of it.

    Args:
        entries: those first that such tensors reach.
        said: behind the finding; empty where nearly everything is reached by them.
    """

    entries: Entries
    said: str


def usually(
    conn: sqlite3.Connection, reached: Reached, seeds: list[int], depth: int, above: Entries
) -> Usual:
    """Tell what depends by kernels that few tensors run alone.

    Args:
        conn: an index.
        reached: by `upwards`, and `into_python`.
        seeds: what the walk began with.
        depth: how many calls away at most.
        above: what users know of it.
    """
    kernels = few_kernels(reached)
    if kernels is None or not above.operators:
        return Usual(above, "")
    rest = without(reached, seeds, depth, kernels.edges)
    into_python(rest)
    left = entries(conn, rest, of_tests=False)
    if len(left.operators) >= _NEARLY_ALL * len(above.operators):
        return Usual(above, "")
    keys = few(kernels.keys, _MOST_KEYS, "keys")
    first = replace(
        above,
        operators=_first(left.operators, above.operators),
        apis=_first(left.apis, above.apis),
        classes=_first_classes(left.classes, above.classes),
    )
    if not left.any:
        return Usual(first, f", all of it through kernels of {keys}")
    parts = [
        counted(len(found), noun)
        for found, noun in (
            (left.operators, "operator"),
            (left.apis, "public Python function"),
            (left.classes, "module"),
        )
        if found
    ]
    return Usual(first, f"; without kernels of {keys} {', '.join(parts)}")


def _first(these: Iterable[str], names: tuple[str, ...]) -> tuple[str, ...]:
    wanted = frozenset(these)
    return tuple(sorted(names, key=lambda name: name not in wanted))


def _first_classes(these: Mapping[int, str], classes: Mapping[int, str]) -> dict[int, str]:
    return dict(sorted(classes.items(), key=lambda item: item[0] not in these))
