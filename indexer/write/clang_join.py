"""Which function of the syntax layer is the same as one of libclang's: by file, line and name."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Set

from indexer.facts.clang import Symbol

_OPERATOR = re.compile(r"(?<![^:])operator(?![\w:]).*")
_STRUCTURED = "structured_"
_ENTRIES = ("::impl", "::meta")


class Places:
    """The functions that a database has, by their places and by their names."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self.by_place: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
        self.by_name: dict[str, list[int]] = defaultdict(list)
        for identity, name, path, line in conn.execute(
            "SELECT u.id, u.name, f.path, u.line FROM functions AS u"
            " JOIN source_files AS f ON f.id = u.file_id ORDER BY u.id"
        ):
            self.by_place[path, line].append((identity, name))
            self.by_name[name].append(identity)


def same_function(symbol: Symbol, places: Places, taken: Set[int]) -> int | None:
    """The id of the function that a symbol is, or None where the database has no such one.

    Args:
        symbol: as libclang tells it.
        places: what the database has.
        taken: ids of functions that others are already.
    """
    if symbol.kind in ("variable", "field"):
        return None
    name = structured_name(symbol.name)
    if not symbol.is_definition:
        # Defined in a file that was not parsed, such as Objective-C++. One of several overloads it cannot be.
        known = places.by_name.get(name, ())
        in_tree = not symbol.file.startswith("<")
        return known[0] if in_tree and len(known) == 1 and known[0] not in taken else None
    here = [
        (i, n) for i, n in places.by_place.get((symbol.file, symbol.line), ()) if i not in taken
    ]
    # TORCH_META_FUNC's are known by the method that they are.
    for identity, other in here:
        if other in (name, symbol.name):
            return identity
    last = last_part(name)
    for identity, other in here:
        if last_part(other) == last:
            return identity
    return None


def structured_name(name: str) -> str:
    """A structured kernel by the name inside `TORCH_IMPL_FUNC` or `TORCH_META_FUNC`; others as they are.

    Both macros define a method of a class `structured_NAME` (aten/src/ATen/TensorMeta.h and
    torch/headeronly or c10/core: `TORCH_IMPL_FUNC(name) void structured_##name::impl`).
    """
    scope, _, last = name.rpartition("::")
    outer, _, class_ = scope.rpartition("::")
    if f"::{last}" in _ENTRIES and class_.startswith(_STRUCTURED):
        return (
            f"{outer}::{class_.removeprefix(_STRUCTURED)}"
            if outer
            else class_.removeprefix(_STRUCTURED)
        )
    return name


def last_part(name: str) -> str:
    """The last component of a qualified name; an operator is one component, whatever it consists of."""
    operator = _OPERATOR.search(name)
    if operator is not None:
        return operator[0].replace(" ", "")
    return name.rpartition("::")[2]
