"""What loops bind, in bodies that are read as text: `for node in self.nodes`, `[x.get_name() for x in inputs]`.

Of a mapping they bind keys, of which nobody says anything; `.values()` and `.items()` give what it maps to.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit
from indexer.extract.python.value_texts import each_of, element_of

# `for a in b`, with a call at its end or one of the built-in functions that give the same elements around it. It begins
# with letters, which `re` looks for; what may stand before them is asked for behind them.
_LOOP = re.compile(
    r"for (?<!\wfor )([\w, ()]{1,80}?) in (?:(enumerate|reversed|sorted|list|tuple|iter|set|zip)\()?"
    r"([^\W\d][\w.]*)(\([^()\n]*\))?(?:, ([^\W\d][\w.]*)\))?(?=[,:\])}\n]| if | for )"
)
_NAMES = re.compile(r"\w+")


class Loops:
    """The loops and comprehensions of one file, each by where it stands.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._found = list(_LOOP.finditer(unit.code)) if unit.is_packaged else []
        self._at = [match.start() for match in self._found]

    def within(self, span: Span, names: Locals) -> Iterator[tuple[str, str]]:
        """Each name that the loops of a body bind, and the target of what it is, or an empty string."""
        first = bisect_left(self._at, span.body)
        for match in self._found[first : bisect_left(self._at, span.end, first)]:
            written, around, path, call, second = match.groups()
            bound = _NAMES.findall(written)
            values = [""] * len(bound)
            counted = around == "enumerate"
            owner, _, method = path.rpartition(".")
            if "(" in written:
                pass  # `for i, (a, b) in …`
            elif around == "zip":
                if second and not call and len(bound) == 2:
                    values = [each_of(names.target(each)) for each in (path, second)]
            elif call and method == "items":
                if len(bound) == 2 and not counted:
                    values[1] = element_of(names.target(owner))
            elif len(bound) == 1 + counted:
                if call and method == "values":
                    values[-1] = element_of(names.target(owner))
                else:
                    target = names.target(path)
                    values[-1] = each_of(f"{target}()" if target and call else target)
            yield from zip(bound, values, strict=True)
