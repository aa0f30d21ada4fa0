"""What a body that is read as text calls on what it has asked for its class: `if isinstance(x, Fused): x.unfuse()`.

Asked for are names of which nothing else tells what they are. What was asked holds where the question stands in a
condition that has nothing beside it but `and`: for the block below an `if`, behind an `assert`, and in the rest of
the condition.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit

_ASKED = re.compile(r"isinstance\((\w+), ([^\W\d][\w.]*)\)")
_CONDITION = re.compile(r"[ \t]*(if|elif|while|assert|return)\b")
_METHOD = re.compile(r"\.(\w+)\(")
_OTHERWISE = re.compile(r" (?:or|else|if|for) |\n|:(?=[ \t]*\n)")
_SAID = ("if ", "elif ", "while ", "assert ", "return ", " and ")


class Narrowed:
    """Where the functions of one file know more of a name, since they asked.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._code = unit.code
        asked = _ASKED.finditer(unit.code) if unit.is_packaged else ()
        self._found = [(match.start(), match) for match in asked]
        self._at = [at for at, _ in self._found]

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        """Where a body calls a method of what it has asked for its class, and the target of that."""
        code = self._code
        first = bisect_left(self._at, span.body)
        for at, match in self._found[first : bisect_left(self._at, span.end, first)]:
            name = match[1]
            if names.local(name) != "":
                continue
            target = names.target(match[2])
            if not target or "(" in target:
                continue
            for start, end in self._holds(at, match.end(), span.end):
                given = re.search(rf"(?<![\w.]){name}(?:, \w+)* = ", code[start:end])
                end = start + given.start() if given else end
                found = code.find(f"{name}.", start, end)
                while found >= 0:
                    after = found + len(name)
                    method = _METHOD.match(code, after, span.end)
                    before = code[found - 1]
                    if method and not (before.isalnum() or before in "_."):
                        yield found, f"{target}().{method[1]}"
                    found = code.find(f"{name}.", after, end)

    def _holds(self, at: int, end: int, last: int) -> Iterator[tuple[int, int]]:
        """The parts of the text where what is asked there is known to be so."""
        code = self._code
        line = code.rfind("\n", 0, at) + 1
        before = code[line:at]
        if not before.endswith(_SAID) or before.count("(") != before.count(")"):
            return
        stop = _OTHERWISE.search(code, end, last)
        rest = stop.start() if stop else last
        if code.startswith(" and ", end):
            yield end, rest
        head = _CONDITION.match(before)
        if head is None or " or " in before or " if " in before.lstrip()[2:]:
            return
        indent = head.start(1) - head.start()
        if head[1] == "assert":
            if stop and stop[0] == "\n":
                yield rest, self._block_end(rest, indent - 1, last)
        elif head[1] != "return" and stop and stop[0] == ":":
            yield rest, self._block_end(rest, indent, last)

    def _block_end(self, start: int, indent: int, last: int) -> int:
        """Where the lines end that are indented further."""
        found = _less(indent).search(self._code, start + 1, last)
        return found.start() if found else last


_PATTERNS: dict[int, re.Pattern[str]] = {}


def _less(indent: int) -> re.Pattern[str]:
    """A line that is indented so or less."""
    if indent not in _PATTERNS:
        _PATTERNS[indent] = re.compile(rf"\n[ \t]{{0,{max(indent, 0)}}}[^\s#]")
    return _PATTERNS[indent]
