"""One C++, CUDA or Objective-C++ file, parsed once and shared by every extractor of the cpp package."""

from __future__ import annotations

import bisect
import functools
from dataclasses import dataclass

from indexer.extract.cpp.defines import parse_defines
from indexer.extract.cpp.lexical import blanked, line_offsets
from indexer.extract.cpp.outline import Structure
from indexer.extract.cpp.scopes import Scopes, scopes_of
from indexer.extract.cpp.structure import scan
from indexer.facts.cpp import MacroDefinition


@dataclass(frozen=True)
class CppUnit:
    """A source file and what is derived from its bytes, each computed at most once.

    Args:
        path: relative to the source tree, with `/`.
        data: the file's bytes, as read.
    """

    path: str
    data: bytes

    @functools.cached_property
    def structure(self) -> Structure:
        """Namespaces, classes, function bodies and macro uses, by the file's brackets."""
        return scan(self.data)

    @functools.cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Byte offset at which each line begins."""
        return line_offsets(self.data)

    @functools.cached_property
    def text(self) -> bytes:
        """The bytes with comments and the contents of literals blanked."""
        return blanked(self.data)

    @functools.cached_property
    def defines(self) -> list[MacroDefinition]:
        """Every `#define`, in order."""
        return parse_defines(self.data, self.path) if b"define" in self.data else []

    @functools.cached_property
    def scopes(self) -> Scopes:
        """What encloses an offset, by the brackets of the text."""
        return scopes_of(self.data)

    def line(self, offset: int) -> int:
        """The 1-based line that the byte `offset` stands in."""
        return bisect.bisect_right(self.line_starts, offset)
