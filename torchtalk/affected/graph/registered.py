"""What a function is registered for by its decorators: an operator in some part of PyTorch, a higher-order operator.

`@register_op_strategy(aten.addmm.default)` (torch/distributed/tensor/_ops/utils.py) makes a function the rule by which
DTensor runs the operator, `@register_flop_formula(aten.mm)` (torch/utils/flop_counter.py) what it counts; the tests of
the operator that are about this part look at it, and no others. `@cond_op.py_impl(DispatchKey.Autograd)`
(torch/_ops.py, `OperatorBase.py_impl`) makes it what a higher-order operator runs for a key.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from torchtalk.affected.path_words import folders_of, stem_of

_OPERATOR = re.compile(r"(?<![\w.])(?:torch\.ops\.)?aten\.(?P<base>\w+)")
# What is followed as a stage of torch.compile, or only finds operators in a graph.
_OTHER = re.compile(
    r"(?:\w+\.)*(?:\w*register_(?:\w*decomp\w*|lowering|meta|fake|graph_pattern)|_make_\w+|onnx_\w+|out_wrapper|\w*py_impl)\b"
)
_IMPLEMENTS = re.compile(r"(?P<name>(?:\w+\.)*?\w+)\.py_(?:functionalize_|autograd_)?impl\b")
_GIVEN = re.compile(r"(?:\w+\.)*register_(?:fake|lowering)\((?P<name>[A-Za-z_][\w.]*)")
_HIGHER = "higher_order."


class HigherOrder(NamedTuple):
    """A higher-order operator as decorators name it.

    Args:
        name: `cond`, where it is written so: `torch.ops.higher_order.cond`.
        variable: `cond_op`, as the module calls it.
    """

    name: str
    variable: str


def operators(decorators: str) -> tuple[str, ...]:
    """The operators that decorators register a function for, the stages of torch.compile left out.

    Args:
        decorators: with newlines between.
    """
    found: dict[str, None] = {}
    for text in decorators.split("\n"):
        if "(" in text and not _OTHER.match(text):
            head, _, given = text.partition("(")
            if not _OPERATOR.match(head):
                names = _OPERATOR.finditer(given)
                found.update((f"aten::{match['base']}", None) for match in names)
    return tuple(found)


def higher_order(decorators: str) -> tuple[HigherOrder, ...]:
    """What decorators register a function for that may be higher-order operators.

    Args:
        decorators: with newlines between.
    """
    found: dict[HigherOrder, None] = {}
    for text in decorators.split("\n"):
        match = _IMPLEMENTS.match(text) or _GIVEN.match(text)
        if match is None:
            continue
        before, is_higher, name = match["name"].rpartition(_HIGHER)
        if is_higher:
            found[HigherOrder(name.partition(".")[0], "")] = None
        elif not before:
            found[HigherOrder("", match["name"])] = None
    return tuple(found)


def part_of(path: str) -> tuple[str, ...]:
    """The words of the part of PyTorch that a file belongs to: `nested`, `distributed tensor`, `flop counter`.

    Args:
        path: of the file.
    """
    folders = folders_of(path)
    parts = [one for one in folders if not any(one != other and one in other for other in folders)]
    return tuple(dict.fromkeys(parts)) or stem_of(path)
