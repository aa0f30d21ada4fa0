"""What a body that is read as text runs behind square brackets: `OrderedSet[int]()`, `schedulers[0].get_last_lr()`.

What is read there may be a property: `self.strategies[0].output_spec.ndim`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.property_reads import PropertyReads
from indexer.extract.python.unit import PyUnit
from indexer.extract.python.value_texts import element_of, is_generic

_LONGEST = 200  # characters between the brackets
_BEHIND = re.compile(r"\](?=[.(])((?:\.\w+)*)(?!\w| = )(\(?)")
_BRACKET = re.compile(r"[\[\]:]")
_NAME_BEFORE = re.compile(r"(?<![\w.])[^\W\d][\w.]*\Z")
# Of a list it is a part of it that `[1:]` gives, and that is a list.
_PART = ":"


class Subscripts:
    """The calls behind square brackets of one file.

    Args:
        unit: the file.
        reads: for what may be a property.
    """

    def __init__(self, unit: PyUnit, reads: PropertyReads) -> None:
        self._code = unit.code
        self._reads = reads
        # What tests call on the elements that they look at says nothing that their other calls do not.
        self._found = [
            (match.start() + 1, match[1], bool(match[2]))
            for match in _BEHIND.finditer(unit.code)
            if (unit.is_packaged or not match[1]) and (match[2] or match[1])
        ]

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str]]:
        """Where a function calls a generic class or a method of an element, or reads one, and the target of that.

        Args:
            span: of the function.
            names: what the names inside it stand for.

        Yields:
            offset of the dot or bracket behind the square ones, and target; in the order of the text.
        """
        if not self._found:
            return
        first = bisect_left(self._found, (span.body,))
        for at, members, is_called in self._found[
            first : bisect_left(self._found, (span.end,), first)
        ]:
            name, is_part = self._subscripted(at, span.body)
            target = names.target(name) if name else ""
            if members:
                if "()" in target and not is_part:
                    yield from self._members(at, element_of(target), members, is_called)
            elif is_generic(target):
                yield at, target
            elif target and "(" not in target and not is_part:
                yield at, element_of(target)  # of a table of functions: `RULES[type(node)](node)`

    def _members(
        self, at: int, element: str, members: str, is_called: bool
    ) -> Iterator[tuple[int, str]]:
        """What runs where members of an element are read, the last of them called."""
        read, _, method = members.rpartition(".") if is_called else (members, "", "")
        if read and element:
            yield from self._reads.chain(at, element, read)
        if is_called:
            yield at, f"{element}{read}.{method}"

    def _subscripted(self, end: int, first: int) -> tuple[str, bool]:
        """The name in front of the brackets that end here, and whether they hold a slice."""
        code, depth, is_part = self._code, 0, False
        start = max(first, end - _LONGEST)
        for bracket in reversed(list(_BRACKET.finditer(code, start, end))):
            if bracket[0] == "]":
                depth += 1
            elif bracket[0] == _PART:
                is_part = is_part or depth == 1
            elif depth > 1:
                depth -= 1
            else:
                name = _NAME_BEFORE.search(code, start, bracket.start())
                return (name[0] if name else ""), is_part
        return "", False
