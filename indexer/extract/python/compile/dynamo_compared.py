"""What a variable class of Dynamo does with objects that it tells apart by asking which one it stands for.

`call_function` of torch/_dynamo/variables/iter.py (`self.value is itertools.product`), user_defined.py and torch.py
(`self.value in (torch.amp.autocast_mode.autocast, …)`) has a branch for each.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from indexer.extract.python.compile.named_objects import NamedObjects
from indexer.extract.python.unit import PyUnit, Unparsable, parse
from indexer.facts.compile import DynamoRule

_FOLDER = "torch/_dynamo/variables/"
_OBJECT = "self.value"
_ASKED = re.compile(r"\bself\.value (?:is|in|==) ")
_CALLED = re.compile(r"[ \t]+def call_function\(")


def compared(unit: PyUnit, module: str) -> Iterator[DynamoRule]:
    """The objects that `call_function` of a file's classes knows, each with the line that asks for it.

    Args:
        unit: the file.
        module: its dotted name.
    """
    if not unit.path.startswith(_FOLDER) or not _ASKED.search(unit.text):
        return
    classes = [node for node in unit.module.body if isinstance(node, ast.ClassDef)]
    functions = {node.name: node for node in unit.module.body if isinstance(node, ast.FunctionDef)}
    for line, span in sorted(unit.spans.items()):
        text = unit.text[span.start : span.end]
        owner = next((c for c in classes if c.lineno <= line <= (c.end_lineno or 0)), None)
        if owner is None or not _CALLED.match(text) or not _ASKED.search(text):
            continue
        try:
            body = parse(f"if 1:\n{text}")
        except Unparsable:
            continue
        is_package = unit.path.endswith("/__init__.py")
        named = NamedObjects(module, is_package, [unit.module, body], functions)
        target = f"{module}.{owner.name}.call_function"
        for node in ast.walk(body):
            for name, at in _asked(node.test, named) if isinstance(node, ast.If) else ():
                yield DynamoRule("handler", name, target, 0, at + line - 2)


def _asked(test: ast.expr, named: NamedObjects) -> Iterator[tuple[str, int]]:
    """The objects one of which the variable has to stand for so that a condition holds, and the lines."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _asked(part, named)
    elif (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and ast.unparse(test.left) == _OBJECT
        and isinstance(test.ops[0], (ast.Is, ast.Eq, ast.In))
    ):
        against = test.comparators[0]
        is_one = not isinstance(test.ops[0], ast.In)
        for name in named.items(ast.Tuple([against]) if is_one else against):
            yield name, test.lineno
