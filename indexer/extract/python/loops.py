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

# `for a, b in zip(c, d, e)`, also counted and over several lines.
_ZIPPED = re.compile(
    r"for (?<!\wfor )([\w, ()]{1,80}?) in (enumerate\()?zip\(((?:[^()]|\((?:[^()]|\([^()]*\))*\)){1,400})\)"
)
_MARK = re.compile(r"[()\[\],]")
_PATH = re.compile(r"\s*([^\W\d][\w.]*)\s*\Z")
# `for a in b`, with a call at its end or one of the built-in functions that give the same elements around it. It begins
# with letters, which `re` looks for; what may stand before them is asked for behind them.
_LOOP = re.compile(
    r"for (?<!\wfor )([\w, ()]{1,80}?) in (?:(enumerate|reversed|sorted|list|tuple|iter|set)\()?"
    r"([^\W\d][\w.]*)(\([^()\n]*\))?(?=[,:\])}\n]| if | for )"
)
_NAMES = re.compile(r"\w+")


class Loops:
    """The loops and comprehensions of one file, each by where it stands.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._found: list[tuple[int, re.Match[str], bool]] = []
        if unit.is_packaged:
            self._found = [(m.start(), m, False) for m in _LOOP.finditer(unit.code)]
            if "zip(" in unit.code:
                self._found += [(m.start(), m, True) for m in _ZIPPED.finditer(unit.code)]
                self._found.sort(key=lambda one: one[0])
        self._at = [at for at, *_ in self._found]

    def within(self, span: Span, names: Locals) -> Iterator[tuple[int, str, str, bool]]:
        """Each name that the loops of a body bind, and the target of what it is.

        Args:
            span: of the function.
            names: what the names inside it stand for; it may learn what is yielded, for the loops that follow.

        Yields:
            offset of the loop, name, target or an empty string, and whether that says that it is something else than
            other loops tell.
        """
        first = bisect_left(self._at, span.body)
        for at, match, is_zipped in self._found[first : bisect_left(self._at, span.end, first)]:
            for name, target in _zipped(match, names) if is_zipped else _looped(match, names):
                yield at, name, target, not is_zipped


def _looped(match: re.Match[str], names: Locals) -> Iterator[tuple[str, str]]:
    written, around, path, call = match.groups()
    if path == "zip" or (path == "enumerate" and call is None):
        return  # of which the other pattern tells
    bound = _NAMES.findall(written)
    values = [""] * len(bound)
    counted = around == "enumerate"
    owner, _, method = path.rpartition(".")
    if counted and "(" in written and len(bound) > 2:
        values[1:] = _parts(_each(names, path, call), len(bound) - 1)
    elif "(" in written:
        pass  # `for k, (a, b) in x.items()`
    elif call and method == "items":
        if len(bound) == 2 and not counted:
            values[1] = element_of(names.target(owner))
    elif len(bound) == 1 + counted:
        values[-1] = _each(names, path, call)
    elif not counted:
        values = _parts(_each(names, path, call), len(bound))
    yield from zip(bound, values, strict=True)


def _zipped(match: re.Match[str], names: Locals) -> Iterator[tuple[str, str]]:
    written, counted, inside = match.groups()
    bound = _NAMES.findall(written)
    each = [argument for argument in _arguments(inside) if "=" not in argument]
    values = [""] * len(bound)
    nested = written[written.find("(") :].count(",") + 1 if "(" in written else len(bound)
    if len(each) == nested == len(bound) - bool(counted):
        for at, argument in enumerate(each, bool(counted)):
            path = _PATH.match(argument)
            values[at] = each_of(names.target(path[1])) if path else ""
    yield from zip(bound, values, strict=True)


def _each(names: Locals, path: str, call: str | None) -> str:
    """Target of what a loop over a path, or what it gives where it is called, binds."""
    owner, _, method = path.rpartition(".")
    if call and method == "values":
        return element_of(names.target(owner))
    target = names.target(path)
    return each_of(f"{target}()" if target and call else target)


def _parts(target: str, count: int) -> list[str]:
    """Targets of the parts of what a loop binds, one for each name."""
    if not target.startswith("tuple(") and not target.endswith("[*]"):
        return [""] * count
    found = [element_of(target, at) for at in range(count)]
    return [f"{target}[{at}]" if part == f"{target}[]" else part for at, part in enumerate(found)]


def _arguments(inside: str) -> list[str]:
    found, depth, start = [], 0, 0
    for mark in _MARK.finditer(inside):
        if mark[0] == "," and not depth:
            found.append(inside[start : mark.start()])
            start = mark.end()
        depth += (mark[0] in "([") - (mark[0] in ")]")
    last = inside[start:]
    return [*found, last] if last.strip() else found
