"""Lists whose elements are all made of one class where they are written: `layers = [Layer(n)]`, `[Step(x) for x in y]`.

`self.layers = torch.nn.ModuleList(layers)` (torch/ao/nn/quantizable/modules/rnn.py) holds what the list has, for who
loops over it or takes one out of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit

_LIST = re.compile(r" = (?:(?:\w+\.)*ModuleList\()?\[\s*([^\W\d][\w.]*)\(")
_NAME = re.compile(r"\n[ \t]+((?:self\.)?\w+)\Z")
_BRACKET = re.compile(r"[()]")
_ALONE = re.compile(r"\s*(?:,\s*)?\](?! [+*])|\s+for\s")
_LONGEST = 1_000  # characters of an element


class Listed:
    """The lists of one file that are written so, each by where it stands.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._code = unit.code
        self._found = list(_LIST.finditer(unit.code)) if unit.is_packaged else []
        self._at = [match.start() for match in self._found]

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str, str]]:
        """Where a body gives such a list to a name, that name (`self.layers`), and the target of the list.

        Args:
            span: of the function.
            names: what the names inside it stand for.

        Yields:
            offset of the list, name, and target; in the order of the text.
        """
        first = bisect_left(self._at, span.body)
        for match in self._found[first : bisect_left(self._at, span.end, first)]:
            at = match.start()
            name = _NAME.search(self._code, max(at - 100, span.body - 1), at)
            target = names.target(match[1])
            is_class = "(" not in target and match[1].rpartition(".")[2].lstrip("_")[:1].isupper()
            if name and target and is_class and self._is_alone(match.end()):
                yield at, name[1], f"list({target}())"

    def _is_alone(self, start: int) -> bool:
        """Whether a list has nothing behind the call whose arguments begin here, or but what repeats it."""
        depth = 1
        for bracket in _BRACKET.finditer(self._code, start, start + _LONGEST):
            depth += 1 if bracket[0] == "(" else -1
            if not depth:
                return _ALONE.match(self._code, bracket.end()) is not None
        return False
