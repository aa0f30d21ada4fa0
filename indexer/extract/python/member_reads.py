"""Where a function reads what a class has and is no method: `CheckpointPolicy.MUST_SAVE`, which no bracket follows.

Enumerations are used so, and classes that hold constants. Which member is none of a class's methods the link step
tells; here is told what stands behind a name that is written as classes are (PEP 8, Class Names). A method of which
the name stands so is handed on, `make_guard(GuardBuilder.TYPE_MATCH)`, but where something is only compared with it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import MEMBER

# On reversed text: behind the dot, which is what `re` finds fastest, stands the class's name, and what that is of.
_CLASS = re.compile(r"\.(\w*[A-Z]_*(?:\.\w+)*)(?![\w.)\]])")
_COMPARED = re.compile(r"\s*(?:==|!=|is\b|(?:not )?in\b)")
_COMPARING = re.compile(r"(?:[=!]=|\b(?:is|not|in))\s*\Z")
_BEFORE = 20  # characters that are looked at: a comparison and the white space behind it
_MEMBER = re.compile(r"\.((?!__)[^\W\d]\w*)(?![\w(])")


class MemberReads:
    """The places of one file where a member of what may be a class is read.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._line_starts = unit.line_starts
        self._code = code = unit.code
        self._found: list[tuple[int, int, str, str]] = []
        total = len(code)
        for match in _CLASS.finditer(unit.reversed_code):
            member = _MEMBER.match(code, total - 1 - match.start())
            if member is not None:
                at = total - match.end()
                self._found.append((at, member.end(), match[1][::-1], member[1]))
        self._found.reverse()

    def within(
        self, found: FunctionNode, span: Span, names: Locals
    ) -> Iterator[tuple[int, str, bool]]:
        """Where a function reads members, its decorators and default values included.

        Args:
            found: the function's statement.
            span: where it stands in the text.
            names: what the names inside it stand for.

        Yields:
            offset into the text, the target with the member behind `#`, and whether something is compared with that;
            each once.
        """
        if not self._found:
            return
        decorators = found.node.decorator_list
        start = self._line_starts[decorators[0].lineno - 1] if decorators else span.start
        known: set[tuple[str, str, bool]] = set()
        for at in range(bisect_left(self._found, (start,)), len(self._found)):
            offset, end, owner, member = self._found[at]
            if offset >= span.end:
                break
            is_compared = self._is_compared(offset, end)
            if (owner, member, is_compared) not in known:
                known.add((owner, member, is_compared))
                target = names.target(owner)
                if target:
                    yield offset, f"{target}{MEMBER}{member}", is_compared

    def _is_compared(self, start: int, end: int) -> bool:
        """Whether what stands between two offsets is one side of a comparison."""
        code = self._code
        return bool(
            _COMPARED.match(code, end) or _COMPARING.search(code, max(start - _BEFORE, 0), start)
        )
