"""Small C++ texts through the parser and the visitor, for the tests of the semantic layer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from indexer.clang import cuda
from indexer.clang.environment import STAND_IN
from indexer.clang.flags import BUILTIN
from indexer.clang.library import Libclang, load_libclang
from indexer.clang.results import read_result
from indexer.clang.setup import UNIT, Setup, Task
from indexer.clang.worker import Worker
from indexer.facts.clang import KINDS, UnitFacts

FLAGS = (
    "-x",
    "c++",
    "-std=gnu++17",
    "-w",
    "-ferror-limit=0",
    "-nobuiltininc",
    "-isystem",
    str(BUILTIN),
)

_loaded: list[Libclang] = []


def libclang() -> Libclang:
    """The library, loaded once."""
    if not _loaded:
        _loaded.append(load_libclang())
    return _loaded[0]


class Call(NamedTuple):
    """One call, by names."""

    caller: str
    callee: str
    kind: str
    line: int


def parse(
    folder: Path,
    text: str,
    name: str = "unit.cpp",
    group: str = "core",
    flags: Sequence[str] = (),
    **others: str,
) -> UnitFacts:
    """The facts of a text; `flags` are more of them, `others` headers beside it, `a_h` for a.h."""
    for header, content in others.items():
        (folder / header.replace("_h", ".h")).write_text(content)
    file = folder / name
    file.write_text(text)
    usual = (*FLAGS, *flags, f"-idirafter{STAND_IN}", f"-idirafter{cuda.STAND_IN}", f"-I{folder}")
    setup = Setup(
        str(libclang().path),
        str(folder),
        str(folder / "generated"),
        {group: (*usual, *(cuda.FLAGS if group == "cuda" else ()))},
        frozenset({"cuda"}),
    )
    result = folder / "unit.facts"
    Worker(setup).run(Task(0, UNIT, name, str(file), group, str(result)))
    facts = read_result(result)
    assert facts is not None
    return facts


def calls(facts: UnitFacts) -> list[Call]:
    """Every call of a unit, in the order in which they stand."""
    names = [symbol.name for symbol in facts.symbols]
    return [
        Call(names[a], names[b], KINDS[kind], line)
        for a, b, kind, line in zip(
            facts.callers, facts.callees, facts.kinds, facts.lines, strict=True
        )
    ]


def said(unit: UnitFacts) -> dict[str, list[Any]]:
    """What a unit says, without how its symbols are numbered."""
    usrs = [symbol.usr for symbol in unit.symbols]
    columns = unit.callers, unit.callees, unit.kinds, unit.lines
    used = {number for column in (unit.callers, unit.callees) for number in column}
    return {
        "status": [(unit.status, unit.detail, unit.errors)],
        "definitions": sorted(s for s in unit.symbols if s.is_definition),
        "called": sorted(
            unit.symbols[number] for number in used if not unit.symbols[number].is_definition
        ),
        "calls": sorted(
            (usrs[a], usrs[b], kind, n) for a, b, kind, n in zip(*columns, strict=True)
        ),
        "overrides": sorted((usrs[a], usrs[b]) for a, b in unit.overrides),
        "open": sorted(zip((usrs[n] for n in unit.open_callers), unit.open_lines, strict=True)),
        "left": sorted(zip((usrs[n] for n in unit.left_callers), unit.left_lines, strict=True)),
        "seen": sorted((path,) for path in unit.seen),
    }
