"""What an entry's constructor is given for its fields, and what its class has for those that it is not given.

A field's value is one sign: `T`, `F` and `N` are True, False and None; `!` is something that is neither; `?` is not
known. Of a class, `*` says that its constructor gives the field another value than the one that it is given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.testing.values import UNKNOWN, Names, value

_SIGNS = {True: "T", False: "F", None: "N"}
UNKNOWN_REST = "**"
"""Among an entry's fields: more is given than can be seen."""

# They are columns of their own, or no condition asks for them.
_OTHERS = frozenset(
    ("name", "variant_test_name", "aten_name", "aliases", "skips", "decorators", "dtypes", "op")
)


def given(node: ast.Call, names: Names, scope: Scope) -> str:
    """The fields that a call gives: `supports_out=F ref=!`.

    Args:
        node: the call that makes the entry.
        names: what names stand for where it is made.
        scope: the file's module-level names.

    Returns:
        Field and sign each, joined by spaces; `UNKNOWN_REST` at the end where more is given than can be seen.
    """
    found = [
        f"{keyword.arg}={_sign(keyword.value, names, scope)}"
        for keyword in node.keywords
        if keyword.arg and keyword.arg not in _OTHERS and not keyword.arg.startswith("dtypesIf")
    ]
    if len(node.args) > 1 or any(keyword.arg is None for keyword in node.keywords):
        found.append(UNKNOWN_REST)
    return " ".join(found)


def _sign(node: ast.expr, names: Names, scope: Scope) -> str:
    found = value(node, names)
    if found is not UNKNOWN:
        return _of(found)
    name = dotted(node)
    if name:
        # A function of the file or an imported thing; what a name of the program stands for may be None.
        head = name.partition(".")[0]
        return "!" if head not in names and ("." in name or scope.full(name) != name) else "?"
    # `partial(f, …)` and functions are written where they are made.
    is_made = isinstance(node, ast.Call) and dotted(node.func).endswith("partial")
    return "!" if is_made or isinstance(node, ast.Lambda) else "?"


def _of(found: Any) -> str:
    if found is None or isinstance(found, bool):
        return _SIGNS[found]
    return "!" if isinstance(found, (str, tuple, list, dict, int, float)) and found else "?"


def defaults(
    body: Iterable[ast.stmt], constructors: Iterable[ast.FunctionDef | ast.AsyncFunctionDef]
) -> str:
    """The fields of a class and what they are where nothing is given.

    Args:
        body: of the class: a dataclass has its fields there.
        constructors: its `__init__` and `__post_init__`, as far as it has them.
    """
    found = {
        node.target.id: _of(value(node.value, {})) if _is_constant(node.value) else "?"
        for node in body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value
    }
    for function in constructors:
        arguments = function.args
        pairs = zip(reversed(arguments.args), reversed(arguments.defaults), strict=False)
        for parameter, default in (
            *pairs,
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ):
            found[parameter.arg] = _of(value(default, {})) if _is_constant(default) else "?"
        parameters = {each.arg for each in (*arguments.args, *arguments.kwonlyargs)}
        kept = _Kept(parameters)
        for statement in function.body:
            kept.visit(statement)
        for name in parameters - kept.passed:
            found[name] = "*"
        for name in kept.completed:
            found[name] = "?"
        for name in kept.changed:
            found[name] = "*"
    return " ".join(f"{name}={sign}" for name, sign in sorted(found.items()) if name != "self")


def _is_constant(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant)


class _Kept(ast.NodeVisitor):
    """What a constructor does with its parameters and fields.

    Attributes:
        passed: parameters that become the field of their name, or are handed on under it.
        completed: fields that get a value where they have none.
        changed: fields and parameters that get another value.
    """

    def __init__(self, parameters: set[str]) -> None:
        self.parameters = parameters
        self.passed: set[str] = set()
        self.completed: set[str] = set()
        self.changed: set[str] = set()
        self._empty: list[str] = []

    def visit_If(self, node: ast.If) -> None:
        test = node.test
        is_empty = (
            isinstance(test, ast.Compare)
            and isinstance(test.ops[0], ast.Is)
            and dotted(test.left).startswith("self.")
        )
        self._empty.append(
            dotted(test.left)[5:] if is_empty and isinstance(test, ast.Compare) else ""
        )
        for statement in node.body:
            self.visit(statement)
        self._empty.pop()
        for statement in node.orelse:
            self.visit(statement)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            for inner in ast.walk(target):
                self._given(
                    dotted(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else "",
                    node.value,
                )
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._given(dotted(node.target), node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "__init__":
            for keyword in node.keywords:
                if keyword.arg is None:
                    continue
                if dotted(keyword.value) == keyword.arg:
                    self.passed.add(keyword.arg)
                else:
                    self.changed.add(keyword.arg)
            self.passed.update(dotted(argument) for argument in node.args)
        self.generic_visit(node)

    def _given(self, name: str, given: ast.expr) -> None:
        if name in self.parameters:
            self.changed.add(name)
        if not name.startswith("self."):
            return
        field = name[5:]
        if field in self.parameters and dotted(given) == field:
            self.passed.add(field)
        elif field in self._empty:
            self.completed.add(field)
        else:
            self.changed.add(field)
