"""Names in the bodies of tests: methods of values whose type the text does not tell, and all others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.python.scope import Scope
from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import BodyNames

# On reversed text, where the bracket is what `re` finds fastest: the name that is called, then the
# names and dots before it. A dot alone stands behind the end of a call or subscript.
_CALLED = re.compile(r"\((\w+)(\.[\w.]*)?")
_ATTRIBUTE = re.compile(r"\.([^\W\d]\w\w+)")
# Nothing of these is a tensor.
_NOT_TENSORS = frozenset(("self", "cls", "np", "numpy", "os", "sys", "math", "unittest", "super"))


def read_names(unit: PyUnit, scope: Scope) -> Iterator[BodyNames]:
    """The names in each function of the file."""
    imported = _NOT_TENSORS.union(scope.names)
    code, reversed_code = unit.code, unit.reversed_code
    total = len(code)
    heads: dict[str, bool] = {}
    for line, span in unit.spans.items():
        methods: dict[str, None] = {}
        names = dict.fromkeys(_ATTRIBUTE.findall(code, span.body, span.end))
        for name, owner in _CALLED.findall(reversed_code, total - span.end, total - span.body):
            called = name[::-1]
            names[called] = None
            if not owner or called in methods:
                continue
            known = heads.get(owner)
            if known is None:
                head = owner[:0:-1].partition(".")[0]
                known = heads[owner] = head in imported
            if not known:
                methods[called] = None
        if names:
            yield BodyNames(line, " ".join(methods), " ".join(names))
