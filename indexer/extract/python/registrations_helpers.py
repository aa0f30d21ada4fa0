"""Helpers that register what another file gives them: `torch/_refs/special` calls makers that `torch/_refs` defines.

One file's reading yields the helpers it has, with what they need of its text, and its own uses of helpers elsewhere.
When all files have been read the helpers are followed with the arguments of each use.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from indexer.extract.python.registrations_api import Api
from indexer.extract.python.registrations_eval import Interpreter
from indexer.extract.python.registrations_tables import is_higher_order
from indexer.extract.python.registrations_values import (
    UNKNOWN,
    Function,
    Pending,
    Ref,
    Scope,
    is_plain,
)
from indexer.extract.python.unit import parse
from indexer.facts.registrations import HelperUse, Registration, RegistrationHelper

_MOST_NESTED = 4
_EMPTY = ast.Lambda(
    args=ast.arguments([], [], None, [], [], None, []), body=ast.Constant(value=None)
)


def helpers(
    tree: ast.Module, text: str, module: str, path: str, registers: Callable[[int, int], bool]
) -> Iterator[RegistrationHelper]:
    """What a file's registering functions need to be followed: themselves, its imports and constants.

    Args:
        tree: the file.
        text: its source.
        module: its dotted name.
        path: relative to the tree.
        registers: whether lines (first, last) hold anything that could register.
    """
    lines = text.split("\n")
    # Lines keep their numbers: a Library's is where its kernels are said to be registered.
    kept = [""] * len(lines)
    found = False
    for node in tree.body:
        last = node.end_lineno or node.lineno
        if isinstance(node, ast.FunctionDef):
            takes = bool(node.args.args or node.args.kwonlyargs) and not node.decorator_list
            if not takes or not registers(node.lineno, last):
                continue
            found = True
        elif isinstance(node, ast.ClassDef):
            if not any(_registers_itself(each, registers) for each in node.body):
                continue
            found = True
        elif isinstance(node, ast.Assign):
            if not isinstance(node.value, (ast.Attribute, ast.Constant, ast.Call)):
                continue
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        kept[node.lineno - 1 : last] = lines[node.lineno - 1 : last]
    if found:
        yield RegistrationHelper(module, path, "\n".join(kept).rstrip())


def _registers_itself(node: ast.stmt, registers: Callable[[int, int], bool]) -> bool:
    """Whether a class's statement is an `__init__` that registers, for each object: of BaseHOP, for its subclasses."""
    return (
        isinstance(node, ast.FunctionDef)
        and node.name == "__init__"
        and registers(node.lineno, node.end_lineno or node.lineno)
    )


def encoded(value: Any, module: str, path: str) -> Any:
    """A value as JSON has it, for `_decoded`: a mapping that says what it is, an empty one where that is not known.

    Args:
        value: of the file.
        module: dotted name of the file, whose functions do not know it.
        path: of the file, relative to the tree.
    """
    if isinstance(value, (list, tuple)):
        return {"items": [encoded(item, module, path) for item in value]}
    if is_plain(value):
        return {"value": value}
    if isinstance(value, Ref):
        return {"ref": value.path}
    if isinstance(value, Function):
        name = value.shown or value.name
        place = [value.path or path, value.line]
        return {"function": name, "module": value.module or module, "place": place}
    return {}


def _decoded(value: Any) -> Any:
    if "items" in value:
        return [_decoded(item) for item in value["items"]]
    if "ref" in value:
        return Ref(value["ref"])
    if "function" in value:
        path, line = value["place"]
        name = value["function"]
        return Function(_EMPTY, name, Scope(), name, value["module"], line, path)
    return value.get("value", UNKNOWN)


def use(
    callee: str, arguments: Any, keywords: Any, applied: Any, path: str, module: str, line: int
) -> HelperUse:
    """A call of another file's function, as a fact.

    Args:
        callee: the function, in full.
        arguments: by position, as values of the file.
        keywords: by name.
        applied: what the function that it returns is called with, as a decorator is.
        path: of the file with the call.
        module: the same as a module of Python.
        line: of the call.
    """
    given = {
        "arguments": encoded(list(arguments), module, path),
        "keywords": {name: encoded(value, module, path) for name, value in keywords.items()},
        "applied": encoded(applied, module, path),
    }
    return HelperUse(path, line, module, callee, json.dumps(given))


class Helpers:
    """Follows helpers with the arguments of their uses.

    Args:
        found: the helpers of all files.
    """

    def __init__(self, found: list[RegistrationHelper]) -> None:
        self._helpers = {helper.module: helper for helper in found}
        self._interpreters: dict[str, tuple[Interpreter, Api]] = {}

    def follow(self, called: HelperUse, depth: int = 0) -> list[Registration]:
        """What a use registers, itself and by helpers of other files; nothing if its callee is no helper.

        Args:
            called: the use.
            depth: how many helpers call one another to get there.
        """
        module, _, name = called.callee.rpartition(".")
        helper = self._helpers.get(module)
        if helper is None or not any(
            f"{word} {name}(" in helper.source for word in ("def", "class")
        ):
            return []
        if module not in self._interpreters:
            api = Api(helper.path, module)
            interpreter = Interpreter(module, api, lambda first, last: False)
            interpreter.run(parse(helper.source), _package(helper))
            self._interpreters[module] = interpreter, api
        interpreter, api = self._interpreters[module]
        callee = interpreter.globals.lookup(name)
        api.found, api.foreign = [], []
        api.path = called.path
        given = json.loads(called.arguments)
        keywords = {k: _decoded(v) for k, v in given["keywords"].items()}
        arguments = tuple(_decoded(given["arguments"]))
        interpreter.steps = 0
        if isinstance(callee, Function):
            result = interpreter.apply(callee, arguments, keywords, called.line)
            applied = _decoded(given["applied"])
            if isinstance(result, (Function, Pending)) and isinstance(applied, Function):
                interpreter.apply(result, (applied,), {}, called.line)
        elif (
            arguments
            and is_higher_order(arguments[0])
            and f"{module}.{name}" in interpreter.classes
        ):
            overridden = {n: f for n, f in keywords.items() if isinstance(f, Function)}
            interpreter.construct(f"{module}.{name}", arguments[0], overridden, called.line)
        found = api.found
        for inner in api.foreign if depth < _MOST_NESTED else ():
            nested = use(*inner[:4], helper.path, module, called.line)
            found = [*found, *self.follow(replace(nested, path=called.path), depth + 1)]
        return found


def _package(helper: RegistrationHelper) -> str:
    return (
        helper.module if helper.path.endswith("__init__.py") else helper.module.rpartition(".")[0]
    )
