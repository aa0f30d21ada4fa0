"""What a target stands for as rows of the index: functions, classes, or names bound in C++."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from indexer.facts.python import READ, SET
from indexer.link.python.resolver import Resolver
from indexer.link.python.tables import Entity


class CalledRow(NamedTuple):
    """A row of `python_resolutions`: one thing that a target may stand for.

    Args:
        target_id: number of the target.
        function_id: of a function.
        class_id: of a class.
        native_id: of a name bound in C++; two of the three are None.
    """

    target_id: int
    function_id: int | None
    class_id: int | None
    native_id: int | None


def meanings(number: int, target: str, resolver: Resolver) -> Iterator[CalledRow]:
    """What a target may stand for.

    Args:
        number: of the target.
        target: as the facts have it.
        resolver: for what it stands for.
    """
    # Whoever takes or calls what a property gives runs it; of an object that a module holds the text does not say that
    # it is one: `GLOBALS.training_mode` of torch/onnx/_globals.py.
    if target.endswith(SET):
        for given in resolver.properties_set(target.removesuffix(SET)):
            yield CalledRow(number, given.id, None, None)
        return
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
        if found is not None and "(" in target:
            # Who calls what a property gives runs both: `transform.inv(y)` of torch/distributions/transforms.py.
            for read in resolver.properties_read(target):
                yield CalledRow(number, read.id, None, None)
    if found is None:
        return
    for entity in found.choices or (found,):
        yield from of_entity(number, entity, resolver)


def of_entity(number: int, entity: Entity, resolver: Resolver) -> Iterator[CalledRow]:
    """The rows of one thing.

    Args:
        number: of the target.
        entity: what it stands for.
        resolver: for what decorators make of a function.
    """
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
