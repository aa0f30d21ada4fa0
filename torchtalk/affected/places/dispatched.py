"""Lines of native_functions.yaml that name kernels: what they change is the operator for their dispatch keys alone.

`MPS: reflection_pad2d_out_mps` is added to, or taken from, an entry without a change of what runs on other devices.
The formula below `AutogradNestedTensor:` in derivatives.yaml is that of nested tensors alone.
"""

from __future__ import annotations

import re

from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.diff.quiet import says_nothing
from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.nodes import Node, aspect, gradient, operator

_ANY = "Default"  # of derivatives.yaml
_LINE = re.compile(r"^\s+([A-Z]\w*(?:\s*,\s*[A-Z]\w*)*):\s*(\w+(?:::\w+)*)\s*(?:#.*)?$")


def kernel_on(text: str) -> tuple[tuple[str, ...], str] | None:
    """The dispatch keys and the kernel that a line of an entry names; None of other lines.

    Args:
        text: the line.
    """
    match = _LINE.match(text)
    return (tuple(key.strip() for key in match[1].split(",")), match[2]) if match else None


def keys_changed(span: Span) -> tuple[str, ...]:
    """The dispatch keys that lines give another kernel, a first one, or none any more.

    Args:
        span: of native_functions.yaml, with its text.

    Returns:
        Nothing where the lines say something else as well, or the same in another order: of these it is the entry that
        changes.
    """
    sides: list[dict[str, str]] = []
    for texts in (span.removed, span.added):
        of: dict[str, str] = {}
        for text in texts:
            named = kernel_on(text)
            if named is not None:
                of.update(dict.fromkeys(*named))
            elif not says_nothing(text, "yaml"):
                return ()
        sides.append(of)
    before, after = sides
    return tuple(key for key in before | after if before.get(key) != after.get(key))


def formula_of(name: str, keys: tuple[str, ...]) -> Node:
    """What formulas of derivatives.yaml are: an operator's gradient, or that which it has for one kind of tensor.

    Args:
        name: of the operator.
        keys: the autograd keys that they stand under, or Default.
    """
    of = aspects.of_keys(list(keys)) if _ANY not in keys else ()
    return aspect(operator(name), f"{of[0]} {aspects.GRADIENT}") if len(of) == 1 else gradient(name)
