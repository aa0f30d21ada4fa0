"""Tests, GPU kernels and options, asked for as test runners, profilers, editors and shells have them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed

CU = "aten/src/ATen/native/cuda/Warp.cu"
LOOM = "torch/csrc/Module.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": """\
- func: warp(Tensor self) -> Tensor
  variants: function, method
  dispatch:
    CUDA: warp_cuda

- func: warp.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CUDA: warp_out_cuda

""",
    "tools/autograd/derivatives.yaml": """\
- name: warp(Tensor self) -> Tensor
  self: grad
""",
    LOOM: """\
PyObject* THPModule_warps(PyObject* self, PyObject* noargs) {
}
static PyMethodDef methods[] = {
    {"warps", THPModule_warps, METH_NOARGS, nullptr},
    {"wefts",
     THPModule_warps, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyObject* initModule() {
  THPUtils_addPyMethodDefs(list, methods);
  static PyModuleDef module = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, methods};
}
TORCH_LIBRARY(loom, m) {
  m.def("weave(Tensor x) -> Tensor");
  m.def(
      "weft(Tensor x) -> Tensor",
      [](const at::Tensor& x) {
        return x;
      });
}
""",
    "torch/looms.py": """\
import torch  # \x0c

@torch.once
@torch.twice(
    1,
)
def weave(x): ...

warp = torch._add_docstr(torch._C._VariableFunctions.warp,
    "text")

def of_tensor(x: torch.Tensor):
    return x.warp()
""",
    "torch/_C/__init__.pyi": "def warps() -> int: ...\n",
    "torch/_lower.py": """\
import torch

def register(op): ...

aten = torch.ops.aten
lowered = register(aten.warp)
same = torch._C._add_docstr(aten.warp, "text")
""",
    "test/test_counts.py": """\
import torch
from torch.testing._internal.common_utils import TestCase

class TestCounts(TestCase):
    def test_count(self):
        torch._C.warps()

    def test_no_warps(self):
        pass
""",
    "aten/src/ATen/native/Reed.cpp": "namespace at::native {\n\nvoid long_reed() {}\n}\n",
    "aten/src/ATen/native/cpu/Reed.cpp": "namespace at::native {\n}\n",
    CU: """\
namespace at::native {
namespace {
template <typename T, int N>
__global__ void warp_kernel(T* x) {
}
}
Tensor warp_cuda(const Tensor& self) {
  warp_kernel<float, 4><<<1, 2>>>(nullptr);
  return self;
}
}
""",
    "aten/src/ATen/Warper.h": """\
namespace at {
struct Warper {
  int depth_;
  int depth() { return depth_; }
  // how deep
};
TORCH_API int warped(
    int how,
    int much);
}
""",
    "aten/src/ATen/Warper.cpp": """\
#include <ATen/Warper.h>
namespace at {
int warped(int how, int much) { return how; }
}
""",
    "torch/__init__.py": "from torch._tensor import Tensor\n",
    "torch/_tensor.py": "import torch\n\nclass Tensor(torch._C.TensorBase):\n    pass\n",
    "torch/testing/_internal/common_utils.py": "class TestCase:\n    pass\ndef slowTest(f):\n    return f\n",
    "torch/_dynamo/config.py": (
        "import sys\nfrom torch.utils._config_module import install_config_module\n"
        "# Try again.\nretries = 3\ninstall_config_module(sys.modules[__name__])\n"
    ),
    "test/test_warp.py": """\
import torch
from torch.testing._internal.common_utils import TestCase, slowTest

class TestWarp(TestCase):
    @slowTest
    def test_warp(self):
        torch.warp(torch.ones(3))
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("place")) as connection:
        yield connection


@pytest.mark.parametrize(
    "name",
    [
        "at::native::warp_kernel",
        "warp_kernel<float, 4>",
        "void at::native::(anonymous namespace)::warp_kernel<float, 4>(float*)",
        "_ZN2at6native12_GLOBAL__N_111warp_kernelIfLi4EEEvPT_",
        f"{CU}:4",
        f"{CU}:8",
        f"https://github.com/pytorch/pytorch/blob/main/{CU}#L4",
    ],
)
def test_a_kernel_as_a_profiler_or_an_editor_has_it(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "cuda_kernels", name=name)
    assert [(site.kernel, str(site.place)) for site in answer.sites] == [
        ("at::native::warp_kernel", f"{CU}:8")
    ]
    assert answer.query == name


@pytest.mark.parametrize(
    "name",
    [
        "test/test_warp.py::TestWarp::test_warp", "python test/test_warp.py TestWarp.test_warp", "TestWarp.test_warp",
        "test/test_warp.py:7",
    ],
)  # fmt: skip
def test_a_test_as_its_runner_has_it(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "calls", name=name)
    assert [subject.name for subject in answer.subjects] == ["test.test_warp.TestWarp.test_warp"]


def test_a_test_s_uses_are_not_said_to_be_none(conn: sqlite3.Connection) -> None:
    said = "\n".join(text(conn, "calls", name="TestWarp.test_warp"))
    assert "TestWarp.test_warp is a test" in said
    assert "aten::warp" in said and "SELECT target, kind, line FROM v_edges" in said
    assert "nothing" not in said


def test_a_test_that_is_named_to_affected_is_run(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="test/test_warp.py::TestWarp::test_warp")
    assert answer.found
    assert any("test_warp" in line for line in text(conn, "affected", names=f"{CU}:8"))


def test_a_place_is_no_list_of_words(conn: sqlite3.Connection) -> None:
    at = ask(conn, "find_similar_tests", query=f"{CU}:8")
    assert at.subject == "at::native::warp_cuda"
    assert any("warp_cuda, whose tests these are" in note for note in at.notes)
    of_file = ask(conn, "find_similar_tests", query=CU)
    assert of_file.finding == f"{CU}: 1 test"
    assert any(f"affected {CU} follows" in note for note in of_file.notes)
    nowhere = ask(conn, "find_similar_tests", query="aten/src/nowhere.cpp:8")
    assert nowhere.finding.startswith("no test was found") and not nowhere.found


@pytest.mark.parametrize(
    "query", ["torch._dynamo.config.retries = 5", "retries=5", "export retries=7", "retries"]
)
def test_an_option_as_it_is_set(conn: sqlite3.Connection, query: str) -> None:
    assert ask(conn, "compile_options", query=query).hits[0].name == "torch._dynamo.config.retries"


@pytest.mark.parametrize("query", ["how do I see retries?", "what are retries for"])
def test_an_option_in_a_question(conn: sqlite3.Connection, query: str) -> None:
    answer = ask(conn, "compile_options", query=query)
    assert answer.hits[0].name == "torch._dynamo.config.retries"
    assert answer.notes[0] == "taken as retries"


def test_the_head_of_a_class_stands_for_it(conn: sqlite3.Connection) -> None:
    path = "aten/src/ATen/Warper.h"
    head = ask(conn, "impact", name=f"{path}:2")
    assert [subject.name for subject in head.subjects] == ["at::Warper::depth"]
    assert "at::Warper is a C++ class (1 function of its own)" in head.notes
    member = ask(conn, "called_by", name=f"{path}:3")
    assert [subject.name for subject in member.subjects] == ["at::Warper::depth"]
    assert (
        "line 3 declares depth_ of at::Warper: the methods whose text names it are meant"
        in member.notes
    )
    said = ask(conn, "called_by", name=f"{path}:5")
    assert not said.found
    assert (
        f"it stands in the body of the C++ class at::Warper ({path}:2): ask for that" in said.notes
    )


def test_a_decorator_as_it_is_written(conn: sqlite3.Connection) -> None:
    assert [
        u.name.rpartition(".")[2]
        for u in ask(conn, "list_test_utils", category="@slowTest").utilities
    ] == ["slowTest"]


@pytest.mark.parametrize(
    ("name", "notes"),
    [("native/NoSuch.cu", ("no file of this index is called native/NoSuch.cu",)), (CU, ())],
)
def test_kernels_of_a_file_that_is_not_there(
    conn: sqlite3.Connection, name: str, notes: tuple[str, ...]
) -> None:
    assert ask(conn, "cuda_kernels", name=name).notes == notes


@pytest.mark.parametrize("name", ["operator()", "operator<", "f<int>::operator()", "a<", "<"])
def test_an_operator_of_c_plus_plus_is_no_bracket(conn: sqlite3.Connection, name: str) -> None:
    assert ask(conn, "cuda_kernels", name=name).finding.startswith("no launch site")


@pytest.mark.parametrize(
    ("place", "finding"),
    [
        (f"{CU}:8", "at::native::warp_cuda is a kernel of 1 overload; dispatch keys: CUDA"),
        ("aten/src/ATen/native/native_functions.yaml:1", "aten::warp: 1 overload; dispatch keys: CUDA"),
    ],
)  # fmt: skip
def test_trace_takes_a_line_of_a_file(conn: sqlite3.Connection, place: str, finding: str) -> None:
    answer = ask(conn, "trace", name=place)
    assert answer.query == place
    assert answer.finding == finding
    assert answer.notes[0].startswith(f"{place} is in ")


def test_of_a_line_in_which_nothing_stands_trace_says_what_is_near(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "trace", name=f"{CU}:1")
    assert answer.finding.startswith(f"{CU}:1: no function, operator, stub or class ")
    assert any("warp_kernel begins below it in line 4" in note for note in answer.notes)
    assert answer.closest == ()


@pytest.mark.parametrize("tool", ["trace", "calls", "called_by", "impact"])
def test_a_line_behind_the_last_one(conn: sqlite3.Connection, tool: str) -> None:
    answer = ask(conn, tool, name=f"{CU}:99")
    assert answer.finding == f"{CU} has 11 lines and no line 99"
    assert not answer.found


@pytest.mark.parametrize(
    ("line", "operators"),
    [(1, ["aten::warp"]), (5, ["aten::warp"]), (6, ["aten::warp.out"]), (9, ["aten::warp.out"])],
)
def test_an_entry_is_that_of_one_overload(
    conn: sqlite3.Connection, line: int, operators: list[str]
) -> None:
    place = f"aten/src/ATen/native/native_functions.yaml:{line}"
    assert [s.name for s in ask(conn, "calls", name=place).subjects] == operators
    assert [o.operator for o in ask(conn, "trace", name=place).overloads] == operators


def test_a_formula_is_that_of_one_overload(conn: sqlite3.Connection) -> None:
    place = "tools/autograd/derivatives.yaml:2"
    assert [o.operator for o in ask(conn, "trace", name=place).overloads] == ["aten::warp"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (4, "torch._C.warps"), (5, "torch._C.wefts"), (6, "torch._C.wefts"), (13, "loom::weave"), (14, "loom::weft"),
        (15, "loom::weft"), (17, "loom::weft"),
    ],
)  # fmt: skip
def test_a_line_that_binds_or_registers_stands_for_that(
    conn: sqlite3.Connection, line: int, name: str
) -> None:
    for tool in ("calls", "called_by", "impact"):
        answer = ask(conn, tool, name=f"{LOOM}:{line}")
        assert [subject.name for subject in answer.subjects] == [name], tool
    traced = ask(conn, "trace", name=f"{LOOM}:{line}")
    assert traced.finding.startswith(name)


@pytest.mark.parametrize(
    ("line", "name"), [(3, "torch.looms.weave"), (5, "torch.looms.weave"), (6, "torch.looms.weave")]
)
def test_a_decorator_belongs_to_what_stands_below_it(
    conn: sqlite3.Connection, line: int, name: str
) -> None:
    answer = ask(conn, "called_by", name=f"torch/looms.py:{line}")
    assert [subject.name for subject in answer.subjects] == [name]


@pytest.mark.parametrize("line", [9, 10])
def test_a_line_that_makes_a_name_stands_for_it(conn: sqlite3.Connection, line: int) -> None:
    place = f"torch/looms.py:{line}"
    answer = ask(conn, "called_by", name=place)
    assert f"{place} makes torch.looms.warp" in answer.notes
    assert [subject.name for subject in answer.subjects] == ["aten::warp", "aten::warp.out"]
    traced = ask(conn, "trace", name=place)
    assert [overload.operator for overload in traced.overloads] == ["aten::warp", "aten::warp.out"]


def test_a_line_that_one_file_of_a_name_has(conn: sqlite3.Connection) -> None:
    long, short = "aten/src/ATen/native/Reed.cpp", "aten/src/ATen/native/cpu/Reed.cpp"
    answer = ask(conn, "calls", name="Reed.cpp:3")
    assert [subject.name for subject in answer.subjects] == ["at::native::long_reed"]
    assert f"taken as {long}: the other file called Reed.cpp ends before line 3" in answer.notes
    for name in ("Reed.cpp:2", "Reed.cpp#L2"):
        assert ask(conn, "calls", name=name).finding == (
            f"Reed.cpp:2 could be: {long}:2, {short}:2; ask for one of them"
        )


@pytest.mark.parametrize("name", ["torch._C.TensorBase.warp", "torch._C._TensorBase.warp"])
def test_a_method_as_c_plus_plus_binds_it_ends_at_its_operator(
    conn: sqlite3.Connection, name: str
) -> None:
    assert [overload.operator for overload in ask(conn, "trace", name=name).overloads] == [
        "aten::warp"
    ]
    callers = ask(conn, "called_by", name=name)
    assert [neighbour.name for neighbour in callers.neighbours] == ["torch.looms.of_tensor"]
