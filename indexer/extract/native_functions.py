"""native_functions.yaml: every operator with every field, and the overloads it generates.

The reading follows `torchgen/model.py`, `NativeFunction.from_yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import yaml

from indexer.extract import yaml_nodes
from indexer.extract.autogen import generated_overloads
from indexer.facts.operators import (
    DispatchEntry,
    Operator,
    Precomputed,
    Shortfall,
    UfuncInnerLoop,
)
from indexer.facts.schema import FunctionSchema, SchemaError
from indexer.facts.signature import signature

LAYER = "operators"


def _names(node: yaml.Node) -> tuple[str, ...]:
    return tuple(part.strip() for part in yaml_nodes.text(node).split(",") if part.strip())


def _optional(node: yaml.Node) -> str | None:
    return yaml_nodes.text(node) or None


def _dispatch(node: yaml.Node) -> tuple[DispatchEntry, ...]:
    if not isinstance(node, yaml.MappingNode):
        raise yaml_nodes.YamlError("dispatch is not a mapping", yaml_nodes.line_of(node))
    return tuple(
        DispatchEntry(key.strip(), yaml_nodes.text(kernel), line)
        for keys, kernel, line in yaml_nodes.items(node)
        for key in keys.split(",")
    )


def _ufunc_inner_loop(node: yaml.Node) -> tuple[UfuncInnerLoop, ...]:
    lines = (
        [(key, yaml_nodes.text(value)) for key, value, _ in yaml_nodes.items(node)]
        if isinstance(node, yaml.MappingNode)
        else [("Generic", yaml_nodes.text(node))]
    )
    loops = []
    for key, value in lines:
        name, _, dtypes = value.partition(" ")
        loops.append(UfuncInnerLoop(key, name, dtypes.strip().strip("()")))
    return tuple(loops)


def _precomputed(node: yaml.Node) -> tuple[Precomputed, ...]:
    lines = []
    for line in yaml_nodes.texts(node):
        replaced, arrow, arguments = line.partition(" -> ")
        lines.append(Precomputed(replaced, arguments) if arrow else Precomputed(None, line))
    return tuple(lines)


def _variants(node: yaml.Node) -> str:
    return ", ".join(_names(node))


_FIELDS: dict[str, Callable[[yaml.Node], Any]] = {
    "variants": _variants,
    "structured": yaml_nodes.flag,
    "structured_delegate": _optional,
    "structured_inherits": _optional,
    "python_module": _optional,
    "category_override": _optional,
    "device_check": yaml_nodes.text,
    "device_guard": yaml_nodes.flag,
    "manual_kernel_registration": yaml_nodes.flag,
    "manual_cpp_binding": yaml_nodes.flag,
    "use_const_ref_for_mutable_tensors": yaml_nodes.flag,
    "cpp_no_default_args": yaml_nodes.texts,
    "tags": yaml_nodes.texts,
    "autogen": _names,
    "dispatch": _dispatch,
    "ufunc_inner_loop": _ufunc_inner_loop,
    "precomputed": _precomputed,
}


def extract(path: str, data: bytes) -> Iterator[Operator | Shortfall]:
    """Read native_functions.yaml.

    Args:
        path: of the file, for nobody but the caller's messages.
        data: its bytes.

    Returns:
        The operators in the file's order, then those generated from them; a `Shortfall` for
        every entry, field or generated name that could not be understood.

    Raises:
        YamlError: the file as a whole cannot be read.
    """
    operators: list[Operator] = []
    for node in yaml_nodes.entries(data):
        line = yaml_nodes.line_of(node)
        try:
            operator, unknown_fields = _operator(node, line)
        except (SchemaError, yaml_nodes.YamlError, ValueError) as error:
            at = getattr(error, "line", None) or line
            yield Shortfall(LAYER, "partial", f"line {at}: entry not understood: {error}")
            continue
        operators.append(operator)
        for name in unknown_fields:
            yield Shortfall(LAYER, "partial", f"line {line}: unknown field {name!r}, not indexed")
    yield from operators
    overloads, shortfalls = generated_overloads(operators)
    yield from overloads
    yield from shortfalls


def _operator(node: yaml.MappingNode, line: int) -> tuple[Operator, list[str]]:
    func = ""
    fields: dict[str, Any] = {}
    unknown: list[str] = []
    for key, value, _ in yaml_nodes.items(node):
        if key == "func":
            func = yaml_nodes.text(value)
        elif key in _FIELDS:
            fields[key] = _FIELDS[key](value)
        else:
            unknown.append(key)
    if not func:
        raise SchemaError("the entry has no `func`")
    schema = FunctionSchema.parse(func)
    return Operator(schema, func, signature(schema), line, **fields), unknown
