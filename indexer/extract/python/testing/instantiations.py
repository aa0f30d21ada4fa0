"""Module-level statements that make a class's tests others': for devices, for parameters, of a template or a base."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from indexer.extract.python import lexical
from indexer.extract.python.compound import TRIES, of_cases
from indexer.extract.python.definitions import ClassNode
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.testing.infos import source
from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import Instantiation

# `instantiate_device_type_tests`, `instantiate_parametrized_tests` and the like of single files
# (torch/testing/_internal/common_device_type.py and common_utils.py); `copy_tests`
# (test/inductor/test_torchinductor.py); the decorator of the package parameterized, which leaves a class no tests of
# its own and makes others of it, called like it.
NAME = re.compile(r"(?:^|\.)(?:instantiate_\w*tests?\w*|copy_tests|parameterized_class)$")
WORTH_READING = (b"instantiate_", b"copy_tests", b"parameterized_class", b"\ndel ")


# Which devices tests are made for (torch/testing/_internal/common_device_type.py, `instantiate_device_type_tests`).
_FOR = ("only_for", "except_for")
# A name that has a value, in a branch maybe, or one that is added to. It begins with the name, which `re` looks for.
_CHANGING = r"{0}(?<!\w{0})(?: = |\s*(?:\.\s*(?:append|extend|insert|remove|pop)\b|\+=))"


def read_instantiations(
    unit: PyUnit, classes: Iterable[ClassNode], scope: Scope
) -> Iterator[Instantiation]:
    """The calls and class decorators of a file.

    Args:
        unit: the file.
        classes: that it defines.
        scope: of the file.

    Yields:
        One for each class that is given, with the other arguments as written; `only_for=devices` with the value of
        `devices`, where that is written in the module.
    """
    for found in classes:
        for decorator in found.node.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = dotted(call)
            if NAME.search(name):
                rest = _rest(unit, decorator, 0) if isinstance(decorator, ast.Call) else ""
                target = f"{scope.module}.{found.name}"
                yield Instantiation(decorator.lineno, scope.full(name), target, rest)
    yield from _calls(unit, unit.module.body, scope)
    own = {found.name for found in classes}
    for node in unit.module.body:
        # `del TestBasicOps`: only the classes that derive from it are there when the tests are looked for.
        for deleted in node.targets if isinstance(node, ast.Delete) else ():
            if (name := dotted(deleted)) in own:
                yield Instantiation(node.lineno, "del", scope.full(name), "")


def _calls(unit: PyUnit, body: Iterable[ast.stmt], scope: Scope) -> Iterator[Instantiation]:
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            name = dotted(call.func)
            if NAME.search(name) and call.args:
                given = call.args[: 2 if name.endswith("copy_tests") else 1]
                for argument in given:
                    of = dotted(argument)
                    if of:
                        rest = _rest(unit, call, 1)
                        yield Instantiation(call.lineno, scope.full(name), scope.full(of), rest)
        elif isinstance(node, (ast.If, ast.For)):
            yield from _calls(unit, [*node.body, *node.orelse], scope)
        elif isinstance(node, ast.Match):
            yield from _calls(unit, of_cases(node), scope)
        elif isinstance(node, TRIES):
            yield from _calls(unit, [*node.body, *node.orelse, *node.finalbody], scope)
        elif isinstance(node, ast.With):
            yield from _calls(unit, node.body, scope)


def _rest(unit: PyUnit, call: ast.Call, first: int) -> str:
    pieces = [source(unit, argument) for argument in call.args[first:]]
    pieces += [
        f"{keyword.arg}={source(unit, _written(unit, keyword))}"
        if keyword.arg
        else source(unit, keyword.value)
        for keyword in call.keywords
    ]
    texts = [lexical.without_comments(piece) for piece in pieces]
    return ", ".join(text for text in texts if text != "globals()")[:300]


def _written(unit: PyUnit, keyword: ast.keyword) -> ast.expr:
    """What is given for a keyword; of a name of the module that is always the same devices these."""
    given = keyword.value
    if keyword.arg not in _FOR or not isinstance(given, ast.Name):
        return given
    values = [
        node.value
        for node in unit.module.body
        if isinstance(node, ast.Assign) and [dotted(to) for to in node.targets] == [given.id]
    ]
    if len(values) != 1 or not _is_devices(values[0]):
        return given
    return given if _changes(unit.code, given.id) else values[0]


def _changes(code: str, name: str) -> bool:
    """Whether a name of the module gets another value in a branch, or is added to."""
    for match in re.finditer(_CHANGING.format(re.escape(name)), code):
        before = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not match[0].endswith(" = ") or (before and not before.strip(" \t")):
            return True
    return False


def _is_devices(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(_is_devices, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
