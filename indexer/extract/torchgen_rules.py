"""Lists that the tree's own generator is written with, read from its source and not run.

Which keys are structured, and which tags a generated overload inherits, changed between
versions; reading them from the tree keeps every version right.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from indexer.extract.python.unit import Unparsable, parse
from indexer.facts.operators import Shortfall, TorchgenRule

LAYER = "operators"

STRUCTURED_KEY = "structured_dispatch_key"
UFUNC_KEY = "ufunc_dispatch_key"
INHERITED_TAG = "inherited_tag"
COMPOSITE_WITH_TAG = "composite_with_tag"
"""A tag whose operators get generated overloads although they are CompositeImplicitAutograd."""
WITHOUT_KERNEL = "generated_without_kernel"
"""A kind of schema whose generated overloads get no kernel: `out`, before PyTorch 1.13."""
FOREACH_FORMULAS = "foreach_formulas"
"""What foreach operators' names begin with, where they get the formulas of what they are named after: since 2.1."""
FOREACH_IN_PLACE = "foreach_in_place"
"""A foreach operator that is named after one without a functional variant in derivatives.yaml."""
FOREACH_SHORTER = "foreach_shorter"
"""A foreach operator that may have fewer arguments than what it is named after."""

_GENERATES = "add_generated_native_functions"
_IS_FOREACH = "is_foreach_func"
_DERIVES_FOREACH = "gen_foreach_derivativeinfo"
_NAME_SETS = {
    "_foreach_with_inplace_ref": FOREACH_IN_PLACE,
    "_skip_argument_len_check": FOREACH_SHORTER,
}
_KEY_SETS = {"STRUCTURED_DISPATCH_KEYS": STRUCTURED_KEY, "UFUNC_DISPATCH_KEYS": UFUNC_KEY}


def extract(path: str, data: bytes) -> Iterator[TorchgenRule | Shortfall]:
    """Read `torchgen/model.py`, `torchgen/native_function_generation.py` or `torchgen/api/autograd.py`.

    Args:
        path: which of them it is; nothing depends on it.
        data: the file's bytes.

    Yields:
        a rule for each member of a known set, in the file's order; a `Shortfall` for a file that is no valid Python.
    """
    try:
        module = parse(data)
    except Unparsable as error:
        yield Shortfall(LAYER, "failed", f"not parsed: {error}")
        return
    for statement in module.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            rule = _KEY_SETS.get(statement.targets[0].id)
            if rule and isinstance(statement.value, ast.Set):
                for element in statement.value.elts:
                    if isinstance(element, ast.Attribute):
                        yield TorchgenRule(rule, element.attr, statement.lineno)
            names = _NAME_SETS.get(statement.targets[0].id)
            if names and isinstance(statement.value, ast.Set):
                yield from _texts(names, statement.value)
        elif isinstance(statement, ast.FunctionDef) and statement.name == "generate_function":
            yield from _inherited_tags(statement)
            yield from _kinds_without_kernel(statement)
        elif isinstance(statement, ast.FunctionDef) and statement.name == _GENERATES:
            yield from _tags_asked_for(statement)
    yield from _foreach_formulas(module)


def _texts(rule: str, texts: ast.Set) -> Iterator[TorchgenRule]:
    for element in texts.elts:
        if isinstance(element, ast.Constant) and isinstance(element.value, str):
            yield TorchgenRule(rule, element.value, element.lineno)


def _foreach_formulas(module: ast.Module) -> Iterator[TorchgenRule]:
    # `is_foreach_func` asks `f.func.name.name.base.startswith("_foreach_")`.
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    if _IS_FOREACH not in functions or _DERIVES_FOREACH not in functions:
        return
    for node in ast.walk(functions[_IS_FOREACH]):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "startswith"
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            line = functions[_DERIVES_FOREACH].lineno
            yield TorchgenRule(FOREACH_FORMULAS, node.args[0].value, line)


def _inherited_tags(function: ast.FunctionDef) -> Iterator[TorchgenRule]:
    for node in ast.walk(function):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.BitAnd)
            and isinstance(node.left, ast.Attribute)
            and node.left.attr == "tags"
            and isinstance(node.right, ast.Set)
        ):
            yield from _texts(INHERITED_TAG, node.right)


def _kinds_without_kernel(function: ast.FunctionDef) -> Iterator[TorchgenRule]:
    # `elif k == SchemaKind.out: gets_composite_kernel = False`, until PyTorch 1.12.
    for node in ast.walk(function):
        if not (
            isinstance(node, ast.If)
            and isinstance(node.test, ast.Compare)
            and isinstance(node.test.comparators[0], ast.Attribute)
        ):
            continue
        for statement in node.body:
            if (
                isinstance(statement, ast.Assign)
                and isinstance(statement.targets[0], ast.Name)
                and statement.targets[0].id == "gets_composite_kernel"
                and isinstance(statement.value, ast.Constant)
                and statement.value.value is False
            ):
                kind = node.test.comparators[0].attr
                yield TorchgenRule(WITHOUT_KERNEL, kind, statement.lineno)


def _tags_asked_for(function: ast.FunctionDef) -> Iterator[TorchgenRule]:
    # `is_core = any("core" in variant.tags …)`, since PyTorch 2.6.
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Compare)
            and isinstance(node.left, ast.Constant)
            and isinstance(node.left.value, str)
            and isinstance(node.comparators[0], ast.Attribute)
            and node.comparators[0].attr == "tags"
        ):
            yield TorchgenRule(COMPOSITE_WITH_TAG, node.left.value, node.lineno)
