"""A backend's own YAML file: whose kernels a class has, what torchgen writes for it, and which tests a change has."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.extract.backend_functions import extract
from indexer.extract.yaml_nodes import YamlError
from indexer.scan.tree import open_tree
from tests.unit.support.asking import affected_by, affected_by_line, ask, text
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.small_tree import indexed
from torchtalk.render import to_text

LISTS = "aten/src/ATen/native/ts_native_functions.yaml"
KERNELS = "torch/csrc/lazy/ts_native_functions.cpp"
SHAPES = "torch/csrc/lazy/shape_inference.cpp"
FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "tools/autograd/derivatives.yaml": "- name: clone(Tensor self) -> Tensor\n  self: grad\n",
    "aten/src/ATen/native/native_functions.yaml": """\
- func: clone(Tensor self) -> Tensor
- func: trace(Tensor self) -> Tensor
  dispatch:
    CPU: trace_cpu
- func: trace.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
- func: pool(Tensor self) -> Tensor
- func: narrow_copy(Tensor self) -> Tensor
""",
    LISTS: """\
backend: Lazy
cpp_namespace: torch::lazy
full_codegen:
  - trace
ir_gen:

supported:
  - clone
  - trace.out
  - narrow_copy
symint:
  - narrow_copy
autograd:
  - pool
non_native:
  - func: scalar(Scalar value) -> Tensor
""",
    KERNELS: """\
namespace torch::lazy {
at::Tensor LazyNativeFunctions::clone(const at::Tensor& self) { return self; }
at::Tensor& LazyNativeFunctions::trace_out(const at::Tensor& self, at::Tensor& out) { return out; }
at::Tensor LazyNativeFunctions::narrow_copy_symint(const at::Tensor& self) { return self; }
at::Tensor LazyNativeFunctions::narrow_copy(const at::Tensor& self) { return self; }
at::Tensor LazyNativeFunctions::pool(const at::Tensor& self) { return self; }
}
""",
    SHAPES: """\
namespace torch::lazy {
std::vector<Shape> compute_shape_trace(const at::Tensor& self) { return {self}; }
std::vector<Shape> compute_shape_trace(const at::Tensor& self, int64_t dim) { return {self}; }
std::vector<Shape> compute_shape_clone(const at::Tensor& self) { return {self}; }
}
""",
    "torch/__init__.py": "",
    "test/test_torch.py": """\
import torch
from torch.testing._internal.common_utils import TestCase
class TestTorch(TestCase):
    def test_trace(self):
        torch.trace(x)
    def test_clone(self):
        torch.clone(x)
""",
    "test/lazy/test_ts.py": """\
import torch
from torch.testing._internal.common_utils import TestCase
class TestLazy(TestCase):
    def test_trace(self):
        torch.trace(x.to("lazy"))
    def test_clone(self):
        torch.clone(x.to("lazy"))
""",
}
OWN = "torch::lazy::LazyNativeFunctions"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("backend")) as conn:
        yield conn


def test_the_kernels_of_a_backend_are_its_operators(small: sqlite3.Connection) -> None:
    rows = small.execute(
        "SELECT source, target, kind, origin, file, line FROM v_edges WHERE target GLOB 'torch::lazy::*'"
        " ORDER BY line, target"
    )
    assert [tuple(row) for row in rows] == [
        ("aten::trace", "torch::lazy::compute_shape_trace", "generated", "yaml", LISTS, 4),
        ("aten::clone", f"{OWN}::clone", "dispatch", "yaml", LISTS, 8),
        ("aten::trace.out", f"{OWN}::trace_out", "dispatch", "yaml", LISTS, 9),
        ("aten::narrow_copy", f"{OWN}::narrow_copy_symint", "dispatch", "yaml", LISTS, 10),
        ("aten::pool", f"{OWN}::pool", "dispatch", "yaml", LISTS, 14),
    ]
    # They are registered when the backend is initialised: the dispatcher has none of them before.
    keys = small.execute("SELECT DISTINCT dispatch_key FROM dispatch").fetchall()
    assert "Lazy" not in {key for (key,) in keys}


def test_trace_says_whose_kernel_it_is(small: sqlite3.Connection) -> None:
    assert text(small, "trace", name="LazyNativeFunctions::trace_out")[0] == (
        f"{OWN}::trace_out is a C++ function, the kernel of aten::trace.out for Lazy, which registers it when it is"
        " initialised: ask calls, called_by or impact for it"
    )
    finding = ask(small, "impact", name="compute_shape_trace").finding
    assert "all of it through kernels of Lazy" in finding


def test_what_changes_there_has_the_backends_tests(small: sqlite3.Connection) -> None:
    for path, line, why in (
        (SHAPES, "compute_shape_trace(const at::Tensor& self) ", "generated kernel for Lazy"),
        (KERNELS, "::clone", "kernel for Lazy"),
        (LISTS, "- trace.out", "lazy"),
    ):
        said = to_text(affected_by_line(small, FILES, path, line))
        assert why in said, said
        assert "test/lazy/test_ts.py" in said.split("test/test_torch.py")[0], said
    said = to_text(affected_by(small, FILES, LISTS, "  - clone\n", ""))
    assert "changed: aten::clone for lazy" in said


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (LISTS, "  - clone\n", ""),
        (LISTS, "  - narrow_copy\nauto", "auto"),
        (LISTS, "backend: Lazy", "backend: XLA"),
        (KERNELS, "::clone", "::pool"),
    ],
)
def test_an_update_gives_what_a_build_gives(tmp_path: Path, path: str, old: str, new: str) -> None:
    tree, target, whole = tmp_path / "tree", tmp_path / "x.db", tmp_path / "whole.db"
    for name, content in FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(content)
    build(open_tree(tree), target, workers=0)
    assert FILES[path].count(old) == 1
    (tree / path).write_text(FILES[path].replace(old, new))
    assert build(open_tree(tree), target, workers=0).action == "updated"
    build(open_tree(tree), whole, workers=0, full=True)
    assert differences(dump(target), dump(whole)) == []


def test_files_that_say_nothing_of_a_backend() -> None:
    assert list(extract("x", b"supported:\n  - add.Tensor\n")) == []
    found = list(extract("x", b"backend: XPU\ncpp_namespace: at\nclass_name: Own\nsupported:\n"))
    assert [(rule.name, rule.value, rule.line) for rule in found] == [("backend", "XPU at::Own", 1)]
    with pytest.raises(YamlError):
        list(extract("x", b"- func: add\n"))
