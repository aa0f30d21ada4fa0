"""One C++, CUDA or Objective-C++ file, parsed once and shared by every extractor of the cpp package."""

from __future__ import annotations

import bisect
import functools
from dataclasses import dataclass

import tree_sitter
import tree_sitter_cpp
import tree_sitter_cuda

from indexer.extract.cpp.lexical import blanked, line_offsets
from indexer.extract.cpp.scopes import Scopes, scopes_of
from indexer.extract.cpp.structure import Structure, scan

CUDA_SUFFIXES = (".cu", ".cuh", ".cut")


@functools.cache
def _parser(cuda: bool) -> tree_sitter.Parser:
    grammar = tree_sitter_cuda.language() if cuda else tree_sitter_cpp.language()
    return tree_sitter.Parser(tree_sitter.Language(grammar))


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
    def tree(self) -> tree_sitter.Tree:
        """The syntax tree; the CUDA grammar for CUDA files, since `<<<…>>>` is an error in C++."""
        return _parser(self.path.endswith(CUDA_SUFFIXES)).parse(self.data)

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
    def scopes(self) -> Scopes:
        """What encloses an offset, by the brackets of the text."""
        return scopes_of(self.data)

    def line(self, offset: int) -> int:
        """The 1-based line that a byte offset stands in."""
        return bisect.bisect_right(self.line_starts, offset)
