"""What a list asks of its elements (`op.name in ("mul", "cat")`), as far as an entry's own words decide it."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """What conditions ask for of an OpInfo (torch/testing/_internal/opinfo/core.py, OpInfo).

    Args:
        name: as the runtime has it.
        variant_test_name: as the runtime has it.
        aten_name: as the runtime has it.
        class_name: in full.
        fields: by name, the signs of indexer/extract/python/testing/fields.py.
        subject: the class that a ModuleInfo or OptimizerInfo is for, in full.
    """

    name: str
    variant_test_name: str
    aten_name: str
    class_name: str
    fields: Mapping[str, str] = MappingProxyType({})
    subject: str = ""

    @property
    def full_name(self) -> str:
        """The name with its variant."""
        return f"{self.name}.{self.variant_test_name}" if self.variant_test_name else self.name

    @property
    def formatted_name(self) -> str:
        """The same as names of tests have it."""
        return self.full_name.replace(".", "_")


_FIELDS = frozenset(("name", "variant_test_name", "aten_name", "full_name", "formatted_name"))
_CLASSES = frozenset(("module_cls", "optim_cls"))
_NAMED = re.compile(r"(?:torch\.)?((?:nn|optim)\.[A-Z]\w*)")
_METHODS = frozenset(("startswith", "endswith"))
_UNKNOWN = object()
_SOMETHING = object()
_SIGNS = {"T": True, "F": False, "N": None, "!": _SOMETHING}


class _Class(str):
    """A class by its full name; as a value it is true."""

    __slots__ = ()


class Condition:
    """A condition, read once and asked of many entries.

    Args:
        text: as written; without one everything holds.
        is_of: whether entries of a class (in full) are of the class that the condition names; None where that is
            not known.
    """

    def __init__(self, text: str, is_of: Callable[[str, str], bool | None]) -> None:
        self._is_of = is_of
        self._test = _read(text) if text else ast.Constant(True)

    def holds(self, entry: Entry | None) -> bool | None:
        """Whether an entry is taken; None where its words do not decide it, or nothing is known of it."""
        if isinstance(self._test, ast.Constant):
            return bool(self._test.value)
        if self._test is None or entry is None:
            return None
        truth = _truth(self._value(self._test, entry))
        return None if truth is _UNKNOWN else truth

    def _value(self, node: ast.expr, entry: Entry) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if (cls := _class(node, entry)) is not None:
            return cls
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in _FIELDS:
                return getattr(entry, node.attr)
            return _SIGNS.get(entry.fields.get(node.attr, "?"), _UNKNOWN)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            values = [self._value(element, entry) for element in node.elts]
            return _UNKNOWN if _UNKNOWN in values else values
        if isinstance(node, ast.BoolOp):
            return self._both(node, entry)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            truth = _truth(self._value(node.operand, entry))
            return _UNKNOWN if truth is _UNKNOWN else not truth
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sides = (self._value(side, entry) for side in (node.left, node.comparators[0]))
            return _compared(node.ops[0], *sides)
        return self._called(node, entry) if isinstance(node, ast.Call) else _UNKNOWN

    def _both(self, node: ast.BoolOp, entry: Entry) -> Any:
        """`and` and `or`: one value may decide, whatever the others are."""
        decides = isinstance(node.op, ast.Or)
        values = [_truth(self._value(value, entry)) for value in node.values]
        if decides in values:
            return decides
        return _UNKNOWN if _UNKNOWN in values else not decides

    def _called(self, node: ast.Call, entry: Entry) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and len(node.args) == 2:
            classes = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else node.args[1:]
            answers = [self._is_of(entry.class_name, ast.unparse(each)) for each in classes]
            return True if True in answers else _UNKNOWN if None in answers else False
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in _METHODS
            and not node.keywords
        ):
            values = [self._value(each, entry) for each in (node.func.value, *node.args)]
            if len(values) == 2 and all(isinstance(value, str) for value in values):
                return getattr(values[0], node.func.attr)(values[1])
        return _UNKNOWN


def _class(node: ast.expr, entry: Entry) -> Any:
    """The class that an entry is for (`m.module_cls`), one that is named, or the name of one; None of all else."""
    if not entry.subject or not isinstance(node, ast.Attribute):
        return None
    if node.attr == "__name__" and isinstance(node.value, ast.Attribute):
        return entry.subject.rpartition(".")[2] if node.value.attr in _CLASSES else None
    if node.attr in _CLASSES and isinstance(node.value, ast.Name):
        return _Class(entry.subject)
    match = _NAMED.fullmatch(ast.unparse(node))
    return _Class(f"torch.{match[1]}") if match else None


def _truth(value: Any) -> Any:
    """Whether a value counts as true; of something that is not None this is not known."""
    return _UNKNOWN if value in (_UNKNOWN, _SOMETHING) else bool(value)


def _compared(operator: ast.cmpop, left: Any, right: Any) -> Any:
    if left is _UNKNOWN or right is _UNKNOWN:
        return _UNKNOWN
    if isinstance(operator, (ast.Is, ast.IsNot)):
        if left is not None and right is not None:
            if not (isinstance(left, _Class) and isinstance(right, _Class)):
                return _UNKNOWN
            return (left == right) is isinstance(operator, ast.Is)
        return (left is right) is isinstance(operator, ast.Is)
    if _SOMETHING in (left, right):
        return _UNKNOWN
    if isinstance(operator, (ast.Eq, ast.NotEq)):
        return (left == right) is isinstance(operator, ast.Eq)
    if isinstance(operator, (ast.In, ast.NotIn)) and (
        isinstance(right, list) or (isinstance(left, str) and isinstance(right, str))
    ):
        return (left in right) is isinstance(operator, ast.In)
    return _UNKNOWN


@functools.lru_cache(maxsize=1_000)
def _read(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # cut off, or a slice
