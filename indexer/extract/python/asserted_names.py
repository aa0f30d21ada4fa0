"""What a body that is read as text insists that its names are: `assert isinstance(strategy, OpStrategy)`.

That is said of a name which the function binds once, and of which nothing else tells what it is; so loops over what
it holds and names that are given something of it are known, too. What holds below a condition alone is told by
`isinstance_calls`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import either
from indexer.extract.python.unit import PyUnit

_ASSERTED = re.compile(
    r"assert isinstance\((\w+), (?:([^\W\d][\w.]*)|\(([\w., \n]+)\))\)(?=[ \t]*(?:,|\n|\Z)| and )"
)
_FIRST = re.compile(r"\n[ \t]+(?=[^\s\"'])")  # behind a docstring


class Asserted:
    """The names of which the functions of one file insist that they are something, each by where that stands.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._code = unit.code
        self._found: list[tuple[int, str, str]] = []
        if unit.is_packaged and "isinstance(" in unit.code:
            self._found = [
                (match.start(), match[1], match[2] or match[3])
                for match in _ASSERTED.finditer(unit.code)
            ]

    def read(self, span: Span, names: Locals, is_own: Callable[[int, str], bool]) -> dict[str, str]:
        """What the names are of which nothing else says it.

        Args:
            span: of the function.
            names: what the names inside it stand for.
            is_own: whether a name that stands at an offset is one of these.

        Returns:
            A target by each name.
        """
        said: dict[str, str] = {}
        first = bisect_left(self._found, (span.body,))
        if first == len(self._found) or self._found[first][0] >= span.end:
            return said
        body = _FIRST.search(self._code, span.body, span.end)
        for at, name, kinds in self._found[first : bisect_left(self._found, (span.end,), first)]:
            if body is None or not self._code.endswith(body[0], 0, at):
                continue  # it may hold under a condition alone
            known = names.local(name)
            is_unknown = not (names.scope.has(name) if known is None else known)
            if is_unknown and is_own(at, name) and self._is_bound_once(name, span):
                targets = (names.target(kind.strip()) for kind in kinds.split(","))
                made = (f"{target}()" for target in targets if target and "(" not in target)
                said[name] = either((said.get(name, ""), *made))
        return {name: target for name, target in said.items() if target}

    def _is_bound_once(self, name: str, span: Span) -> bool:
        code = self._code
        is_parameter = re.search(rf"\b{name}\b", code[span.name_end : span.body]) is not None
        given = code.count(f"{name} = ", span.body, span.end)
        return is_parameter + given + code.count(f"for {name} in ", span.body, span.end) < 2
