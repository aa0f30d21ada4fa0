"""Which function of the syntax layer is the same as one of libclang's: by file, line and name.

A conversion has no other name than a type's, which libclang has without aliases (`operator unsigned int` is written
`operator unique_t`), and what a macro makes begins on a line of its use that the text need not know.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Set

from indexer.extract.cpp.parameters import parameters_of
from indexer.facts.clang import Symbol

_OPERATOR = re.compile(r"(?<![^:])operator(?![\w:]).*")
_CONVERSION = re.compile(r"::operator\s+(?=[\w:])")
_TYPE_WORD = re.compile(r"\b(?!const\b)\w+\b(?!::)")
_WORD = re.compile(r"\w+")
_STRUCTURED = "structured_"
_ENTRIES = ("::impl", "::meta")
# What `__COUNTER__` puts behind a name: C10_UID and C10_ANONYMOUS_VARIABLE (c10/macros/Macros.h), by which
# TORCH_LIBRARY_IMPL and its kin name each block (torch/library.h).
_COUNTED = re.compile(r"(?<=\D)\d+\Z")


class Places:
    """The functions that a database has, by their places and by their names.

    Args:
        conn: the database.
        file_id: of the file whose functions are wanted; None for all.
        first: the first id of what clang alone has told; None where it has told nothing.

    Attributes:
        by_place: id, name and signature of those that begin on a line of a file.
        by_name: their ids.
        made: ids of those that a macro makes.
        uses: of these id, signature, first and last line of the macro's use, by file and name.
        held: the id of what is known by the variable or member that holds it, a lambda or another value that something
            is called for, by its file, line and name.
    """

    def __init__(
        self, conn: sqlite3.Connection, file_id: int | None = None, first: int | None = None
    ) -> None:
        self.by_place: dict[tuple[str, int], list[tuple[int, str, str]]] = defaultdict(list)
        self.by_name: dict[str, list[int]] = defaultdict(list)
        self.made: set[int] = set()
        self.uses: dict[tuple[str, str], list[tuple[int, str, int, int]]] = defaultdict(list)
        self.held: dict[tuple[str, int, str], int] = {}
        for identity, name, signature, kind, path, line, end_line, is_made in conn.execute(
            "SELECT u.id, u.name, u.signature, u.kind, f.path, u.line, u.end_line, u.macro IS NOT NULL"
            " FROM functions AS u"
            " JOIN source_files AS f ON f.id = u.file_id"
            + ("" if file_id is None else " WHERE u.file_id = :file")
            + " ORDER BY u.id",
            {"file": file_id},
        ):
            self.by_place[path, line].append((identity, name, signature))
            self.by_name[name].append(identity)
            if is_made:
                self.made.add(identity)
                if end_line > line:
                    self.uses[path, name].append((identity, signature, line, end_line))
            if kind in ("lambda", "variable") and (first is None or identity < first):
                self.held.setdefault((path, line, name), identity)


def same_function(symbol: Symbol, places: Places, taken: Set[int]) -> int | None:
    """The id of the function that a symbol is, or None where the database has no such one.

    Args:
        symbol: as libclang tells it.
        places: what the database has.
        taken: ids of functions that others are already.
    """
    if symbol.kind in ("variable", "field"):
        # What is done where one is made is a function of the text's only where that tells of calls.
        held = places.held.get((symbol.file, symbol.line, symbol.name))
        return held if symbol.is_definition and held not in taken else None
    name = structured_name(symbol.name)
    if not symbol.is_definition:
        # Defined in a file that was not parsed, such as Objective-C++. One of several overloads it cannot be.
        known = places.by_name.get(name, ())
        in_tree = not symbol.file.startswith("<")
        return known[0] if in_tree and len(known) == 1 and known[0] not in taken else None
    here = [
        entry
        for entry in places.by_place.get((symbol.file, symbol.line), ())
        if entry[0] not in taken
    ]
    # TORCH_META_FUNC's are known by the method that they are.
    same = [(i, s) for i, other, s in here if other in (name, symbol.name)]
    if not same:
        last = last_part(name)
        same = [(i, s) for i, other, s in here if last_part(other) == last]
    if not same and _COUNTED.search(name):
        # The text counts each use of a macro from 0, clang all of a unit.
        stem = _COUNTED.sub("", name)
        same = [
            (i, s) for i, other, s in here if i in places.made and _COUNTED.sub("", other) == stem
        ]
    if not same and symbol.kind == "conversion":
        of_class = _CONVERSION.split(name, maxsplit=1)[0]
        written = [(_CONVERSION.split(other, maxsplit=1), i, s) for i, other, s in here]
        same = [(i, s) for parts, i, s in written if len(parts) > 1 and parts[0] == of_class]
    if not same:
        same = [
            (i, s) for i, s, first, end in places.uses.get((symbol.file, name), ())
            if i not in taken and first <= symbol.line <= end
        ]  # fmt: skip
    if len(same) > 1:
        # Overloads that a macro makes on one line; specializations may differ in nothing but their arguments.
        wanted = _types(symbol.signature, name)
        words = set(_WORD.findall(symbol.signature))
        same.sort(
            key=lambda entry: (
                -_agreement(wanted, _types(entry[1], name)),
                -len(words.intersection(_WORD.findall(entry[1]))),
            )
        )
    return same[0][0] if same else None


def _types(signature: str, name: str) -> list[frozenset[str]]:
    """The words of each parameter, without those that say where a type stands or how it is passed."""
    return [
        frozenset(_TYPE_WORD.findall(parameter))
        for parameter in parameters_of(signature, name) or ()
    ]


def _agreement(wanted: list[frozenset[str]], written: list[frozenset[str]]) -> int:
    """How many parameters can be the same; none where there are not as many."""
    if len(wanted) != len(written):
        return -1
    return sum(clang <= text for clang, text in zip(wanted, written, strict=True))


def structured_name(name: str) -> str:
    """A structured kernel by the name inside `TORCH_IMPL_FUNC` or `TORCH_META_FUNC`; others as they are.

    Both macros define a method of a class `structured_NAME` (aten/src/ATen/TensorMeta.h:
    `#define TORCH_IMPL_FUNC(name) void structured_##name::impl`).
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


def is_constructor(name: str) -> bool:
    """Whether a qualified name is a constructor's: it ends in its class's name twice."""
    owner, _, last = name.rpartition("::")
    return bool(owner) and owner.rpartition("::")[2] == last


def last_part(name: str) -> str:
    """The last component of a qualified name; an operator is one component, whatever it consists of."""
    operator = _OPERATOR.search(name)
    if operator is not None:
        return operator[0].replace(" ", "")
    return name.rpartition("::")[2]
