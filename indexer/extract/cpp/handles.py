"""Operators that C++ names rather than calls: handles of the dispatcher, and the generator's structs.

    c10::Dispatcher::singleton().findSchemaOrThrow("aten::clone", "").typed<…>()
    c10::Dispatcher::singleton().findSchema({"quantized::linear", ""})
    torch_call_dispatcher("aten::empty_like", "", stack.data(), TORCH_ABI_VERSION)
    ATEN_FN2(mul, Tensor)

A handle's `call`, `redispatch` and `callBoxed` run the operator that it was found by (aten/src/ATen/core/dispatch/
Dispatcher.h, OperatorHandle); ATEN_FN and ATEN_FN2 are `at::_ops::…::call` (aten/src/ATen/templates/Operators.h).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from indexer.extract.cpp.unit import CppUnit
from indexer.facts.bindings import OperatorHandle

HANDLE_TYPE = "c10::OperatorHandle"
"""In the place of a receiver's type: the operator is named in full."""

# `callOpByName` hands both names to `findSchema` (aten/src/ATen/native/quantized/cpu/qlinear_prepack.cpp), so do the
# stable interface's two (torch/csrc/inductor/aoti_torch/shim_common.cpp, torch/csrc/stable/c/shim.h).
_FINDERS = frozenset(
    b"findSchemaOrThrow findSchema findOp callOpByName OperatorName c10::OperatorName"
    b" aoti_torch_call_dispatcher torch_call_dispatcher".split()
)
STRUCTS = frozenset((b"ATEN_FN", b"ATEN_FN2", b"ATEN_OP", b"ATEN_OP2"))
"""Macros that stand for an operator's struct."""

NAMING = _FINDERS | STRUCTS
"""What is called with an operator's name."""

_CALLS = re.compile(
    rb"\b((?:c10::)?(?:%s))\(" % b"|".join(sorted(word for word in _FINDERS if b":" not in word))
)
_NAMES = re.compile(rb'\s*(?:(?:c10::)?OperatorName\s*)?[{(]?\s*"(\w+::\w+)"\s*,\s*"(\w*)"')
_PARTS = re.compile(rb"\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)")


def operator_handles(unit: CppUnit) -> Iterator[OperatorHandle]:
    """Where a file gets handles of operators that it names.

    Args:
        unit: the file.
    """
    data = unit.data
    if not any(word in data for word in _FINDERS):
        return
    for match in _CALLS.finditer(unit.text):
        operator = named_operator(data, match[1], match.end())
        if operator is not None:
            yield OperatorHandle(operator, unit.line(match.start()))


def named_operator(data: bytes, name: bytes, at: int) -> str | None:
    """The operator that a call names, in full, or None where it is not written there.

    Args:
        data: of the file.
        name: what is called, one of `NAMING`.
        at: behind the bracket of the call.
    """
    if name in _FINDERS:
        match = _NAMES.match(data, at)
        if match is None:
            return None
        operator, overload = (part.decode("ascii", "replace") for part in match.groups())
        return f"{operator}.{overload}" if overload else operator
    parts = _PARTS.match(data, at)
    if parts is None or (parts[2] is not None) != name.endswith(b"2"):
        return None
    struct = b"_".join(part for part in parts.groups() if part is not None)
    return f"at::_ops::{struct.decode('ascii', 'replace')}::call"
