"""What calls of methods may mean whose object nothing tells the type of: by the method's name, or the parameter's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set

from indexer.extract.python.calls import CALL
from indexer.extract.python.untold import untold
from indexer.facts.python import CANDIDATE, UNKNOWN
from indexer.link.python.customary import Customary
from indexer.link.python.few_methods import FewMethods
from indexer.link.python.meanings import CalledRow, meanings
from indexer.link.python.resolver import Resolver


class Candidates:
    """The numbers of targets that stand for what may be meant.

    Args:
        resolver: what targets stand for.
        few_methods: for what methods of untold values are.
        customary: for what parameters are that say nothing.
        known: the functions and classes that a number stands for.
        mean: gives a new number to functions.

    Attributes:
        ids: by target its number.
        numbers: all of them.
    """

    def __init__(
        self,
        resolver: Resolver,
        few_methods: FewMethods,
        customary: Customary,
        known: Mapping[int, list[CalledRow]],
        mean: Callable[[Iterable[int]], int],
    ) -> None:
        self._resolver = resolver
        self._few_methods = few_methods
        self._customary = customary
        self._meanings = known
        self._mean = mean
        self._declared: dict[str, int] = {}
        self.ids: dict[str, int] = {}
        self.numbers: set[int] = set()

    def near(self, function: int, targets: Iterable[str]) -> frozenset[str]:
        """The packages of torch of which a file has something in hand.

        Args:
            function: id of one of the file's.
            targets: of its calls.
        """
        return self._few_methods.near(self._resolver.tables.functions[function].module_id, targets)

    def by_name(self, target: str, near: Set[str]) -> int:
        """Of the few methods that are called so, where nothing tells what it is called on; 0 where there are none.

        Args:
            target: `?.m`, `?x.m`, or a longer one of which only the `m` is known.
            near: packages of which the file has something in hand.
        """
        found = self._few_methods.named(target, near)
        return self._of(found) if found else 0

    def of_parameter(self, target: str, near: Set[str]) -> int:
        """Of a method of a parameter that says nothing of what it is: by what others declare it as, or by its name.

        Args:
            target: `custom(torch._dynamo:tx).f`.
            near: packages of which the file has something in hand.
        """
        number = self._declared.get(target)
        if number is None:
            declared = self._customary.target(target)
            rows = meanings(0, declared, self._resolver) if declared else ()
            run = tuple(row.function_id for row in rows if row.function_id is not None)
            number = self._declared[target] = self._of(run) if run else 0
        owner, _, method = target.rpartition(".")
        name = owner.rpartition(":")[2].rstrip(")").rpartition(".")[2]
        method = "" if number else untold(method, is_named=True, owner=name)
        return number or (self.by_name(method, near) if method else 0)

    def but(self, number: int, function: int) -> int:
        """Candidates without the function that calls: it asks another object for what it is called itself.

        Args:
            number: of candidates.
            function: id of the one that calls them.

        Returns:
            Their number; 0 where there are no others.
        """
        run = self._run(number)
        if function not in run:
            return number
        others = tuple(each for each in run if each != function)
        return self._of(others) if others else 0

    def add(
        self, sites: dict[int, list[tuple[int, int, int]]], said: Mapping[tuple[int, int], int]
    ) -> None:
        """Add what may be called, but for what the same function calls for sure.

        Args:
            sites: by function, target, line and kind of each call.
            said: by function and number of candidates the first line that calls them.
        """
        sure = {
            function: {
                each
                for number, _, kind in sites.get(function, ())
                if kind == CALL
                for each in self._run(number)
            }
            for function, _ in said
        }
        for (function, number), line in said.items():
            if sure[function].isdisjoint(self._run(number)):
                sites.setdefault(function, []).append((number, line, CANDIDATE))

    def _run(self, number: int) -> list[int]:
        return [row.function_id for row in self._meanings[number] if row.function_id]

    def _of(self, run: tuple[int, ...]) -> int:
        """The number of candidates that are these functions."""
        told = f"{UNKNOWN}.{'|'.join(map(self._full_name, run))}"
        if told not in self.ids:
            number = self.ids[told] = self._mean(run)
            self.numbers.add(number)
        return self.ids[told]

    def _full_name(self, function: int) -> str:
        tables = self._resolver.tables
        row = tables.functions[function]
        return f"{tables.modules[row.module_id].name}.{row.name}"
