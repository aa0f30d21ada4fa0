"""Values that the reader of compile registrations knows beside those of Python registrations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from indexer.extract.python.registrations_values import Function, Partial, Ref

_OPS = "torch.ops."
# `from .lowering import aten`: a module's variable for a namespace of operators has its name.
_HANDED_ON = re.compile(r"\.((?:aten|prims|quantized|quantized_decomposed)\.\w+(?:\.[\w*]+)?)$")


@dataclass(frozen=True)
class TablePart:
    """Where some entries of a table come from: see `indexer.facts.compile.TableStep`.

    Args:
        action: `get` or `merge`.
        source: the registry of a `get`; the table of a `merge`.
        operators: of a `get`: each one's name, and whether it stands for all overloads.
        line: of the statement, 1-based.
    """

    action: str
    source: str
    operators: tuple[tuple[str, bool], ...]
    line: int


@dataclass(frozen=True, eq=False)
class TableValue:
    """A dictionary of decompositions.

    Args:
        parts: where its entries come from, in the order in which they are put in.
    """

    parts: tuple[TablePart, ...]


@dataclass(frozen=True, eq=False)
class PassValue:
    """A `PatternMatcherPass`.

    Args:
        line: that it is made in, 1-based.
    """

    line: int


@dataclass(frozen=True)
class PatternValue:
    """A pattern expression: the operators that it mentions."""

    operators: tuple[str, ...]


def named_operator(value: Any) -> tuple[str, bool] | None:
    """The operator that `value` names, and whether it stands for all overloads; None where it names nothing.

    What is no operator of the dispatcher is named by its dotted path.
    """
    if not isinstance(value, Ref):
        return None
    path = value.path
    if not path.startswith(_OPS):
        handed_on = _HANDED_ON.search(path)
        if handed_on is None:
            return (path, False) if "." in path else None
        path = _OPS + handed_on[1]
    parts = path[len(_OPS) :].split(".")
    if len(parts) == 2:
        return f"{parts[0]}::{parts[1]}", parts[0] != "higher_order"
    if len(parts) != 3:
        return None
    if parts[2] == "*":
        return f"{parts[0]}::{parts[1]}", True
    overload = "" if parts[2] == "default" else f".{parts[2]}"
    return f"{parts[0]}::{parts[1]}{overload}", False


def is_operator(value: Any) -> bool:
    """Whether a value is an operator of the dispatcher."""
    return (
        isinstance(value, Ref) and value.path.startswith(_OPS) and named_operator(value) is not None
    )


def named_function(value: Any, module: str) -> tuple[str, int]:
    """The function that a value is, whatever arguments `functools.partial` gives it.

    Args:
        value: of the file.
        module: dotted name of the file's module.

    Returns:
        Its name with its module, "" for what is no function; the 1-based line of its `def`, 0 if not in this file.
    """
    while isinstance(value, Partial):
        value = value.callee
    if isinstance(value, Function):
        return f"{module}.{value.name}", value.node.lineno
    if isinstance(value, Ref):
        return value.path, 0
    return "", 0
