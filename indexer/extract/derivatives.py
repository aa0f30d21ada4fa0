"""derivatives.yaml: gradient formulas, and the functions that they name.

The reading follows `tools/autograd/load_derivatives.py`, `create_differentiability_info`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from indexer.extract import yaml_nodes
from indexer.facts.operators import DerivativeEntry, Formula, Shortfall
from indexer.facts.schema import SchemaError, parse_operator_name

LAYER = "operators"
DEFAULT_KEY = "Default"

_CALL = re.compile(
    r"(?P<member>(?:\.|->)\s*)?(?<![\w:])(?P<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)\s*"
    r"(?:<[\w:,\s*&]*>)?\s*\("
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# Words that may stand before a parenthesis in a C++ expression without being called, and the
# marks of derivatives.yaml itself (`not_implemented("x")` raises, it computes nothing).
_NOT_CALLED = frozenset(("if", "return", "sizeof", "not_implemented"))


def extract(path: str, data: bytes) -> Iterator[DerivativeEntry | Shortfall]:
    """Read derivatives.yaml.

    Args:
        path: the file's, relative to the tree; nothing depends on it.
        data: its bytes.

    Yields:
        its entries in their order; for one that could not be understood a `Shortfall` with its line.

    Raises:
        YamlError: the file as a whole cannot be read.
    """
    for node in yaml_nodes.entries(data):
        try:
            yield _entry(node)
        except (SchemaError, yaml_nodes.YamlError) as error:
            at = getattr(error, "line", None) or yaml_nodes.line_of(node)
            yield Shortfall(LAYER, "partial", f"line {at}: entry not understood: {error}")


def _entry(node: yaml.MappingNode) -> DerivativeEntry:
    schema = ""
    differentiability: tuple[str, ...] = ()
    formulas: list[Formula] = []
    for key, value, line in yaml_nodes.items(node):
        if key == "name":
            schema = yaml_nodes.text(value)
        elif key == "output_differentiability":
            differentiability = yaml_nodes.texts(value)
        elif key == "dispatch" and isinstance(value, yaml.MappingNode):
            for dispatch_key, nested, _ in yaml_nodes.items(value):
                if isinstance(nested, yaml.MappingNode):
                    formulas += [
                        _formula(dispatch_key, inputs, yaml_nodes.text(formula), at)
                        for inputs, formula, at in yaml_nodes.items(nested)
                    ]
        else:
            formulas.append(_formula(DEFAULT_KEY, key, yaml_nodes.text(value), line))
    namespace, base, overload = parse_operator_name(schema.partition("(")[0].strip())
    operator = f"{namespace or 'aten'}::{base}" + (f".{overload}" if overload else "")
    return DerivativeEntry(
        schema, operator, yaml_nodes.line_of(node), differentiability, tuple(formulas)
    )


def _formula(dispatch_key: str, inputs: str, text: str, line: int) -> Formula:
    formula = " ".join(text.split())
    functions, methods = called_names(formula)
    return Formula(dispatch_key, inputs, formula, line, functions, methods)


def called_names(formula: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The free functions and the methods that a C++ expression calls.

    Args:
        formula: a gradient formula.

    Returns:
        Functions and methods, each in order of appearance and without repeats.
    """
    functions: dict[str, None] = {}
    methods: dict[str, None] = {}
    for match in _CALL.finditer(_STRING.sub('""', formula)):
        name = match["name"]
        if name not in _NOT_CALLED:
            (methods if match["member"] else functions)[name] = None
    return tuple(functions), tuple(methods)
