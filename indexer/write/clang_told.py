"""What one unit tells, as far as it matters for replacing it: of its own file, and of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from indexer.facts.clang import Symbol, UnitFacts
from indexer.write.clang_base import BaseCalls, Call
from indexer.write.clang_merge import is_of_lambda
from indexer.write.clang_state import usr_key


class TooFar(Exception):
    """More may be another than can be brought up to date in place; the message says what."""


class Fast(NamedTuple):
    """What the other layers' update changed.

    Args:
        files: ids of the files that were read or are gone.
        before: functions that they had: by id the name, the file, and whether clang had seen it.
        moved: ids before and after of functions that only moved.
        calls: calls of the syntax layer now.
        calls_changed: those that there were before, or are now, alone.
        operator_calls: calls of operators by the syntax layer, before and now.
    """

    files: Collection[int]
    before: Mapping[int, tuple[str, int, bool]]
    moved: Mapping[int, int]
    calls: BaseCalls
    calls_changed: set[Call]
    operator_calls: tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]


class Own(NamedTuple):
    """What a unit tells of its own file and of what it calls.

    Args:
        defined: what its own file defines, by USR and line.
        declared: what is only declared, by USR.
        mentions: how often it has each USR.
    """

    defined: dict[tuple[str, int], Symbol]
    declared: dict[str, list[Symbol]]
    mentions: Counter[str]


def own(unit: UnitFacts) -> Own:
    """Sort a unit's symbols."""
    defined: dict[tuple[str, int], Symbol] = {}
    declared: dict[str, list[Symbol]] = {}
    mentions: Counter[str] = Counter()
    for symbol in unit.symbols:
        if is_of_lambda(symbol):
            continue
        mentions[symbol.usr] += 1
        if not symbol.is_definition:
            declared.setdefault(symbol.usr, []).append(symbol)
        elif symbol.file == unit.unit:
            defined.setdefault((symbol.usr, symbol.line), symbol)
    return Own(defined, declared, mentions)


def of_others(unit: UnitFacts) -> tuple[object, ...]:
    """What a unit tells of functions in other files: headers that are not precompiled."""
    symbols = unit.symbols
    foreign = {n for n, s in enumerate(symbols) if s.is_definition and s.file != unit.unit}
    calls = {
        (symbols[a], symbols[b].usr, kind, line)
        for a, b, kind, line in zip(unit.callers, unit.callees, unit.kinds, unit.lines, strict=True)
        if a in foreign
    }
    unclear = {
        (symbols[n], line)
        for n, line in zip(unit.open_callers, unit.open_lines, strict=True) if n in foreign
    }  # fmt: skip
    left = {
        (symbols[n], line)
        for n, line in zip(unit.left_callers, unit.left_lines, strict=True) if n in foreign
    }  # fmt: skip
    overrides = {
        (symbols[a], symbols[b].usr) for a, b in unit.overrides if a in foreign
    }  # fmt: skip
    kernels = {
        k._replace(kernel=usr_key(symbols[k.kernel].usr))
        for k in unit.stub_kernels if k.file != unit.unit
    }  # fmt: skip
    whole = unit.status == "ok" if foreign else None
    return frozenset(symbols[n] for n in foreign), calls, unclear, left, overrides, kernels, whole


def first(symbols: list[Symbol]) -> Symbol:
    """The declaration that counts: of `symbols`, all of one function, that of the first file and line."""
    return min(symbols, key=lambda s: (s.file, s.line, s.signature))
