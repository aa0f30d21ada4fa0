"""What other builds have in the place of a function that clang saw: who uses that one uses the other there.

Clang reads one configuration. The kernels for AVX512 that `#if defined(CPU_CAPABILITY_AVX512)` keeps, the header that
MPS' or another processor's build includes in place of this one's (ATen/cpu/vec/vec512 in that of vec_base.h), are known
by the text alone, and their callers end at what clang saw. A program defines a name with the same parameters once
([basic.def.odr]); so of two definitions one is for another build.
"""

from __future__ import annotations

import sqlite3
from itertools import groupby
from operator import itemgetter

from indexer.extract.cpp.parameters import OWN_NAME, parameters_of
from indexer.link.cpp.declarations import is_of_test
from indexer.link.cpp.element_types import ElementTypes

ALTERNATIVE = 42

_MOST = 4
"""Of more that clang saw with as many parameters, no one is likelier than another."""

_UNUSED = """
SELECT u.id, u.name, u.signature, u.file_id, u.line, f.path, u.is_anonymous OR u.signature GLOB 'static *',
       t.id, t.signature, t.file_id, t.is_anonymous OR t.signature GLOB 'static *'
FROM functions AS u
JOIN functions AS t ON t.name = u.name AND t.origin = 'clang'
JOIN source_files AS f ON f.id = u.file_id
WHERE u.origin = 'syntax' AND u.kind NOT IN ('lambda', 'constructor', 'destructor')
  AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = u.id)
  AND NOT EXISTS (SELECT 1 FROM edges AS e WHERE e.target = u.id * 16)
  AND (EXISTS (SELECT 1 FROM calls AS c WHERE c.callee_id = t.id)
       OR EXISTS (SELECT 1 FROM edges AS e WHERE e.target = t.id * 16))
ORDER BY u.id, t.id
"""


def link(conn: sqlite3.Connection, element_types: ElementTypes) -> None:
    """Add an edge from what clang saw to each alternative that nothing else uses.

    Args:
        conn: the database, with all edges but those of operators, Python and overrides.
        element_types: tells whether parameters are of other types, whatever they are called.
    """
    conn.executemany(
        "INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps) VALUES (?, ?, ?, ?, ?, 0)",
        [
            (hidden * 16, seen * 16, ALTERNATIVE, file_id, line)
            for _, rows in groupby(conn.execute(_UNUSED), key=itemgetter(0))
            for hidden, seen, file_id, line in _alternatives([*rows], element_types)
        ],
    )


def _alternatives(
    rows: list[tuple[int | str, ...]], element_types: ElementTypes
) -> list[tuple[int, int, int, int]]:
    """Of one function's pairs those that are alternatives: of the same parameters, else of as many."""
    hidden, name, signature, file_id, line, path, is_local = rows[0][:7]
    own = _types(str(signature), str(name))
    if own is None:
        return []
    same, as_many = [], []
    for _, _, _, _, _, _, _, seen, of_seen, seen_in, is_seen_local in rows:
        # Another file has what is its own beside this one's. Tests, and files that are compiled when they are needed
        # (torch/_inductor/codegen/cpp_prefix.h), are programs of their own.
        is_apart = is_local or is_seen_local or "::" not in str(name) or is_of_test(str(path))
        if seen_in != file_id and is_apart:
            continue
        types = _types(str(of_seen), str(name))
        if types is None or len(types) != len(own):
            continue
        if element_types.takes_others(str(signature), str(name), str(of_seen), str(name)):
            continue
        as_many.append(int(seen))
        if types == own:
            same.append(int(seen))
    found = same or as_many
    if len(found) > _MOST:
        return []
    return [(int(hidden), seen, int(file_id), int(line)) for seen in found]


def _types(signature: str, name: str) -> tuple[str, ...] | None:
    """The types of a function's parameters without white space; None where they cannot be told."""
    found = parameters_of(signature, name)
    return found if found is None else tuple("".join(OWN_NAME.sub(r"\1", p).split()) for p in found)
