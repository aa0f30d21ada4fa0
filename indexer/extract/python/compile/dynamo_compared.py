"""What a variable class of Dynamo does with objects that it tells apart by asking which one it stands for.

`call_function` of torch/_dynamo/variables/iter.py (`self.value is itertools.product`), user_defined.py and torch.py
(`self.value in (torch.amp.autocast_mode.autocast, …)`) has a branch for each. So has what makes variables, `_wrap` of
builder.py (`value is random.Random`), which asks functions of utils.py for others: `is_utils_checkpoint(value)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from indexer.extract.python.compile.named_objects import NamedObjects
from indexer.extract.python.unit import PyUnit, Unparsable, parse
from indexer.facts.compile import DynamoRule

_FOLDER = "torch/_dynamo/variables/"
_OBJECTS = ("self.value", "value")
_ASKED = re.compile(r"\b(?:self\.)?value (?:is|in|==) ")
_CALLED = re.compile(r"[ \t]+def (?:(call_function)\(|_wrap\(self, value\b)")
_KNOWING = re.compile(r"^    return (\w+) is [\w.]+$", re.MULTILINE)
"""What ends a function that knows one object."""


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
        called = _CALLED.match(text) if owner is not None and _ASKED.search(text) else None
        if owner is None or called is None:
            continue
        try:
            body = parse(f"if 1:\n{text}")
        except Unparsable:
            continue
        is_package = unit.path.endswith("/__init__.py")
        named = NamedObjects(module, is_package, [unit.module, body], functions)
        method = called[1] or "_wrap"
        target = f"{module}.{owner.name}.{method}"
        about = _OBJECTS[method == "_wrap"]
        for node in ast.walk(body):
            for name, at in _asked(node.test, about, named) if isinstance(node, ast.If) else ():
                yield DynamoRule("handler", name, target, 0, at + line - 2)


def known(unit: PyUnit, module: str) -> Iterator[DynamoRule]:
    """The objects of which functions of a file say whether something is this one: `return obj is f`.

    Args:
        unit: the file.
        module: its dotted name.
    """
    if not _KNOWING.search(unit.text):
        return
    for node in unit.module.body:
        if not isinstance(node, ast.FunctionDef) or len(node.args.args) != 1:
            continue
        span = unit.spans.get(node.lineno)
        found = _KNOWING.search(unit.text, span.start, span.end) if span is not None else None
        if span is None or found is None or found[1] != node.args.args[0].arg:
            continue
        body = parse(unit.text[span.start : span.end])
        named = NamedObjects(module, False, [unit.module, body], {})
        for inner in ast.walk(body):
            tested = inner.value if isinstance(inner, ast.Return) else None
            for name, at in _asked(tested, found[1], named) if tested is not None else ():
                yield DynamoRule("handler", name, f"{module}.{node.name}", 0, at + node.lineno - 1)


def _asked(test: ast.expr, about: str, named: NamedObjects) -> Iterator[tuple[str, int]]:
    """The objects one of which the variable has to stand for so that a condition holds, and the lines."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _asked(part, about, named)
    elif (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and ast.unparse(test.left) == about
        and isinstance(test.ops[0], (ast.Is, ast.Eq, ast.In))
    ):
        against = test.comparators[0]
        is_one = not isinstance(test.ops[0], ast.In)
        for name in named.items(ast.Tuple([against]) if is_one else against):
            yield name, test.lineno
