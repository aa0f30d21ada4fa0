"""What PyTorch hands to the static methods of an autograd function, where they do not say it.

`forward(ctx, …)`, `setup_context(ctx, inputs, output)`, `backward(ctx, *grad_outputs)` and `jvp(ctx, *grad_inputs)` are
given an object of the function's own class of contexts first, which derives from `BackwardCFunction`; what follows are
gradients in the last two, each a tensor or None (torch/autograd/function.py, Function).
"""

from __future__ import annotations

import ast

from indexer.extract.python.definitions import FunctionNode
from indexer.extract.python.scope import dotted
from indexer.extract.python.value_texts import TENSOR

CONTEXT = "torch.autograd.function.BackwardCFunction()"
SAVED = frozenset(("saved_tensors", "saved_variables", "saved_for_forward"))
"""What a context gives that is a tuple of tensors (torch/csrc/autograd/python_function.cpp, THPFunction_properties)."""
_FIRST, _ANYTHING = "ctx", "Any"
_GIVEN_GRADIENTS = frozenset(("backward", "vjp", "jvp"))
_GIVEN_CONTEXTS = _GIVEN_GRADIENTS | {"forward", "setup_context"}


def given_parameters(found: FunctionNode) -> dict[str, str]:
    """The targets of a function's parameters, by their names; those that are annotated tell it themselves.

    Args:
        found: the function's statement.

    Returns:
        Nothing for what is no such method.
    """
    node = found.node
    arguments = node.args
    first, *others = (*arguments.posonlyargs, *arguments.args) or (ast.arg(""),)
    if not found.scope or node.name not in _GIVEN_CONTEXTS or first.arg != _FIRST:
        return {}
    if not any(dotted(decorator) == "staticmethod" for decorator in node.decorator_list):
        return {}
    is_untold = first.annotation is None or dotted(first.annotation).endswith(_ANYTHING)
    given = {_FIRST: CONTEXT} if is_untold else {}
    if node.name in _GIVEN_GRADIENTS:
        given |= {each.arg: TENSOR for each in others if each.annotation is None}
        if arguments.vararg is not None and arguments.vararg.annotation is None:
            given[arguments.vararg.arg] = f"list({TENSOR})"
    return given


def is_given_tensors(found: FunctionNode) -> bool:
    """Whether a function is given gradients, so that what it does with values is worth following.

    Args:
        found: its statement.
    """
    return any(TENSOR in target for target in given_parameters(found).values())
