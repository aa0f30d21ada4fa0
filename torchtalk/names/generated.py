"""Functions that PyTorch's code generators write around an operator, as stack traces have them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator

# tools/autograd/gen_python_functions.py (get_pycname); torchgen/dest/register_dispatch_key.py (the prefix of its
# signatures); tools/autograd/gen_trace_type.py (type_wrapper_name); the namespaces of torchgen/gen.py's headers.
_PYTHON = re.compile(r"(?:torch::autograd::)?THPVariable_(\w+)")
_WRAPPER = re.compile(r"(?:at::)?wrapper_(\w+)")
_TYPE = re.compile(
    r"(?:torch::(?:autograd::VariableType|TraceType|ADInplaceOrView)|at::functionalization)::(\w+)"
)
_PLAIN = re.compile(
    r"at::(?:redispatch|functionalization|cpu|cuda|meta|composite(?:im|ex)plicitautograd(?:nonfunctional)?)::(\w+)"
)
Overloads = Callable[[str, str | None], list[sqlite3.Row]]


def operators_around(name: str, overloads: Overloads) -> list[sqlite3.Row]:
    """The overloads that a generated function stands for; none where it is not one.

    Args:
        name: `torch::autograd::VariableType::add_Tensor`, `wrapper_CPU_out_cumprod_out`, `THPVariable_add`.
        overloads: those of a base name and, unless it is None, of one overload.
    """
    if match := _PYTHON.fullmatch(name) or _PLAIN.fullmatch(name):
        written = match[1]
        rows = overloads(written, None)
        if not rows and written.endswith("_out"):
            rows = overloads(written.removesuffix("_out"), None)
            rows = [row for row in rows if row["overload"].endswith("out")]
        if rows:
            return rows
    if match := _TYPE.fullmatch(name):
        return _first(_behind(match[1]), overloads)
    if match := _WRAPPER.fullmatch(name):
        keyless = match[1].partition("_")[2]  # older trees have no key in it
        for written in (keyless, match[1]):
            if rows := _first((*_before(written), *_behind(written)), overloads):
                return rows
    return []


def _first(
    split: Iterator[tuple[str, str]] | tuple[tuple[str, str], ...], overloads: Overloads
) -> list[sqlite3.Row]:
    for base, overload in split:
        # cpp.name (torchgen/api/cpp.py): an out function's has `_out` behind it.
        for written in (base, base.removesuffix("_out")) if base else ():
            if rows := overloads(written, overload):
                return rows
    return []


def _behind(name: str) -> Iterator[tuple[str, str]]:
    """`add_Tensor`, `add_`, `cumprod_out_out`: the overload's name stands behind the function's."""
    yield name, ""
    for at in range(len(name) - 1, 0, -1):
        if name[at] == "_":
            yield name[:at], name[at + 1 :]


def _before(name: str) -> Iterator[tuple[str, str]]:
    """`Tensor_add`, `_relu`, `out_cumprod_out`: it stands before it."""
    for at, character in enumerate(name):
        if character == "_":
            yield name[at + 1 :], name[:at]
