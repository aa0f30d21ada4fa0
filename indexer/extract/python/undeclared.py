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

_GIVEN = r"\n[ \t]*(?:\w+, )*{0}(?:, \w+)*(?:: [^=\n]+)? = |\b(?:for|as) (?:\w+, )*{0}\b|\b{0} := "


class Undeclared:
    """The undeclared parameters of one file's functions.

    Args:
        unit: the file.
        module: its name.
    """

    def __init__(self, unit: PyUnit, module: str) -> None:
        self._code = unit.code
        self._package = ".".join(module.split(".")[:2])
        self._known: dict[tuple[str, int], bool] = {}

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
        asked = head, span.start
        if dot and asked not in self._known:
            self._known[asked] = names.is_undeclared(head) and not re.search(
                _GIVEN.format(head), self._code[span.body : span.end]
            )
        return f"{CUSTOMARY}{self._package}:{head}).{rest}" if dot and self._known[asked] else ""
