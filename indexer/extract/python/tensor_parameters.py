"""Parameters of a `forward` without annotation that are tensors, as what the body asks them tells.

`def forward(self, Xq): return Xq.dequantize()` stands in torch/ao/nn/quantized/modules/__init__.py, and the observers
of torch/ao/quantization/observer.py ask their `x_orig` for `numel()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

FORWARDS = ("forward", "_forward")
"""What a module runs (torch/nn/modules/module.py), and what that mostly hands its work to."""
# What a tensor has, and neither a container nor a number nor anything else that is handed to a `forward`.
_OF_TENSORS = frozenset(
    (
        "dim ndim shape numel nelement detach contiguous is_contiguous requires_grad dtype layout is_quantized"
        " is_sparse is_cuda is_mkldnn view reshape permute transpose unsqueeze squeeze flatten expand expand_as"
        " view_as to_dense dequantize int_repr q_scale new_zeros new_ones new_empty new_full softmax log_softmax"
        " sum mean masked_fill index_select"
    ).split()
)


def tensor_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The names of a `forward`'s or `_forward`'s parameters that its body uses as only tensors can be used.

    Args:
        node: the function with its body.
    """
    if node.name not in FORWARDS:
        return
    arguments = node.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    waiting = {parameter.arg for parameter in parameters[1:] if parameter.annotation is None}
    if not waiting:
        return
    for found in ast.walk(node):
        if isinstance(found, ast.Attribute) and isinstance(found.value, ast.Name):
            name = found.value.id
            if name in waiting and found.attr in _OF_TENSORS:
                waiting.discard(name)
                yield name
