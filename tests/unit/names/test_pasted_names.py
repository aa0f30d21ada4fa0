"""What people paste in the place of a name: calls, schemas, frames, errors, addresses, symbols, autograd's nodes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.endless import ended
from tests.unit.support.names_tree import FILES, IMPL, WEAVE
from tests.unit.support.small_tree import indexed
from torchtalk.names.autograd_nodes import node_named
from torchtalk.names.mangled import demangled
from torchtalk.names.pasted import pasted
from torchtalk.names.written import plain

FORMULAS = """\
- name: mm(Tensor self, Tensor mat2) -> Tensor
  self: grad.mm(mat2)
  result: self_t.mm(mat2)

- name: weave.Tensor(Tensor self, Tensor other) -> Tensor
  self: non_differentiable
  result: self_t

- name: weave.Scalar(Tensor self, Scalar other) -> Tensor
  dispatch:
    Default:
      self: grad
    AutogradNestedTensor:
      self: grad * other
"""


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    files = {**FILES, "tools/autograd/derivatives.yaml": FORMULAS}
    with indexed(files, tmp_path_factory.mktemp("pasted")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("https://github.com/pytorch/pytorch/blob/main/c10/X.h#L76", "pytorch/pytorch/blob/main/c10/X.h:76"),
        ("https://github.com/o/r/blob/a/b/X.cpp?plain=1#L7C3-L9C4", "o/r/blob/a/b/X.cpp:7-9"),
        ("https://docs.example/stable/generated/torch.nn.Linear.html", "torch.nn.Linear"),
        ("https://docs.example/stable/nn.functional.html#torch.nn.functional.gelu", "torch.nn.functional.gelu"),
        ("https://github.com/pytorch/pytorch/issues/1234", ""),
        ('  File "/x/torch/nn/linear.py", line 125, in forward', "/x/torch/nn/linear.py:125"),
        ('File "C:\\me\\torch\\nn\\linear.py", line 12, in f', "/me/torch/nn/linear.py:12"),
        ("C:\\me\\pytorch\\aten\\Linear.cpp:76", "/me/pytorch/aten/Linear.cpp:76"),
        ("aten\\src\\Linear.cpp", "aten/src/Linear.cpp"),
        ("aten/Linear.cpp:76:12: error: no matching function", "aten/Linear.cpp:76"),
        ("aten/Linear.cu(76): error: no", "aten/Linear.cu:76"),
        ("test/test_nn.py:123: in test_x", "test/test_nn.py:123"),
        ("Exception raised from f at ../c10/x.cpp:79 (most recent call first):", "../c10/x.cpp:79"),
        ("aten/Linear.cpp:76", ""),
        ("aten/Linear.cpp:76-80", ""),
        ("#3  0x00007ff in at::native::f (self=..., dim=3) at ../x.cpp:443", "at::native::f"),
        ("frame #3: at::f(at::Tensor const&) + 0x1b2 (0x7f00 in /x/libtorch.so)", "at::f(at::Tensor const&)"),
        ("aten::add.Tensor(Tensor self, ...) -> Tensor", "aten::add.Tensor"),
        ("- func: relu(Tensor self) -> Tensor", "relu"),
        ("def softmax(input: Tensor, dim: int = 1) -> Tensor:", "softmax"),
        ("class Linear(Module):", "Linear"),
        ("@torch.no_grad()", "torch.no_grad"),
        ("y = F.softmax(x, dim=1)", "F.softmax"),
        ("nn.Linear(10, 20)", "nn.Linear"),
        ("Linear(in_features=10, bias=True)", "Linear"),
        ("torch.add(a, b).sum()", ""),
        ("c10::Scalar::Scalar(double)", ""),
        ("twist(int n, int m)", ""),
        ("void f(const at::Tensor & self, at::Scalar other)", ""),
        ("RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'", "addmm_impl_cpu_"),
        ("Could not run 'aten::x' with arguments from the 'SparseCPU' backend.", "aten::x"),
        ("RuntimeError: derivative for aten::x.out is not implemented", "aten::x.out"),
        ("TypeError: softmax() received an invalid combination of arguments", "softmax"),
        ("TypeError: linear(): argument 'input' (position 1) must be Tensor", "linear"),
        ("Expected all tensors on one device (when checking argument for argument mat1 in method wrapper_CUDA_addmm)", "addmm"),
        ("AttributeError: module 'torch.nn' has no attribute 'Foo'", "torch.nn.Foo"),
        ("ImportError: cannot import name 'X' from 'torch.y' (/p/z.py)", "torch.y.X"),
        ("tensor(1., grad_fn=<MmBackward0>)", "MmBackward0"),
        ("grad_fn=<MmBackward0>", "MmBackward0"),
        ("ImportError: /x/_C.so: undefined symbol: _ZN3c105ErrorC2ENS_1XESs", "c10::Error::Error"),
        ("test/nn/test_init.py::TestInit::test_eye[cpu]", "test.nn.test_init.TestInit.test_eye"),
        ("python test/test_nn.py TestNN.test_to", "test.test_nn.TestNN.test_to"),
        ("pytest -x test/test_nn.py::TestNN", "test.test_nn.TestNN"),
        ("%mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%a,))", "torch.ops.aten.mm.default"),
        ('mm: "f32[2, 3]" = torch.ops.aten.mm.default(a, b);  a = b = None', "torch.ops.aten.mm.default"),
        ("(when checking argument for argument x in method wrapper_CUDA__index_select)", "index_select"),
        ("which is output 0 of MmBackward0, is at version 1; expected version 0", "MmBackward0"),
        ("softmax_cpu_out;", "softmax_cpu_out"),
        ("y = F.softmax(x, dim=1);", "F.softmax"),
        ("at::f(const Tensor&, int);", "at::f(const Tensor&, int)"),
        ("**torch.softmax**", "torch.softmax"),
        ("torch.softmax:", "torch.softmax"),
        ("softmax.", "softmax"),
        ("_softmax_,", "_softmax_"),
        ("at::operator,", ""),
        ("at::Foo::operator*", ""),
        ("aten::", ""),
        ("torch.*", ""),
        ("layer norm", ""),
        ("softmax backward for sparse tensors", ""),
        ("softmax", ""),
    ],
)  # fmt: skip
def test_what_is_pasted(text: str, name: str) -> None:
    assert pasted(text) == name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN2at6native7softmaxERKNS_6TensorElSt8optionalIN3c1010ScalarTypeEE", "at::native::softmax"),
        ("__ZN2at3addEv", "at::add"),
        ("_ZN3c106ScalarC1Ed", "c10::Scalar::Scalar"),
        ("_ZN3c105ErrorD0Ev", "c10::Error::~Error"),
        ("_ZNK2at10TensorBase9is_mkldnnEv", "at::TensorBase::is_mkldnn"),
        ("_ZN2at6native12_GLOBAL__N_17stretchIfEEvT_", "at::native::stretch"),
        ("_ZN2at6native22bitwise_kernel_wrapperILi4ENS0_3AddIfLb1ELN3c1010ScalarTypeE6EEEEEvv",
         "at::native::bitwise_kernel_wrapper"),
        ("_ZN3c10eqERKNS_6DeviceES2_", "c10::operator=="),
        ("_ZN3c1013intrusive_ptrINS_10TensorImplEE5resetEv", "c10::intrusive_ptr::reset"),
        ("_ZZN2at6native4fillEvENKUlvE_clEv", "at::native::fill"),
        ("_ZTVN3c1010TensorImplE", "c10::TensorImpl"),
        ("_ZTIZN2at12PTThreadPoolC4EiiEUlvE_", "at::PTThreadPool::PTThreadPool"),
        ("_ZZN3c105ErrorD4EvE5found", "c10::Error::~Error"),
        ("_ZTSN3c107Tracing9lookup_fnMUlRKN2at6TensorEE_E", "c10::Tracing::lookup_fn"),
        ("_ZNK10THPPointerI6_frameEcvbEv", "THPPointer::operator bool"),
        ("_ZN10THPPointerI6_frameEcvPS0_Ev", ""),
        ("_Z3foov", "foo"),
        ("_ZN2at", ""),
        ("_ZGVdN8v_Sleef_expf", ""),
        ("_Zebra", ""),
        ("_softmax", ""),
    ],
)  # fmt: skip
def test_symbols(symbol: str, name: str) -> None:
    assert demangled(symbol) == name


def test_a_name_that_ends_like_a_qualifier_keeps_its_end() -> None:
    assert plain("at::Config::is_const(unsigned long) const") == "at::Config::is_const"
    assert plain("at::Config::begin()const") == "at::Config::begin"


@pytest.mark.parametrize("tool", ["calls", "called_by", "impact"])
def test_a_line_in_a_browser_is_the_tree_s(conn: sqlite3.Connection, tool: str) -> None:
    here = ask(conn, tool, name=f"{IMPL}:7")
    there = ask(conn, tool, name=f"https://github.com/pytorch/pytorch/blob/main/{IMPL}#L7")
    assert here.subjects == there.subjects
    assert there.subjects[0].name == "c10::LoomImpl::warp"
    assert any(note.startswith("taken as") for note in there.notes)
    assert there.query.startswith("https://")


def test_every_tool_that_takes_a_name_takes_what_is_pasted(conn: sqlite3.Connection) -> None:
    schema = "aten::mm(Tensor self, Tensor mat2) -> Tensor"
    assert ask(conn, "trace", name=schema).overloads
    assert ask(conn, "search", query=schema).hits[0].name == "aten::mm"
    assert (
        ask(conn, "impact", name="_ZN2at6native9weave_cpuERKNS_6TensorES3_").subjects[0].place.file
        == WEAVE
    )


def test_the_nodes_of_autograd_are_numbered_as_the_generator_does(conn: sqlite3.Connection) -> None:
    named = {
        name: node.operator if (node := node_named(conn, name)) is not None else None
        for name in (
            "MmBackward0", "MmBackward", "torch::autograd::generated::MmBackward0", "MmBackward1", "WeaveBackward0",
            "WeaveBackward1", "WeaveBackwardAutogradNestedTensor0", "MmBackward0_copy", "Mm",
        )
    }  # fmt: skip
    # weave.Tensor has no formula for an argument, so that it has no node.
    assert named == {
        "MmBackward0": "aten::mm", "MmBackward": "aten::mm",
        "torch::autograd::generated::MmBackward0": "aten::mm", "MmBackward1": None,
        "WeaveBackward0": "aten::weave.Scalar", "WeaveBackward1": None,
        "WeaveBackwardAutogradNestedTensor0": "aten::weave.Scalar",
        "MmBackward0_copy": "aten::mm", "Mm": None,
    }  # fmt: skip


def test_a_node_leads_to_its_operator(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace", name="<MmBackward0 object at 0x7f00>")
    assert answer.overloads[0].operator == "aten::mm"
    assert any("autograd node of aten::mm" in note for note in answer.notes)


def test_an_overload_does_not_reach_itself(conn: sqlite3.Connection) -> None:
    assert ask(conn, "trace", name="aten::weave.Scalar").finding.startswith(
        "aten::weave.Scalar: 1 overload"
    )


def test_nodes_of_foreach_operators(tmp_path: Path) -> None:
    """They have the formulas of another operator, and the name of its node in theirs."""
    yaml = "aten/src/ATen/native/native_functions.yaml"
    more = "".join(
        f"- func: _foreach_{head}\n  variants: function\n"
        for head in (
            "weave.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]",
            "mm(Tensor[] self) -> Tensor[]",
        )
    )
    files = {**FILES, "tools/autograd/derivatives.yaml": FORMULAS, yaml: f"{FILES[yaml]}\n{more}"}
    with indexed(files, tmp_path) as conn:
        for text, operator in (
            ("ForeachWeaveBackward0Scalar", "aten::_foreach_weave.Scalar"),
            ("torch::autograd::generated::ForeachMmBackward0", "aten::_foreach_mm"),
        ):
            node = node_named(conn, text)
            assert node is not None, text
            assert (node.name, node.operator) == (text.rpartition("::")[2], operator)
        for text in (
            "ForeachWeaveBackward0List",
            "ForeachMmBackward7",
            f"{'Foreach' * 500}MmBackward0",
        ):
            assert node_named(conn, text) is None


@pytest.mark.parametrize(
    ("names", "changed"),
    [
        ("aten::mm(Tensor self, Tensor mat2) -> Tensor", {"aten::mm"}),
        ("torch.mm(a, b)", {"aten::mm"}),
        ("torch.mm(a, b), torch.weave(a, (b, c))", {"aten::mm", "aten::weave"}),
        ("torch.mm aten::weave.Tensor", {"aten::mm", "aten::weave"}),
        ("RuntimeError: \"mm_cpu\" not implemented for 'Half'", {"at::native::mm_cpu"}),
        ('File "aten/src/ATen/native/Weave.cpp", line 6, in mm', {"at::native::mm_cpu"}),
        ("at::native::mm_cpu(at::Tensor const&, at::Tensor const&)", {"at::native::mm_cpu"}),
        # Two names, though a runner's line looks so as well.
        ("aten/src/ATen/native/Weave.cpp:6 torch.mm", {"aten::mm", "at::native::mm_cpu"}),
        # Several calls, and what an error says of one.
        ("torch.mm() torch.weave() nobody()", {"aten::mm", "aten::weave"}),
        ("mm() received an invalid combination", {"aten::mm"}),
        ("aten::mm.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", {"aten::mm"}),
        # No brackets that fit: word by word.
        ("torch.mm( aten::weave", {"aten::mm", "aten::weave"}),
        ("torch.mm) aten::weave", {"aten::weave"}),
    ],
)
def test_what_is_affected_may_be_pasted(
    conn: sqlite3.Connection, names: str, changed: set[str]
) -> None:
    """`const` in a signature and `File` in a traceback are no names beside others."""
    answer = ask(conn, "affected", names=names)
    found = {one.name for one in answer.changed}
    if any(name.startswith("aten::") for name in changed):
        # An operator changes with its kernels.
        found = {name for name in found if name.startswith("aten::") or name in changed}
    assert found == changed


@pytest.mark.parametrize(
    "part", ["a", "a.", ".", "/a", "python a.py ", "(", "a b ", "_Z", "1a", '"', "::", "a=", "\\"]
)
def test_a_long_text_takes_no_time(part: str) -> None:
    with ended():
        pasted((part * 4000)[:4000])


def test_symbol_of_endless_depth_is_no_name() -> None:
    assert pasted("_" + "Z" * 3_990) == ""
