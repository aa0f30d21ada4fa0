"""Best-first search from what changed to tests."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Edge, Node

LEAST = 0.05
"""A test that so little of a change reaches is not worth running, where there are others."""

FAINT = 0.002
"""Where there are few others, it is, down to this: what lies deep is reached by long ways only."""

FEW = 20
"""So many tests are few."""

MOST_NODES = 1_200
"""Most nodes whose dependents are read; the best come first."""

# Of these no more are generic ones, as of a budget (budget.py): an entry has dozens, and somebody may have written
# tests for what changed.
_MOST_GENERIC = FEW // 2
_DEPTH = 16
# Where there are enough tests in C++, those of Python, which are farther off, are looked for down to this.
_LEAST_BESIDE_CPP = 0.01
# What is so many steps farther from what changed than the best of its tests, and counts so much less, uses something
# that uses it: each of these has tests of its own.
_FAR = 2
_FAR_LESS = 1 / 8
# No test counts so many times more for where it stands and what it is called: twice in all that was measured.
_MOST_NEARER = 4
_TERMINAL = ("test", "generic")

_Way = tuple[tuple[Node, str], ...]


class Found(NamedTuple):
    """A test, or the generic tests of a file, with how a change reaches it.

    Args:
        node: test or generic.
        weight: the product of the edges' weights on the best path.
        distance: how many edges there are on it.
        path: nodes from what changed to the test, each with how it depends on the one before.
        tests: how many tests it stands for.
        generic: their names, of generic ones.
        is_part: there are more of the generic ones than the budget has room for.
        is_rest: there are more of the generic ones, which are found by another way.
        passes: the parameter with another default that it passes, or empty.
        home: the changed file that the test's file is called like, or empty.
    """

    node: Node
    weight: float
    distance: int
    path: tuple[tuple[Node, str], ...]
    tests: int
    generic: tuple[str, ...] = ()
    is_part: bool = False
    is_rest: bool = False
    home: str = ""

    passes: str = ""

    @property
    def is_cpp(self) -> bool:
        """Whether it is a test in C++, whose body is a function of the graph."""
        return len(self.path) > 1 and self.path[-2][0].kind == "cpp"


class _Count:
    """How many tests there are, for whether they are few: no more than half of those are generic ones."""

    def __init__(self) -> None:
        self._written = self._generic = 0

    def add(self, tests: int, is_generic: bool) -> None:
        if is_generic:
            self._generic = min(self._generic + tests, _MOST_GENERIC)
        else:
            self._written += tests

    def is_enough(self, more: int = 0) -> bool:
        return self._written + self._generic + more >= FEW


class Reach(NamedTuple):
    """What a search found.

    Args:
        found: the best first.
        nodes: how many nodes' dependents were read.
        cut: whether there were more worth reading.
    """

    found: tuple[Found, ...]
    nodes: int
    cut: bool


def search(
    graph: Graph,
    seeds: list[tuple[Node, float]],
    enough: int = 0,
    nearer: Callable[[Found], Found] | None = None,
    faint: float = FAINT,
) -> Reach:
    """Find the tests that seeds lead to: all that are worth running, and while these are few, the next best.

    Args:
        graph: of an index.
        seeds: what changed, and how much each counts.
        enough: end when so many tests are reached; 0 means to go on.
        nearer: what makes of a test one that counts more for where it stands, or nothing.
        faint: so little of a change is not followed.
    """
    weights: dict[Node, float] = {}
    depths: dict[Node, int] = {}
    parents: dict[Node, tuple[Node, str]] = {}
    tests: dict[Node, tuple[str, ...]] = {}
    heap: list[tuple[float, int, Node]] = []
    for node, weight in seeds:
        if weight > weights.get(node, 0.0):
            weights[node], depths[node] = weight, 0
            heapq.heappush(heap, (-weight, 0, node))
    done: set[Node] = set()
    known = _Count()
    reached = natives = 0
    while heap and len(done) < MOST_NODES:
        negative, depth, node = heapq.heappop(heap)
        if node in done or -negative < weights[node]:
            continue
        beside = natives if -negative < _LEAST_BESIDE_CPP else 0
        if (-negative < LEAST and known.is_enough(beside)) or 0 < enough <= reached + natives:
            break
        done.add(node)
        if depth >= _DEPTH:
            continue
        for edge in graph.dependents(node):
            weight = -negative * edge.weight
            target = _known(edge, tests)
            if weight < faint or weight <= weights.get(target, 0.0) or target in done:
                continue
            if target.kind in _TERMINAL and target not in weights:
                if node.kind == "cpp":
                    natives += 1
                else:
                    reached += len(edge.tests) or 1
                    known.add(len(edge.tests) or 1, bool(edge.tests))
            weights[target], depths[target] = weight, depth + 1
            parents[target] = (node, edge.why)
            if target.kind not in _TERMINAL:
                heapq.heappush(heap, (-weight, depth + 1, target))
    seeded = dict(seeds)
    ways: dict[Node, _Way] = {}
    # Sorted before they are made: most of what a hub leads to can never be worth running.
    ends = [(weight, node) for node, weight in weights.items() if node.kind in _TERMINAL]
    ends.sort(key=itemgetter(0), reverse=True)
    reachable = (
        Found(node, weight, depths[node], _way(node, parents, ways), len(names) or 1, names)
        for weight, node in ends
        for names in (tests.get(node, ()),)
    )
    found = _nearer(reachable, nearer) if nearer is not None else list(reachable)
    found.sort(
        key=lambda f: (-round(f.weight, 6), f.distance, -f.tests, f.node.kind, str(f.node.key))
    )
    found = list(_worth(_once(found)))
    left = any(-negative >= LEAST and node not in done for negative, _, node in heap)
    return Reach(tuple(found), len(done), left and bool(seeded))


def _nearer(found: Iterable[Found], nearer: Callable[[Found], Found]) -> list[Found]:
    """What `nearer` makes of what was found; where there is enough, what can never be worth running is left out.

    Args:
        found: the best first.
        nearer: what makes of a test one that counts more or less.
    """
    weighed: list[Found] = []
    of_cpp = {True: _Count(), False: _Count()}
    for one in found:
        if one.weight < LEAST / _MOST_NEARER and of_cpp[one.is_cpp].is_enough():
            if all(count.is_enough() for count in of_cpp.values()):
                break  # and of all that follow none is better
            continue
        made = nearer(one)
        if made.weight > 0:
            weighed.append(made)
            if made.weight >= LEAST:
                of_cpp[one.is_cpp].add(made.tests, bool(made.generic))
    return weighed


def _worth(found: Iterable[Found]) -> Iterator[Found]:
    """Those worth running, and as many of the next best as make them not few."""
    of_cpp = {True: _Count(), False: _Count()}
    best: dict[Node, Found] = {}
    for one in found:
        first = best.setdefault(one.path[0][0], one)
        is_apart = one.weight < first.weight * _FAR_LESS and one.distance >= first.distance + _FAR
        if (one.weight < LEAST or is_apart) and of_cpp[one.is_cpp].is_enough():
            continue
        of_cpp[one.is_cpp].add(one.tests, bool(one.generic))
        yield one


def _once(found: list[Found]) -> Iterator[Found]:
    """Each generic test of an entry once: those of an aspect are among all of the file's."""
    seen: dict[tuple[str, str], set[str]] = {}
    for one in found:
        if one.generic:
            before = seen.setdefault(generic_of(one.node), set())
            names = tuple(name for name in one.generic if name not in before)
            if not names:
                continue
            before.update(names)
            if len(names) < len(one.generic):
                one = one._replace(tests=len(names), generic=names, is_rest=True)
        yield one


def generic_of(node: Node) -> tuple[str, str]:
    """The OpInfo's name and the file of a node of generic tests."""
    name, path = str(node.key).split("\t")[:2]
    return name, path


def is_of_aspect(node: Node) -> bool:
    """Whether `node`, of generic tests, is only of those of a file that are about an aspect of the operator."""
    return str(node.key).count("\t") > 1


def _known(edge: Edge, tests: dict[Node, tuple[str, ...]]) -> Node:
    if edge.node.kind == "generic":
        tests[edge.node] = edge.tests
    return edge.node


def _way(node: Node, parents: dict[Node, tuple[Node, str]], ways: dict[Node, _Way]) -> _Way:
    """From what changed to a node; what several have before them is made once."""
    known = ways.get(node)
    if known is None:
        parent, why = parents.get(node, (None, ""))
        before = _way(parent, parents, ways) if parent is not None else ()
        known = ways[node] = (*before, (node, why))
    return known
