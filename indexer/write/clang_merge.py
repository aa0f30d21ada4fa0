"""The facts of all units as one: functions once, whichever units saw them."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from indexer.facts.clang import KINDS, StubKernel, Symbol, UnitFacts
from torchtalk.counted import counted

Row = Symbol
_LINE_BITS, _NUMBER_BITS = 24, 28
_KIND_BITS = 3
# A parameter that is const itself, not what it points or refers to; at the end `#1` is a const method's.
_CONST_PARAMETER = re.compile(r"#1(?=[A-Za-z*$])")
_ONE_ERROR = re.compile(r"\A1 errors\b")


class Merged:
    """All units' facts.

    Attributes:
        rows: every function that is defined, calls or is called; a definition has a row for each place it stands at.
        whole: numbers of functions whose unit was parsed without an error.
        partial: numbers of the other definitions.
        open: definitions and lines where clang could not tell what is called.
        left: definitions and lines that `#if` leaves out, in every unit that has the definition.
        overrides: pairs of numbers.
        stub_kernels: with the number of the kernel.
        coverage: unit, status, detail.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.whole: set[int] = set()
        self.partial: set[int] = set()
        self.open: set[tuple[int, int]] = set()
        self.left: set[tuple[int, int]] = set()
        # How many units have each definition, and how many leave out a line of it.
        self._told: Counter[int] = Counter()
        self._left: Counter[tuple[int, int]] = Counter()
        self.overrides: set[tuple[int, int]] = set()
        self.stub_kernels: list[tuple[StubKernel, int]] = []
        self.coverage: list[tuple[str, str, str]] = []
        self._defined: dict[tuple[str, str, int], int] = {}
        self._definitions: dict[str, list[int]] = {}
        self._usrs: dict[str, int] = {}
        self._declared: list[Symbol] = []
        self.rows_of_usr: list[int] = []
        # How often units mention each USR, and how often with the declaration that counts.
        self._mentions = array("I")
        self._same = array("I")
        self._calls: set[int] = set()

    def add(self, unit: UnitFacts) -> None:
        """Add a unit's facts; those that others told before count first."""
        usrs = [self._usr(symbol) for symbol in unit.symbols]
        own = [self._define(s) if s.is_definition else -1 for s in unit.symbols]
        state = self.whole if unit.status == "ok" else self.partial
        state.update(number for number in own if number >= 0)
        calls = self._calls
        lambdas = {n for n, symbol in enumerate(unit.symbols) if is_of_lambda(symbol)}
        for caller, callee, kind, line in zip(
            unit.callers, unit.callees, unit.kinds, unit.lines, strict=True
        ):
            if callee in lambdas:
                continue
            calls.add(
                ((own[caller] << _NUMBER_BITS | usrs[callee]) << _LINE_BITS | line) << _KIND_BITS
                | kind
            )
        # Until all is read, what is called is known by its USR alone.
        for method, overridden in unit.overrides:
            self.overrides.add((own[method], usrs[overridden]))
        self.stub_kernels.extend((kernel, usrs[kernel.kernel]) for kernel in unit.stub_kernels)
        self.open.update(
            (own[n], line) for n, line in zip(unit.open_callers, unit.open_lines, strict=True)
        )
        self._told.update({number for number in own if number >= 0})
        self._left.update(
            {(own[n], line) for n, line in zip(unit.left_callers, unit.left_lines, strict=True)}
        )
        if not unit.unit.startswith("<") or unit.status != "ok":
            self.coverage.append((unit.unit, unit.status, told(unit)))

    def finish(self) -> None:
        """Give a row to what was never defined, lead calls to rows, and find the lines that no unit reads.

        What a template's instantiations have without its being written (`CompileTimeFunctionPointer<...>`'s
        constructors, one for each kernel) is one function: nothing but its arguments tells one from another.
        """
        declared: dict[tuple[str, int, str, str, str], int] = {}
        plain: dict[str, list[str]] = {}
        for usr in self._definitions:
            plain.setdefault(without_const(usr), []).append(usr)
        for usr, number in self._usrs.items():
            definitions = self._definitions.get(usr)
            if definitions is None:
                same = plain.get(without_const(usr), ())
                definitions = self._definitions[same[0]] if len(same) == 1 else None
            if definitions:
                self.rows_of_usr.append(definitions[0])
            elif is_of_lambda(self._declared[number]):
                self.rows_of_usr.append(-1)
            else:
                symbol = self._declared[number]
                place = symbol.file, symbol.line, symbol.name, symbol.signature, symbol.kind
                row = declared.setdefault(place, len(self.rows))
                if row == len(self.rows):
                    self.rows.append(symbol)
                self.rows_of_usr.append(row)
        self.left = {pair for pair, units in self._left.items() if units == self._told[pair[0]]}
        self.overrides = {(a, self.rows_of_usr[b]) for a, b in self.overrides if a >= 0}
        self.stub_kernels = [
            (kernel, self.rows_of_usr[n])
            for kernel, n in self.stub_kernels
            if self.rows_of_usr[n] >= 0
        ]

    def calls(self) -> Iterator[tuple[int, int, int, str]]:
        """Every call once: numbers of caller and callee, the line, the kind."""
        line_mask, number_mask, kind_mask = (
            (1 << _LINE_BITS) - 1,
            (1 << _NUMBER_BITS) - 1,
            (1 << _KIND_BITS) - 1,
        )
        several = {n for ns in self._definitions.values() if len(ns) > 1 for n in ns}
        rows_of_usr = self.rows_of_usr
        for packed in self._calls:
            rest = packed >> _KIND_BITS
            callee = rows_of_usr[rest >> _LINE_BITS & number_mask]
            caller = rest >> _LINE_BITS + _NUMBER_BITS
            if callee in several:
                # A definition calls the other one of its own file.
                callee = self._nearest(caller, callee)
            yield caller, callee, rest & line_mask, KINDS[packed & kind_mask]

    def _nearest(self, caller: int, callee: int) -> int:
        file = self.rows[caller].file
        several = self._definitions[self.rows[callee].usr]
        return next((n for n in several if self.rows[n].file == file), callee)

    def _usr(self, symbol: Symbol) -> int:
        number = self._usrs.get(symbol.usr)
        if number is None:
            number = self._usrs[symbol.usr] = len(self._usrs)
            self._declared.append(symbol)
            self._mentions.append(1)
            self._same.append(1)
            return number
        self._mentions[number] += 1
        if not symbol.is_definition and symbol.usr not in self._definitions:
            # Of several declarations the first by its place, whichever unit came first.
            known = self._declared[number]
            own = symbol.file, symbol.line, symbol.signature
            others = known.file, known.line, known.signature
            if own == others:
                self._same[number] += 1
            elif own < others:
                self._declared[number] = symbol
                self._same[number] = 1
        return number

    def mentioned(self) -> Iterator[tuple[str, int, Symbol, int, int, int]]:
        """Of each USR that has a row: the row, the declaration that counts, mentions, those with it, definitions."""
        for usr, number in self._usrs.items():
            row = self.rows_of_usr[number]
            if row >= 0:
                yield (
                    usr, row, self._declared[number], self._mentions[number], self._same[number],
                    len(self._definitions.get(usr, ())),
                )  # fmt: skip

    def _define(self, symbol: Symbol) -> int:
        key = symbol.usr, symbol.file, symbol.line
        number = self._defined.get(key)
        if number is None:
            number = self._defined[key] = len(self.rows)
            self.rows.append(symbol)
            self._definitions.setdefault(symbol.usr, []).append(number)
        return number


def without_const(usr: str) -> str:
    """`usr` as it is with `f(int a)` for `f(const int a)`: one function (C++ standard, [dcl.fct]), two USRs."""
    return _CONST_PARAMETER.sub("#", usr)


def told(unit: UnitFacts) -> str:
    """What coverage says of a unit.

    What stands in its headers is counted nowhere: who was the first to read them is chance.
    """
    here = {n for n, s in enumerate(unit.symbols) if s.is_definition and s.file == unit.unit}
    calls_here = sum(number in here for number in unit.callers)
    unresolved = sum(number in here for number in unit.open_callers)
    summary = f"{counted(len(here), 'definition')}, {counted(calls_here, 'call')}, {unresolved} unresolved"
    # The visitor counts before it knows that there is but one; to change it there would parse every unit again.
    detail = _ONE_ERROR.sub("1 error", unit.detail)
    return "; ".join(filter(None, (detail, summary)))


def is_of_lambda(symbol: Symbol) -> bool:
    """Whether `symbol` is a lambda's own function: what it does stands with the function around it."""
    return not symbol.is_definition and "@Sa@F" in symbol.usr


class Counts(NamedTuple):
    """How much there is, for reports.

    Args:
        definitions: of functions.
        edges: pairs of a caller and a callee, but for candidates and references.
        calls: places where something is called or named.
    """

    definitions: int
    edges: int
    calls: int


def merge(units: Iterable[UnitFacts]) -> Merged:
    """Merge the facts of units, in their order."""
    merged = Merged()
    for unit in units:
        merged.add(unit)
    merged.finish()
    return merged


def counts(merged: Merged) -> Counts:
    """How many definitions of functions, distinct edges and call sites `merged` has."""
    edges = set()
    sites = 0
    for caller, callee, _, kind in merged.calls():
        sites += 1
        if kind not in ("candidate", "reference"):
            edges.add((caller, callee))
    definitions = sum(r.is_definition and r.kind not in ("variable", "field") for r in merged.rows)
    return Counts(definitions, len(edges), sites)
