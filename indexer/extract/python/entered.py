"""What `with` and `except` bind, in bodies that are read as text: `with Timer(x) as t:`, `except (A, B) as error:`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping

from indexer.extract.python.brackets import callee_before
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import either
from indexer.extract.python.unit import PyUnit

# The object that the call in front of it makes.
_ENTERED = re.compile(r"\) as (\w+)(?=[:,)])")
_CAUGHT = re.compile(r"except[ \t]*(?:([^\W\d][\w.]*)|\(([^()]*)\))[ \t]+as (\w+)[ \t]*:")


class Entered:
    """The names that the `with` statements and handlers of one file bind, each by where it stands.

    Args:
        unit: the file.
    """

    def __init__(self, unit: PyUnit) -> None:
        self._code = code = unit.code
        self._found = [(match.start(1), match[1], "") for match in _ENTERED.finditer(code)]
        if unit.is_packaged:
            self._found += [(m.start(3), m[3], m[1] or m[2]) for m in _CAUGHT.finditer(code)]
            self._found.sort()

    def read(
        self,
        span: Span,
        names: Locals,
        given: Mapping[str, str],
        is_own: Callable[[int, str], bool],
    ) -> dict[str, str]:
        """What the names are that a body binds so, "" where that is not known.

        Args:
            span: of the function.
            names: what the names inside it stand for.
            given: what other statements give to names.
            is_own: whether a name that stands at an offset is one of these.

        Returns:
            A target by each name. One that `with` gives different things is known for none of them; of exceptions that
            are called alike each is.
        """
        entered: dict[str, set[str]] = {}
        found: dict[str, str] = {}
        first = bisect_left(self._found, (span.body,))
        for at, name, kinds in self._found[first : bisect_left(self._found, (span.end,), first)]:
            if not is_own(at, name):
                continue
            if not kinds:
                entered.setdefault(name, set()).add(self._made(at, span, names))
            elif target := caught(kinds.split(","), names):
                found[name] = either((found.get(name, given.get(name, "")), target))
        for name, each in entered.items():
            # What nobody knows says nothing of a name that is told elsewhere, as a nested function's parameter.
            if any(each):
                each.add(given.get(name, next(iter(each))))
                found[name] = each.pop() if len(each) == 1 else ""
        return found

    def _made(self, at: int, span: Span, names: Locals) -> str:
        """Target of the object in front of a name, where its class or the function that gives it is told."""
        end = self._code.rfind(")", span.body, at) + 1
        callee = callee_before(self._code, span.body, end)[1]
        target = names.target(callee) if callee else ""
        return f"{target}()" if target else ""


def caught(kinds: list[str], names: Locals) -> str:
    """Target of an object of one of the classes of the tree that a handler is for.

    Args:
        kinds: the classes as they are written.
        names: what the names where it stands stand for.
    """
    targets = (names.target(kind.strip()) for kind in kinds)
    return either(f"{target}()" for target in targets if target and "(" not in target)
