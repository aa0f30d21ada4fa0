"""Classes within functions, which have no rows of their own: what they do belongs to the function that they stand in.

Who asks for one is told where it stands. Python calls it `f.<locals>.C` (its `__qualname__`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from indexer.extract.python.definitions import Definitions
from indexer.extract.python.unit import PyUnit
from indexer.facts.operators import Shortfall

WITHIN = ", a class within a function, has no row of its own"
"""What follows its name in `coverage`."""

_CLASS = re.compile(r"class[ \t]")
"""What a body without a class mostly does not have; a pattern that begins with its words is looked for fast."""


def local_classes(unit: PyUnit, definitions: Definitions) -> Iterator[Shortfall]:
    """Where the classes within one file's functions stand.

    Args:
        unit: a file that belongs to what users import.
        definitions: of it.
    """
    for found in definitions.functions:
        span = unit.spans.get(found.node.lineno)
        if span is None or not _CLASS.search(unit.code, span.body, span.end):
            continue
        node = unit.function(span)
        offset = unit.line(span.start) - 2
        for name, line in (
            _classes(node, f"{definitions.module}.{found.name}.<locals>") if node else ()
        ):
            yield Shortfall("python", "partial", f"line {offset + line}: {name}{WITHIN}")


def _classes(node: ast.AST, within: str) -> Iterator[tuple[str, int]]:
    """The classes in a body by their qualified names, and the lines of it that they stand in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            name = f"{within}.{child.name}"
            yield name, child.lineno
            yield from _classes(child, name)
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _classes(child, f"{within}.{child.name}.<locals>")
        else:
            yield from _classes(child, within)
