"""What Python calls of that which C++ binds to functions of its own, and not to operators."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.edges import edges_not_in_view
from tests.unit.support.asking import ask
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.python_sources import YAML
from tests.unit.support.python_torch import BASE, index_torch
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.tools import all_tools, trace

MODULE = "torch/csrc/Module.cpp"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": """\
- func: gather(Tensor self) -> Tensor
  variants: function, method
""",
    MODULE: """\
static PyObject* THPModule_emptyCache(PyObject* self, PyObject* noargs) { return free_all(); }
static PyMethodDef TorchMethods[] = {
  {"_empty_cache", THPModule_emptyCache, METH_NOARGS, nullptr},
  {nullptr, nullptr, 0, nullptr}};
static std::vector<PyMethodDef> methods;
PyObject* initModule() {
  THPUtils_addPyMethodDefs(methods, TorchMethods);
  static struct PyModuleDef torchmodule = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, methods.data()};
  module = PyModule_Create(&torchmodule);
  auto py_module = py::reinterpret_borrow<py::module>(module);
  py::class_<Group>(py_module, "_Group").def("gather", &Group::gather);
  return module;
}
""",
    "torch/csrc/Group.cpp": "void Group::gather() { }\n",
    "torch/_C/__init__.pyi": "class _Group:\n    def gather(self): ...\n",
    "torch/__init__.py": "",
    "torch/cuda.py": """\
from torch import _C
from torch._C import _Group
def empty_cache():
    _C._empty_cache()
def gather(group: _Group):
    group.gather()
def _default() -> _Group: ...
def gather_by_default(group=None):
    group = group or _default()
    group.gather()
""",
}  # fmt: skip


_GATHERS = """\
void Group::gather() {
  static auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::gather", "");
  op.call();
}
"""


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def _edges(conn: sqlite3.Connection, source: str) -> set[tuple[str, str]]:
    rows = conn.execute("SELECT target, kind FROM v_edges WHERE source = ?", (source,))
    return {(target, kind) for target, kind in rows}


def _operators_of(conn: sqlite3.Connection, api: str) -> set[str]:
    rows = conn.execute("SELECT operator FROM v_python_api WHERE api = ?", (api,))
    return {operator for (operator,) in rows}


def test_trace_says_which_functions_of_c_a_python_function_calls(conn: sqlite3.Connection) -> None:
    """As `Tensor.backward` ends at `torch._C._ImperativeEngine.run_backward`, which is no operator."""
    assert [
        note for note in trace.trace(conn, "torch.cuda.empty_cache").notes if "C++" in note
    ] == [f"in C++ it also calls, besides operators: torch._C._empty_cache {MODULE}:3"]
    gather = trace.trace(conn, "torch.cuda.gather").notes
    assert any(f"torch._C._Group.gather {MODULE}:" in note for note in gather)
    assert not any("in C++" in note for note in trace.trace(conn, "torch.gather").notes)


def test_trace_goes_on_to_the_operator_that_a_function_of_c_runs_by_its_handle(
    tmp_path: Path,
) -> None:
    """As `ProcessGroup.allreduce` does with `c10d::allreduce_` (torch/csrc/distributed/c10d/ProcessGroup.hpp)."""
    with indexed({**FILES, "torch/csrc/Group.cpp": _GATHERS}, tmp_path) as conn:
        answer = trace.trace(conn, "torch.cuda.gather")
    (step,) = (step for step in answer.python if step.operators)
    assert step.name == "torch._C._Group.gather"
    assert [line.name for line in step.operators] == ["aten::gather"]
    assert not [note for note in answer.notes if "C++" in note]


def test_trace_goes_through_the_function_that_a_bound_lambda_hands_its_arguments_to(
    tmp_path: Path,
) -> None:
    """As `ProcessGroup` of 1.13 is bound by lambdas that call `c10d::ops` (torch/csrc/distributed/c10d/init.cpp)."""
    bound = """[](Group& self) {
                 return ops::gather(self);
               })"""
    files = {
        **FILES,
        MODULE: FILES[MODULE].replace("&Group::gather)", bound),
        "torch/csrc/Group.cpp": _GATHERS.replace("Group::gather()", "ops::gather(Group& group)"),
    }
    with indexed(files, tmp_path) as conn:
        answer = trace.trace(conn, "torch.cuda.gather")
        apis = _operators_of(conn, "torch.cuda.gather_by_default")
    steps = [(step.name, [line.name for line in step.operators]) for step in answer.python]
    assert ("torch._C._Group.gather", ["aten::gather"]) in steps
    assert apis == {"aten::gather"}


def test_a_bound_lambda_that_gets_a_handle_itself_runs_that_operator(tmp_path: Path) -> None:
    """As `_SymmetricMemory.memset32` does (torch/csrc/distributed/c10d/init.cpp)."""
    bound = "[](Group& self) {\n" + _GATHERS.partition("{\n")[2].rstrip() + ")"
    files = {**FILES, MODULE: FILES[MODULE].replace("&Group::gather)", bound)}
    with indexed(files, tmp_path) as conn:
        assert _operators_of(conn, "torch.cuda.gather") == {"aten::gather"}


def test_torch_compile_breaks_the_graph_at_a_method_of_c_that_runs_an_operator(
    tmp_path: Path,
) -> None:
    """As at `ProcessGroup.barrier` (VariableTracker.call_method in torch/_dynamo/variables/base.py)."""
    files = {
        **FILES,
        "torch/csrc/Group.cpp": _GATHERS,
        "torch/_inductor/lowering.py": "def register_lowering(op): ...\n",
    }
    with indexed(files, tmp_path) as conn:
        by_method = ask(conn, "compile_path", name="torch.cuda.gather")
        itself = ask(conn, "compile_path", name="torch.ops.aten.gather")
    outcome = "_Group.gather runs it, a method bound in C++ at which Dynamo breaks the graph: it is called eagerly"
    assert by_method.finding.endswith(outcome)
    assert [path.outcome for path in by_method.paths] == [outcome]
    assert "Dynamo" not in itself.finding


def test_what_stands_behind_or_is_what_a_name_is_where_nobody_says_else(
    conn: sqlite3.Connection,
) -> None:
    """`group = group or _get_default_group()` begins most functions of torch/distributed/distributed_c10d.py."""
    assert ("torch._C._Group.gather", "python") in _edges(conn, "torch.cuda.gather_by_default")


def test_what_a_function_gives_that_asks_first(tmp_path: Path) -> None:
    """As `_get_default_group` until PyTorch 2.0, which says nothing of what it gives."""
    body = """\
from typing import Optional
from torch._C import _Group
class group(object):
    WORLD: Optional[_Group] = None
class GroupMember(object):
    WORLD = group.WORLD
def _default():
    if not is_initialized():
        raise RuntimeError("call init first")
    return GroupMember.WORLD
def _changed():
    GroupMember = {}
    return GroupMember.WORLD
def _several(a):
    if a:
        return None
    return GroupMember.WORLD
_CACHED = GroupMember()
def _cached():
    global _CACHED
    return _CACHED
def _own(_CACHED):
    return _CACHED
def gather(): _default().gather()
def gather_cached(): _cached().WORLD.gather()
def gather_own(): _own(1).WORLD.gather()
def gather_changed(): _changed().gather()
def gather_several(): _several().gather()
"""
    with indexed({**FILES, "torch/cuda.py": body}, tmp_path) as conn:
        gather = ("torch._C._Group.gather", "python")
        assert gather in _edges(conn, "torch.cuda.gather")
        assert gather not in _edges(conn, "torch.cuda.gather_changed")
        assert gather not in _edges(conn, "torch.cuda.gather_several")
        # A module's variable that a function only asks for, not its own parameter of that name.
        assert gather in _edges(conn, "torch.cuda.gather_cached")
        assert gather not in _edges(conn, "torch.cuda.gather_own")


def test_a_call_of_what_is_bound_leads_to_its_function(conn: sqlite3.Connection) -> None:
    assert _edges(conn, "torch.cuda.empty_cache") == {("torch._C._empty_cache", "python")}
    assert _edges(conn, "torch._C._empty_cache") == {("THPModule_emptyCache", "bind")}
    assert edges_not_in_view(conn).total() == 0
    for name in ("THPModule_emptyCache", "torch._C._empty_cache"):
        answer = all_tools()["impact"].ask(conn, name=name)
        assert "torch.cuda.empty_cache" in str(answer)


def test_a_method_of_an_object_of_a_bound_class(conn: sqlite3.Connection) -> None:
    """It is that class's, and no operator of the same name, though a stub has it."""
    assert _edges(conn, "torch.cuda.gather") == {("torch._C._Group.gather", "python")}
    assert _edges(conn, "torch._C._Group.gather") == {("Group::gather", "bind")}


def test_no_api_is_said_to_be_without_an_operator_for_being_bound(conn: sqlite3.Connection) -> None:
    query = "SELECT api FROM v_python_api WHERE via LIKE 'C++%' OR api LIKE 'torch._C._Group%'"
    assert conn.execute(query).fetchall() == []


def test_a_builtin_that_only_a_stub_has_is_known(tmp_path: Path) -> None:
    """As in an installed package, whose C++ is compiled."""
    native = "aten/src/ATen/native/native_functions.yaml"
    files = {
        native: FILES[native],
        "torch/_C/__init__.pyi": "def is_ready(): ...\n",
        "torch/__init__.py": "from torch._C import *\n",
    }
    with indexed(files, tmp_path) as conn:
        for name in ("torch.is_ready", "torch._C.is_ready"):
            answer = all_tools()["trace"].ask(conn, name=name)
            assert answer.elsewhere == ("known from a stub  torch/_C/__init__.pyi:1",)
        assert all_tools()["trace"].ask(conn, name="torch.is_steady").elsewhere == ()


@pytest.mark.slow
def test_a_name_that_is_bound_anew_is_found_by_an_update(tmp_path: Path) -> None:
    files = {**FILES, MODULE: FILES[MODULE].replace("_empty_cache", "_clear_cache")}
    with indexed(files, tmp_path) as before:
        assert _edges(before, "torch.cuda.empty_cache") == set()
    (tmp_path / "tree" / MODULE).write_text(FILES[MODULE])
    tree = open_tree(tmp_path / "tree")
    updated, fresh = tmp_path / "small.db", tmp_path / "fresh.db"
    assert build(tree, updated, workers=0).action == "updated"
    build(tree, fresh, workers=0)
    assert differences(dump(updated), dump(fresh)) == []
    with sqlite3.connect(updated) as after:
        assert _edges(after, "torch.cuda.empty_cache") == {("torch._C._empty_cache", "python")}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (MODULE, "ops::gather", "ops::other"),
        ("torch/csrc/Group.cpp", "aten::gather", "aten::other"),
        ("torch/csrc/Group.cpp", "void ops::gather", "void ops::renamed"),
    ],
)
def test_an_update_finds_what_a_bound_lambda_calls_now(
    path: str, old: str, new: str, tmp_path: Path
) -> None:
    bound = FILES[MODULE].replace("&Group::gather", "[](Group& self) { return ops::gather(self); }")
    gathers = _GATHERS.replace("Group::gather()", "ops::gather(Group& group)")
    files = {
        **FILES,
        MODULE: bound,
        "torch/csrc/Group.cpp": gathers + gathers.replace("gather", "other"),
        "aten/src/ATen/native/native_functions.yaml": "- func: gather(Tensor self) -> Tensor\n\n"
        "- func: other(Tensor self) -> Tensor\n",
    }
    with indexed(files, tmp_path):
        pass
    (tmp_path / "tree" / path).write_text(files[path].replace(old, new))
    tree = open_tree(tmp_path / "tree")
    updated, fresh = tmp_path / "small.db", tmp_path / "fresh.db"
    assert build(tree, updated, workers=0).action == "updated"
    build(tree, fresh, workers=0)
    assert differences(dump(updated), dump(fresh)) == []


INHERITING = {
    "torch/nn/parameter.py": """\
import torch
import torch.random as rnd

class Mixin:
    def relu(self): ...
    def own(self): ...

class Parameter(torch.Tensor, Mixin): ...
""",
    "torch/random.py": "",
}


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("torch.nn.parameter.Parameter.add", "aten::add"),
        # In the order of the classes, the tensor's comes before the mixin's.
        ("torch.nn.parameter.Parameter.relu", "aten::relu"),
        ("torch.nn.parameter.Parameter.own", "torch.nn.parameter.Mixin.own"),
        ("torch.random", "torch.random"),
        ("torch.nn.parameter.rnd", "torch.random"),
    ],
)
def test_names_that_bases_and_modules_have(name: str, target: str) -> None:
    operators = BASE[YAML] + "\n- func: random(Tensor self) -> Tensor\n"
    conn = index_torch({**INHERITING, YAML: operators})
    found = resolve(conn, name)
    assert found.target is not None
    assert found.target.name == target


def test_a_base_that_c_binds_stands_where_it_is_bound(tmp_path: Path) -> None:
    """As torch._C._CUDAGraph of torch.cuda.CUDAGraph."""
    sources = {
        YAML: "[]\n",
        "aten/src/ATen/native/tags.yaml": "[]\n",
        "torch/__init__.py": "",
        "torch/csrc/Module.cpp": (
            "PyObject* initModule() {\n"
            '  static struct PyModuleDef made = {PyModuleDef_HEAD_INIT, "torch._C", nullptr, -1, nullptr};\n'
            "  PyObject* module = PyModule_Create(&made);\n  initGraph(module);\n  return module;\n}\n"
        ),
        "torch/csrc/Graph.cpp": (
            "void initGraph(PyObject* module) {\n  auto m = py::handle(module).cast<py::module>();\n"
            '  py::class_<at::cuda::Graph>(m, "_Graph").def("reset", &at::cuda::Graph::reset);\n}\n'
        ),
        "torch/cuda/graphs.py": (
            "import torch\nfrom typing import Generic\n"
            "class Graph(torch._C._Graph, Generic[int]): ...\n"
        ),
    }
    with indexed(sources, tmp_path) as conn:
        answer = all_tools()["trace_module"].ask(conn, name="torch.cuda.graphs.Graph")
    assert [(base.name, str(base.place or "")) for base in answer.bases] == [
        ("torch._C._Graph", "torch/csrc/Graph.cpp:3"), ("typing.Generic", ""),
    ]  # fmt: skip


def test_what_cpp_puts_into_a_module_of_python_is_called_by_its_name_there(tmp_path: Path) -> None:
    files = {
        **FILES,
        "torch/csrc/manual.cpp": """\
void initFunctions() {
  auto py_module = py::module::import("torch");
  py_module.def("_knot", [](int n) { return tie(n); });
  auto other = py::module::import("torch.cuda");
  other.def("_splice", &splice);
}
""",
        "torch/csrc/tie.cpp": "int tie(int n) { return n; }\nvoid splice() { tie(1); }\n",
        "torch/tying.py": "import torch\ndef tied(n):\n    return torch._knot(n)\n",
    }
    files["torch/cuda.py"] += "import torch\ndef spliced():\n    return torch.cuda._splice()\n"
    with indexed(files, tmp_path) as conn:
        assert ("torch._knot", "python") in _edges(conn, "torch.tying.tied")
        assert ("torch.cuda._splice", "python") in _edges(conn, "torch.cuda.spliced")
        assert "torch.tying.tied" in {
            row[0]
            for row in conn.execute("SELECT source FROM v_edges WHERE target = 'torch._knot'")
        }
