"""Data members of classes, as their declarations say: `std::shared_ptr<Graph> graph_;`.

Of a call `graph_->nodes()` in a method they tell what it is called on. Members of the language's own types have no
methods and are left out.
"""

from __future__ import annotations

import re

from indexer.extract.cpp.outline import Field, Scopes

_ARGUMENTS = rb"<(?:[^<>;{}]|<(?:[^<>;{}]|<(?:[^<>;{}]|<[^<>;{}]*>)*>)*>)*>"
_NAME = rb"(?:::\s*)?[A-Za-z_]\w*+(?:\s*%b)?(?:\s*::\s*[A-Za-z_]\w*+(?:\s*%b)?)*+" % (
    (_ARGUMENTS,) * 2
)
_FIELD = re.compile(
    rb"\s*(?:(?:public|private|protected)\s*:(?!:)\s*|#[^\n]*\n\s*)*+"
    rb"(?:(?:mutable|static|const|constexpr|inline|volatile|typename|thread_local|struct|class)\b\s*)*+"
    rb"(" + _NAME + rb")(?:\s*\bconst\b)?[\s&*]++(?:const\b\s*)?(?<=[\s&*])"
    # Behind it stand an initializer, a width, an extent or another member.
    rb"([A-Za-z_]\w*)\s*(?:[={\[]|:(?!:)|((?:,[\s&*]*[A-Za-z_]\w*\s*)*)$)"
)
_FURTHER = re.compile(rb"\w+")
_NOT_TOLD = re.compile(rb"\b(?:const|typename)\b|\s+")
_NO_CLASSES = frozenset(
    b"auto bool char class double enum float friend int long operator return short signed size_t ssize_t struct"
    b" template typedef union unsigned using void int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"
    b" uintptr_t ptrdiff_t".split()
)


def fields_of(text: bytes, start: int, end: int, scopes: Scopes) -> list[Field]:
    """The members that a statement in a class declares; none where it declares something else.

    Args:
        text: of the file, comments and literals blanked.
        start: of the statement.
        end: where its `;` is.
        scopes: the namespaces and classes around it.
    """
    match = _FIELD.match(text, start, end)
    if match is None:
        return []
    written, name, further = match.groups()
    if written in _NO_CLASSES:
        return []
    if b"<" in written or written.split() != [written]:
        written = _NOT_TOLD.sub(b"", written)
    of_type = written.decode("latin-1")
    names = [name, *_FURTHER.findall(further)] if further else [name]
    return [Field(scopes, one.decode("latin-1"), of_type) for one in names if one != b"operator"]
