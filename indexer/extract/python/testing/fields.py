"""What an entry's constructor is given for its fields, and what its class has for those that it is not given.

A field's value is one sign: `T`, `F` and `N` are True, False and None; `!` is something that is neither; `?` is not
known. Of a class, `*` says that its constructor gives the field another value than the one that it is given. Behind it
stand the functions that it is made with (`error_inputs_func=!error_inputs_cat`), as far as tests alone have them: those
of its own file by their names, those of torch.testing in full, with commas between.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.told_values import UNKNOWN, Names, value

_SIGNS = {True: "T", False: "F", None: "N"}
UNKNOWN_REST = "**"
"""Among an entry's fields: more is given than can be seen."""

# They are columns of their own, or no condition asks for them.
_OTHERS = frozenset(
    ("name", "variant_test_name", "aten_name", "aliases", "skips", "decorators", "dtypes")
)
# It is a column of its own, which has no functions of tests.
_SUBJECT = "op"
_TESTING = "torch.testing."


def given(node: ast.Call, names: Names, scope: Scope, samples: str = "") -> str:
    """The fields that a call gives: `supports_out=F ref=!`.

    Args:
        node: the call that makes the entry.
        names: what names stand for where it is made.
        scope: the file's module-level names.
        samples: the function that makes its samples, in full, which is a column of its own.

    Returns:
        Field, sign and functions each, joined by spaces; `UNKNOWN_REST` at the end where more is given than is seen.
    """
    found = []
    for keyword in node.keywords:
        field = keyword.arg
        if not field or field in _OTHERS or field.startswith("dtypesIf"):
            continue
        made_with = [] if "dtypes" in field else functions(keyword.value, names, scope)
        own = _short([name for name in made_with if name != samples], scope)
        if field != _SUBJECT:
            found.append(f"{field}={_sign(keyword.value, names, scope)}{own}")
        elif own:
            found.append(f"{field}=?{own}")
    if len(node.args) > 1 or any(keyword.arg is None for keyword in node.keywords):
        found.append(UNKNOWN_REST)
    return " ".join(found)


def functions(node: ast.expr, names: Mapping[str, Any], scope: Scope) -> list[str]:
    """The functions of the file itself and of torch.testing that an expression names, in full.

    Args:
        node: the expression.
        names: what names stand for where it stands; what a parameter was given has `=` before its name.
        scope: the file's module-level names.
    """
    return list(dict.fromkeys(_named(node, names, scope)))


def _named(node: ast.AST, names: Mapping[str, Any], scope: Scope) -> Iterator[str]:
    name = dotted(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    if not name:
        for inner in ast.iter_child_nodes(node):
            yield from _named(inner, names, scope)
        return
    head, dot, rest = name.partition(".")
    if head in names:
        yield from names.get(f"={name}", ())
        return
    path, own = f"{scope.names.get(head, '')}{dot}{rest}", f"{scope.module}.{head}"
    if path.startswith(f"{own}."):
        path = (
            own  # `op=numpy_cube._opoverload`, of a function that `custom_op` makes an operator of
        )
    # What begins with a capital is a class or a constant.
    is_lower = path.rpartition(".")[2].lstrip("_")[:1].islower()
    if is_lower and path.startswith((_TESTING, f"{scope.module}.")):
        yield path


def _short(made_with: Iterable[str], scope: Scope) -> str:
    return ",".join(name.removeprefix(f"{scope.module}.") for name in made_with)


def _sign(node: ast.expr, names: Names, scope: Scope) -> str:
    found = value(node, names)
    if found is not UNKNOWN:
        return _of(found)
    name = dotted(node)
    if name:
        # A function of the file or an imported thing; what a name of the program stands for may be None.
        head = name.partition(".")[0]
        return "!" if head not in names and ("." in name or scope.full(name) != name) else "?"
    return "!" if is_function(node) else "?"


def is_function(node: ast.expr) -> bool:
    """Whether an expression, `node`, makes a function where it is written: `partial(f, …)`, a lambda."""
    is_made = isinstance(node, ast.Call) and dotted(node.func).endswith("partial")
    return is_made or isinstance(node, ast.Lambda)


def _of(found: Any) -> str:
    if found is None or isinstance(found, bool):
        return _SIGNS[found]
    return "!" if isinstance(found, (str, tuple, list, dict, int, float)) and found else "?"


def defaults(
    body: Iterable[ast.stmt],
    constructors: Iterable[ast.FunctionDef | ast.AsyncFunctionDef],
    scope: Scope,
) -> str:
    """The fields of a class and what they are where nothing is given.

    Args:
        body: of the class: a dataclass has its fields there.
        constructors: its `__init__` and `__post_init__`, as far as it has them.
        scope: the file's module-level names.
    """
    made_with: dict[str, str] = {}
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
            if default is not None:
                made_with[parameter.arg] = _short(functions(default, {}, scope), scope)
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
    return " ".join(
        f"{name}={sign}{made_with.get(name, '')}"
        for name, sign in sorted(found.items())
        if name != "self"
    )


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
