"""The conditions of the preprocessor that a place stands under."""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.extract.cpp.tokens import closing

# What is so, whatever is built: `#if 0 && USE_X`, as indexer/extract/cpp/dead_code.py reads it.
_FALSE = re.compile(r"(?:0|false)\b(?:\s*&&[^|]*)?$")
_TRUE = re.compile(r"(?:1|true)\b(?:\s*\|\|[^&]*)?$")
_OPERAND = re.compile(r"\w*\s*(?:\(.*\))?$")


class Conditions:
    """The `#if`s that a place stands under, as one reads on."""

    def __init__(self) -> None:
        # Of each that is open what its branches up to here ask, the last of them for "" where it is the #else.
        self._open: list[list[str]] = []

    def directive(self, text: str) -> None:
        """Take the next preprocessor line into account.

        Args:
            text: the line from its `#` on, with its continuations; one without a `#` says nothing.
        """
        line = re.sub(r"//.*|/\*.*?\*/", "", text.replace("\\\n", " "), flags=re.DOTALL)
        found = re.match(r"\s*#\s*(\w+)\s*(.*)", line, re.DOTALL)
        if found is None:
            return
        word, rest = found[1], " ".join(found[2].split())
        if word.endswith("ifdef"):
            rest = f"defined({rest})"
        elif word.endswith("ifndef"):
            rest = f"!defined({rest})"
        if word in ("if", "ifdef", "ifndef"):
            self._open.append([rest])
        elif word in ("else", "elif", "elifdef", "elifndef") and self._open:
            self._open[-1].append("" if word == "else" else rest)
        elif word == "endif" and self._open:
            self._open.pop()

    def each(self) -> tuple[str, ...]:
        """What each of them asks, the outermost first; nothing where it is so in any case: `#if 1`."""
        return tuple(map(_asked, self._open))

    def __str__(self) -> str:
        return all_of(self.each())


def all_of(conditions: Sequence[str]) -> str:
    """Several conditions of the preprocessor as one.

    Args:
        conditions: as `Conditions.each` tells them.
    """
    asked = [condition for condition in conditions if condition]
    return " && ".join(f"({c})" if "||" in c and len(asked) > 1 else c for c in asked)


def _asked(branches: list[str]) -> str:
    """What the last of an `#if`'s branches asks: that none before it was taken."""
    *before, last = branches
    asked = [_not(branch) for branch in before if branch and not _FALSE.match(branch)]
    return all_of([*asked, last] if last and not _TRUE.match(last) else asked)


def _not(branch: str) -> str:
    """That a branch is not taken; of one that denies a single operand what it denies: `#if !defined(A)`, `#else`."""
    operand = branch.removeprefix("!").strip()
    bracket = operand.find("(")
    is_single = _OPERAND.match(operand) and (
        bracket < 0 or closing(operand, bracket) == len(operand) - 1
    )
    if operand == branch or not is_single:
        return f"!({branch})"
    return operand[1:-1].strip() if bracket == 0 else operand
