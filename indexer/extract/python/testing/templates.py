"""How the constructors of OpInfo's subclasses change the name that they are given.

`ForeachFuncInfo` makes `_foreach_abs` of `abs`: in `__post_init__`, and in older versions in
`__init__` (torch/testing/_internal/opinfo/core.py), where the name is the first argument or, in 2.3, called so.
`MvlGammaInfo` of 1.12 (torch/testing/_internal/common_methods_invocations.py) is given none and fills in one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.testing import fields
from indexer.extract.python.testing.infos import CLASS_NAME
from indexer.extract.python.told_values import value
from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import InfoClass

_GIVEN = "{}"


def read_classes(unit: PyUnit, definitions: Definitions, scope: Scope) -> Iterator[InfoClass]:
    """The classes whose constructors are understood; `{}` stands for the name that is given, if any is.

    Args:
        unit: the file.
        definitions: its classes and functions.
        scope: its module-level names.
    """
    templates: dict[str, str] = {}
    constructors: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for function in definitions.functions:
        if not CLASS_NAME.search(function.scope):
            continue
        if function.node.name not in ("__init__", "__post_init__"):
            continue
        span = unit.spans.get(function.node.lineno)
        node = unit.function(span) if span else None
        if node is not None:
            constructors.setdefault(function.scope, []).append(node)
            template = _template(node)
            if template != _GIVEN:
                templates[function.scope] = template
    for found in definitions.classes:
        if CLASS_NAME.search(found.name):
            defaults = fields.defaults(found.node.body, constructors.get(found.name, ()), scope)
            line = found.node.lineno
            yield InfoClass(found.name, templates.get(found.name, _GIVEN), line, defaults)


def _template(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    names = {"self.name": _GIVEN}
    parameters = [*node.args.posonlyargs, *node.args.args][1:]
    if parameters:
        names[parameters[0].arg] = _GIVEN
    for statement in node.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            found = value(statement.value, names)
            if isinstance(found, str):
                names[dotted(statement.targets[0])] = found
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
                given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "name")]
                found = value(given[0], names) if given else None
                if isinstance(found, str) and found:
                    return found
    return names["self.name"] if _GIVEN in names["self.name"] else _GIVEN
