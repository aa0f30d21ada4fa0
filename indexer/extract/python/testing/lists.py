"""Lists that are made of other lists: `unary_ufuncs = [op for op in op_db if isinstance(…)]`."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from indexer.extract.python.compound import TRIES, of_cases
from indexer.extract.python.scope import Scope, dotted
from indexer.facts.tests import ListPart

_NO_LOOP: Mapping[str, tuple[str, ...]] = MappingProxyType({})
# Functions that give the elements of what they are given.
_SAME = frozenset(("list", "tuple", "sorted", "set", "copy", "deepcopy", "chain", "cast"))


def read_lists(
    body: Iterable[ast.stmt],
    scope: Scope,
    looped: Mapping[str, tuple[str, ...]] = _NO_LOOP,
    owner: str = "",
) -> Iterator[ListPart]:
    """What lists of a module and of its classes take from other lists, in order.

    Args:
        body: the module's statements; those under `if`, `for`, `try`, `with` and `class` count too.
        scope: its module-level names.
        looped: by the variable of a loop around them: which lists it stands for, one after the other.
        owner: the class whose statements they are: its lists are called `TestCase.ops`.
    """
    for node in body:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            if node.value is None:
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield from _parts(target.id, node.value, scope, looped, owner)
        elif isinstance(node, ast.Expr):
            call = node.value
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                name = dotted(call.func.value)
                if call.func.attr == "extend" and name.isidentifier() and call.args:
                    yield from _parts(name, call.args[0], scope, looped, owner)
        elif isinstance(node, ast.If):
            yield from read_lists([*node.body, *node.orelse], scope, looped, owner)
        elif isinstance(node, ast.Match):
            yield from read_lists(of_cases(node), scope, looped, owner)
        elif isinstance(node, TRIES):
            parts = [*node.body, *node.orelse, *node.finalbody]
            yield from read_lists(parts, scope, looped, owner)
        elif isinstance(node, ast.With):
            yield from read_lists(node.body, scope, looped, owner)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            over = {node.target.id: tuple(_each(node.iter))}
            yield from read_lists(node.body, scope, {**looped, **over}, owner)
            for name, condition in _appended(node.body, node.target.id):
                yield from _parts(name, node.iter, scope, looped, owner, condition)
        elif isinstance(node, ast.ClassDef) and not owner:
            yield from read_lists(node.body, scope, looped, node.name)


def _appended(
    body: Iterable[ast.stmt], variable: str, condition: str = ""
) -> Iterator[tuple[str, str]]:
    """The lists that statements of a loop append its variable to, and on which condition."""
    for node in body:
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            yield from _appended(node.body, variable, _both(condition, test))
            yield from _appended(node.orelse, variable, _both(condition, f"not ({test})"))
            if any(isinstance(part, (ast.Continue, ast.Break)) for part in node.body):
                condition = _both(condition, f"not ({test})")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            name = dotted(call.func)
            if name.endswith(".append") and [dotted(each) for each in call.args] == [variable]:
                yield name.removesuffix(".append"), condition


def holder(node: ast.expr) -> str:
    """The name of what holds the list `node`: `ops`; `by_name` of `by_name["x"]` and `by_name.setdefault("x", [])`.

    Returns:
        An empty string for other expressions.
    """
    if isinstance(node, ast.Subscript):
        return dotted(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return dotted(node.func.value) if node.func.attr == "setdefault" else ""
    return dotted(node)


def _each(node: ast.expr) -> Iterator[str]:
    """The lists that a loop goes through: those of a dictionary, `by_name.values()`, or those that are written out."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "values" and dotted(node.func.value):
            yield dotted(node.func.value)
    elif isinstance(node, (ast.List, ast.Tuple)):
        yield from filter(None, map(dotted, node.elts))


def _parts(
    name: str,
    node: ast.expr,
    scope: Scope,
    looped: Mapping[str, tuple[str, ...]],
    owner: str,
    asked: str = "",
) -> Iterator[ListPart]:
    """What a list takes from an expression, as far as it fits what is asked of all elements."""
    found = (
        (each, of, condition)
        for source, of, condition in sources(node)
        for each in looped.get(source, (source,))
    )
    name = f"{owner}.{name}" if owner else name
    for at, (source, class_name, condition) in enumerate(found):
        target = scope.full(source)
        if target != f"{scope.module}.{name}":
            of = scope.full(class_name) if class_name else ""
            yield ListPart(name, at, target, of, _both(condition, asked), node.lineno)


def sources(node: ast.expr) -> Iterator[tuple[str, str, str]]:
    """The names that a list expression takes its elements from.

    Args:
        node: an expression, for instance the argument of `@ops`.

    Yields:
        the name; the class that elements must be of, or nothing; other conditions, as written.
    """
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = dotted(node)
        if name:
            yield name, "", ""
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from sources(node.left)
        yield from sources(node.right)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for element in node.elts:
            if isinstance(element, ast.Starred):
                yield from sources(element.value)
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        yield from _filtered(node)
    elif isinstance(node, ast.IfExp):
        yield from sources(node.body)
        yield from sources(node.orelse)
    elif isinstance(node, ast.Call):
        yield from _called(node)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        for name, of, condition in sources(node.value):
            yield name, of, _both(condition, f"[{ast.unparse(node.slice)}]")


def _called(node: ast.Call) -> Iterator[tuple[str, str, str]]:
    callee = dotted(node.func).rpartition(".")[2]
    if callee in _SAME:
        for argument in node.args:
            yield from sources(argument)
    elif callee == "filter" and len(node.args) == 2:
        asked = node.args[0]
        test = ast.unparse(asked.body if isinstance(asked, ast.Lambda) else asked)
        for name, of, condition in sources(node.args[1]):
            yield name, of, _both(condition, test)


def handed(node: ast.expr) -> Iterator[tuple[str, str, str]]:
    """The same of a decorator's argument, which is a list whatever makes it: `@ops(mps_ops_modifier(op_db))`.

    Which elements a function of the test's own leaves out is not known: its name is what it asks of them.

    Args:
        node: the argument.

    Yields:
        the name; the class that elements must be of, or nothing; other conditions, as written.
    """
    if isinstance(node, ast.Call) and not any(True for _ in _called(node)):
        for argument in node.args:
            for name, of, condition in sources(argument):
                yield name, of, _both(condition, ast.unparse(node.func))
    else:
        yield from sources(node)


def _filtered(
    node: ast.ListComp | ast.GeneratorExp | ast.SetComp,
) -> Iterator[tuple[str, str, str]]:
    generator = node.generators[0]
    variable = generator.target.id if isinstance(generator.target, ast.Name) else ""
    made = node.elt
    if isinstance(made, ast.Name):
        same = made.id == variable
    else:
        # `[translate(op) for op in op_db]` still has one entry for each.
        same = isinstance(made, ast.Call) and any(
            isinstance(argument, ast.Name) and argument.id == variable for argument in made.args
        )
    if not variable or not same or len(node.generators) != 1:
        return
    class_name, others = "", []
    for test in _conjuncts(generator.ifs):
        found = _class_test(test, variable)
        if found and not class_name:
            class_name = found
        else:
            others.append(ast.unparse(test))
    for name, of, condition in sources(generator.iter):
        yield name, class_name or of, functools.reduce(_both, others, condition)


def _conjuncts(tests: list[ast.expr]) -> Iterator[ast.expr]:
    for test in tests:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            yield from _conjuncts(test.values)
        else:
            yield test


def _class_test(test: ast.expr, variable: str) -> str:
    if (
        isinstance(test, ast.Call)
        and dotted(test.func) == "isinstance"
        and len(test.args) == 2
        and dotted(test.args[0]) == variable
    ):
        return dotted(test.args[1])
    return ""


def _both(first: str, second: str) -> str:
    if not first or not second:
        return first or second
    return " and ".join(
        f"({text})" if " or " in text or " if " in text else text for text in (first, second)
    )
