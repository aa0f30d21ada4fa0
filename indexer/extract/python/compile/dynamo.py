"""What Dynamo does with which Python function: rules, handlers of variable classes, polyfills.

The places are `torch/_dynamo/trace_rules.py` (`torch_name_rule_map`: names to variable classes),
`torch/_dynamo/variables/higher_order_ops.py` (the same for higher-order operators),
`torch/_dynamo/variables/torch.py` (`_get_handlers`, `@register(…)`), `call_function` of variable classes
(`dynamo_compared`), `torch/_dynamo/polyfills` (`@substitute_in_graph(…)`, torch/_dynamo/decorators.py) and
`torch/distributed/_functional_collectives.py` (`traceable_collective_remaps`: functions to those that are traced in
their place).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from indexer.extract.python.compile.dynamo_compared import compared, known
from indexer.extract.python.compile.named_objects import NamedObjects
from indexer.extract.python.unit import PyUnit, Unparsable, parse
from indexer.facts.compile import DynamoRule

_SKIPPED = re.compile(r"_SKIPLIST$")
"""Lists of modules whose functions Dynamo does not trace."""
_RULES = re.compile(r"rule_map$|_in_graph_functions$")
_BY_NAME = "value.__name__"
_BY_TABLE = "_hop_name_to_variable_class"
_REWRITTEN = "traceable_collective_remaps"
_HANDLER = re.compile(r"^[ \t]+@register\(", re.MULTILINE)


def dynamo(path: str, data: bytes, module: str) -> Iterator[DynamoRule]:
    """Rules, handlers and polyfills of a file of Dynamo.

    Args:
        path: relative to the tree, with `/`.
        data: the file's bytes.
        module: its dotted name.
    """
    rewrites = b"\n" + _REWRITTEN.encode() in data
    if not path.startswith("torch/_dynamo/") and not rewrites:
        return
    unit = PyUnit(path, data)
    try:
        if rewrites:
            yield from _rewritten(unit, module)
        if path.endswith("/trace_rules.py"):
            yield from _rules(unit.module)
        if path.endswith("/higher_order_ops.py"):
            yield from _higher_order(unit)
        if b"substitute_in_graph(" in data:
            yield from _polyfills(unit.module, module)
        if b"@register(" in data and _HANDLER.search(unit.text):
            yield from _handlers(unit, module)
        yield from compared(unit, module)
        yield from known(unit, module)
    except Unparsable:
        return  # the reader of Python files says so


def _rules(tree: ast.Module) -> Iterator[DynamoRule]:
    for node in _statements(tree.body):
        target = _target(node)
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if value is None:
            continue
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            # `torch_c_binding_in_graph_functions["math.exp2"] = …`
            key = target.slice
            is_name = isinstance(key, ast.Constant) and isinstance(key.value, str)
            if isinstance(key, ast.Constant) and is_name and _RULES.search(target.value.id):
                yield _rule(key, ast.unparse(value))
        if isinstance(target, ast.Name) and _SKIPPED.search(target.id):
            yield from _skipped(value)
        if not isinstance(target, ast.Name) or not _RULES.search(target.id):
            continue
        if isinstance(value, ast.Dict):
            for key, chosen in _entries(value):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield _rule(key, ast.unparse(chosen))
        elif (
            isinstance(value, ast.Call)
            and ast.unparse(value.func) == "dict.fromkeys"
            and len(value.args) == 2
        ):
            chosen_class = ast.unparse(value.args[1])
            if isinstance(value.args[0], (ast.List, ast.Tuple)):
                for item in value.args[0].elts:
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        yield _rule(item, chosen_class)


def _skipped(value: ast.expr) -> Iterator[DynamoRule]:
    """The modules of Python's own in a list; who asks for what others have is told that the index does not have it."""
    for item in value.elts if isinstance(value, (ast.List, ast.Tuple)) else ():
        if isinstance(item, ast.Name) and item.id in sys.stdlib_module_names:
            yield DynamoRule("rule", item.id, "SkipFunctionVariable", 0, item.lineno)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under a condition too."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _statements([*node.body, *node.orelse])
        else:
            yield node


def _rule(key: ast.Constant, variable: str) -> DynamoRule:
    # `torch/nn/x.py#f` names a function by its file.
    name = str(key.value).replace(".py#", ".").replace("/", ".")
    return DynamoRule("rule", name, variable, 0, key.lineno)


def _higher_order(unit: PyUnit) -> Iterator[DynamoRule]:
    """Which variable stands for which higher-order operator.

    torch/_dynamo/variables/higher_order_ops.py says so in `TorchHigherOrderOperatorVariable.make`, by comparisons with
    `value.__name__`, in newer versions by the table that it looks into.
    """
    assigned = [node for node in unit.module.body if isinstance(node, ast.Assign)]
    for node in assigned:
        if isinstance(node.value, ast.Dict) and ast.unparse(node.targets[0]) == _BY_TABLE:
            for key, chosen in zip(node.value.keys, node.value.values, strict=True):
                yield from _operator_rules(key, ast.unparse(chosen), 0)
    for line, span in sorted(unit.spans.items()):
        made = unit.function(span) if _BY_NAME in unit.text[span.start : span.end] else None
        for test in ast.walk(made) if made is not None else ():
            if (
                isinstance(test, ast.If)
                and isinstance(test.test, ast.Compare)
                and ast.unparse(test.test.left) == _BY_NAME
                and isinstance(test.body[-1], ast.Return)
                and isinstance(test.body[-1].value, ast.Call)
            ):
                variable = ast.unparse(test.body[-1].value.func)
                yield from _operator_rules(test.test.comparators[0], variable, line - 2)


def _operator_rules(names: ast.expr | None, variable: str, before: int) -> Iterator[DynamoRule]:
    for name in ast.walk(names) if names is not None else ():
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            operator = f"torch.ops.higher_order.{name.value}"
            yield DynamoRule("rule", operator, variable, 0, name.lineno + before)


def _polyfills(tree: ast.Module, module: str) -> Iterator[DynamoRule]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call) or not decorator.args:
                continue
            if ast.unparse(decorator.func).endswith("substitute_in_graph"):
                name, target = ast.unparse(decorator.args[0]), f"{module}.{node.name}"
                yield DynamoRule("polyfill", name, target, node.lineno, decorator.lineno)


def _rewritten(unit: PyUnit, module: str) -> Iterator[DynamoRule]:
    """Which function is traced in the place of which: torch/_dynamo/variables/functions.py.

    `CollectiveFunctionRewriteVariable.rewrite` looks into this table.
    """
    functions = {node.name: node for node in unit.module.body if isinstance(node, ast.FunctionDef)}
    named = NamedObjects(module, unit.path.endswith("/__init__.py"), [unit.module], functions)
    for node in unit.module.body:
        target = _target(node)
        table = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if not isinstance(target, ast.Name) or target.id != _REWRITTEN:
            continue
        for key, chosen in _entries(table):
            replaced, made = named.name(key), named.name(chosen)
            if replaced and made:
                function = functions.get(made.rpartition(".")[2])
                line = function.lineno if function is not None else 0
                yield DynamoRule("polyfill", replaced, made, line, key.lineno)


def _target(node: ast.stmt) -> ast.expr | None:
    """What a statement gives a value to, if it is an assignment."""
    if isinstance(node, ast.Assign):
        return node.targets[0]
    return node.target if isinstance(node, ast.AnnAssign) else None


def _entries(table: ast.expr | None) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Keys and values of a dictionary that is written out."""
    if isinstance(table, ast.Dict):
        for key, value in zip(table.keys, table.values, strict=True):
            if key is not None:
                yield key, value


def _handlers(unit: PyUnit, module: str) -> Iterator[DynamoRule]:
    classes = [
        (n.lineno, n.end_lineno or 0, n.name)
        for n in unit.module.body
        if isinstance(n, ast.ClassDef)
    ]
    functions: dict[str, ast.FunctionDef] = {}
    for node in unit.module.body:
        if isinstance(node, ast.FunctionDef):
            span = unit.spans.get(node.lineno)
            body = unit.function(span) if span is not None else None
            functions[node.name] = body if isinstance(body, ast.FunctionDef) else node
    for line, span in sorted(unit.spans.items()):
        text = unit.text[span.start : span.end]
        if "@register(" not in text:
            continue
        owner = next((f"{name}." for first, last, name in classes if first <= line <= last), "")
        offset = line - 2
        try:
            around = parse(("if 1:\n" if span.indent else "\n") + text)
        except Unparsable:
            continue
        is_package = unit.path.endswith("/__init__.py")
        named = NamedObjects(module, is_package, [unit.module, around], functions)
        for made in ast.walk(around):
            if isinstance(made, ast.FunctionDef):
                target = f"{module}.{owner}{made.name}"
                for item, at in _registered_for(made, named):
                    yield DynamoRule("handler", item, target, made.lineno + offset, at + offset)


def _registered_for(node: ast.FunctionDef, named: NamedObjects) -> Iterator[tuple[str, int]]:
    """What `@register(torch.x, *more)` names, and the decorator's line."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "register":
            for item in decorator.args:
                given = item.value if isinstance(item, ast.Starred) else ast.Tuple([item])
                for name in named.items(given):
                    yield name, decorator.lineno
