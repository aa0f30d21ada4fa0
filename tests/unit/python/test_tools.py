"""trace_module, and trace of Python names, on the fixture tree."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.unit.support.python_sources import YAML, documented, index, tree
from tests.unit.support.small_tree import indexed
from torchtalk.names import Resolution, Target
from torchtalk.names.methods import find_method
from torchtalk.render import text_module, text_trace
from torchtalk.render.text import to_text
from torchtalk.tools import all_tools, no_operator, trace


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    assert text_module and text_trace  # it registers how these answers are laid out
    return documented()


def test_a_module_is_traced_to_its_operators(conn: sqlite3.Connection) -> None:
    answer = all_tools()["trace_module"].ask(conn, name="Cap")
    assert answer.found
    assert (answer.name, answer.public_name) == ("torch.nn.modules.cap.Cap", "torch.nn.Cap")
    assert answer.section == "Caps"
    assert answer.doc == "Caps its input."
    assert [base.name for base in answer.bases] == [
        "torch.nn.modules.cap._CapNd", "torch.nn.modules.module.Module",
    ]  # fmt: skip
    methods = {method.name: method for method in answer.methods}
    assert methods["__init__"].owner == "torch.nn.modules.cap._CapNd"
    assert methods["__init__"].signature == "(self, dim: int, *, scale: float = 1.0) -> None"
    assert answer.operators == ("aten::softcap.int",)
    text = to_text(answer)
    assert "torch.nn.functional.softcap → torch._C._VariableFunctions.softcap" in text
    assert "also of this name: torch.ao.cap.Cap" in text


@pytest.mark.parametrize(
    "name", ["nn.Cap", "torch.nn.Cap", "torch.nn.modules.cap.Cap", "Cap", "modules.cap.Cap", "cap"]
)
def test_names_are_taken_as_people_write_them(conn: sqlite3.Connection, name: str) -> None:
    assert all_tools()["trace_module"].ask(conn, name=name).name == "torch.nn.modules.cap.Cap"


def test_a_name_never_becomes_another(conn: sqlite3.Connection) -> None:
    assert all_tools()["trace_module"].ask(conn, name="torch.ao.cap.Cap").name == "torch.ao.cap.Cap"
    assert not all_tools()["trace_module"].ask(conn, name="Ca").found
    assert not all_tools()["trace_module"].ask(conn, name="torch.optim.Cap").found


def test_submodules_and_optimizers_are_followed(conn: sqlite3.Connection) -> None:
    pair = all_tools()["trace_module"].ask(conn, name="CapPair")
    assert "torch.nn.modules.cap.Cap.forward" in [step.name for step in pair.steps]
    assert set(pair.operators) >= {"aten::softcap.int", "aten::scale_add.Tensor", "aten::band"}
    scaled = all_tools()["trace_module"].ask(conn, name="Scaled", focus="full")
    assert set(scaled.operators) == {"aten::_foreach_scale_", "aten::clip_to_"}


def _traced(conn: sqlite3.Connection, name: str) -> list[str]:
    """The lines of trace's Python part."""
    lines = to_text(all_tools()["trace"].ask(conn, name=name)).split("\n")
    assert lines[1:3] == ["", "in Python:"]
    return lines[3 : lines.index("", 3)]


def test_trace_shows_the_python_part_first(conn: sqlite3.Connection) -> None:
    assert _traced(conn, "F.softcap") == [
        "  torch.nn.functional.softcap = torch.softcap  torch/nn/functional.py:8",
        "    torch._C._VariableFunctions.softcap → aten::softcap (2 overloads)",
    ]
    assert _traced(conn, "torch.linalg.trim") == [
        "  torch.linalg.trim = torch._C._linalg.linalg_trim  torch/linalg/__init__.py:5",
        "    torch._C._linalg.linalg_trim → aten::linalg_trim (2 overloads)",
    ]
    assert _traced(conn, "Tensor.clip_to_") == [
        "  torch.Tensor.clip_to_ = torch._C.TensorBase.clip_to_ → aten::clip_to_"
    ]
    assert _traced(conn, "torch.trimmed") == [
        "  torch.functional.trimmed  torch/functional.py:23",
        "    torch.functional.cap_all  torch/functional.py:25",
        "      torch._VF.softcap → torch._C._VariableFunctions.softcap → aten::softcap.int"
        "  torch/functional.py:20",
        "    Tensor.scale_add → aten::scale_add.Tensor  torch/functional.py:25",
        "    torch.linalg.trim → torch._C._linalg.linalg_trim → aten::linalg_trim  torch/functional.py:26",
    ]


def test_trace_of_a_function_without_an_operator(conn: sqlite3.Connection) -> None:
    answer = all_tools()["trace"].ask(conn, name="torch.describe")
    assert to_text(answer).split("\n")[:2] == [
        "torch.describe is a Python function: ask calls, called_by or impact for it",
        "  torch.functional.describe(*names: str) -> str  torch/functional.py:29",
    ]
    assert answer.notes == (no_operator._NOTHING_BELOW,)
    assert not answer.closest


def test_trace_says_what_is_not_followed() -> None:
    found = index(
        {
            "torch/__init__.py": "",
            "torch/kl.py": "from torch import Tensor\ndef div(p: Tensor, q):\n    return q.mean(p)\n",
            "torch/old/__init__.py": "from torch.shape import Shape\n",
            "torch/shape.py": "class Shape:\n    pass\n",
        }
    )
    answer = all_tools()["trace"].ask(found, name="torch.kl.div")
    assert answer.finding.startswith("torch.kl.div is a Python function: ask calls")
    assert answer.notes == (
        no_operator._NOTHING_BELOW, "1 call on a value whose type is not known is not followed",
    )  # fmt: skip
    answer = all_tools()["trace"].ask(found, name="torch.old.Shape")
    assert answer.finding.startswith("torch.shape.Shape is a Python class")
    assert answer.notes == ("torch.old.Shape is another name of it",)


def test_modules_and_methods_are_known_for_what_they_are(conn: sqlite3.Connection) -> None:
    answer = all_tools()["trace"].ask(conn, name="torch.nn.functional")
    assert to_text(answer).split("\n")[:2] == [
        "torch.nn.functional is a Python module: ask for a name in it",
        "  torch.nn.functional  torch/nn/functional.py:1",
    ]
    assert (
        all_tools()["trace"]
        .ask(conn, name="torch.nn.nowhere")
        .finding.startswith("nothing in this index")
    )
    module = all_tools()["trace_module"].ask(conn, name="nn.Cap.forward")
    assert not module.found
    assert module.finding == "nn.Cap.forward is no class that Python defines: ask trace for it"


def test_of_a_file_of_python_its_classes_can_be_asked_for(conn: sqlite3.Connection) -> None:
    answer = all_tools()["trace_module"].ask(conn, name="torch.nn.modules.cap")
    assert not answer.found
    assert answer.finding.startswith(
        "torch.nn.modules.cap is a Python file or package: ask for one of its "
    )
    # By their public names; what the module keeps for itself comes last.
    assert {"torch.nn.Cap", "torch.nn.CapPair"} < set(answer.candidates)
    assert answer.candidates[-1] == "torch.nn.modules.cap._CapNd"
    # A package shows what it imports, and not what other packages below it do.
    shown = all_tools()["trace_module"].ask(conn, name="torch.nn").candidates
    assert "torch.nn.Cap" in shown and all(name.count(".") == 2 for name in shown)


def test_a_file_of_functions_has_no_classes_to_ask_for() -> None:
    found = index({"torch/__init__.py": "", "torch/plain.py": "def f(): pass\n"})
    answer = all_tools()["trace_module"].ask(found, name="torch.plain")
    assert answer.finding == "torch.plain is a Python file without classes: ask trace for it"
    assert answer.candidates == ()


def test_a_method_of_what_is_not_known_may_be_a_tensors(conn: sqlite3.Connection) -> None:
    answer = all_tools()["trace"].ask(conn, name="x.softcap(0)")
    assert not answer.found
    assert answer.closest[0] == "torch.Tensor.softcap"


def test_what_a_template_is_called_is_a_file(conn: sqlite3.Connection) -> None:
    answer = all_tools()["calls"].ask(conn, name="torch/_C/__init__.pyi.in:50")
    assert answer.notes[0] == "no file of this index is called torch/_C/__init__.pyi.in"
    assert answer.closest == ()


def test_what_a_class_makes_is_none_of_its_arguments() -> None:
    found = index(
        {
            "torch/__init__.py": "",
            "torch/watch.py": (
                "class Seen:\n    @classmethod\n    def made(cls, **given):\n        return cls\n"
                "class Fake:\n    @classmethod\n    def made(cls, **given):\n        return cls\n"
                "standard = Fake.made(of=Seen)\nplain = Fake(Seen)\n"
            ),
            "torch/all.py": "from torch.watch import *\n",
        }
    )
    for name in ("torch.watch.standard", "torch.all.standard"):
        answer = all_tools()["trace"].ask(found, name=name)
        assert to_text(answer).split("\n")[:2] == [
            "torch.watch.standard is a value that a module of Python makes by a call",
            "  torch.watch.standard = torch.watch.Fake.made(…)  torch/watch.py:9",
        ]
    assert "torch.watch.Fake(…)" in to_text(
        all_tools()["trace"].ask(found, name="torch.watch.plain")
    )
    assert not all_tools()["trace"].ask(found, name="torch.watch.missing").elsewhere


def test_what_stands_in_torch_c_nn_alone_is_no_name_of_torch_nn() -> None:
    found = index(
        {
            YAML: "\n- func: gelu(Tensor self) -> Tensor\n  python_module: nn\n",
            "torch/__init__.py": "",
            "torch/nn/__init__.py": "",
        }
    )
    note = "torch.nn.gelu is no public name of this index; shown is the operator of that name"
    assert all_tools()["trace"].ask(found, name="torch.nn.gelu").notes == (note,)
    assert all_tools()["trace"].ask(found, name="torch._C._nn.gelu").notes == ()


def test_trace_of_a_function_that_calls_many(conn: sqlite3.Connection) -> None:
    """Tables of the operators it is named after, or none; the Python part has the others."""
    found = ("aten::add.Tensor", "aten::norm.Scalar", "aten::norm.out", "aten::mul", "aten::sum")
    target = Target("operator", "aten::add", found)
    wanted, notes = trace._chosen(Resolution("n", target, api="torch.Tensor.norm"))
    assert wanted == ("aten::norm.Scalar", "aten::norm.out")
    assert notes[0] == "torch.Tensor.norm reaches aten::add, aten::norm, aten::mul, aten::sum"
    wanted, notes = trace._chosen(Resolution("n", target, api="torch.nn.functional.layer"))
    assert wanted == ()
    assert trace._chosen(Resolution("n", target))[0] == found


ASSIGNED = """
from typing import Any, Callable
def _with_args(cls, **kwargs):
    return cls
def _unimplemented(self):
    helper()
def helper(): pass
class Base:
    forward: Callable[..., Any] = _unimplemented
    with_args = classmethod(_with_args)
    def backward(self):
        helper()
    vjp = backward
class Derived(Base):
    pass
"""


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("torch.a.Derived.vjp", "torch.a.Base.backward"),
        ("torch.shown.Base.vjp", "torch.a.Base.backward"),
        ("torch.a.Base.forward", "torch.a._unimplemented"),
        ("torch.a.Derived.with_args", "torch.a._with_args"),
    ],
)
def test_what_a_class_body_assigns_is_the_function(name: str, function: str) -> None:
    conn = index({"torch/__init__.py": "", "torch/a.py": ASSIGNED,
                  "torch/shown/__init__.py": "from torch.a import Base\n"})  # fmt: skip
    found = find_method(conn, name)
    assert found is not None
    assert found.name == function


def test_a_method_that_is_assigned_has_the_calls_of_its_function(tmp_path: Path) -> None:
    sources = {YAML: "[]\n", "torch/__init__.py": "", "torch/a.py": ASSIGNED}
    with indexed(sources, tmp_path) as conn:
        answer = all_tools()["calls"].ask(conn, name="torch.a.Derived.forward")
        assert "torch.a.helper" in str(answer)


def test_a_class_is_found_by_every_path_that_shows_it(conn: sqlite3.Connection) -> None:
    found = tree(Path(__file__).parents[3] / "fixtures/pytorch", "torch")
    found["torch/old/__init__.py"] = "from torch.nn import Cap\n"
    answer = all_tools()["trace_module"].ask(index(found), name="torch.old.Cap")
    assert (answer.name, answer.public_name) == ("torch.nn.modules.cap.Cap", "torch.nn.Cap")
    assert "torch.old.Cap is another name of it" in answer.notes
    assert all_tools()["trace_module"].ask(conn, name="nn.Cap").notes == ()
    found["torch/_old/__init__.py"] = "from torch.nn import Cap as Lid\n"
    answer = all_tools()["trace_module"].ask(index(found), name="torch._old.Lid")
    assert (answer.name, answer.public_name) == ("torch.nn.modules.cap.Cap", "torch.nn.Cap")
    assert "torch._old.Lid is another name of it" in answer.notes


def test_operators_are_those_of_all_steps_however_many_are_shown() -> None:
    operators = "".join(
        f"- func: op{n}(Tensor self) -> Tensor\n  variants: function, method\n" for n in range(70)
    )
    body = "".join(f"        torch.op{n}(input)\n" for n in range(70))
    conn = index({
        YAML: operators,
        "torch/__init__.py": "", "torch/nn/__init__.py": "from torch.nn.modules.module import Module\n",
        "torch/nn/modules/module.py": "class Module: pass\n",
        "torch/nn/many.py": "import torch\nfrom torch import Tensor, nn\nclass Many(nn.Module):\n"
                            f"    def forward(self, input: Tensor) -> Tensor:\n{body}",
    })  # fmt: skip
    answer = all_tools()["trace_module"].ask(conn, name="torch.nn.many.Many")
    assert sorted(answer.operators) == sorted(f"aten::op{n}" for n in range(70))
    assert (len(answer.steps), answer.steps_left_out) == (60, 10)
    assert answer.operators_left_out == tuple(f"aten::op{n}" for n in range(60, 70))
    assert "and 10 more steps, also to aten::op60, aten::op61" in to_text(answer)


UNKNOWN = """
import math, torch
from torch import Tensor, nn
from torch.optim.optimizer import Optimizer
class Odd(nn.Module):
    def forward(self, input: Tensor, other, **kwargs) -> Tensor:
        other.run()
        kwargs["a"].run(other.size(0).run())
        self.child.run()
        math.sqrt(2)
        "".join(other)
        assert other.is_good()
        return torch.relu(input)
class Step(Optimizer):
    def step(self, closure=None):
        for group in self.groups:
            group.run()
            group.run(group.other())
            math.sqrt(group)
        work(closure())
def work(x: Tensor):
    x.relu()
"""


def test_calls_that_are_not_followed_are_counted() -> None:
    conn = index({
        YAML: "- func: relu(Tensor self) -> Tensor\n  variants: function, method\n",
        "torch/__init__.py": "from torch._tensor import Tensor\n",
        "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase):\n    pass\n",
        "torch/nn/__init__.py": "from torch.nn.modules.module import Module\n",
        "torch/nn/modules/module.py": "class Module: pass\n",
        "torch/optim/optimizer.py": "class Optimizer: pass\n",
        "torch/nn/odd.py": UNKNOWN,
    })  # fmt: skip
    odd = all_tools()["trace_module"].ask(conn, name="torch.nn.odd.Odd")
    assert odd.notes == ("5 calls on values whose type is not known are not followed",)
    step = all_tools()["trace_module"].ask(conn, name="torch.nn.odd.Step")
    assert step.operators == ("aten::relu",)
    assert step.notes == ("3 calls on values whose type is not known are not followed",)


def test_a_forward_that_leads_to_no_operator_says_so() -> None:
    conn = index({
        YAML: "- func: relu(Tensor self) -> Tensor\n",
        "torch/nn/__init__.py": "from torch.nn.modules.module import Module\n",
        "torch/nn/modules/module.py": "class Module: pass\n",
        "torch/nn/calm.py": (
            "from torch import nn\nclass Calm(nn.Module):\n    def forward(self, x):\n        return x\n"
            "class Wrapped(nn.Module):\n    def forward(self, x):\n        return self.inner(x)\n"
        ),
    })  # fmt: skip
    said = "no operator is known that forward leads to"
    assert all_tools()["trace_module"].ask(conn, name="torch.nn.calm.Calm").notes == (said,)
    wrapped = all_tools()["trace_module"].ask(conn, name="torch.nn.calm.Wrapped")
    assert (wrapped.entry, wrapped.operators) == ("forward", ())
    assert wrapped.notes == (said, "1 call on a value whose type is not known is not followed")


def test_what_runs_a_kernel_is_shown_and_what_a_tensor_answers_itself_is_not() -> None:
    """`item` gives no tensor and still is dispatched; `size` is not (aten/src/ATen/core/TensorBase.h)."""
    conn = index(
        {
            YAML: "- func: item(Tensor self) -> Scalar\n  variants: method\n\n"
            "- func: size.int(Tensor self, int dim) -> int\n  variants: function, method\n"
            "  manual_cpp_binding: True\n\n"
            "- func: size.Dimname(Tensor self, Dimname dim) -> int\n  variants: function, method\n",
            "torch/__init__.py": "from torch._tensor import Tensor\n",
            "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase): pass\n",
            "torch/nn/__init__.py": "from torch.nn.modules.module import Module, Asks\n",
            "torch/nn/modules/module.py": "from torch import Tensor\nclass Module: pass\n"
            "class Asks(Module):\n    def forward(self, x: Tensor):\n"
            "        x.size(0)\n        return x.item()\n",
        }
    )
    answer = all_tools()["trace_module"].ask(conn, name="Asks")
    assert answer.operators == ("aten::item",)
    assert [(step.name, step.place.line) for step in answer.steps] == [("Tensor.item", 6)]


def test_what_was_cut_off_far_below_stands_where_it_is_called_nearer() -> None:
    """As `unflatten` does, which an encoder's layers call far below TransformerEncoder."""
    chain = "".join(f"def f{n}(x: Tensor): return f{n + 1}(x)\n" for n in range(6))
    conn = index(
        {
            YAML: "- func: relu(Tensor self) -> Tensor\n  variants: method\n",
            "torch/__init__.py": "from torch._tensor import Tensor\n",
            "torch/_tensor.py": "from torch import _C\nclass Tensor(_C.TensorBase): pass\n",
            "torch/nn/__init__.py": "from torch.nn.modules.module import Module, Deep\n",
            "torch/nn/modules/module.py": "from torch import Tensor\nclass Module: pass\n"
            "class Deep(Module):\n    def forward(self, x: Tensor):\n"
            "        f0(x)\n        return f6(x)\n"
            f"{chain}def f6(x: Tensor): return last(x)\ndef last(x: Tensor): return x.relu()\n",
        }
    )
    answer = all_tools()["trace_module"].ask(conn, name="Deep")
    assert [(step.depth, step.name.rpartition(".")[2]) for step in answer.steps] == [
        *((n, f"f{n}") for n in range(7)), (0, "f6"), (1, "last"), (2, "relu"),
    ]  # fmt: skip
    assert answer.operators == ("aten::relu",)
