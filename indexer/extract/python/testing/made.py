"""Tests that a file's code makes when it is run: `setattr(TestNN, test_name, fn)`. They are told of, not listed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from indexer.extract.python.unit import PyUnit
from indexer.facts.operators import Shortfall

WORTH_READING = (b"setattr(", b"generate_")
_SETS = re.compile(
    r"setattr(?<![\w.]setattr)\(\s*(\w+)\s*,"
)  # it begins with fixed text, which `re` finds fast
# What another file has that makes tests of a class's: `optests.generate_opcheck_tests(MiniOpTest, …)`.
_GENERATES = re.compile(r"generate_(?<=\.generate_)(\w*tests?)\(\s*(\w+)\s*,")
# What a helper calls the class that it is given.
_CLASS = re.compile(r"(?:test_?)?(?:cls|class|case)$")
_BRACKET = re.compile(r"[()\[\]{}]")
# Attributes that are no tests are set so as well.
_TEST = re.compile(r"(?<![A-Za-z])test", re.IGNORECASE)


def read_made(unit: PyUnit, classes: Collection[str]) -> Iterator[Shortfall]:
    """The lines that give a class of tests methods whose names only running it tells.

    Args:
        unit: the file; those of torch.testing do so for others.
        classes: the names of those it defines.
    """
    lines = [
        unit.line(match.start())
        for match in (() if unit.is_packaged else _SETS.finditer(unit.code))
        if (match.group(1) in classes or _CLASS.match(match.group(1)))
        and _TEST.search(unit.text, match.end(), _end(unit.code, match.end()))
    ]
    made = {"setattr": lines} if lines else {}
    for match in () if unit.is_packaged else _GENERATES.finditer(unit.code):
        if match.group(2) in classes:
            made.setdefault(f"generate_{match.group(1)}", []).append(unit.line(match.start()))
    for by, found in made.items():
        at = ", ".join(map(str, found))
        yield Shortfall("tests", "partial", f"tests that {by} makes when the file runs, line {at}")


def _end(code: str, at: int) -> int:
    """Where the arguments of a call end, of which some stand before an offset."""
    depth = 1
    for match in _BRACKET.finditer(code, at):
        depth += 1 if match.group() in "([{" else -1
        if not depth:
            return match.start()
    return len(code)
