"""Which tests of a change fit a budget: some of each thing that changed, of several files, of both kinds."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable

from torchtalk.affected.graph.search import LEAST, Found

_ANOTHER = 0.25
_OF_CAUSE = 0.02
_MUCH_LESS = 0.3
# So many tests each thing that changed has before any has more.
_FIRST = 9
# Of a file's generic tests for an entry this part of the budget is taken at once: others of as good a file come before
# the next.
_PORTION = 1 / 10
_KINDS = _GENERIC, _PYTHON, _CPP = "generic", "python", "cpp"
# Of the budget, while there are tests of Python: a way to these is longer (TorchScript's functions are a dozen calls
# below torch.jit.script), and who builds no tests in C++ has nothing else to run.
_MOST_CPP = 2 / 3

Causes = Callable[[Found], tuple[Hashable, ...]]


def within(
    found: tuple[Found, ...],
    budget: int,
    file_of: Callable[[Found], object],
    causes: Causes | None = None,
) -> tuple[Found, ...]:
    """The best that together are no more than `budget` tests; of generic ones as many as there is room for.

    Half of the budget is for generic tests and half for others, while there are both: an entry's generic tests come
    by dozens, and alone would leave no room for the test that somebody wrote for what changed. Each further test of a
    file counts less, and each further one that the same thing leads to: one test of each of ten files tells more about
    a change than ten tests of one file, and one of each of ten operators more than ten of one of them.

    Of several things that changed each has its best tests before one has its tenth. A third is for tests of Python,
    while there are some.

    Args:
        found: the best first.
        budget: in tests.
        file_of: which file each is of.
        causes: what each is there for: the file that changed, and what changed in it.
    """
    taken: dict[int, int] = {}
    if causes is not None:
        _first(found, range(len(found)), budget, file_of, causes, 0, taken)
    _fill(found, range(len(found)), budget, file_of, taken)
    return tuple(
        found[at] if number == found[at].tests else _part(found[at], number)
        for at, number in sorted(taken.items())
    )


def _part(one: Found, tests: int) -> Found:
    return one._replace(tests=tests, generic=one.generic[:tests], is_part=True)


def _first(
    found: tuple[Found, ...],
    among: Iterable[int],
    budget: int,
    file_of: Callable[[Found], object],
    causes: Causes,
    level: int,
    taken: dict[int, int],
) -> None:
    """Take of each cause among several its share of what is best of it."""
    by_cause: dict[Hashable, list[int]] = {}
    for at in among:
        of = causes(found[at])
        if level < len(of):
            by_cause.setdefault(of[level], []).append(at)
    if len(by_cause) == 1:
        (only,) = by_cause.values()
        _first(found, only, budget, file_of, causes, level + 1, taken)
    elif by_cause:
        share = min(_FIRST, max(1, budget // len(by_cause)))
        for own in list(by_cause.values())[:budget]:
            # What counts for much less than the best of it is no better than another's.
            least = max(LEAST, found[own[0]].weight * _MUCH_LESS)
            best = [at for at in own if found[at].weight >= least] or own[:1]
            if share > 1:
                _first(found, best, share, file_of, causes, level + 1, taken)
            _fill(found, best, share, file_of, taken)


def _fill(
    found: tuple[Found, ...],
    among: Iterable[int],
    budget: int,
    file_of: Callable[[Found], object],
    taken: dict[int, int],
) -> None:
    """Take more until as many of these are taken as there is room for."""
    indices = tuple(among)
    queues = {
        kind: _Queue(found, [at for at in indices if _kind(found[at]) == kind], file_of)
        for kind in _KINDS
    }
    number = dict.fromkeys(_KINDS, 0)
    for at in indices:
        if at in taken:
            number[_kind(found[at])] += taken[at]
            for queue in queues.values():
                queue.count(found[at])
    portion = max(1, int(budget * _PORTION))
    while (left := budget - sum(number.values())) > 0:
        weights = {kind: queue.next_weight(taken) for kind, queue in queues.items()}
        kind = _next_kind(weights, number, budget)
        if not weights[kind]:
            break
        at = queues[kind].take()
        one = found[at]
        more = min(left, one.tests - taken.get(at, 0), portion)
        taken[at] = taken.get(at, 0) + more
        number[kind] += more
        for queue in queues.values():
            queue.count(one)
        if taken[at] < one.tests:
            queues[kind].put_back(at)


def _next_kind(weights: dict[str, float], number: dict[str, int], budget: int) -> str:
    """Of which kind the next test is, by what the best of each kind counts and how many each has."""
    written = max(_PYTHON, _CPP, key=lambda kind: weights[kind])
    if weights[_PYTHON] and number[_CPP] >= budget * _MOST_CPP:
        written = _PYTHON
    kind, other = _GENERIC, written
    if number[_GENERIC] >= number[_PYTHON] + number[_CPP]:
        kind, other = other, kind
    return other if weights[kind] <= weights[other] * _MUCH_LESS else kind


def _kind(one: Found) -> str:
    if one.node.kind == _GENERIC:
        return _GENERIC
    return _CPP if one.is_cpp else _PYTHON


class _Queue:
    """Tests of one kind that are still to be chosen from.

    Args:
        found: all, the best first.
        among: which of them.
        file_of: which file each is of.
    """

    def __init__(
        self, found: tuple[Found, ...], among: list[int], file_of: Callable[[Found], object]
    ) -> None:
        self._found = found
        self._file_of = file_of
        self._chosen: dict[object, int] = {}
        self._heap = [(-found[at].weight, at, 0.0) for at in among]
        heapq.heapify(self._heap)

    def next_weight(self, taken: dict[int, int]) -> float:
        """What the best of those that are left counts; 0 where none is.

        Args:
            taken: how many tests of each are taken already.
        """
        while self._heap:
            negative, at, seen = self._heap[0]
            one = self._found[at]
            if taken.get(at, 0) >= one.tests:
                heapq.heappop(self._heap)
                continue
            alike = self._alike(one)
            if alike == seen:
                return -negative
            heapq.heapreplace(self._heap, (-one.weight / (1 + alike), at, alike))
        return 0.0

    def take(self) -> int:
        """The place of the best of those that are left, which is so no longer; after `next_weight`."""
        return heapq.heappop(self._heap)[1]

    def put_back(self, at: int) -> None:
        """What some more tests are left of."""
        heapq.heappush(self._heap, (-self._found[at].weight, at, 0.0))

    def count(self, one: Found) -> None:
        """Take in that one is chosen, of this kind or the other."""
        for key in self._keys(one):
            self._chosen[key] = self._chosen.get(key, 0) + 1

    def _alike(self, one: Found) -> float:
        file, leads = self._keys(one)
        return self._chosen.get(file, 0) * _ANOTHER + self._chosen.get(leads, 0) * _OF_CAUSE

    def _keys(self, one: Found) -> tuple[object, ...]:
        leads = one.path[-2][0] if len(one.path) > 1 else None
        return self._file_of(one), leads
