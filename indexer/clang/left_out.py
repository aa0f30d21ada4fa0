"""The lines of definitions that clang has not read: what the preprocessor skipped, and what was blanked before."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from indexer.clang.library import Libclang
from indexer.clang.symbols import Places, Symbols


def left_out(
    lib: Libclang,
    unit: int,
    places: Places,
    symbols: Symbols,
    unread: Mapping[str, Sequence[tuple[int, int]]],
) -> tuple[array[int], array[int]]:
    """The lines of a unit's definitions that were not parsed.

    Args:
        lib: libclang.
        unit: the CXTranslationUnit.
        places: of the unit.
        symbols: all that the unit defines.
        unread: first and last lines (1-based) of what was blanked before the unit was parsed, by file as it stands in
            the database.

    Returns:
        Of each such line the number of the definition's symbol, and the 1-based line itself.
    """
    ranges = _skipped_ranges(lib, unit, places)
    for path, lines_of in unread.items():
        ranges.setdefault(path, []).extend(lines_of)
    callers, lines = array("I"), array("I")
    for number, symbol in enumerate(symbols.found):
        if not symbol.is_definition:
            continue
        for first, last in ranges.get(symbol.file, ()):
            for line in range(max(first, symbol.line), min(last, symbol.end_line) + 1):
                callers.append(number)
                lines.append(line)
    return callers, lines


def _skipped_ranges(lib: Libclang, unit: int, places: Places) -> dict[str, list[tuple[int, int]]]:
    """By file of the tree the first and last lines of what the preprocessor skipped."""
    found: dict[str, list[tuple[int, int]]] = {}
    listed = lib.getAllSkippedRanges(unit)
    if not listed:
        return found
    try:
        for position in range(listed.contents.count):
            skipped = listed.contents.ranges[position]
            file, first = places.at(lib.getRangeStart(skipped))
            path, is_own = places.path(file)
            if is_own:
                _, last = places.at(lib.getRangeEnd(skipped))
                found.setdefault(path, []).append((first, last))
    finally:
        lib.disposeSourceRangeList(listed)
    return found
