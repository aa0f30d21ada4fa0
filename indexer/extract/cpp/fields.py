"""Data members of classes and variables of namespaces, as declarations say: `std::shared_ptr<Graph> graph_;`.

Of a call `graph_->nodes()` they tell what it is called on. Those of the language's own types have no methods and are
left out.
"""

from __future__ import annotations

import re

from indexer.extract.cpp.outline import Field, Scopes
from indexer.extract.patterns import never_back
from indexer.facts.cpp import FIELD_CONST, FIELD_OPEN

_ARGUMENTS = rb"<(?:[^<>;{}]|<(?:[^<>;{}]|<(?:[^<>;{}]|<[^<>;{}]*>)*>)*>)*>"
_NAME = rb"(?:::\s*)?[A-Za-z_]\w*+(?:\s*%b)?(?:\s*::\s*[A-Za-z_]\w*+(?:\s*%b)?)*+" % (
    (_ARGUMENTS,) * 2
)
_BEFORE = (
    rb"(?:mutable|static|const|constexpr|inline|volatile|typename|thread_local|extern|struct|class"
    rb"|[A-Z][A-Z0-9_]*_API)\b"
)
# What Python's objects begin with: macros that have their own `;` (PyObject_HEAD, object.h of CPython).
_HEADS = rb"Py(?:Object(?:_VAR)?|Exception)_HEAD\b"
_FIELD = never_back(
    rb"\s*(?:(?:(?:public|private|protected)\s*:(?!:)|" + _HEADS + rb")\s*|#[^\n]*\n\s*)*+"
    rb"(?:" + _BEFORE + rb"\s*)*+"
    rb"((?!" + _BEFORE + rb")" + _NAME + rb")(?:\s*\bconst\b)?[\s&*]++(?:const\b\s*)?(?<=[\s&*])"
    # Behind it stand an initializer, a width, an extent or another member.
    rb"([A-Za-z_]\w*)\s*(?:[={\[]|:(?!:)|((?:,[\s&*]*[A-Za-z_]\w*\s*)*)$)"
)
_ACCESS = (b"public:", b"protected:", b"private:")
_FURTHER = re.compile(rb"\w+")
_NOT_TOLD = re.compile(rb"\b(?:const|typename)\b|\s+")
_NO_CLASSES = frozenset(
    b"auto bool char class double enum float friend int long namespace operator return short signed size_t ssize_t"
    b" struct template typedef union unsigned using void int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t"
    b" uint64_t uintptr_t ptrdiff_t".split()
)


def fields_of(text: bytes, start: int, end: int, scopes: Scopes) -> list[Field]:
    """The members or variables that a statement declares; none where it declares something else.

    Args:
        text: of the file, comments and literals blanked.
        start: of the statement.
        end: where its `;` is.
        scopes: the namespaces and classes around it.
    """
    opening = text.find(b"(", start, end)
    if opening >= 0:
        # What a macro makes before it has no `;`: `FORWARD_HAS_DEFAULT_ARGS({1, AnyValue()}) public: Options options;`.
        start = max(start, *(text.rfind(key, start, end) for key in _ACCESS))
        opening = text.find(b"(", start, end)
    if opening >= 0 and not any(
        text.find(sign, start, opening) >= 0 for sign in (b"=", b"<", b"{", b"#")
    ):
        return []  # a function, as most are
    match = _FIELD.match(text, start, end)
    if match is None:
        return []
    written, name, further = match.groups()
    if written in _NO_CLASSES:
        return []
    sign = _sign(text, match)
    if b"<" in written or written.split() != [written]:
        if b"const" in written:
            sign = FIELD_OPEN
        written = _NOT_TOLD.sub(b"", written)
    of_type = written.decode("latin-1") + sign
    names = [name, *_FURTHER.findall(further)] if further else [name]
    return [Field(scopes, one.decode("latin-1"), of_type) for one in names if one != b"operator"]


def _sign(text: bytes, match: re.Match[bytes]) -> str:
    """What stands behind the type of a match of `_FIELD`, as `ClassFields` has it."""
    before, behind = text[match.start() : match.start(1)], text[match.end(1) : match.start(2)]
    if b"mutable" in before or match.group(3):
        return FIELD_OPEN
    stars = behind.count(b"*")
    is_const = b"const" in before or b"const" in behind
    if stars:
        if stars > 1:
            return FIELD_OPEN
        # `T* const x` points to what is not.
        is_const = b"const" in before or b"const" in behind.partition(b"*")[0]
    return (FIELD_CONST if is_const else "") + ("*" if stars else "&" if b"&" in behind else "")
