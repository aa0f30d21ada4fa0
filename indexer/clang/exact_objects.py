"""Is an object of the very class that its expression has? Then no override of a virtual method runs for it.

`Cell<tanh_f>{}(input, hidden)` (aten/src/ATen/native/RNN.cpp) calls the operator of that class, and `(*hook)(grads)`
what overrides it in the hook's class.
"""

from __future__ import annotations

from indexer.clang import kinds
from indexer.clang.library import BREAK, Cursor, Libclang, Visit

_MADE = frozenset((kinds.INITIALIZER_LIST, kinds.FUNCTIONAL_CAST))
_AROUND = frozenset((kinds.UNEXPOSED_EXPRESSION, kinds.PARENTHESES))


def is_of_its_class(lib: Libclang, expression: Cursor) -> bool:
    """Whether an expression is a new object, or names a variable, member or result that is no reference.

    Args:
        lib: libclang.
        expression: what an operator is called on.
    """
    while expression.kind in _AROUND:
        inner = _first(lib, expression)
        if inner is None:
            return False
        expression = inner
    if expression.kind in _MADE:
        return True
    declared = lib.getCursorReferenced(expression)
    if declared.data0 is None:
        return False
    is_function = declared.kind in kinds.FUNCTIONS
    held = lib.getCursorResultType(declared) if is_function else lib.getCursorType(declared)
    # What `unique_ptr::operator*` gives is written as a trait's type: `add_lvalue_reference<T>::type`.
    held = lib.getCanonicalType(held)
    return not lib.text(lib.getTypeSpelling(held)).endswith("&")


def _first(lib: Libclang, cursor: Cursor) -> Cursor | None:
    """The first child, which a wrapper has alone."""
    found: list[Cursor] = []

    def visit(child: Cursor, _: Cursor, __: object) -> int:
        found.append(child)
        return BREAK

    lib.visitChildren(cursor, Visit(visit), None)
    return found[0] if found else None
