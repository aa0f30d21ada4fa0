"""What a walk of one translation unit found."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from indexer.clang.symbols import Symbols
from indexer.facts.clang import Override, StubKernel


class Segment(NamedTuple):
    """Where in the columns begins what the next cursors of one file give.

    Args:
        file: as it stands in the database.
        mark: in a jumbo unit's own text, the name of what stands there.
        calls: so many calls were before.
        opens: so many calls that clang cannot tell.
        definitions: so many definitions.
        overrides: so many overridden methods.
        stub_kernels: so many registrations.
    """

    file: str
    mark: str
    calls: int
    opens: int
    definitions: int
    overrides: int
    stub_kernels: int


class Definition(NamedTuple):
    """A function whose body was walked.

    Args:
        number: of its symbol.
        line: where it stands.
        calls: so many calls were found before it.
    """

    number: int
    line: int
    calls: int


class Walked(NamedTuple):
    """What a walk found; see `UnitFacts`.

    Beyond that, for telling the members of a jumbo unit apart: the files' segments in order, the definitions, which
    files each file includes, and by number of a variable that calls give its value the file that defines it.
    """

    symbols: Symbols
    callers: array[int]
    callees: array[int]
    kinds: array[int]
    lines: array[int]
    overrides: list[Override]
    stub_kernels: list[StubKernel]
    headers: list[str]
    open_callers: array[int]
    open_lines: array[int]
    left_callers: array[int]
    left_lines: array[int]
    segments: list[Segment]
    definitions: list[Definition]
    includes: dict[str, list[str]]
    made: dict[int, str]
