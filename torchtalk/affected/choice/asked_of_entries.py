"""Which generic tests a change of an OpInfo is about: those that it names, and those that read the fields it changes.

`supports_fwgrad_bwgrad=True` is read by TestFwdGradients.test_fn_fwgrad_bwgrad (test/test_ops_fwd_gradients.py) alone,
`error_inputs_func` by OpInfo.error_inputs (torch/testing/_internal/opinfo/core.py), and so by what calls that. All
others of the hundred tests that run over the entry do as they did.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from torchtalk.affected.choice.method_names import running
from torchtalk.affected.graph.field_readers import GenericTest, reading
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.graph.overrides import HAS_METHOD, INHERITS
from torchtalk.affected.graph.search import Found, generic_of
from torchtalk.affected.places.changes import Changes

# The tests that the changed lines do not ask anything else of.
_OTHERS = 0.5


def asked_first(
    conn: sqlite3.Connection, found: tuple[Found, ...], changes: Changes
) -> tuple[Found, ...]:
    """Generic tests that are about what changed in an entry before its others, which count less.

    Args:
        conn: an index.
        found: the best first.
        changes: with what changed.
    """
    found = _of_methods(conn, found)
    if not changes.named and not changes.fields:
        return found
    by_field = {
        node: _reading(conn, fields, [one for one in found if one.path[0][0] == node])
        for node, fields in changes.fields.items()
    }
    said = {
        node: f"{' and '.join(sorted(fields))} of it" for node, fields in changes.fields.items()
    }
    ordered: list[Found] = []
    for one in found:
        node = one.path[0][0]
        named, readers = changes.named.get(node), by_field.get(node, frozenset())
        if not one.generic or (named is None and not readers):
            ordered.append(one)
            continue
        path = generic_of(one.node)[1]
        wanted = [name for name in one.generic if name in (named or ()) or (path, name) in readers]
        others = [name for name in one.generic if name not in wanted]
        if not wanted or not others:
            factor = 1.0 if wanted else _OTHERS
            ordered.append(one._replace(weight=one.weight * factor))
            continue
        # Both are parts of the file's tests, so that each is run by name.
        first = _only(one, wanted, is_part=True)
        if named is None:
            target, _ = one.path[-1]
            why = (target, f"run over it, and have to do with {said[node]}")
            first = first._replace(path=(*one.path[:-1], why))
        ordered.append(first)
        rest = _only(one, others, is_rest=True)
        ordered.append(rest._replace(weight=one.weight * _OTHERS))
    return tuple(sorted(ordered, key=lambda one: -round(one.weight, 6)))


def _of_methods(conn: sqlite3.Connection, found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Of the generic tests of a class with a changed method those first that run this by name.

    TestModule.test_repr (test/test_modules.py) for `extra_repr`, test_state_dict_with_cuda_params (test/test_optim.py)
    for `__setstate__`: most make the module, or step with the optimizer.
    """
    by_method: dict[Node, list[Found]] = {}
    for one in found:
        method = _method_of(one) if one.generic else None
        if method is not None:
            by_method.setdefault(method, []).append(one)
    if not by_method:
        return found
    readers = {method: running(conn, method, _generic(of)) for method, of in by_method.items()}
    ordered: list[Found] = []
    for one in found:
        method = _method_of(one) if one.generic else None
        if method is not None:
            path, of = generic_of(one.node)[1], readers[method]
            # Those that run it by name keep the order that they have, and so do the others.
            names = sorted(one.generic, key=lambda name: (path, name) not in of)
            one = one._replace(generic=tuple(names))
        ordered.append(one)
    return tuple(ordered)


def _method_of(one: Found) -> Node | None:
    """The method of a class of Python by whose class a test is reached; None where it is none."""
    steps = one.path
    for at in range(1, len(steps)):
        if steps[at][1] in (HAS_METHOD, INHERITS) and steps[at - 1][0].kind == "python":
            return steps[at - 1][0]
    return None


def _only(one: Found, names: list[str], *, is_part: bool = False, is_rest: bool = False) -> Found:
    return one._replace(
        generic=tuple(names), tests=len(names), is_part=is_part or one.is_part,
        is_rest=is_rest or one.is_rest,
    )  # fmt: skip


def _reading(
    conn: sqlite3.Connection, fields: Iterable[str], found: list[Found]
) -> frozenset[GenericTest]:
    """The generic tests, with their files, that read one of some fields; none where most of them do."""
    every = _generic(found)
    return frozenset().union(*(reading(conn, field, every) for field in fields))


def _generic(found: Iterable[Found]) -> set[GenericTest]:
    return {(generic_of(one.node)[1], name) for one in found for name in one.generic}
