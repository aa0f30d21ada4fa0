"""What is sent to Apple's libraries that do the work of kernels for MPS: `[mpsGraph signWithTensor:x name:nil]`.

MPSGraph's operations are told by how its documentation writes each: the last part of the selector is `name:`, and no
other class's are so that files name which know of it. What Metal Performance Shaders works by are classes, of which an
object is made for a device: `[[MPSMatrixDecompositionLU alloc] initWithDevice:device …]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.cpp.expansion import expanded_uses
from indexer.extract.cpp.lexical import blanked
from indexer.extract.cpp.messages import OBJECTIVE_C, labels
from indexer.extract.cpp.unit import CppUnit
from indexer.facts.library_calls import GRAPH, SHADERS, LibraryCall

_KNOWS = b"MPS"
_SENT = re.compile(rb"\[\s*(?!self\b|super\b)\w+(?:(?:->|\.)\w+\(\))?\s+([A-Za-z]\w*)\s*:(?!:)")
_MADE = re.compile(rb"\[\s*\[\s*(MPS[A-Z]\w*)\s+alloc\s*\]\s*initWithDevice\s*:")
# In the body of a macro, which may paste the first part together: `[mpsGraph operation##WithTensor:x name:nil]`.
_IN_MACRO = re.compile(rb"\[\s*\w+\s+\w+\s*(?:##\s*\w+\s*)?:(?!:)[^;{}]*\bname\s*:")
# What gives a graph its inputs in the type that it works in, and what only holds data: these do no work.
_SETS_UP = re.compile(r"(?:placeholder|constant|variable|identity|cast)(?![a-z])")
_HOLDS = re.compile(
    rb"MPS(?:Graph|(?:NDArray|NDArrayIdentity|Image|TemporaryImage|Matrix|Vector|State)$)"
)


class _Sent(NamedTuple):
    """An operation, by the offset at which it is named."""

    at: int
    name: str
    library: str


def graph_messages(unit: CppUnit) -> Iterator[LibraryCall]:
    """Yield what a file of Objective-C++ has these libraries do.

    Args:
        unit: the file.

    Returns:
        The operations of MPSGraph by the first part of their selectors, the kernels of Metal Performance Shaders by
        their classes; of a macro of the file's in the lines of its uses.
    """
    if not unit.path.endswith(OBJECTIVE_C) or _KNOWS not in unit.data:
        return
    for one in _sent(unit.text):
        if unit.scopes.define_at(one.at) is None:
            yield LibraryCall(unit.line(one.at), one.name, one.library)
    if _IN_MACRO.search(unit.text):
        for use in expanded_uses(unit.path, unit.data, _IN_MACRO):
            line = unit.line(use.offset)
            for one in _sent(blanked(use.text)):
                yield LibraryCall(line, one.name, one.library)


def _sent(text: bytes) -> Iterator[_Sent]:
    """The operations in a text, comments and literals blanked, in the order of it."""
    for match in _SENT.finditer(text):
        name = match[1].decode()
        if not _SETS_UP.match(name) and labels(text, match.start())[1:][-1:] == [b"name"]:
            yield _Sent(match.start(1), name, GRAPH)
    for match in _MADE.finditer(text):
        if not _HOLDS.match(match[1]):
            yield _Sent(match.start(1), match[1].decode(), SHADERS)
