"""Python that is only laid out anew: what the parser makes of both sides of a change is the same."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator

# Of longer pieces, which are rarely only laid out anew, the parser's work is not worth it.
_MOST = 20_000
# TorchScript reads types from comments (torch/jit/annotations.py), which the parser passes over.
_TYPES = re.compile(r"#\s*type:")
_TRIPLE = re.compile(r"\"\"\"|'''")
_BRACKETS = re.compile(r"[()\[\]{}]")


def is_laid_out(removed: Collection[str], added: Collection[str], above: Collection[str]) -> bool:
    """Whether lines of Python say the same before and after: whole statements, heads, or arguments of a call.

    Args:
        removed: the lines before the change.
        added: those after.
        above: those before them, as far as known: what is within a bracket is no statement.
    """
    before, after = "\n".join(removed), "\n".join(added)
    if not (before.strip() and after.strip()) or len(before) + len(after) > _MOST:
        return False
    if _TYPES.search(before) or _TYPES.search(after) or _indent(removed) != _indent(added):
        # What begins elsewhere belongs to another statement.
        return False
    if len(_TRIPLE.findall("\n".join(above))) % 2:
        # Within a text layout is what it says.
        return False
    for one, other in zip(_forms(before, above), _forms(after, above), strict=True):
        known = _parsed(one)
        if known is not None and known == _parsed(other):
            return True
    return False


def _indent(lines: Collection[str]) -> str:
    first = next(line for line in lines if line.strip())
    return first[: len(first) - len(first.lstrip())]


def _forms(text: str, above: Collection[str]) -> Iterator[str]:
    """What may be parsed for a piece: itself, a body below it, or a call around it; the same number for any piece."""
    if _is_open(above):
        yield f"f(\n{text}\n)"
        yield f"f(\n{text}"
        # The head of a function ends with the piece, or goes on below it.
        yield f"def f(\n{text}\n pass"
        yield f"def f(\n{text}\n): pass"
        return
    text = textwrap.dedent(text)
    yield text
    yield f"{text} pass"
    yield f"{text}\n    pass"


def _is_open(above: Collection[str]) -> bool:
    """Whether a bracket is open behind some lines, as far as these tell."""
    depth = 0
    for line in above:
        for sign in _BRACKETS.findall(line):
            depth = max(0, depth + (1 if sign in "([{" else -1))
    return depth > 0


def _parsed(text: str) -> str | None:
    import ast

    from indexer.extract.python.unit import Unparsable, parse

    try:
        return ast.dump(parse(text))
    except (Unparsable, RecursionError):
        return None
