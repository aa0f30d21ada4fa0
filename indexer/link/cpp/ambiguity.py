"""Which calls with several candidates could be something else altogether, and not just another overload?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import groupby
from operator import itemgetter

from indexer.facts.edges import call_code

CLANG = call_code("candidate", "clang")
CANDIDATES = (call_code("candidate", "syntax"), CLANG, call_code("candidate", "macro"))
"""The codes of calls that are one of several."""

METHODS = frozenset(("method", "operator"))
"""Kinds of functions that a call may mean for the object's sake that it is made on."""

FREE = frozenset(("function", "kernel"))
"""Kinds of functions of no class. Those of several namespaces that a call may mean are overloads as well, which
using-declarations and directives have brought together."""


def told_by(name: str, kind: str) -> str:
    """The name by which a candidate differs from others that are no overloads of it.

    Args:
        name: qualified.
        kind: of the function.
    """
    return name.rpartition(":")[2] if kind in FREE else name


def ambiguous(
    rows: Iterable[tuple[int, int, int, int]],
    names: Mapping[int, str],
    callers: Mapping[int, int],
    homes: Mapping[int, int],
) -> Iterator[tuple[int, int]]:
    """Callee and caller of each candidate of a call that may mean functions of several names.

    The candidates of one call share the last part of their name; those of two calls on a line do not. A lone one of the
    text is a method of something whose type is not written; of clang's, the one function that a template sees.

    Where all that the text has found are methods of the caller's own file it is one of these, whatever the type: what
    a file makes for its own classes (`params.linear_ih(x)` in `FullLayer`, aten/src/ATen/native/RNN.cpp). Of what a
    function that is a template itself calls, who hands it a class tells more (`edges_of_cpp.sql`).

    Args:
        rows: caller, callee, line and code of candidates; those of a caller stand together.
        names: of the callees, as `told_by` has them.
        callers: the file of each caller that is no template.
        homes: the file of each callee that is a method (`METHODS`).
    """
    for caller, candidates in groupby(rows, key=itemgetter(0)):
        calls: dict[tuple[int, str], list[tuple[str, int, int]]] = {}
        for _, callee, line, code in candidates:
            name = names[callee]
            calls.setdefault((line, name.rpartition(":")[2]), []).append((name, callee, code))
        own = callers.get(caller, 0)
        for found in calls.values():
            is_told = found[0][2] == CLANG
            if len(found) > 1:
                is_told = _is_one({name for name, _, _ in found})
            if not is_told and not all(
                code != CLANG and homes.get(callee) == own for _, callee, code in found
            ):
                for _, callee, _ in found:
                    yield callee, caller


def _is_one(names: Set[str]) -> bool:
    """Whether all are one name: a method that is defined outside of its namespace has only the end of it."""
    longest = max(names, key=len)
    return all(name == longest or longest.endswith(f"::{name}") for name in names)
