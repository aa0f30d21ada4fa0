"""Special members that a file defines without a body: `TensorImpl::~TensorImpl() = default;` (c10/core/TensorImpl.cpp).

Within its class the same is a declaration to the reader, as others are: the compiler mostly has no code for it.
"""

from __future__ import annotations

from indexer.extract.cpp.heads import parse_head
from indexer.extract.cpp.outline import Function, Scopes

VALUE = b"default"
"""What such a statement ends with."""


def defaulted(text: str, begin: int, at: int, scopes: Scopes) -> Function | None:
    """What a statement defines so; None of any other.

    Args:
        text: of the statement, without comments and literals.
        begin: its offset.
        at: the offset of its semicolon.
        scopes: the namespaces and classes around it.
    """
    declared, equals, value = text.rpartition("=")
    if not equals or value.strip() != "default" or (scopes and scopes[-1].kind == "class"):
        return None
    head = parse_head(declared, "")
    if head.kind != "function" or "::" not in head.name:
        return None
    text = declared[head.start :].strip()
    return Function(head, scopes, text, begin + head.start, begin + head.offset, at, at)
