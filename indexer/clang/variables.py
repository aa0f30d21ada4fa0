"""Variables outside of functions among the cursors, and whether their values are made by calls."""

from __future__ import annotations

from indexer.clang import kinds
from indexer.clang.library import BREAK, RECURSE, Cursor, Libclang, Visit
from indexer.clang.symbols import Places

_OUTSIDE = frozenset((*kinds.TRANSLATION_UNITS, *kinds.SCOPES))


def is_made_by_calls(lib: Libclang, places: Places, variable: Cursor) -> bool:
    """Whether a variable of the tree's belongs to no function and something is called to make its value.

    Such a variable is what its initialiser's calls stand in, so whoever reads it depends on them. A constant that is
    only written down depends on nothing.

    Args:
        lib: libclang.
        places: of the unit.
        variable: what a name refers to.
    """
    if lib.getCursorSemanticParent(variable).kind not in _OUTSIDE:
        return False
    _, is_own = places.path(places.of(variable)[0])
    if not is_own:  # std::nullopt has a constructor, and seven thousand readers
        return False
    found = False

    def visit(cursor: Cursor, parent: Cursor, _: object) -> int:
        nonlocal found
        found = cursor.kind == kinds.CALL
        return BREAK if found else RECURSE

    lib.visitChildren(lib.getCursorDefinition(variable), Visit(visit), None)
    return found
