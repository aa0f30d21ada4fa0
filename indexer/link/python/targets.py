"""What each target of a call is: a function, a class, or a name bound in C++."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Set
from typing import NamedTuple

from indexer.extract.python.calls import ASIDE, CALL, HANDED
from indexer.facts.python import (
    CUSTOMARY,
    DECORATED,
    DECORATOR,
    MADE_NAME,
    MADE_OF,
    MEMBER,
    METHOD,
    MODULE,
    READ,
    REGISTERED,
    SET,
    TABLE,
    UNKNOWN,
    WRAPPED,
    PackedPythonCalls,
)
from indexer.link.python.asked_tables import handing
from indexer.link.python.bulk_load import without_index
from indexer.link.python.candidates import Candidates
from indexer.link.python.customary import Customary
from indexer.link.python.few_methods import FewMethods
from indexer.link.python.heirs import Heirs
from indexer.link.python.looked_up import LookedUp
from indexer.link.python.made_operators import made_operators
from indexer.link.python.meanings import CalledRow, meanings, of_entity
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Tables
from indexer.write.calls import PYTHON, kept_calls, unpacking

_UNFOLLOWED, _NO_PROPERTY, _OF_A_TABLE = -1, -2, -3
_MOST_OF_NATIVE = 4
_LEAST_OF_OBJECT = 3  # dots in the method of what an object of a module holds: `torch.m.V.kernel.f`
_OPERATORS, _TESTING = "torch.ops.", "torch.testing."
_BOUND = "SELECT python_name FROM bindings WHERE python_name IS NOT NULL UNION SELECT name FROM python_natives"


class Calls(NamedTuple):
    """The calls that lead into the tree.

    Args:
        sites: by function, target, line and kind of each of its calls, in this order.
        meanings: by target.
    """

    sites: dict[int, list[tuple[int, int, int]]]
    meanings: dict[int, list[CalledRow]]


def link_calls(conn: sqlite3.Connection, resolver: Resolver) -> Calls:
    """Store the calls whose target is in the tree, and say for each target what it is.

    The others, of what no file of the tree defines or of values that the text does not tell, are
    counted in `coverage`.

    Args:
        conn: the database, in a transaction.
        resolver: for what targets stand for; bases must be linked.
    """
    bound = conn.execute(_BOUND)
    told = _Told(
        resolver, FewMethods(resolver, (name for (name,) in bound)), Customary(resolver, conn)
    )
    for _, first, packed in kept_calls(conn, PYTHON):
        with unpacking():
            targets, columns = PackedPythonCalls(packed).unpacked()
        told.add_file(first, targets, columns)
    told.add_tables()
    told.add_made_operators()
    _insert(conn, told.ids | told.of_heirs | told.candidates.ids, told.calls)
    conn.executemany("INSERT INTO python_unfollowed VALUES (?, ?)", sorted(told.unfollowed.items()))
    _report(conn, told.left_out)
    return told.calls


class _Told:
    """What was told of the calls so far, file by file.

    Args:
        resolver: for what targets stand for.
        few_methods: for what methods of untold values are.
        customary: for what parameters are that say nothing.

    Attributes:
        calls: those that lead into the tree.
        ids: by target its number among `calls.meanings`; 0 for what is not in the tree.
        candidates: what is said of methods of what nothing tells the type of.
        of_heirs: the same of targets that stand for something in their own module alone: what heirs have.
        left_out: how many calls lead nowhere.
        unfollowed: by function, how many of its calls are of values that the text does not tell.
    """

    def __init__(self, resolver: Resolver, few_methods: FewMethods, customary: Customary) -> None:
        self._resolver = resolver
        self._heirs = Heirs(resolver)
        self._looked_up = LookedUp(resolver)
        self._called_only: set[int] = set()
        self._of_modules: Counter[tuple[int, int]] = Counter()
        self.calls = Calls({}, {})
        self.candidates = Candidates(
            resolver, few_methods, customary, self.calls.meanings, self._mean
        )
        self.ids: dict[str, int] = {}
        # What heirs alone have is known where the class itself stands: elsewhere an object may be any of too many.
        self.of_heirs: dict[str, int] = {}
        self.left_out = 0
        self.unfollowed: Counter[int] = Counter()

    def add_file(self, first: int, targets: list[str], columns: list[array[int]]) -> None:
        """Take in the calls of one file.

        Args:
            first: id of the function that the calls number 0.
            targets: as packed.
            columns: as packed: caller, position of the target, kind and line of each call.
        """
        module, handed = self._of_module(first, columns)
        known = self._known(first, targets, handed)
        every, called_only = self.calls.sites, self._called_only
        candidates: dict[tuple[int, int], int] = {}  # of what may be meant, one line is enough
        reads = {position for position, target in enumerate(targets) if MEMBER in target}
        for caller, position, kind, line in zip(*columns, strict=True):
            number = known[position]
            if number in called_only and kind != CALL:
                continue
            if caller == module and (number <= 0 or self._is_enough(first + caller, number)):
                continue
            if caller == module and kind == HANDED and self._is_untold(number, targets[position]):
                continue
            if number in self.candidates.numbers:
                if kind == CALL and (number := self.candidates.but(number, first + caller)):
                    said = first + caller, number
                    candidates[said] = min(line, candidates.get(said, line))
                is_told = not targets[position].startswith((UNKNOWN, CUSTOMARY))
                number = _UNFOLLOWED if is_told else _NO_PROPERTY
            if number > 0:
                if position in reads:
                    is_class = self.calls.meanings[number][0].class_id is not None
                    if kind == ASIDE and not is_class:
                        continue  # what a method is compared with does not run it
                    kind = ASIDE if is_class else kind
                site = (number, line, kind)
                sites = every.get(first + caller)
                if sites is None:
                    every[first + caller] = [site]
                elif position not in reads or all(other[0] != number for other in sites):
                    sites.append(site)
            elif number == _OF_A_TABLE:
                self._looked_up.add(first + caller, targets[position], kind, line)
                if kind == DECORATED:
                    self._add_decorator(first + caller, targets[position], line)
            elif number != _NO_PROPERTY:
                self.left_out += 1
                if number and kind == CALL:
                    self.unfollowed[first + caller] += 1

        self.candidates.add(every, candidates)

    def _of_module(self, first: int, columns: list[array[int]]) -> tuple[int, set[int]]:
        """The number of a file's module among what calls there, and the targets that it alone uses, and only hands on.

        The module is the last that calls; -1 where it calls nothing.
        """
        callers, positions, kinds, _ = columns
        last = callers[-1] if callers else -1
        found = self._resolver.tables.functions.get(first + last)
        if found is None or found.name != MODULE:
            return -1, set()
        begin = bisect_left(callers, last)
        handed = {
            position
            for position, kind in zip(positions[begin:], kinds[begin:], strict=True)
            if kind == HANDED
        }
        called = (at for at, kind in zip(positions, kinds, strict=True) if kind != HANDED)
        return last, handed.difference(positions[:begin], called)

    def _is_enough(self, module: int, number: int) -> bool:
        """Whether a module calls what C++ binds more often than is worth a row: `torch._C._add_docstr`."""
        self._of_modules[module, number] += 1
        return self._of_modules[module, number] > _MOST_OF_NATIVE and self._is_native(number)

    def _is_untold(self, number: int, target: str) -> bool:
        """Whether nobody asks who hands something on: what C++ binds, and is no operator of `torch.ops`."""
        found = self._resolver.resolve(target) if self._is_native(number) else None
        return found is not None and not found.path.startswith(_OPERATORS)

    def _is_native(self, number: int) -> bool:
        return all(row.native_id is not None for row in self.calls.meanings[number])

    def _known(self, first: int, targets: list[str], handed: Set[int]) -> list[int]:
        """The number of each target of a file, or why it has none; what its module hands on may be no function."""
        tables = self._resolver.tables
        is_packaged = _is_packaged(tables, first)
        is_of_tests = _module(tables, first).startswith(_TESTING)
        near = (
            self.candidates.near(first, targets) if is_packaged and not is_of_tests else frozenset()
        )
        module = f"{_module(tables, first)}."
        of_module = (module, f"super({module}")
        known = []
        for position, target in enumerate(targets):
            if MEMBER in target:
                known.append(self._number_of_read(target))
                continue
            if position in handed:
                known.append(self._number_of_handed(target))
                continue
            if target.endswith((TABLE, DECORATOR)):
                known.append(_OF_A_TABLE)
                continue
            if MADE_NAME in target:
                known.append(self._number_of_made(target))
                continue
            if target.endswith(METHOD):
                known.append(self._number_of_method(target[: -len(METHOD)]))
                continue
            if target.startswith(CUSTOMARY):
                known.append(self.candidates.of_parameter(target, near) or _NO_PROPERTY)
                continue
            if target.startswith(UNKNOWN) and target != UNKNOWN:
                known.append(self.candidates.by_name(target, near) or _NO_PROPERTY)
                continue
            number = self._number(target)
            if not number and target.startswith(of_module):
                number = self._number_of_heirs(target)
            if not number and "(" in target and not target.endswith((READ, SET)):
                number = self._number_of_properties(target)
            if not number and target.endswith((READ, SET)):
                number = _NO_PROPERTY
            elif not number and is_packaged and (target == UNKNOWN or "()" in target):
                number = self.candidates.by_name(target, near) or _UNFOLLOWED
            elif not number and is_packaged and target.count(".") > _LEAST_OF_OBJECT:
                number = self.candidates.by_name(target, near)
            known.append(number)
        return known

    def _number(self, target: str) -> int:
        number = self.ids.get(target)
        if number is None:
            number = self._next()
            rows = list(meanings(number, target, self._resolver))
            if rows:
                self.calls.meanings[number] = rows
            else:
                number = 0
            self.ids[target] = number
        return number

    def _number_of_handed(self, target: str) -> int:
        """Tables of a module hold dtypes and operators, too, to which no edge leads."""
        if target in self.ids:
            return self.ids[target]
        owner = target.rpartition(".")[0]
        for path in (owner.rpartition(".")[0], owner, target):
            found = self._resolver.resolve(path) if path else None
            if found is not None and found.kind in ("native", "path"):
                return 0
        return self._number(target)

    def _number_of_heirs(self, target: str) -> int:
        number = self.of_heirs.get(target, 0)
        if not number and (run := self._heirs.methods(target)):
            number = self.of_heirs[target] = self._mean(run)
        if number:
            self._called_only.add(number)
        return number

    def _number_of_made(self, target: str) -> int:
        number = self.ids.get(target)
        if number is None:
            found = self._heirs.named_like(target)
            number = self.ids[target] = self._mean(found) if found else 0
        return number

    def _number_of_method(self, target: str) -> int:
        """Of an object's method that is handed on; what else it has is no function: `schema.op`, `shard.offsets`."""
        number = self._number(target)
        name = target.rpartition(".")[2]
        functions = self._resolver.tables.functions
        run = [functions.get(row.function_id or 0) for row in self.calls.meanings.get(number, ())]
        is_method = any(f and f.name.endswith(f".{name}") and f.kind != "property" for f in run)
        return number if is_method else _NO_PROPERTY

    def _number_of_read(self, target: str) -> int:
        """Of a class of which a member is read, or of the method that it is: `make_guard(Builder.NAME_MATCH)`."""
        path, _, member = target.partition(MEMBER)
        owner = self._resolver.resolve(path)
        if owner is None or owner.kind != "class":
            # `SymT.SIZE.value` is what the member has.
            path, _, member = path.rpartition(".")
            owner = self._resolver.resolve(path) if path else None
        if owner is None or owner.kind != "class":
            return _NO_PROPERTY
        held = self._resolver.attribute(owner, member)
        if held is not None and held.kind == "function":
            return self._number(f"{path}.{member}") or _NO_PROPERTY
        is_other = held is not None and held.kind in ("native", "choice", "class")
        return _NO_PROPERTY if is_other else self._number(path) or _NO_PROPERTY

    def _number_of_properties(self, target: str) -> int:
        """Of what a property gives nobody knows what it is, but who calls it runs the property: `holder.kernel(x)`."""
        read = self._resolver.properties_read(target)
        if not read:
            return 0
        number = self.ids[target] = self._mean(each.id for each in read)
        self._called_only.add(number)
        return number

    def _add_decorator(self, function: int, target: str, line: int) -> None:
        """Say what stands over a function: what it wraps is called through it."""
        number = self._number(target.removesuffix(DECORATOR))
        if number and not self._is_native(number):
            self.calls.sites.setdefault(function, []).append((number, line, WRAPPED))

    def add_tables(self) -> None:
        """Take in who looks up tables of functions or of their names, when all files were taken in."""
        for table, functions, readers in self._looked_up.tables():
            number = self.ids[table] = self._mean(functions)
            for caller, line in readers:
                self.calls.sites.setdefault(caller, []).append((number, line, REGISTERED))
        for caller, line, name, run in handing(self._looked_up.asking, *self.calls, self._resolver):
            number = self.ids.get(name) or self.ids.setdefault(name, self._mean(run))
            self.calls.sites[caller].append((number, line, REGISTERED))

    def add_made_operators(self) -> None:
        """Take in what is handed to the helpers that make operators, when all files were taken in."""
        for target, given in made_operators(self._resolver):
            number = self.ids.setdefault(target, self._next())
            rows = self.calls.meanings.setdefault(number, [])
            rows += (row for entity in given for row in of_entity(number, entity, self._resolver))

    def _mean(self, functions: Iterable[int]) -> int:
        """The number of a new target that stands for some functions."""
        number = self._next()
        self.calls.meanings[number] = [CalledRow(number, each, None, None) for each in functions]
        return number

    def _next(self) -> int:
        return len(self.calls.meanings) + 1


def _is_packaged(tables: Tables, function: int) -> bool:
    """Whether a function is one of PyTorch's own packages: what tests do with values is not asked for."""
    return _module(tables, function).startswith("torch.")


def _module(tables: Tables, function: int) -> str:
    """The module that a function stands in, or an empty string."""
    found = tables.functions.get(function)
    return tables.modules[found.module_id].name if found is not None else ""


def _insert(conn: sqlite3.Connection, ids: dict[str, int], calls: Calls) -> None:
    used = {number for sites in calls.sites.values() for number, _, _ in sites}
    # What a helper makes an operator of is asked for by its name.
    used.update(number for target, number in ids.items() if target.endswith(MADE_OF))
    conn.executemany(
        "INSERT INTO python_targets (id, target) VALUES (?, ?)",
        sorted((number, target) for target, number in ids.items() if number in used),
    )
    conn.executemany(
        "INSERT INTO python_resolutions VALUES (?, ?, ?, ?)",
        (row for number, rows in calls.meanings.items() if number in used for row in rows),
    )

    with without_index(conn, "python_calls_target"):
        conn.executemany(
            "INSERT OR IGNORE INTO python_calls (caller_id, target_id, line, kind)"
            " VALUES (?, ?, ?, ?)",
            (
                (caller, *site)
                for caller, sites in sorted(calls.sites.items())
                for site in sorted(sites)
            ),
        )


def _report(conn: sqlite3.Connection, left_out: int) -> None:
    if left_out:
        conn.execute(
            "INSERT INTO coverage (layer, status, detail) VALUES ('python', 'partial', ?)",
            (f"{left_out} calls lead to nothing that this tree defines",),
        )
