"""What a constructor insists that its object holds: `assert type(self.observer) == FixedQParamsObserver`.

A base's default says nothing of an heir that has none itself and insists on another class: `FakeQuantize` makes a
MovingAverageMinMaxObserver where it is given no observer, `FixedQParamsFakeQuantize` demands a FixedQParamsObserver,
and `FusedMovingAvgObsFakeQuantize` one of two (torch/ao/quantization/fake_quantize.py). Newer trees write
`if type(…) is not …:` and `raise` for the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import either

_HELD = r"\(\s*self\.(\w+)"
_CLASSES = r"\s*,\s*(\([^()]*\)|[\w.]+),?\s*\)"
_INSISTED = re.compile(
    rf"\n([ \t]+)(?:"
    rf"assert(?=\W)\s*\(?\s*(?:type{_HELD}\)\s*(?:==|is)(?=\s)(?!\s+not\b)\s*([\w.]+)|isinstance{_HELD}{_CLASSES})"
    rf"(?=\s*(?:\)\s*)?(?:[,\n]|\Z))"
    rf"|if (?:type{_HELD}\)\s*(?:!=|is not)\s*([\w.]+)|not isinstance{_HELD}{_CLASSES}):\s*\n\s*raise\b)"
)
_FIRST = re.compile(r"\n([ \t]+)\S")
_NAME = re.compile(r"[\w.]+")


def insisted(code: str, span: Span, names: Locals) -> Iterator[tuple[str, str, int]]:
    """Each attribute of which a constructor says whose object it is; what it does only under a condition is left out.

    Args:
        code: of the file.
        span: of the constructor.
        names: what the names within it stand for.

    Returns:
        name, target and offset.
    """
    if all(code.find(asked, span.body, span.end) < 0 for asked in ("isinstance(", "type(self.")):
        return
    body = _FIRST.search(code, span.body, span.end)
    for match in _INSISTED.finditer(code, span.body, span.end):
        attribute, classes = (group for group in match.groups()[1:] if group)
        targets = [names.target(name) for name in _NAME.findall(classes)]
        if body is None or match[1] != body[1] or not all(targets):
            continue
        target = either(f"{target}()" for target in targets)
        if target:
            yield attribute, target, match.end(1)
