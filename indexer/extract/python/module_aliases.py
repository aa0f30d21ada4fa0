"""Modules that one puts below itself under another name: `sys.modules[f"{__name__}.{name}"] = import_module(…)`.

torch/distributed/_tensor/__init__.py leads from where its modules were to where they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.scope import dotted
from indexer.extract.python.told_texts import Values, told_text
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonBinding

_MODULES = "sys.modules"


def add_module_aliases(unit: PyUnit, definitions: Definitions) -> None:
    """Add to the imports of a file the modules that it stores in `sys.modules` below its own name.

    Args:
        unit: the file.
        definitions: its statements.
    """
    if not definitions.is_package or f"{_MODULES}[" not in unit.code:
        return
    lists = {
        one.name: one.value
        for one in definitions.assignments
        if not one.scope and isinstance(one.value, (ast.List, ast.Tuple))
    }
    known: Values = {"__name__": ast.Constant(definitions.module)}
    own = f"{definitions.module}."
    for statement in unit.module.body:
        for alias, target, line in _stored(statement, known, lists):
            name = alias.removeprefix(own)
            if name != alias and name.isidentifier():
                definitions.imports.append(PythonBinding("", name, "import", target, line, False))


def _stored(
    node: ast.stmt, known: Values, lists: Mapping[str, ast.expr | None]
) -> Iterator[tuple[str, str, int]]:
    """The names under which a statement stores modules, each with the module's own and the line."""
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        among = lists.get(node.iter.id) if isinstance(node.iter, ast.Name) else node.iter
        for element in among.elts if isinstance(among, (ast.List, ast.Tuple)) else ():
            inner = {**known, node.target.id: element}
            for statement in node.body:
                yield from _stored(statement, inner, lists)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and (text := told_text(node.value, known)):
                known[target.id] = ast.Constant(text)
            elif isinstance(target, ast.Subscript) and dotted(target.value) == _MODULES:
                name, module = told_text(target.slice, known), _module(node.value, known)
                if name and module:
                    yield name, module, node.lineno


def _module(value: ast.expr, known: Values) -> str:
    """The module that an expression is: `import_module("a.b")`, or `a.b` itself; empty for others."""
    if isinstance(value, ast.Call) and len(value.args) == 1:
        is_import = dotted(value.func).rpartition(".")[2] == "import_module"
        return (told_text(value.args[0], known) or "") if is_import else ""
    name = dotted(value)
    return name if "." in name else ""
