"""One Python file, read once and shared by every extractor of the python package."""

from __future__ import annotations

import ast
import bisect
import functools
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from indexer.extract.python import lexical
from indexer.extract.python.beside import PACKAGES
from indexer.extract.python.lexical import Span


class Unparsable(ValueError):
    """A text that is not Python of this interpreter's version; the message says why, and where that is known.

    Args:
        why: it is not.
        line: where it fails.
    """

    def __init__(self, why: str, line: int = 1) -> None:
        super().__init__(why)
        self.line = line


@dataclass(frozen=True)
class PyUnit:
    """A source file and what is derived from its bytes, each computed at most once.

    Args:
        path: relative to the source tree, with `/`.
        data: the file's bytes, as read.
    """

    path: str
    data: bytes

    @functools.cached_property
    def text(self) -> str:
        """The source, decoded, with one line feed between its lines.

        Raises:
            Unparsable: it is not UTF-8.
        """
        data = self.data
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise Unparsable(f"line {line}: not UTF-8", line) from error

    @functools.cached_property
    def is_packaged(self) -> bool:
        """Whether it belongs to what users import; other files are scripts and tests."""
        return self.path.partition("/")[0] in PACKAGES

    @functools.cached_property
    def code(self) -> str:
        """The text with strings and comments blanked; same offsets."""
        return lexical.blank(self.text)

    @functools.cached_property
    def reversed_code(self) -> str:
        """The blanked text from its end, for names that are found by what follows them."""
        return self.code[::-1]

    @functools.cached_property
    def line_starts(self) -> list[int]:
        """Offset at which each line begins."""
        text = self.text
        if text.isascii():  # bytes can be split with their line feeds, which then need not be added
            starts = [0, *itertools.accumulate(map(len, text.encode().splitlines(keepends=True)))]
            return starts if text.endswith("\n") or not text else starts[:-1]
        lengths = map(len, text.split("\n"))
        starts = list(itertools.accumulate(map((1).__add__, lengths), initial=0))
        starts.pop()
        return starts

    def line(self, offset: int) -> int:
        """The 1-based line that an offset stands in."""
        return bisect.bisect_right(self.line_starts, offset)

    @functools.cached_property
    def _read(self) -> tuple[ast.Module, dict[int, Span]]:
        if lexical.is_balanced(self.code):
            spans = lexical.function_spans(self.code)
            try:
                module = parse(lexical.skeleton(self.text, spans))
            except Unparsable:
                pass  # the text misled us, or the file is wrong: the whole of it tells which
            else:
                return module, {self.line(span.start): span for span in spans}
        module = parse(self.text)
        return module, dict(self._spans_of(module))

    @property
    def module(self) -> ast.Module:
        """The syntax tree; functions that have a span may have nothing but `pass` for a body.

        Raises:
            Unparsable: the file is no valid Python.
        """
        return self._read[0]

    @property
    def spans(self) -> dict[int, Span]:
        """The functions of modules and classes by the line of their `def`."""
        return self._read[1]

    def _spans_of(self, node: ast.AST) -> Iterator[tuple[int, Span]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                line = self.text[self.line_starts[child.lineno - 1] :].partition("\n")[0]
                indent = len(line) - len(line.lstrip(" \t"))
                start = self.line_starts[child.lineno - 1]
                name_end = self.text.index(child.name, start + indent + 3) + len(child.name)
                first = child.body[0]
                body = self._offset(first.lineno, first.col_offset)
                end = self._offset(child.end_lineno or 0, child.end_col_offset or 0)
                colon = self.text.rindex(":", name_end, body) + 1
                yield child.lineno, Span(start, name_end, colon, end, indent)
            else:
                yield from self._spans_of(child)

    def _offset(self, line: int, column: int) -> int:
        start = self.line_starts[line - 1]
        piece = self.text[start : start + column]
        if piece.isascii():
            return start + column
        return start + len(piece.encode("utf-8")[:column].decode("utf-8", "ignore"))

    def function(self, span: Span) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function at `span` with its body; lines are relative: add `line(span.start) - 2`.

        Returns:
            None where its text alone is no valid Python.
        """
        prefix = "if 1:\n" if span.indent else "\n"
        try:
            first = parse(prefix + self.text[span.start : span.end]).body[0]
        except Unparsable:
            return None
        if isinstance(first, ast.If):
            first = first.body[0]
        return first if isinstance(first, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def parse(text: str | bytes) -> ast.Module:
    """Parse source text; whatever a file says, no more than an error comes of it.

    Raises:
        Unparsable: it is no valid Python.
    """
    with warnings.catch_warnings():
        # Invalid escapes in the tree's strings are its own affair.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError as error:
            line = error.lineno or 1
            raise Unparsable(f"line {line}: {error.msg}", line) from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise Unparsable(f"{type(error).__name__}: {error}") from error
