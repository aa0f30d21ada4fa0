"""Names that a module takes from others in a loop: `for name in dir(_impl): vars()[name] = wrap(getattr(_impl, name))`.

torch/_numpy/_funcs.py takes the public functions of two modules so, each with what normalizes its arguments around it,
and torch/_numpy/_ufuncs.py those of two others by lists that it makes of `dir(…)`. They are as if imported by a star:
what the loop leaves out is mostly what the module defines itself, which counts first.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.scope import dotted
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonBinding

_STORES = ("vars", "globals")
# What gives the names of a module, or what it has of a name.
_LISTING = ("dir", "vars", "inspect.getmembers", "getmembers")
_LISTS = re.compile(r"\b(?:dir|vars|getmembers)\(\w")


def add_taken_names(unit: PyUnit, definitions: Definitions) -> None:
    """Add to the imports of a file a star for each module whose names a loop stores as the file's own.

    Args:
        unit: the file.
        definitions: its statements. Where such names are all that `__all__` has, or those that a loop adds to it, what
            it has is not known.
    """
    if not any(f"{store}()[" in unit.code for store in _STORES):
        return
    modules = _modules(definitions)
    given = {one.name: one.value for one in definitions.assignments if not one.scope}
    listing = _listing(unit, definitions)
    for loop in unit.module.body:
        if not isinstance(loop, ast.For) or not _stores(loop):
            continue
        named: list[ast.AST] = [loop.iter, *loop.body]
        if isinstance(loop.iter, ast.Name):
            named.append(given.get(loop.iter.id) or loop.iter)
        taken = dict.fromkeys(name for node in named for name in _listed(node, listing))
        stars = [modules[name] for name in taken if name in modules]
        definitions.imports += [
            PythonBinding("", "*", "star", module, loop.lineno, True) for module in stars
        ]
        if stars and (_exports(loop) or any(map(_is_untold, unit.module.body))):
            definitions.exports = None


def _modules(definitions: Definitions) -> dict[str, str]:
    """What the file imports, each by its name; one that is no module gives no names."""
    return {
        one.name: one.target.replace(":", ".")
        for one in definitions.imports
        if not one.scope and one.kind in ("import", "from")
    }


def _stores(loop: ast.For) -> bool:
    """Whether a loop stores something under the name that it binds first."""
    bound = next((node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)), "")
    return any(
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Call)
        and dotted(target.value.func) in _STORES
        and dotted(target.slice) == bound != ""
        for statement in loop.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _exports(loop: ast.For) -> bool:
    """Whether a loop adds the names to `__all__`."""
    return any(
        isinstance(node, ast.Call) and dotted(node.func) in ("__all__.append", "__all__.extend")
        for statement in loop.body
        for node in ast.walk(statement)
    )


def _is_untold(statement: ast.stmt) -> bool:
    """Whether a statement gives `__all__` names that stand elsewhere: `__all__ = _binary + _unary`."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    else:
        return False
    return any(dotted(target) == "__all__" for target in targets) and any(
        isinstance(node, ast.Name) for node in ast.walk(statement.value)
    )


def _listing(unit: PyUnit, definitions: Definitions) -> frozenset[str]:
    """What gives the names of a module that it is given, the functions of the file included."""
    own = (
        found.name
        for found in definitions.functions
        if not found.scope
        and (span := unit.spans.get(found.node.lineno))
        and _LISTS.search(unit.code, span.body, span.end)
    )
    return frozenset((*_LISTING, *own))


def _listed(node: ast.AST, listing: frozenset[str]) -> Iterator[str]:
    """The names of what an expression or statement takes names from."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and inner.args:
            called = dotted(inner.func)
            if called in listing or (called == "getattr" and len(inner.args) > 1):
                yield dotted(inner.args[0])
