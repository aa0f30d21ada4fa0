"""Higher-order operators, as Python registers them, and what stands in their tables."""

from __future__ import annotations

from tests.unit.support.registration_texts import python


def test_higher_order_operators_and_their_tables() -> None:
    """torch/_ops.py: py_impl, py_functionalize_impl, py_autograd_impl and fallthrough of a HigherOrderOperator."""
    found = python(
        "import torch\n"
        "from torch._C import DispatchKey\n"
        "from torch._ops import HigherOrderOperator\n"
        "from torch._higher_order_ops.utils import autograd_not_implemented\n"
        "from torch._higher_order_ops.scan import scan_op as other\n"
        "from torch._subclasses.fake_tensor import FakeTensorMode\n"
        "class CondOp(HigherOrderOperator):\n"
        "    def __init__(self):\n"
        '        super().__init__("cond")\n'
        "cond_op = CondOp()\n"
        "@cond_op.py_impl(DispatchKey.CompositeExplicitAutograd)\n"
        "def dense(x): ...\n"
        "@cond_op.py_impl(FakeTensorMode)\n"
        "def fake(mode, x): ...\n"
        "@cond_op.py_impl(torch._C._functorch.TransformType.Vmap)\n"
        "def batched(interpreter, x): ...\n"
        "@cond_op.py_functionalize_impl\n"
        "def functional(ctx, x): ...\n"
        "cond_op.py_impl(DispatchKey.Autograd)(autograd_not_implemented(cond_op, deferred_error=True))\n"
        "cond_op.fallthrough(DispatchKey.AutocastCPU)\n"
        "@other.py_impl(DispatchKey.CPU)\n"
        "def on_cpu(x): ...\n",
        "torch/_higher_order_ops/cond.py",
    )
    module = "torch._higher_order_ops.cond"
    kernels = [
        (r.key, r.kernel, r.form, r.line) for r in found if r.operator == "higher_order::cond"
    ]
    assert kernels == [
        ("CompositeExplicitAutograd", f"{module}.dense", "function", 11),
        ("FakeTensorMode", f"{module}.fake", "function", 13),
        ("TransformType.Vmap", f"{module}.batched", "function", 15),
        ("Functionalize", f"{module}.functional", "function", 17),
        ("FunctionalTensorMode", f"{module}.functional", "function", 17),
        ("TransformType.Functionalize", f"{module}.functional", "function", 17),
        ("Autograd", "torch._higher_order_ops.utils.autograd_not_implemented", "unknown", 19),
        ("AutocastCPU", "torch.library.fallthrough_kernel", "fallthrough", 20),
        ("", f"{module}.cond_op", "function", 7),
    ]
    assert all(not r.all_overloads for r in found)
    # Of another file's object the link step finds the operator.
    (elsewhere,) = [r for r in found if r.operator == "torch._higher_order_ops.scan.scan_op"]
    assert (elsewhere.key, elsewhere.kernel) == ("CPU", f"{module}.on_cpu")


def test_a_class_inside_a_function_makes_an_operator() -> None:
    found = python(
        "from torch._ops import HigherOrderOperator\n"
        "def register():\n"
        "    class Save(HigherOrderOperator):\n"
        "        def __init__(self):\n"
        '            super().__init__("save_state")\n'
        "    save = Save()\n"
        "    @save.py_impl(DispatchKey.CUDA)\n"
        "    def on_cuda(x): ...\n"
        "from torch._C import DispatchKey\n"
    )
    assert [(r.kind, r.operator, r.key) for r in found] == [
        ("impl", "higher_order::save_state", "CUDA"),
        ("def", "higher_order::save_state", ""),
    ]


def test_higher_order_operators_before_they_were_called_so() -> None:
    found = python(
        "import torch\n"
        "from torch._C import DispatchKey\n"
        "from torch._ops import PyOperator\n"
        "cond = PyOperator('cond')\n"
        "@cond.py_impl(DispatchKey.CPU)\n"
        "def dense(x): ...\n"
    )
    assert [(r.kind, r.operator, r.key, r.kernel, r.line) for r in found] == [
        ("impl", "higher_order::cond", "CPU", "torch.a.dense", 5),
        ("def", "higher_order::cond", "", "torch.a.cond", 4),
    ]
