"""What PyTorch hands to the static methods of an autograd function: a context, and gradients."""

from __future__ import annotations

from tests.unit.support.python_torch import index_torch

SOURCES = {
    "torch/autograd/function.py": """\
class FunctionCtx:
    def save_for_backward(self, *tensors): ...
    def mark_dirty(self, *tensors): ...
class BackwardCFunction(FunctionCtx): ...
class Function: ...
""",
    "torch/scaled.py": """\
import torch
from torch.autograd.function import Function
class Scaled(Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.save_for_backward(x)
        ctx.by = by
        return x
    @staticmethod
    def setup_context(ctx: Kept, inputs, output):
        ctx.mark_dirty(output)
    @staticmethod
    def vjp(ctx: Any, grad: Any):
        ctx.mark_dirty(grad.relu())
    @staticmethod
    def backward(ctx, grad, kept: int, *others):
        ctx.mark_dirty(grad)
        x, = ctx.saved_tensors
        x.relu()
        kept.relu()
        others[0].top()
        return grad.nonzero()
    def jvp(ctx, grad):
        return grad.nonzero()
def backward(ctx, grad):
    return grad.nonzero()
class Stepped:
    @staticmethod
    def backward(loss, ctx):
        return ctx.nonzero()
""",
}


def test_contexts_and_gradients_are_known() -> None:
    conn = index_torch(SOURCES)
    rows = conn.execute(
        "SELECT caller.name, c.line, coalesce(called.name, n.name) FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " LEFT JOIN python_functions AS called ON called.id = r.function_id"
        " LEFT JOIN python_natives AS n ON n.id = r.native_id WHERE c.kind = 0 ORDER BY 1, 2, 3"
    )
    assert [tuple(row) for row in rows] == [
        ("Scaled.backward", 17, "FunctionCtx.mark_dirty"),
        ("Scaled.backward", 19, "torch._C.TensorBase.relu"),
        ("Scaled.backward", 21, "torch._C.TensorBase.top"),
        ("Scaled.backward", 22, "torch._C.TensorBase.nonzero"),
        ("Scaled.forward", 6, "FunctionCtx.save_for_backward"),
        ("Scaled.vjp", 14, "FunctionCtx.mark_dirty"),
    ]
