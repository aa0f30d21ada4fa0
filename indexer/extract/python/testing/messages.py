"""What tests expect errors and warnings to say: `assertRaisesRegex(RuntimeError, "must be a matrix")`.

Also `pytest.raises(…, match="…")`, and `ErrorInput(…, error_regex="…")` (torch/testing/_internal/opinfo/core.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import ExpectedMessages

# assertRaisesRegex, assertWarnsRegex, assertRaisesRegexp …; a plain text is what is found soonest.
_HEADS = ("Regex", "match=", "error_regex=")
_ENDS = "):"
_FAR = 500
# A shorter one, or a single word, is that of many things.
_LEAST = 10
_TEXT = re.compile(r"""(?<![\w\\])[rRbBuUfF]{0,2}(?:"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)')""")
_WORD = re.compile(r"[A-Za-z_][\w-]*")


def read_messages(unit: PyUnit) -> Iterator[ExpectedMessages]:
    """The messages that the file `unit` expects, as one fact; none where there are none."""
    found: dict[tuple[int, str], None] = {}
    for head in _HEADS:
        if head.encode() in unit.data:
            found.update(dict.fromkeys(_behind(unit, head)))
    if found:
        lines = (f"{line} {message}" for line, message in sorted(found))
        yield ExpectedMessages("\n".join(lines))


def _behind(unit: PyUnit, head: str) -> Iterator[tuple[int, str]]:
    code, text = unit.code, unit.text
    at = code.find(head)
    while at >= 0:
        begin = at + len(head)
        end = code.find(_ENDS, begin, begin + _FAR)
        message, where = _first(text, begin, end if end >= 0 else begin + _FAR)
        if message:
            yield unit.line(where), message
        at = code.find(head, begin)


def _first(text: str, begin: int, end: int) -> tuple[str, int]:
    """The first text between two offsets, with those right behind it, and where it begins; empty if it says little."""
    parts: list[str] = []
    where = last = begin
    for match in _TEXT.finditer(text, begin, end):
        if parts and text[last : match.start()].strip():
            break
        if not parts:
            where = match.start()
        parts.append(match[1] or match[2] or "")
        last = match.end()
    return (" ".join("".join(parts).split()), where) if _says_enough(parts) else ("", begin)


def _says_enough(parts: list[str]) -> bool:
    text = "".join(parts)
    return len(text) >= _LEAST and len(_WORD.findall(text)) > 1
