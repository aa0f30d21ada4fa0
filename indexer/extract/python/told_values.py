"""What an expression is, where that can be told without running it: names and loops of tests."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from typing import Any, Final

from indexer.extract.python.scope import dotted


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = _Unknown()
"""Stands for a value that only running the program would tell."""

MOST: Final = 2_000
"""Most elements that a sequence is followed to."""

# A loop may double a text as often as it goes round.
_LONGEST = 10_000
Names = Mapping[str, Any]
_SEQUENCES = frozenset(("list", "tuple", "set", "frozenset", "iter"))


def value(node: ast.expr | None, names: Names) -> Any:
    """The value of an expression, or `UNKNOWN`.

    Args:
        node: constants, names that are known, displays, f-strings, concatenation, `range`, `zip`,
            `enumerate`, `itertools.product`, and methods of texts are followed.
        names: what names stand for; a dotted name may be among them.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return names.get(dotted(node), UNKNOWN)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return _display(node.elts, names)
    if isinstance(node, ast.Dict):
        return _dictionary(node, names)
    if isinstance(node, ast.JoinedStr):
        return _formatted(node, names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        return _combined(node, names)
    if isinstance(node, ast.Subscript):
        return _element(value(node.value, names), value(node.slice, names))
    if isinstance(node, ast.IfExp):
        return _chosen(node, names)
    if isinstance(node, ast.Call):
        return _called(node, names)
    if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        return _condition(node, names)
    return UNKNOWN


def bind(target: ast.expr, given: Any, names: dict[str, Any]) -> None:
    """Give the names of an assignment's or loop's target what they stand for.

    Args:
        target: a name, or a tuple of targets.
        given: the value; the names of a tuple are `UNKNOWN` unless it has as many parts.
        names: that are changed.
    """
    if isinstance(target, ast.Name):
        names[target.id] = given
    elif isinstance(target, (ast.Tuple, ast.List)):
        known = isinstance(given, (list, tuple)) and len(given) == len(target.elts)
        for at, element in enumerate(target.elts):
            bind(element, given[at] if known else UNKNOWN, names)


def elements(node: ast.expr, names: Names) -> list[Any] | None:
    """What a loop over `node` goes through, by what `names` stand for; None where it is not known or too much."""
    found = value(node, names)
    if isinstance(found, dict):
        return list(found)
    if isinstance(found, (list, tuple)) and len(found) <= MOST:
        return list(found)
    return None


def _display(nodes: list[ast.expr], names: Names) -> Any:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            inner = value(node.value, names)
            if not isinstance(inner, (list, tuple)):
                return UNKNOWN
            found.extend(inner)
        else:
            found.append(value(node, names))
    return tuple(found)


def _dictionary(node: ast.Dict, names: Names) -> Any:
    keys = [value(key, names) for key in node.keys]
    if not all(isinstance(key, (str, int)) for key in keys):
        return UNKNOWN
    return dict(zip(keys, (value(entry, names) for entry in node.values), strict=True))


def _formatted(node: ast.JoinedStr, names: Names) -> Any:
    pieces = []
    for part in node.values:
        found = value(part.value if isinstance(part, ast.FormattedValue) else part, names)
        if not isinstance(found, (str, int, float)):
            return UNKNOWN
        pieces.append(str(found))
    return "".join(pieces)


def _combined(node: ast.BinOp, names: Names) -> Any:
    left, right = value(node.left, names), value(node.right, names)
    if isinstance(node.op, ast.Mod):
        given = right if isinstance(right, tuple) else (right,)
        if isinstance(left, str) and all(isinstance(piece, (str, int, float)) for piece in given):
            try:
                return left % given
            except (TypeError, ValueError):
                return UNKNOWN
        return UNKNOWN
    if isinstance(left, str) and isinstance(right, str):
        return left + right if len(left) + len(right) <= _LONGEST else UNKNOWN
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return (*left, *right) if len(left) + len(right) <= MOST else UNKNOWN
    return UNKNOWN


def _element(owner: Any, index: Any) -> Any:
    try:
        return owner[index] if isinstance(owner, (list, tuple, dict, str)) else UNKNOWN
    except (LookupError, TypeError):
        return UNKNOWN


def _chosen(node: ast.IfExp, names: Names) -> Any:
    test = value(node.test, names)
    if test is not UNKNOWN:
        return value(node.body if test else node.orelse, names)
    body, orelse = value(node.body, names), value(node.orelse, names)
    return body if body == orelse else UNKNOWN


def _condition(node: ast.Compare | ast.BoolOp | ast.UnaryOp, names: Names) -> Any:
    if isinstance(node, ast.Compare):
        return _compared(node, names)
    if isinstance(node, ast.BoolOp):
        found: Any = UNKNOWN
        for part in node.values:
            found = value(part, names)
            if found is UNKNOWN or bool(found) is isinstance(node.op, ast.Or):
                break
        return found
    inner = value(node.operand, names)
    if isinstance(node.op, ast.Not):
        return UNKNOWN if inner is UNKNOWN else not inner
    if isinstance(node.op, ast.USub) and isinstance(inner, (int, float)):
        return -inner
    return UNKNOWN


def _compared(node: ast.Compare, names: Names) -> Any:
    left, right = value(node.left, names), value(node.comparators[0], names)
    if len(node.ops) != 1 or left is UNKNOWN or right is UNKNOWN:
        return UNKNOWN
    operation = node.ops[0]
    if isinstance(operation, (ast.Eq, ast.Is)):
        return left == right
    if isinstance(operation, (ast.NotEq, ast.IsNot)):
        return left != right
    if isinstance(operation, (ast.In, ast.NotIn)) and isinstance(right, (str, tuple, list, dict)):
        if isinstance(right, str) and not isinstance(left, str):
            return UNKNOWN
        if not isinstance(right, str) and UNKNOWN in right:
            return UNKNOWN
        try:
            return (left in right) is isinstance(operation, ast.In)
        except TypeError:
            return UNKNOWN
    return UNKNOWN


def _called(node: ast.Call, names: Names) -> Any:
    if isinstance(node.func, ast.Attribute):
        owner = value(node.func.value, names)
        given = [value(argument, names) for argument in node.args]
        if isinstance(owner, str) and not node.keywords:
            return _text_method(owner, node.func.attr, given)
        if isinstance(owner, dict) and not given:
            views = {
                "items": tuple(owner.items()),
                "keys": tuple(owner),
                "values": tuple(owner.values()),
            }
            return views.get(node.func.attr, UNKNOWN)
    name = dotted(node.func).rpartition(".")[2]
    given = [value(argument, names) for argument in node.args]
    if any(argument is UNKNOWN for argument in given):
        return UNKNOWN
    if name == "range" and given and all(isinstance(bound, int) for bound in given):
        found = range(*given[:3]) if 0 not in given[2:] else range(0)
        return tuple(found) if len(found) <= MOST else UNKNOWN
    if not given or not all(isinstance(argument, (list, tuple)) for argument in given):
        return str(given[0]) if name == "str" and given else UNKNOWN
    if name in _SEQUENCES and len(given) == 1:
        return tuple(given[0])
    if name == "zip":
        return tuple(zip(*given))  # noqa: B905 - as the code that is read does
    if name == "enumerate":
        return tuple(enumerate(given[0]))
    if name == "chain":
        return tuple(itertools.chain(*given))
    if name == "product" and not node.keywords:
        return tuple(itertools.islice(itertools.product(*given), MOST + 1))
    return UNKNOWN


def _text_method(owner: str, name: str, given: list[Any]) -> Any:
    texts = [argument for argument in given if isinstance(argument, str)]
    if len(texts) != len(given):
        return UNKNOWN
    if name in ("lower", "upper", "strip") and not texts:
        return str(getattr(owner, name)())
    if name == "replace" and len(texts) == 2:
        return owner.replace(texts[0], texts[1])
    if name in ("removeprefix", "removesuffix") and len(texts) == 1:
        return str(getattr(owner, name)(texts[0]))
    if name == "format":
        try:
            return owner.format(*texts)
        except (LookupError, ValueError):
            return UNKNOWN
    return UNKNOWN
