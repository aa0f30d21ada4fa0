"""The values of Python expressions, as far as the text tells."""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from indexer.extract.python.registrations_builtins import BUILTINS, MAX_SEQUENCE
from indexer.extract.python.registrations_record import DECOMPOSITION_TABLES
from indexer.extract.python.registrations_values import (
    UNKNOWN,
    Bound,
    CustomOp,
    Function,
    LibraryValue,
    Marker,
    Pending,
    Ref,
    SchemaArgument,
    SchemaValue,
    Scope,
    is_plain,
)

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
}
MAX_STEPS = 200_000
"""How many statements and expressions of one file are followed."""
_MAX_TEXT = 100_000


class Expressions(ABC):
    """What an expression's value is; calls and assignments are the interpreter's."""

    steps = 0

    @abstractmethod
    def apply(
        self, callee: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], line: int
    ) -> Any:
        """Call a value.

        Args:
            callee: what is called.
            arguments: the values given by their order.
            keywords: those given by name.
            line: 1-based, of the call.

        Returns:
            What it gives; UNKNOWN where nobody knows.
        """

    @abstractmethod
    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Bind the names of `target`, a name or a tuple of such, in `scope` to `value` or its parts."""

    @abstractmethod
    def schema(self, operator: Ref) -> Any:
        """The schema of `operator`, if it was defined in this file; UNKNOWN for others."""

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression, as far as it is known.

        Args:
            node: the expression; each that is looked at, those within it too, is a step.
            scope: the variables that it sees.

        Returns:
            UNKNOWN where only a run would tell, and after `MAX_STEPS` steps.
        """
        self.steps += 1
        if self.steps > MAX_STEPS:
            return UNKNOWN
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        return method(node, scope) if method is not None else UNKNOWN

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value if is_plain(node.value) else UNKNOWN

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        value = scope.lookup(node.id)
        return Ref(f"builtins.{node.id}") if value is UNKNOWN and node.id in BUILTINS else value

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        return self.attribute(self.value(node.value, scope), node.attr)

    def attribute(self, owner: Any, name: str) -> Any:
        """The attribute `name` of `owner`, a value of the file; UNKNOWN where nobody knows."""
        if isinstance(owner, Ref):
            return self.schema(owner) if name == "_schema" else owner.attribute(name)
        if isinstance(owner, Function) and name in ("__name__", "__qualname__"):
            return owner.shown or owner.name.rsplit(".", 1)[-1]
        if isinstance(owner, SchemaValue):
            return owner.attribute(name)
        if isinstance(owner, SchemaArgument):
            return {"name": owner.name, "type": owner.type}.get(name, UNKNOWN)
        if isinstance(owner, (LibraryValue, CustomOp, str, list, dict)):
            if isinstance(owner, CustomOp) and name == "_lib":
                return LibraryValue(owner.operator.split("::")[0], "FRAGMENT", "", owner.line)
            if isinstance(owner, LibraryValue) and name == "ns":
                return owner.namespace
            return Bound(owner, name)
        return UNKNOWN

    def _joinedstr(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts: list[str] = []
        for piece in node.values:
            if isinstance(piece, ast.Constant):
                parts.append(str(piece.value))
            elif isinstance(piece, ast.FormattedValue):
                value = self.value(piece.value, scope)
                if not is_plain(value) or piece.format_spec is not None:
                    return UNKNOWN
                parts.append(str(value))
        return "".join(parts)

    def _list(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Any:
        items: list[Any] = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                more = self.value(item.value, scope)
                if isinstance(more, (list, tuple)):
                    items.extend(more)
            else:
                items.append(self.value(item, scope))
        return items

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self._list(node, scope))

    _set = _list

    def _dict(self, node: ast.Dict, scope: Scope) -> Any:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            inner = self.value(value, scope)
            if key is None:
                if isinstance(inner, dict):
                    found.update(inner)
                continue
            name = self.value(key, scope)
            if isinstance(name, (str, int, Ref)):
                found[name] = inner
        return found

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> Any:
        if len(node.generators) != 1:
            return UNKNOWN
        generator = node.generators[0]
        items = self.value(generator.iter, scope)
        if isinstance(items, dict):
            items = list(items)
        if not isinstance(items, (list, tuple)) or len(items) > MAX_SEQUENCE:
            return UNKNOWN
        inner = Scope(scope)
        found = []
        for item in items:
            self.assign(generator.target, item, inner)
            if all(self.truth(self.value(test, inner)) is not False for test in generator.ifs):
                found.append(self.value(node.elt, inner))
        return found

    _generatorexp = _listcomp
    _setcomp = _listcomp

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return Function(node, "<lambda>", scope, line=node.lineno)

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        truth = self.truth(self.value(node.test, scope))
        if truth is None:
            first = self.value(node.body, scope)
            second = self.value(node.orelse, scope)
            return first if first is not UNKNOWN else second
        return self.value(node.body if truth else node.orelse, scope)

    def _namedexpr(self, node: ast.NamedExpr, scope: Scope) -> Any:
        value = self.value(node.value, scope)
        self.assign(node.target, value, scope)
        return value

    def _binop(self, node: ast.BinOp, scope: Scope) -> Any:
        return binary(node.op, self.value(node.left, scope), self.value(node.right, scope))

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        is_and = isinstance(node.op, ast.And)
        unknown = False
        value: Any = UNKNOWN
        for item in node.values:
            value = self.value(item, scope)
            truth = self.truth(value)
            if truth is None:
                unknown = True
            elif truth is not is_and:
                return value if not unknown else truth
        return UNKNOWN if unknown else value

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.value(node.operand, scope)
        if isinstance(node.op, ast.Not):
            truth = self.truth(value)
            return UNKNOWN if truth is None else not truth
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
            return -value
        return UNKNOWN

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        values = [self.value(item, scope) for item in (node.left, *node.comparators)]
        return compare(node.ops[0], values[0], values[1]) if len(node.ops) == 1 else UNKNOWN

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        owner = self.value(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                self.value(b, scope) if b is not None else None
                for b in (node.slice.lower, node.slice.upper)
            ]
            if isinstance(owner, (str, list, tuple)) and all(
                b is None or isinstance(b, int) for b in bounds
            ):
                return owner[bounds[0] : bounds[1]]
            return UNKNOWN
        key = self.value(node.slice, scope)
        if isinstance(owner, Ref) and isinstance(key, str):
            return Ref(f"{owner.path}[{key}]")
        if isinstance(owner, Ref) and owner.path in DECOMPOSITION_TABLES and isinstance(key, Ref):
            return Ref(f"{owner.path}[{key.path}]")
        try:
            if isinstance(owner, (str, list, tuple)) and isinstance(key, int):
                return owner[key]
            if isinstance(owner, dict) and isinstance(key, (str, int, Ref)):
                return owner.get(key, UNKNOWN)
        except IndexError:
            pass
        return UNKNOWN

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        callee = self.value(node.func, scope)
        arguments: list[Any] = []
        for item in node.args:
            if isinstance(item, ast.Starred):
                more = self.value(item.value, scope)
                arguments.extend(more if isinstance(more, (list, tuple)) else [UNKNOWN])
            else:
                arguments.append(self.value(item, scope))
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif isinstance(value, dict):
                keywords.update((k, v) for k, v in value.items() if isinstance(k, str))
        return self.apply(callee, tuple(arguments), keywords, node.lineno)

    @staticmethod
    def truth(value: Any) -> bool | None:
        """Whether a value is true; None if that is not known."""
        if value is UNKNOWN or isinstance(value, (Ref, Bound, Pending)):
            return None
        if isinstance(value, (str, int, float, bool, list, tuple, dict)) or value is None:
            return bool(value)
        return True


def binary(node: ast.operator, left: Any, right: Any) -> Any:
    """The value of `left + right` and its like.

    Args:
        node: the operator.
        left: its left operand.
        right: its right one.

    Returns:
        UNKNOWN where an operand is not known, Python would raise, or the result would be too long.
    """
    function = _BINARY.get(type(node))
    if function is None:
        return UNKNOWN
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        joined = [*left, *right]
        return joined if isinstance(node, ast.Add) and len(joined) <= MAX_SEQUENCE else UNKNOWN
    if not is_plain(left) or not is_plain(right):
        return UNKNOWN
    if (
        isinstance(node, ast.Mod)
        and isinstance(left, str)
        and any(c.isdigit() or c == "*" for c in left)
    ):
        return UNKNOWN  # a width could make it as long as it likes
    try:
        value = function(left, right)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return UNKNOWN
    return value if not isinstance(value, str) or len(value) < _MAX_TEXT else UNKNOWN


def compare(test: ast.cmpop, left: Any, right: Any) -> Any:
    """The value of one comparison.

    Args:
        test: the operator.
        left: what stands in front of it.
        right: what stands behind it.

    Returns:
        UNKNOWN where an operand is not known or Python would raise.
    """
    if isinstance(test, (ast.Is, ast.IsNot)):
        same = _same(left, right)
        return UNKNOWN if same is None else same is isinstance(test, ast.Is)
    if isinstance(test, (ast.In, ast.NotIn)):
        known = (
            is_plain(left) and (isinstance(right, dict) or is_plain(right)) and right is not None
        )
        if (
            not known
            or isinstance(right, (int, float))
            or (isinstance(right, str) and not isinstance(left, str))
        ):
            return UNKNOWN
        if isinstance(right, dict) and isinstance(left, (list, tuple)):
            return UNKNOWN
        return (left in right) is isinstance(test, ast.In)
    if (
        isinstance(test, (ast.Eq, ast.NotEq))
        and isinstance(left, (list, tuple))
        and isinstance(right, Ref)
    ):
        return isinstance(test, ast.NotEq)  # a tuple of enum members is none of them
    if isinstance(left, Ref) and isinstance(right, Ref) and isinstance(test, (ast.Eq, ast.NotEq)):
        # Members of an enum, by the name of its class: modules hand it on (`_prims.RETURN_TYPE`).
        one, other = left.path.split(".")[-2:], right.path.split(".")[-2:]
        return (one == other) is isinstance(test, ast.Eq) if one[0] == other[0] else UNKNOWN
    if type(test) in _COMPARE and is_plain(left) and is_plain(right):
        try:
            return _COMPARE[type(test)](left, right)
        except TypeError:
            return UNKNOWN
    return UNKNOWN


def _same(left: Any, right: Any) -> bool | None:
    if (
        left is UNKNOWN
        or right is UNKNOWN
        or isinstance(left, Pending)
        or isinstance(right, Pending)
    ):
        return None
    if isinstance(left, Ref) or isinstance(right, Ref):
        if isinstance(left, Ref) and isinstance(right, Ref):
            return True if left == right else None
        other = right if isinstance(left, Ref) else left
        # A name from elsewhere is neither None nor an object that this file made.
        return False if other is None or isinstance(other, Marker) else None
    return left is right
