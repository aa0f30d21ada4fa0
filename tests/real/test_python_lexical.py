"""Functions as the text tells them against functions as `ast` tells them, in every file."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from indexer.extract.python.lexical import function_spans, is_balanced, skeleton
from indexer.extract.python.unit import PyUnit
from tests.real.conftest import Real

_EVERY = {"2.6.0": 1, "1.13.1": 3}
_FUNCTIONS = {"2.6.0": 64_690, "1.13.1": 12_056}


def _functions(node: ast.AST) -> Iterator[tuple[str, int, int | None]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child.name, child.lineno, child.end_lineno
        else:
            yield from _functions(child)


def test_every_function_begins_and_ends_where_ast_says(real: Real) -> None:
    wrong = []
    number = 0
    for folder in ("torch", "functorch", "test", "torchgen", "tools"):
        # All of the one tree, and a third of the other: reading them by `ast` is what takes the time.
        for path in sorted((real.root / folder).rglob("*.py"))[:: _EVERY[real.version]]:
            unit = PyUnit(path.relative_to(real.root).as_posix(), path.read_bytes())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    module = ast.parse(unit.text)
                except SyntaxError:
                    continue
                spans = function_spans(unit.code)
                assert is_balanced(unit.code), unit.path
                ast.parse(skeleton(unit.text, spans))
            ours = [(unit.line(span.start), unit.line(span.end - 1)) for span in spans]
            theirs = sorted((line, end) for _, line, end in _functions(module))
            number += len(theirs)
            if ours != theirs:
                wrong.append(unit.path)
    assert wrong == []
    assert number == _FUNCTIONS[real.version]
