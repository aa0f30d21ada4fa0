"""What each target of a call is: a function, a class, or a name bound in C++."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from indexer.extract.python.calls import CALL
from indexer.facts.python import DECORATOR, READ, REGISTERED, TABLE, UNKNOWN, PackedPythonCalls
from indexer.link.python.heirs import Heirs
from indexer.link.python.looked_up import LookedUp
from indexer.link.python.made_operators import made_operators
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity, Tables
from indexer.write.calls import PYTHON, kept_calls, unpacking

_UNFOLLOWED, _NO_PROPERTY, _OF_A_TABLE = -1, -2, -3


class CalledRow(NamedTuple):
    """A row of `python_resolutions`: one thing that a target may stand for."""

    target_id: int
    function_id: int | None
    class_id: int | None
    native_id: int | None


class Calls(NamedTuple):
    """The calls that lead into the tree.

    Args:
        sites: by function, target, line and kind of each of its calls, in this order.
        meanings: by target.
    """

    sites: dict[int, list[tuple[int, int, int]]]
    meanings: dict[int, list[CalledRow]]


def link_calls(conn: sqlite3.Connection, resolver: Resolver) -> Calls:
    """Store the calls whose target is in the tree, and say for each target what it is.

    The others, of what no file of the tree defines or of values that the text does not tell, are
    counted in `coverage`.

    Args:
        conn: the database, in a transaction.
        resolver: for what targets stand for; bases must be linked.
    """
    ids: dict[str, int] = {}
    calls = Calls({}, {})
    looked_up = LookedUp(resolver)
    heirs = Heirs(resolver)
    # What heirs alone have is known where the class itself stands: elsewhere an object may be any of too many.
    of_heirs: dict[str, int] = {}
    called_only: set[int] = set()
    left_out = 0
    unfollowed: Counter[int] = Counter()
    for _, first, packed in kept_calls(conn, PYTHON):
        with unpacking():
            targets, columns = PackedPythonCalls(packed).unpacked()
        known = []
        is_packaged = _is_packaged(resolver.tables, first)
        module = f"{_module(resolver.tables, first)}."
        for target in targets:
            if target.endswith((TABLE, DECORATOR)):
                known.append(_OF_A_TABLE)
                continue
            number = ids.get(target)
            if number is None:
                number = len(calls.meanings) + 1
                rows = list(_meanings(number, target, resolver))
                if rows:
                    calls.meanings[number] = rows
                else:
                    number = 0
                ids[target] = number
            if not number and target.startswith((module, f"super({module}")):
                number = of_heirs.get(target, 0)
                if not number and (run := heirs.methods(target)):
                    number = len(calls.meanings) + 1
                    calls.meanings[number] = [CalledRow(number, each, None, None) for each in run]
                    of_heirs[target] = number
                if number:
                    called_only.add(number)
            if not number and target.endswith(READ):
                known.append(_NO_PROPERTY)
                continue
            of_a_value = not number and is_packaged and (target == UNKNOWN or "()" in target)
            known.append(_UNFOLLOWED if of_a_value else number)
        for caller, position, kind, line in zip(*columns, strict=True):
            number = known[position]
            if number in called_only and kind != CALL:
                continue
            if number > 0:
                site = (number, line, kind)
                sites = calls.sites.get(first + caller)
                if sites is None:
                    calls.sites[first + caller] = [site]
                else:
                    sites.append(site)
            elif number == _OF_A_TABLE:
                looked_up.add(first + caller, targets[position], kind, line)
            elif number != _NO_PROPERTY:
                left_out += 1
                if number and kind == CALL:
                    unfollowed[first + caller] += 1
    for table, functions, readers in looked_up.tables():
        ids[table] = number = len(calls.meanings) + 1
        calls.meanings[number] = [CalledRow(number, found, None, None) for found in functions]
        for caller, line in readers:
            calls.sites.setdefault(caller, []).append((number, line, REGISTERED))
    for target, given in made_operators(resolver):
        number = ids.setdefault(target, len(calls.meanings) + 1)
        known_rows = calls.meanings.setdefault(number, [])
        known_rows += (row for entity in given for row in _rows(number, entity, resolver))
    _insert(conn, ids | of_heirs, calls)
    conn.executemany("INSERT INTO python_unfollowed VALUES (?, ?)", sorted(unfollowed.items()))
    _report(conn, left_out)
    return calls


def _is_packaged(tables: Tables, function: int) -> bool:
    """Whether a function is one of PyTorch's own packages: what tests do with values is not asked for."""
    return _module(tables, function).startswith("torch.")


def _module(tables: Tables, function: int) -> str:
    """The module that a function stands in, or an empty string."""
    found = tables.functions.get(function)
    return tables.modules[found.module_id].name if found is not None else ""


def _meanings(number: int, target: str, resolver: Resolver) -> Iterator[CalledRow]:
    # Whoever takes or calls what a property gives runs it; of an object that a module holds the text does not say that
    # it is one: `GLOBALS.training_mode` of torch/onnx/_globals.py.
    is_read = target.endswith(READ)
    if is_read or "(" not in target:
        for read in resolver.properties_read(target.removesuffix(READ)):
            yield CalledRow(number, read.id, None, None)
    if is_read:
        return
    found = resolver.resolve(target)
    if found is not None and found.kind == "instance":
        # A higher-order operator: its class checks the arguments in `__call__`, and then dispatches.
        operator = resolver.native(found.path) if found.path else None
        if operator is not None:
            yield CalledRow(number, None, None, operator)
        found = resolver.called(found)
    if found is None:
        return
    for entity in found.choices or (found,):
        yield from _rows(number, entity, resolver)


def _rows(number: int, entity: Entity, resolver: Resolver) -> Iterator[CalledRow]:
    if entity.kind == "function":
        operator = _custom_operator(entity.id, resolver)
        if operator is not None:
            yield CalledRow(number, None, None, operator)
        yield CalledRow(number, entity.id, None, None)
    elif entity.kind == "class":
        yield CalledRow(number, None, entity.id, None)
    elif entity.kind == "native":
        yield CalledRow(number, None, None, entity.id)


def _custom_operator(function: int, resolver: Resolver) -> int | None:
    """The operator that `@custom_op` made of a function, whose body is that operator's kernel."""
    tables = resolver.tables
    if not tables.custom_operators:
        return None
    row = tables.functions[function]
    path = tables.custom_operators.get(f"{tables.modules[row.module_id].name}.{row.name}")
    return resolver.native(path) if path is not None else None


def _insert(conn: sqlite3.Connection, ids: dict[str, int], calls: Calls) -> None:
    conn.executemany(
        "INSERT INTO python_targets (id, target) VALUES (?, ?)",
        ((number, target) for target, number in ids.items() if number),
    )
    conn.executemany(
        "INSERT INTO python_resolutions VALUES (?, ?, ?, ?)",
        (row for rows in calls.meanings.values() for row in rows),
    )

    with _without_index(conn, "python_calls_target"):
        conn.executemany(
            "INSERT OR IGNORE INTO python_calls (caller_id, target_id, line, kind)"
            " VALUES (?, ?, ?, ?)",
            (
                (caller, *site)
                for caller, sites in sorted(calls.sites.items())
                for site in sorted(sites)
            ),
        )


@contextlib.contextmanager
def _without_index(conn: sqlite3.Connection, name: str) -> Iterator[None]:
    """Make an index anew behind a bulk load: that is several times faster than keeping it."""
    query = "SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?"
    row = conn.execute(query, (name,)).fetchone()
    if row is not None:
        conn.execute(f"DROP INDEX {name}")
    yield
    if row is not None:
        conn.execute(row[0])


def _report(conn: sqlite3.Connection, left_out: int) -> None:
    if left_out:
        conn.execute(
            "INSERT INTO coverage (layer, status, detail) VALUES ('python', 'partial', ?)",
            (f"{left_out} calls lead to nothing that this tree defines",),
        )
