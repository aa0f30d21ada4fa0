"""Changed lines that change nothing that runs: comments, empty lines, docstrings, and what is only laid out anew."""

from __future__ import annotations

import re

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.laid_out import is_laid_out

# A `#` that a directive follows is C++ that Python has in a string, as code generators do.
_HASH = re.compile(
    r"\s*(?:#(?!(?:include|define|undef|pragma|if|ifdef|ifndef|el|else|elif|endif|error|line)\b).*)?$"
)
_SLASHES = re.compile(r"\s*(?://.*|/\*(?:(?!\*/).)*\*/\s*)?$")
# None begins with an escaped quote: of many of these each would be followed to the line's end.
_TEXT = r'(?<!\\)"(?:\\.|[^"\\\n])*"' + r"|(?<!\\)'(?:\\.|[^'\\\n])*'"
# Texts are kept, comments are not; digits of C++ may have ' between them.
_CPP = re.compile(rf"{_TEXT}|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?|\d[\w']*|\w+|[^\w\s]", re.DOTALL)
_PYTHON = re.compile(rf"{_TEXT}|#.*|[^'\"#]+|.")
# TorchScript reads the types of a function from a comment; all others that begin so are for type checkers.
_TYPES = re.compile(r"#\s*type:(?!\s*ignore)")
# What lines in the middle of a comment begin with: ` * Like this.` A product may go on so as well.
_STARRED = re.compile(r"\s*(?:/\*+|\*(?!\w))(?:\s.*[^;{}\s]\s*|/|)$|\s*\*+/\s*$")
_TRIPLE = re.compile(r"\"\"\"|'''")
_PREFIX = re.compile(r"[rRuU]$")
# A text that is a statement of its own, in one pair of quotes.
_ALONE = re.compile(
    r"\s*[rRuU]?(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|\"(?:[^\"\\\n]|\\.)+\"|'(?:[^'\\\n]|\\.)+')\s*$",
    re.DOTALL,
)

Lines = tuple[int, int]


def says_nothing(text: str, kind: str) -> bool:
    """Whether a line is a comment or empty.

    Args:
        text: of the line.
        kind: of its file, `python`, `yaml` or one of C++'s.
    """
    form = _HASH if kind in ("python", "yaml") else _SLASHES
    return bool(form.match(text))


def is_quiet(
    span: Span,
    kind: str,
    docs: tuple[Lines, ...] = (),
    *,
    is_new: bool = False,
    is_test: bool = False,
) -> bool:
    """Whether what a diff tells of some lines changes nothing that runs.

    Args:
        span: with its text; without one it is not.
        kind: of their file.
        docs: the lines of the file's docstrings, first and last of each.
        is_new: the span and the docstrings are those after the change.
        is_test: the file has tests, whose texts may say what is expected of comments behind code, and whose lines some
            of its tests know.
    """
    texts = (*span.removed, *span.added)
    if not texts:
        return False
    if all(says_nothing(text, kind) for text in texts) or _only_ends(span):
        return True
    if kind == "python":
        return _is_docstring(span, docs, is_new) or (
            not is_test
            and (_only_comments(span) or is_laid_out(span.removed, span.added, span.above))
        )
    if kind == "yaml":
        return False
    return _is_starred(span) or _is_laid_out(span)


def _only_ends(span: Span) -> bool:
    """Whether lines only end otherwise: as those of Windows do, or the last of a file."""
    before, after = (
        [text.removesuffix("\r") for text in side] for side in (span.removed, span.added)
    )
    return before == after


def _only_comments(span: Span) -> bool:
    """Whether lines differ in what stands behind their `#` alone."""
    if len(span.removed) != len(span.added):
        return False
    pairs = zip(span.removed, span.added, strict=True)
    return all(
        before == after or _code(before) == _code(after) is not None for before, after in pairs
    )


def _code(line: str) -> str | None:
    """A line of Python without its comment; None where that cannot be told, or where it tells types."""
    if _TRIPLE.search(line):
        return None
    code: list[str] = []
    for match in _PYTHON.finditer(line):
        piece = match[0]
        if piece[0] == "#":
            return None if _TYPES.match(piece) or not _HASH.match(piece) else "".join(code).rstrip()
        if piece in ("'", '"'):
            # A text that goes on, or comes, from another line.
            return None
        code.append(piece)
    return "".join(code).rstrip()


def _is_docstring(span: Span, docs: tuple[Lines, ...], is_new: bool) -> bool:
    """Whether lines belong to docstrings before and after the change."""
    there, other = (span.added, span.removed) if is_new else (span.removed, span.added)
    if not there:
        if span.last >= span.first:
            return False
        # Between two lines of one, or all of one behind a head.
        inside = any(first < span.first <= last for first, last in docs)
        if inside:
            return not any(map(_TRIPLE.search, other))
        return not is_new and _is_new_docstring(span)
    for first, last in docs:
        if first <= span.first and span.last <= last:
            opens, closes = span.first == first, span.last == last
            if opens and closes and _ALONE.match("\n".join(there)):
                # Another one, or none any more.
                text = "\n".join(other)
                return not text.strip() or bool(_ALONE.match(text))
            return _frame(there, opens, closes) == _frame(other, opens, closes) is not None
    return False


def _is_new_docstring(span: Span) -> bool:
    """Whether lines are inserted that are one text in three quotes, directly below a head."""
    text = "\n".join(span.added)
    above = next((line for line in reversed(span.above) if not says_nothing(line, "python")), "")
    return (
        bool(_ALONE.match(text) and _TRIPLE.search(text))
        and (_code(above) or "").endswith(":")
        and len(_TRIPLE.findall(text)) == len(("opens", "closes"))
    )


def _frame(lines: tuple[str, ...], opens: bool, closes: bool) -> tuple[str, str] | None:
    """What stands before the quotes that open a docstring and behind those that close it; None if there are others."""
    text = "\n".join(lines)
    quotes = [match.start() for match in _TRIPLE.finditer(text)]
    if len(quotes) != opens + closes:
        return None
    before = _PREFIX.sub("", text[: quotes[0]]) if opens else ""
    return before, text[quotes[-1] + 3 :].strip() if closes else ""


def _is_starred(span: Span) -> bool:
    """Whether lines of C++ stand in a comment that begins above them and goes on below."""
    texts = (*span.removed, *span.added)
    if not all(_STARRED.match(text) or not text.strip() for text in texts):
        return False
    if "".join(span.removed).count("*/") != "".join(span.added).count("*/"):
        return False
    return bool(span.above) and bool(_STARRED.match(span.above[-1])) and "*/" not in span.above[-1]


def _is_laid_out(span: Span) -> bool:
    """Whether lines of C++ have the same words before and after, comments left out."""
    before, after = map("\n".join, (span.removed, span.added))
    if "#" in before + after:
        # Where a directive ends, its line does.
        return len(span.removed) == len(span.added) and all(
            _words(one) == _words(other) is not None
            for one, other in zip(span.removed, span.added, strict=True)
        )
    return _words(before) == _words(after) is not None


def _words(text: str) -> list[str] | None:
    """The words of C++; None where it has a part of a comment or text."""
    found = [match[0] for match in _CPP.finditer(text)]
    words = [word for word in found if not word.startswith(("//", "/*"))]
    goes_on = any(word.startswith("/*") and not word.endswith("*/", 2) for word in found)
    pairs = set(zip(words, words[1:], strict=False))
    is_part = goes_on or '"' in found or "'" in found or ("*", "/") in pairs
    return None if is_part or 'R"' in text else words
