"""Changed lines that change nothing that runs: comments, empty lines, and C++ that is only laid out anew."""

from __future__ import annotations

import re

from torchtalk.affected.diffs import Span

# A `#` that a directive follows is C++ that Python has in a string, as code generators do.
_HASH = re.compile(
    r"\s*(?:#(?!(?:include|define|undef|pragma|if|ifdef|ifndef|el|else|elif|endif|error|line)\b).*)?$"
)
_SLASHES = re.compile(r"\s*(?://.*|/\*(?:(?!\*/).)*\*/\s*)?$")
# What joining lines, or taking white space out, may change the meaning of.
_NOT_JOINED = ("//", "#", '"', "'")


def says_nothing(text: str, kind: str) -> bool:
    """Whether a line is a comment or empty.

    Args:
        text: of the line.
        kind: of its file, `python`, `yaml` or one of C++'s.
    """
    form = _HASH if kind in ("python", "yaml") else _SLASHES
    return bool(form.match(text))


def is_quiet(span: Span, kind: str) -> bool:
    """Whether what a diff tells of some lines changes nothing that runs.

    Args:
        span: with its text; without one it is not.
        kind: of their file.
    """
    texts = (*span.removed, *span.added)
    if not texts:
        return False
    if all(says_nothing(text, kind) for text in texts):
        return True
    if kind in ("python", "yaml") or any(mark in text for text in texts for mark in _NOT_JOINED):
        return False
    return _words(span.removed) == _words(span.added)


def _words(texts: tuple[str, ...]) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", "\n".join(texts))
