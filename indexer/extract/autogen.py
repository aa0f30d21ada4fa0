"""The overloads that `autogen:` asks for, as torchgen writes them.

`torchgen/native_function_generation.py`: `generate_function`, `functional_to_out_signature`,
`mutable_to_out_signature`, `self_to_out_signature`. The YAML names what is generated; here
its schema follows, and a name that no rule leads to is reported instead of guessed.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace

from indexer.facts.operators import DispatchEntry, Operator, Shortfall
from indexer.facts.schema import AnnotatedType, Argument, FunctionSchema, Return, SchemaKind
from indexer.facts.signature import functional_base, functional_schema, is_view, signature

_LAYER = "operators"
_FUNCTIONAL_OVERLOAD = "functional"


# Where several variants of a function ask for the same overload it is made from the first of
# these (`add_generated_native_functions`, `base_fn`).
_PRECEDENCE = (SchemaKind.MUTABLE, SchemaKind.INPLACE, SchemaKind.OUT, SchemaKind.FUNCTIONAL)


def generated_overloads(operators: Sequence[Operator]) -> tuple[list[Operator], list[Shortfall]]:
    """Build what the entries' `autogen:` lists ask for.

    Args:
        operators: all entries of native_functions.yaml.

    Returns:
        The generated operators, in the order of the entries they are made from, and a
        shortfall for each name that the generator does not make, with its reason.
    """
    variants: dict[str, list[Operator]] = {}
    for operator in operators:
        key = signature(operator.schema, strip_defaults=False)
        variants.setdefault(f"{operator.namespace}::{key}", []).append(operator)
    made: dict[str, Operator] = {}
    shortfalls: list[Shortfall] = []
    for group in variants.values():
        asking = [operator for operator in group if operator.autogen]
        reason = _not_generated(group)
        for operator in sorted(asking, key=_precedence):
            for name in operator.autogen:
                if reason:
                    detail = f"line {operator.line}: the generator makes no {name}: {reason}"
                    shortfalls.append(Shortfall(_LAYER, "ok", detail))
                    continue
                overload = _overload(operator, name)
                if overload is None:
                    detail = f"line {operator.line}: no rule generates {name!r}"
                    shortfalls.append(Shortfall(_LAYER, "partial", detail))
                else:
                    made.setdefault(overload.qualified_name, overload)
    return sorted(made.values(), key=lambda overload: overload.line), shortfalls


def _precedence(operator: Operator) -> int:
    kind = operator.schema.kind
    return _PRECEDENCE.index(kind) if kind in _PRECEDENCE else len(_PRECEDENCE)


def _not_generated(group: list[Operator]) -> str | None:
    """Why the generator leaves a group of variants alone, although `autogen:` is written."""
    if all(operator.manual_cpp_binding for operator in group):
        return "its variants are bound by hand"
    if any(is_view(o.schema, o.tags) and o.schema.base != "set_" for o in group):
        return "it is a view"
    is_core = any("core" in operator.tags for operator in group)
    if not is_core and all(_is_composite_implicit(operator) for operator in group):
        return "its variants are CompositeImplicitAutograd"
    return None


def _is_composite_implicit(operator: Operator) -> bool:
    if operator.dispatch is not None:
        return any(entry.key == "CompositeImplicitAutograd" for entry in operator.dispatch)
    return not operator.structured and operator.structured_delegate is None


def _overload(operator: Operator, name: str) -> Operator | None:
    written = operator.schema
    for schema in (_out(written), _functional(written), _functional_overload(written)):
        if schema is not None and schema.name == name:
            return _generated(operator, schema)
    return None


def _generated(operator: Operator, schema: FunctionSchema) -> Operator:
    kernel = schema.base
    if schema.kind is SchemaKind.OUT:
        kernel = f"{schema.base}_{schema.overload}"
    elif schema.overload.endswith(_FUNCTIONAL_OVERLOAD):
        kernel += f"_{_FUNCTIONAL_OVERLOAD}"
    if operator.schema.has_symint:
        kernel += "_symint"
    return Operator(
        schema=schema,
        func=str(schema),
        signature=signature(schema),
        line=operator.line,
        generated_from=operator.qualified_name,
        device_check="NoCheck",
        device_guard=False,
        use_const_ref_for_mutable_tensors=operator.use_const_ref_for_mutable_tensors,
        dispatch=(DispatchEntry("CompositeExplicitAutograd", kernel, operator.line),),
    )


def _functional(schema: FunctionSchema) -> FunctionSchema | None:
    if schema.kind is SchemaKind.FUNCTIONAL:
        return None
    base = functional_base(schema)
    if schema.kind is SchemaKind.MUTABLE:
        base += "_functional"
    made = functional_schema(schema, keep_return_names=True)
    return replace(made, namespace=schema.namespace, base=base, overload=schema.overload)


def _functional_overload(schema: FunctionSchema) -> FunctionSchema | None:
    """The functional variant as PyTorch 1.12 names it, by its overload: `zero_` makes `zero.functional`."""
    made = _functional(schema)
    if made is None:
        return None
    overload = (
        f"{schema.overload}_{_FUNCTIONAL_OVERLOAD}" if schema.overload else _FUNCTIONAL_OVERLOAD
    )
    return replace(made, base=functional_base(schema), overload=overload)


def _out(schema: FunctionSchema) -> FunctionSchema | None:
    if schema.kind is SchemaKind.OUT or schema.kind is SchemaKind.SCRATCH:
        return None
    overload = f"{schema.overload}_out" if schema.overload else "out"
    # torchgen drops the `_functional` mark here too: OperatorName.with_overload.
    named = replace(schema, base=functional_base(schema), overload=overload)
    if schema.kind is SchemaKind.INPLACE:
        self_argument = schema.self_argument
        if self_argument is None:
            return None
        arguments = tuple(a.plain() if a is self_argument else a for a in schema.arguments)
        out = Argument("out", self_argument.type, None, kwarg_only=True)
        return replace(named, arguments=(*arguments, out))
    returns, outs = _out_arguments(schema)
    if not outs:
        return None
    arguments = schema.arguments
    if schema.kind is SchemaKind.FUNCTIONAL:
        arguments = functional_schema(schema, keep_return_names=False).arguments
    return replace(named, arguments=(*arguments, *outs), returns=returns)


def _out_arguments(schema: FunctionSchema) -> tuple[tuple[Return, ...], tuple[Argument, ...]]:
    used = {name for a in schema.arguments for name in a.type.alias_set}
    free = [letter for letter in string.ascii_lowercase if letter not in used]
    all_tensors = all(r.type.type == "Tensor" for r in schema.returns)
    returns: list[Return] = []
    outs: list[Argument] = []
    for at, declared in enumerate(schema.returns):
        if declared.type.base != "Tensor":
            returns.append(declared)
            continue
        suffix = declared.type.type.removeprefix("Tensor")
        written = AnnotatedType(declared.type.type, f"{free[at]}!", suffix)
        name = "out" if len(schema.returns) == 1 else f"out{at}"
        outs.append(Argument(name, written, None, kwarg_only=True))
        if all_tensors:
            returns.append(Return(written))
    return tuple(returns), tuple(outs)
