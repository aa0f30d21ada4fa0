"""Templates that construct what their first argument names, with what they are called with.

`make_tensor<T>(…)` hands all it is given to `c10::make_intrusive<T>`, `alloc<Node>(…)` to `std::make_shared<Node>`:
who calls one of these runs a constructor that no text names with a bracket behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from indexer.extract.cpp.unit import CppUnit
from indexer.facts.cpp import SLOT_MAKER, ClassFields

_FORWARD = b"std::forward"
_HANDED_ON = re.compile(rb"\b(?:(\w+)\s*<\s*|new\s+)(\w+)\s*>?\s*\(\s*std::forward\b")
_FIRST = re.compile(rb"template\s*<\s*(?:typename|class)\s+(\w+)")


def makers(unit: CppUnit) -> Iterator[ClassFields]:
    """The file's template functions that hand all they are given, with their first parameter, to another.

    Whether that makes something is known when all files are: it may be another of these, in another file.

    Args:
        unit: the file.

    Returns:
        At most one: the last parts of their names, each with that of what it calls; `new` where it makes it itself.
    """
    text, functions = unit.text, unit.structure.functions
    if _FORWARD not in text:
        return
    starts = [function.body for function in functions]
    found: dict[tuple[str, str], None] = {}
    for match in _HANDED_ON.finditer(text):
        index = bisect_right(starts, match.start()) - 1
        if index < 0 or match.start() > functions[index].end:
            continue
        function = functions[index]
        first = _FIRST.match(text, function.start, function.body)
        if first is not None and first.group(1) == match.group(2):
            called = (match.group(1) or b"new").decode("latin-1")
            found[function.head.name.rpartition("::")[2], called] = None
    if found:
        yield ClassFields(SLOT_MAKER, tuple(found))
