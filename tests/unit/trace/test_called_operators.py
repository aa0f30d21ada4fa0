"""trace and trace_module lead from a composite kernel to the kernels of the operators that do its work."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
from torchtalk.render.json import to_json
from torchtalk.tools.kernels.called_operators import FULL

_YAML = """
- func: smooth(Tensor self) -> Tensor
- func: smooth.dim(Tensor self, int dim) -> Tensor
- func: smooth.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CompositeExplicitAutograd: smooth_out
- func: _smooth(Tensor self) -> Tensor
  dispatch:
    CPU: smooth_cpu
    CUDA: smooth_cuda
    MPS: smooth_mps
- func: edge(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutograd: edge
- func: _edge(Tensor self) -> Tensor
  dispatch:
    CPU: edge_cpu
- func: peek(Tensor(a) self) -> Tensor(a)
  dispatch:
    CPU: peek
- func: make(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CPU: make
- func: length(Tensor self) -> int
  dispatch:
    CPU: length
- func: put_(Tensor(a!) self, Tensor src) -> Tensor(a!)
  dispatch:
    CPU: put_
- func: alias_of_put(Tensor self, Tensor src) -> Tensor
- func: woven(Tensor self) -> Tensor
  dispatch:
    SparseCPU: woven_sparse
- func: median(Tensor self) -> Tensor
  dispatch:
    CUDA: median_cuda
- func: smoothly(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: smoothly
- func: average(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: average
- func: layered(Tensor self) -> Tensor
- func: weigh(Tensor self) -> Scalar
- func: _weigh(Tensor self) -> Scalar
  dispatch:
    CPU: weigh_cpu
    CUDA: weigh_cuda
- func: own(Tensor self) -> Tensor
  dispatch:
    CPU: own_cpu
    CUDA: own_cuda
    CompositeExplicitAutograd: own_elsewhere
"""

_SMOOTH = """namespace at::native {
DEFINE_DISPATCH(smooth_stub);
static Tensor helped(const Tensor& x) {
  return at::edge(x);
}
Tensor smooth(const Tensor& x, int64_t dim) {
  auto y = at::make({at::length(x)});
  auto z = at::peek(y);
  at::put_(z, x);
  helped(x);
  return at::_smooth(z);
}
Tensor smooth(const Tensor& x) {
  return at::smooth(x, 0);
}
Tensor& smooth_out(const Tensor& x, Tensor& out) {
  return at::put_(out, at::_smooth(x));
}
Tensor smooth_cpu(const Tensor& x) { smooth_stub(x.device().type(), x); return x; }
Tensor edge(const Tensor& x) { return at::_edge(x); }
Tensor edge_cpu(const Tensor& x) { return x; }
Tensor alias_of_put(const Tensor& x, const Tensor& y) { return at::put_(x, y); }
Tensor smoothly(const Tensor& x) { return at::_edge(at::_smooth(x)); }
Tensor own_elsewhere(const Tensor& x) { return at::_smooth(x); }
Tensor woven_sparse(const Tensor& x) { return at::_smooth(at::peek(x)); }
struct Layer {
  Tensor operator()(const Tensor& x) const { return at::_edge(x); }
};
template <class L>
Tensor run_layer(const Tensor& x) {
  return L{}(x);
}
DEFINE_DISPATCH(average_stub);
Tensor average(const Tensor& x) {
  if (x.is_cpu()) {
    return at::_edge(x);
  }
  average_stub(x.device().type(), x);
  return x;
}
Tensor layered(const Tensor& x) { return run_layer<Layer>(x); }
Scalar weigh(const Tensor& x) { at::length(x); return at::_weigh(at::peek(x)); }
Scalar weigh_cpu(const Tensor& x) { return 1; }
Tensor median_cuda(Tensor& x) { return at::put_(x, at::peek(at::_edge(x))); }
}
"""

_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": _YAML,
    "aten/src/ATen/native/Smooth.cpp": _SMOOTH,
    "aten/src/ATen/native/cpu/Kernel.cpp": (
        "namespace at::native {\n"
        "static void smooth_kernel(const Tensor& x) {}\n"
        "REGISTER_DISPATCH(smooth_stub, &smooth_kernel);\n"
        "}\n"
    ),
    "aten/src/ATen/native/cuda/Smooth.cu": (
        "namespace at::native {\n"
        "__global__ void smooth_forward(float* x) {}\n"
        "Tensor smooth_cuda(const Tensor& x) {\n"
        "  smooth_forward<<<1, 1>>>(x.data());\n"
        "  return x;\n"
        "}\n"
        "static void average_kernel(const Tensor& x) {}\n"
        "REGISTER_CUDA_DISPATCH(average_stub, &average_kernel);\n"
        "}\n"
    ),
    # What a hundred functions use says little of the one that is asked for.
    "aten/src/ATen/native/Many.cpp": "namespace at::native {\n"
    + "".join(f"void use{n}(Tensor& x) {{ at::put_(x, x); }}\n" for n in range(101))
    + "}\n",
    "torch/nn/__init__.py": "from .modules.module import Module\nfrom .modules.smooth import Smooth, Woven\n",
    "torch/nn/modules/__init__.py": "",
    "torch/nn/modules/module.py": "class Module: ...\n",
    "torch/nn/modules/smooth.py": (
        "import torch\n"
        "from .module import Module\n"
        "class Smooth(Module):\n"
        "    def forward(self, x):\n"
        "        return torch.smooth(x, 1)\n"
        "class Woven(Module):\n"
        "    def forward(self, x):\n"
        "        return torch.woven(x)\n"
    ),
    "torch/__init__.py": "",
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("called")) as connection:
        yield connection


def _table(lines: list[str], schema: str) -> list[str]:
    first = next(n for n, line in enumerate(lines) if line.startswith(f"{schema}("))
    end = next((n for n in range(first, len(lines)) if not lines[n]), len(lines))
    return lines[first:end]


_CPP = "aten/src/ATen/native/Smooth.cpp"


def test_a_composite_kernel_leads_to_the_kernels_of_what_it_calls(conn: sqlite3.Connection) -> None:
    table = _table(text(conn, "trace", name="smooth"), "smooth.dim")
    first = next(n for n, line in enumerate(table) if "CompositeImplicit" in line)
    assert table[first:] == [
        f"  CompositeImplicitAutograd -> at::native::smooth  {_CPP}:6  [default]",
        f"    calls aten::_smooth  at {_CPP}:11",
        f"      CPU -> at::native::smooth_cpu  {_CPP}:19",
        "        stub at::native::smooth_stub [CPU] -> at::native::smooth_kernel"
        "  aten/src/ATen/native/cpu/Kernel.cpp:2",
        "      CUDA -> at::native::smooth_cuda  aten/src/ATen/native/cuda/Smooth.cu:3",
        "        launches at::native::smooth_forward  aten/src/ATen/native/cuda/Smooth.cu:2"
        "  at aten/src/ATen/native/cuda/Smooth.cu:4",
        f"    calls aten::edge  at {_CPP}:4 in at::native::helped",
        f"      CompositeExplicitAutograd -> at::native::edge  {_CPP}:20",
        f"        calls aten::_edge  at {_CPP}:20",
        f"          CPU -> at::native::edge_cpu  {_CPP}:21",
        "    also calls aten::make, aten::length, aten::peek, aten::put_",
    ]


def test_an_operator_of_the_answer_itself_is_not_unfolded_again(conn: sqlite3.Connection) -> None:
    table = _table(text(conn, "trace", name="smooth"), "smooth")
    assert table[-1] == f"    calls aten::smooth.dim  at {_CPP}:14  (shown here)"


def test_an_operator_is_unfolded_once(conn: sqlite3.Connection) -> None:
    table = _table(text(conn, "trace", name="smooth"), "smooth.out")
    assert f"    calls aten::_smooth  at {_CPP}:17  (shown here)" in table
    assert table[-1] == "    also calls aten::put_"


def test_what_all_use_is_unfolded_where_there_is_nothing_else(conn: sqlite3.Connection) -> None:
    lines = text(conn, "trace", name="alias_of_put")
    assert lines[-2:] == [f"    calls aten::put_  at {_CPP}:22", "      CPU -> at::native::put_"]


def test_other_kernels_name_what_they_call(conn: sqlite3.Connection) -> None:
    assert text(conn, "trace", name="woven")[-1] == "    calls aten::_smooth"


def test_what_all_use_stands_last_where_a_kernel_works_by_others(conn: sqlite3.Connection) -> None:
    """As `median_impl` sums and indexes what it has sorted (aten/src/ATen/native/cuda/Sorting.cpp)."""
    assert text(conn, "trace", name="median")[-1] == "    calls aten::_edge, aten::put_"


def test_a_kernel_of_a_device_leads_to_what_is_called_like_it(conn: sqlite3.Connection) -> None:
    lines = text(conn, "trace", name="smoothly")
    first = next(n for n, line in enumerate(lines) if line.startswith("  CPU, CUDA"))
    assert lines[first + 1 : first + 3] == [
        f"    calls aten::_smooth  at {_CPP}:23",
        f"      CPU -> at::native::smooth_cpu  {_CPP}:19",
    ]
    assert lines[-1] == "    also calls aten::_edge"


def test_a_kernel_whose_stub_is_a_gpus_alone_names_what_it_calls_on_the_cpu(
    conn: sqlite3.Connection,
) -> None:
    """As `mean_out` calls `sum_out` and `div_` there (aten/src/ATen/native/ReduceOps.cpp)."""
    lines = text(conn, "trace", name="average")
    assert "stub at::native::average_stub [CUDA] -> at::native::average_kernel" in lines[-2]
    assert lines[-1] == "    calls aten::_edge"


def test_a_composite_kernel_for_other_devices_names_what_it_calls(
    conn: sqlite3.Connection,
) -> None:
    assert text(conn, "trace", name="own")[-2] == "    calls aten::_smooth"


def test_what_a_template_is_given_is_followed(conn: sqlite3.Connection) -> None:
    lines = text(conn, "trace", name="layered")
    assert lines[-2:] == [
        f"    calls aten::_edge  at {_CPP}:27 in at::native::Layer::operator()  [candidate]",
        f"      CPU -> at::native::edge_cpu  {_CPP}:21",
    ]


def test_what_each_device_has_a_kernel_for_is_work_though_it_returns_no_tensor(
    conn: sqlite3.Connection,
) -> None:
    """As `item` copies a number from the device (aten/src/ATen/native/Scalar.cpp)."""
    assert text(conn, "trace", name="weigh")[-4:] == [
        f"    calls aten::_weigh  at {_CPP}:42",
        f"      CPU -> at::native::weigh_cpu  {_CPP}:43",
        "      CUDA -> at::native::weigh_cuda",
        "    also calls aten::peek, aten::length",
    ]


def test_json_has_the_same_facts(conn: sqlite3.Connection) -> None:
    answer = json.loads(to_json(ask(conn, "trace", name="aten::smooth.dim")))
    (line,) = answer["overloads"][0]["dispatch"]
    called = line["calls"][0]
    assert called["operator"] == "aten::_smooth"
    assert [place["line"] for place in called["places"]] == [11]
    assert [below["keys"] for below in called["dispatch"]] == [["CPU"], ["CUDA"]]
    assert called["dispatch"][1]["reached"][0]["kernel"] == "at::native::smooth_forward"
    assert line["also_calls"] == ["aten::make", "aten::length", "aten::peek", "aten::put_"]


def test_a_picture_leads_on_through_helpers(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "trace", name="aten::smooth.dim", format="mermaid")
    arrows = {(edge.source, edge.target): edge.relation for edge in answer.picture}
    assert arrows["at::native::smooth", "aten::edge"] == "operator"
    assert arrows["aten::_edge", "at::native::edge_cpu"] == "CPU"


def test_a_module_ends_at_the_kernels_of_what_its_operator_calls(conn: sqlite3.Connection) -> None:
    lines = text(conn, "trace_module", name="Smooth")
    first = next(n for n, line in enumerate(lines) if line.strip().startswith("aten::smooth.dim"))
    assert [line.strip() for line in lines[first + 1 : first + 8]] == [
        f"CompositeImplicitAutograd: at::native::smooth  {_CPP}:6",
        f"calls aten::_smooth  at {_CPP}:11",
        f"CPU: at::native::smooth_cpu  {_CPP}:19",
        "CUDA: at::native::smooth_cuda  aten/src/ATen/native/cuda/Smooth.cu:3",
        f"calls aten::edge  at {_CPP}:4 in at::native::helped",
        f"CompositeExplicitAutograd: at::native::edge  {_CPP}:20",
        f"calls aten::_edge  at {_CPP}:20",
    ]


def test_a_module_ends_at_kernels_of_other_backends_where_the_main_ones_have_none(
    conn: sqlite3.Connection,
) -> None:
    lines = text(conn, "trace_module", name="Woven")
    first = next(n for n, line in enumerate(lines) if line.strip().startswith("aten::woven"))
    assert lines[first + 1].strip().startswith("SparseCPU: at::native::woven_sparse  ")
    # Of what CPU has a kernel for, what others have besides is not what a module is about.
    assert not any("MkldnnCPU" in line for line in text(conn, "trace_module", name="Smooth"))


def test_what_there_is_no_room_for_is_named(tmp_path: Path) -> None:
    room = FULL.tables[0]
    names = [f"part{chr(ord('a') + n)}" for n in range(room + 3)]
    files = {
        "version.txt": "2.6.0\n",
        "aten/src/ATen/native/native_functions.yaml": "- func: whole(Tensor self) -> Tensor\n"
        + "".join(
            f"- func: {name}(Tensor self) -> Tensor\n  dispatch:\n    CPU: {name}_cpu\n"
            for name in names
        ),
        "aten/src/ATen/native/Whole.cpp": "namespace at::native {\nTensor whole(const Tensor& x) {\n"
        + "".join(f"  at::{name}(x);\n" for name in names)
        + "  return x;\n}\n}\n",
    }
    with indexed(files, tmp_path) as connection:
        lines = text(connection, "trace", name="whole")
    calls = [line for line in lines if line.strip().startswith("calls")]
    assert [line.split()[1] for line in calls] == [f"aten::{name}" for name in names[:room]]
    assert lines[-1] == "    also calls " + ", ".join(f"aten::{name}" for name in names[room:])


def test_what_one_kind_of_machine_has_a_kernel_of_is_shown_last(tmp_path: Path) -> None:
    """_convolution has room for NNPACK's convolution, and none for that of Macs."""
    room = FULL.tables[0]
    names = ["mac", *(f"part{chr(ord('a') + n)}" for n in range(room))]
    files = {
        "version.txt": "2.6.0\n",
        "aten/src/ATen/native/native_functions.yaml": "- func: whole(Tensor self) -> Tensor\n"
        + "".join(
            f"- func: {name}(Tensor self) -> Tensor\n  dispatch:\n"
            f"    {'MPS' if name == 'mac' else 'CompositeExplicitAutograd'}: run_{name}\n"
            for name in names
        ),
        "aten/src/ATen/native/Whole.cpp": "namespace at::native {\nTensor whole(const Tensor& x) {\n"
        + "".join(f"  at::{name}(x);\n" for name in names)
        + "  return x;\n}\n}\n",
    }
    with indexed(files, tmp_path) as connection:
        assert text(connection, "trace", name="whole")[-1] == "    also calls aten::mac"


def test_the_last_kernel_that_there_is_room_for_names_what_it_calls(tmp_path: Path) -> None:
    """linalg_inv is four operators above linalg_lu_factor_ex."""
    yaml, cpp = "", ""
    for name, called in ("ab", "bc", "cd", "de"):
        key = "CPU, CUDA" if name == "d" else "CompositeExplicitAutograd"
        yaml += f"- func: op_{name}(Tensor self) -> Tensor\n  dispatch:\n    {key}: run_{name}\n"
        cpp += f"Tensor run_{name}(const Tensor& x) {{ return at::op_{called}(x); }}\n"
    files = {
        "aten/src/ATen/native/native_functions.yaml": yaml
        + "- func: op_e(Tensor self) -> Tensor\n",
        "aten/src/ATen/native/Ops.cpp": f"namespace at::native {{\n{cpp}}}\n",
    }
    with indexed(files, tmp_path) as connection:
        lines = text(connection, "trace", name="op_a")
    at = next(n for n, line in enumerate(lines) if "CPU, CUDA -> at::native::run_d" in line)
    assert lines[at + 1].strip() == "calls aten::op_e"
