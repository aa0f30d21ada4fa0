"""Which member calls are calls of operators: on tensors, on what may be one, and on what pybind11 binds."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.build import build
from indexer.scan.tree import open_tree
from tests.unit.support.index_dump import differences, dump
from torchtalk.db import connect
from torchtalk.graph import nodes
from torchtalk.tools.walks.seeds import find

NATIVE = "aten/src/ATen/native"
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: wipe_(Tensor(a!) self) -> Tensor(a!)\n  variants: function, method\n\n"
        "- func: floor(Tensor self) -> Tensor\n  variants: function\n\n"
        "- func: value(Tensor self) -> Scalar\n  variants: function, method\n\n"
        "- func: fold_up(Tensor self, int dim) -> Tensor\n  variants: function, method\n\n"
        "- func: width.int(Tensor self, int dim) -> int\n  variants: function\n  manual_cpp_binding: True\n\n"
        "- func: width.Dimname(Tensor self, Dimname dim) -> int\n  variants: function, method\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "tools/autograd/derivatives.yaml": "- name: fold_up(Tensor self, int dim) -> Tensor\n  self: grad\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "aten/src/ATen/core/TensorBase.h": (
        "namespace at { struct TensorBase { int width(int dim) const { return 1; }\n"
        "const TensorBase& wipe_() const; }; }\n"
    ),
    "aten/src/ATen/core/Tensor.cpp": "namespace at { const TensorBase& TensorBase::wipe_() const { return *this; } }\n",
    "aten/src/ATen/templates/TensorBody.h": (
        "namespace at { struct Tensor : public TensorBase { using TensorBase::width;\n"
        "template <typename T> T value() const { return value().to(); } }; }\n"
    ),
    "aten/src/ATen/core/folder.h": "struct Folder { int fold_up(int a) { return a; } int wipe_(int a) { return a; } };\n",
    "torch/library.h": "namespace torch { struct Library { Library& def(const char* a, int b) { return *this; } }; }\n",
    f"{NATIVE}/use.cpp": (
        "namespace at::native {\n"
        "void typed(Tensor& a, TensorBase& b) { a.wipe_();\n b.wipe_();\n a.value();\n a.width(1); }\n"
        "void untyped() { auto a = make(); a.wipe_();\n a.fold_up(1);\n a.fold_up(); }\n"
        "}\n"
    ),
    f"{NATIVE}/number.cpp": "namespace at::native {\nint half(int n) { return floor(n / 2.0) + at::floor(n); }\n}\n",
    "test/cpp/api/fold.cpp": (
        "#include <gtest/gtest.h>\nusing namespace torch;\n"
        "TEST(Walk, On) { std::vector<int> v; v.width(1); std::floor(1.5); std::fold_up(v, 1); module->wipe_(); }\n"
        "TEST(Walk, Back) { torch::Tensor t; t.wipe_(); fold_up(t, 1); torch::value(t); }\n"
    ),
    "torch/csrc/init.cpp": (
        "namespace torch { void names(PyObject* module) { auto m = py::handle(module).cast<py::module>();\n"
        '  m.def("one", [] { return 1; });\n'
        "}\n"
        'void others() { auto m = make(); m.def("one", 1); } }\n'
    ),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("methods")
    root = folder / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    build(open_tree(root.resolve()), folder / "i.db", workers=0)
    return folder / "i.db"


def edges(index: Path, source: str) -> list[tuple[int, str, str]]:
    """Line, target and kind of every edge from a function."""
    conn = connect(index)
    rows = conn.execute(
        "SELECT line, target, kind FROM v_edges WHERE source = ? ORDER BY line, target", (source,)
    ).fetchall()
    conn.close()
    return [tuple(row) for row in rows]


def test_a_tensor_s_generated_method_hides_its_base_s(index: Path) -> None:
    assert edges(index, "at::native::typed") == [
        (2, "aten::wipe_", "operator"),
        (3, "at::TensorBase::wipe_", "call"),
        (4, "at::Tensor::value", "call"), (4, "aten::value", "candidate"),
        (5, "at::TensorBase::width", "call"),
    ]  # fmt: skip


def test_what_one_class_alone_has_may_be_a_tensor_s_all_the_same(index: Path) -> None:
    assert edges(index, "at::native::untyped") == [
        (6, "at::TensorBase::wipe_", "candidate"), (6, "aten::wipe_", "candidate"),
        (7, "Folder::fold_up", "candidate"), (7, "aten::fold_up", "candidate"),
    ]  # fmt: skip


def test_a_bare_name_that_c_has_too_is_a_candidate(index: Path) -> None:
    """`floor(pow(2, 32) / resCols)` (aten/src/ATen/native/mps/operations/LinearAlgebra.mm)."""
    assert set(edges(index, "at::native::half")) == {
        (2, "aten::floor", "candidate"), (2, "aten::floor", "operator"),
    }  # fmt: skip


def test_a_gtest_calls_operators_and_no_namesakes(index: Path) -> None:
    """`std::sort(res.begin(), res.end())` and `batch.size()` (test/cpp/api/dataloader.cpp)."""
    conn = connect(index)
    rows = conn.execute(
        "SELECT t.name, x.base FROM test_operators AS x JOIN tests AS t ON t.id = x.test_id ORDER BY t.name, x.base"
    ).fetchall()
    conn.close()
    assert [tuple(row) for row in rows] == [
        ("Back", "fold_up"), ("Back", "value"), ("Back", "wipe_"), ("On", "wipe_"),
    ]  # fmt: skip


def test_what_pybind11_binds_is_bound_by_no_class_of_the_tree(index: Path) -> None:
    assert edges(index, "torch::names") == []
    assert edges(index, "torch::others") == [(4, "torch::Library::def", "candidate")]


def test_a_function_that_is_written_by_hand_is_meant_with_its_operator(index: Path) -> None:
    conn = connect(index)
    found = find(conn, "at::Tensor::value")
    conn.close()
    assert [node & 15 for node in found.nodes] == [nodes.FUNCTION, nodes.OPERATOR]
    assert found.notes[-1].startswith("at::Tensor::value is also a function")


@pytest.mark.slow
def test_an_operator_that_becomes_a_method_is_called_as_one(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    yaml = f"{NATIVE}/native_functions.yaml"
    changed = FILES[yaml].replace("variants: function, method", "variants: function")
    for name, text in {**FILES, yaml: changed}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    build(open_tree(root.resolve()), tmp_path / "i.db", workers=0)
    assert (2, "at::TensorBase::wipe_", "call") in edges(tmp_path / "i.db", "at::native::typed")
    (root / yaml).write_text(FILES[yaml])
    build(open_tree(root.resolve()), tmp_path / "i.db", workers=0)
    assert (2, "aten::wipe_", "operator") in edges(tmp_path / "i.db", "at::native::typed")
    build(open_tree(root.resolve()), tmp_path / "whole.db", workers=0, full=True)
    assert differences(dump(tmp_path / "i.db"), dump(tmp_path / "whole.db")) == []
