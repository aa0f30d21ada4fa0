"""What PyTorch hands to the static methods of an autograd function: a context, and gradients."""

from __future__ import annotations

from indexer import link
from indexer.workers import WorkerPool
from tests.unit.support.python_torch import index_torch, operators_of

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


def test_apply_of_an_autograd_function_runs_its_forward() -> None:
    conn = index_torch(
        {
            "torch/autograd/function.py": (
                "class Base:\n    @classmethod\n    def apply(cls, *args): ...\n"
                "class Function(Base):\n    @staticmethod\n    def forward(*args): ...\n"
            ),
            "torch/autograd/__init__.py": "from torch.autograd.function import Function\n",
            "torch/f.py": (
                "import torch\n"
                "class Own(torch.autograd.Function):\n"
                "    @staticmethod\n"
                "    def forward(ctx, x: torch.Tensor):\n"
                "        return x.relu()\n"
                "class Other:\n"
                "    def apply(self, x: torch.Tensor):\n"
                "        return torch.top(x)\n"
                "def one(x):\n    return Own.apply(x)\n"
                "def two(x, other: Other):\n    return other.apply(x)\n"
            ),
        }
    )
    assert operators_of(conn, "torch.f.one") == {"aten::relu": "python: torch.f.Own.forward"}
    assert operators_of(conn, "torch.f.two") == {"aten::top": "python: torch.f.Other.apply"}


def test_whoever_runs_an_autograd_function_runs_its_gradient() -> None:
    conn = index_torch(
        {
            "torch/autograd/function.py": (
                "class Function:\n    def forward(*args): ...\n    def apply(cls, *args): ...\n"
            ),
            "torch/f.py": (
                "from torch.autograd.function import Function\n"
                "class Own(Function):\n"
                "    @staticmethod\n"
                "    def forward(x): return x\n"
                "    @staticmethod\n"
                "    def setup_context(ctx, inputs, output): ...\n"
                "    @staticmethod\n"
                "    def backward(ctx, grad): return grad.relu()\n"
                "class Deeper(Own):\n"
                "    def forward(x): return x\n"
                "    def jvp(ctx, x): return x\n"
                "class Other:\n"
                "    def forward(x): return x\n"
                "    def backward(x): return x\n"
                "def run(x): return Own.apply(x)\n"
                "def by_hand(x): return Own.forward(x)\n"
            ),
        }
    )
    with WorkerPool(0) as pool:
        for _, step in link.steps((80, 81)):
            step(conn, pool)
    rows = conn.execute(
        "SELECT source, target, kind, line FROM v_edges"
        " WHERE file = 'torch/f.py' AND source LIKE '%.forward' ORDER BY line"
    )
    assert [tuple(row) for row in rows] == [
        ("torch.f.Own.forward", "torch.f.Own.setup_context", "python", 6),
        ("torch.f.Own.forward", "torch.f.Own.backward", "derivative", 8),
        ("torch.f.Deeper.forward", "torch.f.Deeper.jvp", "derivative", 11),
    ]
    rows = conn.execute(
        "SELECT source, target, kind, line FROM v_edges WHERE source IN ('torch.f.run', 'torch.f.by_hand') ORDER BY line, 2"
    )
    assert [tuple(row) for row in rows] == [
        ("torch.f.run", "torch.autograd.function.Function.apply", "python", 15),
        ("torch.f.run", "torch.f.Own.forward", "python", 15),
        ("torch.f.by_hand", "torch.f.Own.forward", "python", 16),
    ]
