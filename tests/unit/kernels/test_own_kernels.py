"""A kernel that is defined more than once: for each source that registers it, or for builds that lack something."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed

_PACKED = """\
namespace at::native {
namespace {
template <bool Relu>
class Packed final {
 public:
  static Tensor run(Tensor input, int64_t group) {
    return input;
  }
};
TORCH_LIBRARY_IMPL(pack, %s, m) {
  m.impl(TORCH_SELECTIVE_NAME("pack::run"), Packed<true>::run);
}
} // namespace
} // namespace at::native
"""
FILES = {
    "version.txt": "2.9.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: fold_up(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: fold_up\n"
        "- func: pool(Tensor self) -> Tensor\n  dispatch:\n    MkldnnCPU: packed_pool\n"
        "- func: pool_(Tensor(a!) self) -> Tensor(a!)\n  dispatch:\n    MkldnnCPU: packed_pool_\n"
        "- func: turn(Tensor self) -> Tensor\n  dispatch:\n    CPU: turn\n"
        "- func: turn_(Tensor(a!) self) -> Tensor(a!)\n  dispatch:\n    CPU: turn_\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "tools/autograd/derivatives.yaml": "- name: fold_up(Tensor self) -> Tensor\n  self: grad\n",
    "aten/src/ATen/native/pack/library.cpp": (
        'TORCH_LIBRARY(pack, m) {\n  m.def("run(Tensor input, int group) -> Tensor");\n}\n'
    ),
    "aten/src/ATen/native/pack/cpu/Pack.cpp": _PACKED % "CPU",
    # As long and longer, and in the folder of the other's backend.
    "aten/src/ATen/native/pack/cpu/Other.cpp": "\n\n" + _PACKED % "CUDA",
    "aten/src/ATen/native/mkldnn/Pool.cpp": """\
namespace at::native {
#if !AT_MKLDNN_ENABLED()
Tensor packed_pool(const Tensor& self) {
  TORCH_CHECK(false, "not built with MKLDNN");
}
Tensor& packed_pool_(Tensor& self) {
  TORCH_CHECK(false, "not built with MKLDNN");
}
#else
Tensor packed_pool(const Tensor& self) {
  auto x = self.to_mkldnn();
  pool(x);
  return x;
}
Tensor& packed_pool_(Tensor& self) {
  return pool_of(self);
}
#endif
}
""",
    "aten/src/ATen/native/Turn.cpp": """\
namespace at::native {
#if BUILD_TURN
Tensor turn(const Tensor& self) {
  auto x = self.clone();
  turn_(x);
  return x;
}
Tensor& turn_(Tensor& self) {
  return turned(self);
}
#else
Tensor turn(const Tensor& self) {
  TORCH_CHECK(false, "not built");
}
Tensor& turn_(Tensor& self) {
  TORCH_CHECK(false, "not built");
}
#endif
}
""",
    "aten/src/ATen/templates/TensorBody.h": (
        "namespace at {\nclass TORCH_API Tensor {\n public:\n"
        "  inline Tensor fold_up(TypeMeta meta, bool copy=false) const { return *this; }\n"
        "  inline Tensor fold_up(Device device, TypeMeta meta) const { return *this; }\n};\n}\n"
    ),
    "aten/src/ATen/Batching.cpp": (
        "namespace at {\nTORCH_LIBRARY_IMPL(aten, Batched, m) {\n"
        '  m.impl("fold_up", static_cast<Tensor (Tensor::*)() const>(&Tensor::fold_up));\n}\n}\n'
    ),
    "aten/src/ATen/native/Fold.cpp": (
        "namespace at::native {\nTensor fold_up(const Tensor& self) { return self; }\n}\n"
    ),
    "aten/src/ATen/native/Fold.h": (
        "namespace at::native {\nusing fold_fn = void (*)(Tensor&);\nDECLARE_DISPATCH(fold_fn, fold_stub)\n}\n"
    ),
    "aten/src/ATen/native/cpu/FoldKernel.cpp": (
        "namespace at::native {\nstatic void fold_kernel(Tensor& x) {}\n"
        "REGISTER_DISPATCH(fold_stub, &fold_kernel)\n}\n"
    ),
    "test/cpp_extensions/backend.cpp": (
        "namespace {\nvoid fold_kernel(Tensor& x) {}\n}\nnamespace at::native {\n"
        "REGISTER_PRIVATEUSE1_DISPATCH(fold_stub, &fold_kernel)\n}\n"
    ),
    "aten/src/ATen/native/Drop.cpp": (
        "namespace at::native {\nnamespace {\nTensor fold_up(const Tensor& self) {\n  auto x = self;\n"
        "  return x;\n}\n}\nTensor user(const Tensor& self) { return fold_up(self); }\n}\n"
    ),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("own")) as connection:
        yield connection


def _kernels(conn: sqlite3.Connection, operator: str, key: str) -> list[tuple[str, int]]:
    rows = conn.execute(
        "SELECT f.path, u.line FROM dispatch_kernels AS k JOIN dispatch AS d ON d.id = k.dispatch_id"
        " JOIN operators AS o ON o.id = d.operator_id JOIN functions AS u ON u.id = k.function_id"
        " JOIN source_files AS f ON f.id = u.file_id WHERE o.name = ? AND d.dispatch_key = ? ORDER BY 1",
        (operator, key),
    )
    return [tuple(row) for row in rows]


@pytest.mark.parametrize(
    ("key", "file", "line"), [("CPU", "Pack", 6), ("CUDA", "Other", 8)]
)  # fmt: skip
def test_of_two_classes_of_a_name_it_is_that_of_the_registrations_file(
    index: sqlite3.Connection, key: str, file: str, line: int
) -> None:
    path = f"aten/src/ATen/native/pack/cpu/{file}.cpp"
    assert _kernels(index, "pack::run", key) == [(path, line)]


@pytest.mark.parametrize(
    ("operator", "key", "lines"),
    [
        ("aten::pool", "MkldnnCPU", [10, 3]), ("aten::pool_", "MkldnnCPU", [15, 6]),
        ("aten::turn", "CPU", [3, 12]), ("aten::turn_", "CPU", [8, 15]),
    ],
)  # fmt: skip
def test_the_branch_that_only_raises_comes_last(
    index: sqlite3.Connection, operator: str, key: str, lines: list[int]
) -> None:
    rows = index.execute(
        "SELECT u.line FROM dispatch_kernels AS k JOIN dispatch AS d ON d.id = k.dispatch_id"
        " JOIN operators AS o ON o.id = d.operator_id JOIN functions AS u ON u.id = k.function_id"
        " WHERE o.name = ? AND d.dispatch_key = ? ORDER BY k.is_primary DESC, u.line",
        (operator, key),
    )
    assert [row[0] for row in rows] == lines


def test_the_generator_names_no_function_of_one_source(index: sqlite3.Connection) -> None:
    assert _kernels(index, "aten::fold_up", "CPU") == [("aten/src/ATen/native/Fold.cpp", 2)]


def test_a_stub_holds_what_its_registrations_file_can_name(index: sqlite3.Connection) -> None:
    rows = index.execute(
        "SELECT DISTINCT kernel, kernel_file, kernel_line FROM v_stubs WHERE kernel <> 'nullptr' ORDER BY 2"
    )
    assert [tuple(row) for row in rows] == [
        ("at::native::fold_kernel", "aten/src/ATen/native/cpu/FoldKernel.cpp", 2),
        ("fold_kernel", "test/cpp_extensions/backend.cpp", 2),
    ]


def test_a_generated_method_is_none_of_its_templates(index: sqlite3.Connection) -> None:
    assert _kernels(index, "aten::fold_up", "Batched") == []
    rows = index.execute("SELECT kernel, generated_by FROM dispatch WHERE dispatch_key = 'Batched'")
    assert [tuple(row) for row in rows] == [("at::Tensor::fold_up", "torchgen (TensorBody.h)")]
