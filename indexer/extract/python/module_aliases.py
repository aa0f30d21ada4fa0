"""Modules that one puts below itself under another name: `sys.modules[f"{__name__}.{name}"] = import_module(…)`.

torch/distributed/_tensor/__init__.py leads from where its modules were to where they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.scope import dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonBinding

_MODULES = "sys.modules"
_Texts = dict[str, str]


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
    texts = {"__name__": definitions.module}
    own = f"{definitions.module}."
    for statement in unit.module.body:
        for alias, target, line in _stored(statement, texts, lists):
            name = alias.removeprefix(own)
            if name != alias and name.isidentifier():
                definitions.imports.append(PythonBinding("", name, "import", target, line, False))


def _stored(
    node: ast.stmt, texts: _Texts, lists: Mapping[str, ast.expr | None]
) -> Iterator[tuple[str, str, int]]:
    """The names under which a statement stores modules, each with the module's own and the line."""
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        among = lists.get(node.iter.id) if isinstance(node.iter, ast.Name) else node.iter
        for element in among.elts if isinstance(among, (ast.List, ast.Tuple)) else ():
            text = _text(element, texts)
            inner = {**texts, node.target.id: text} if text else texts
            for statement in node.body if text else ():
                yield from _stored(statement, inner, lists)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and (text := _text(node.value, texts)):
                texts[target.id] = text
            elif isinstance(target, ast.Subscript) and dotted(target.value) == _MODULES:
                name, module = _text(target.slice, texts), _module(node.value, texts)
                if name and module:
                    yield name, module, node.lineno


def _module(value: ast.expr, texts: _Texts) -> str:
    """The module that an expression is: `import_module("a.b")`, or `a.b` itself; empty for others."""
    if isinstance(value, ast.Call) and len(value.args) == 1:
        is_import = dotted(value.func).rpartition(".")[2] == "import_module"
        return _text(value.args[0], texts) if is_import else ""
    name = dotted(value)
    return name if "." in name else ""


def _text(node: ast.expr, texts: _Texts) -> str:
    """What a text is, with what is known of names in it; empty where that is not known."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.Name):
        return texts.get(node.id, "")
    if isinstance(node, ast.JoinedStr):
        parts = [
            _text(part.value if isinstance(part, ast.FormattedValue) else part, texts)
            for part in node.values
        ]
        return "".join(parts) if all(parts) else ""
    return ""
