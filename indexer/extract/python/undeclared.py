"""Parameters of which a function says nothing, while other functions of its package may say what they call so.

`def reconstruct(self, codegen)` of torch/_dynamo/source.py is handed what all others that say it declare as a
`PyCodegen`. What that is, the link step finds (indexer/link/python/customary.py).
"""

from __future__ import annotations

import re

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import CUSTOMARY

_GIVEN = re.compile(
    r"\n[ \t]*((?:\w+, )*\w+)(?:: [^=\n]+)? = |\b(?:for|as) ((?:\w+, )*\w+)|\b(\w+) := "
)


class Undeclared:
    """The undeclared parameters of one file's functions.

    Args:
        unit: the file.
        module: its name.
    """

    def __init__(self, unit: PyUnit, module: str) -> None:
        self._code = unit.code
        self._package = ".".join(module.split(".")[:2])
        self._given: tuple[int, frozenset[str]] = (-1, frozenset())

    def target(self, written: str, names: Locals, span: Span) -> str:
        """Target of what is asked of such a parameter.

        Args:
            written: a dotted name: `codegen.add_push_null`.
            names: of the function.
            span: where it stands.

        Returns:
            An empty string where the name begins with something else, or with what the body gives another value.
        """
        head, dot, rest = written.partition(".")
        if not dot or not names.is_undeclared(head) or head in self._given_within(span):
            return ""
        return f"{CUSTOMARY}{self._package}:{head}).{rest}"

    def _given_within(self, span: Span) -> frozenset[str]:
        """The names that a body gives values; it is mostly asked of one function several times in a row."""
        if self._given[0] != span.start:
            found = _GIVEN.findall(self._code, span.body, span.end)
            names = (name for match in found for part in match for name in part.split(", "))
            self._given = span.start, frozenset(names)
        return self._given[1]
