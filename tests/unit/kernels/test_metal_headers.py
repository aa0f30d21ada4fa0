"""Metal's kernels that macros of headers make, in whichever file uses them."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

HEADER = """#pragma once
#include <metal_stdlib>
namespace shapes {
template <typename T, typename F>
kernel void dense(device T* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {}
template <typename T, typename F>
kernel void strided(device T* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {}
}
#define REGISTER_OP_(NAME, T, F)                                                   \\
  template [[host_name(#NAME "_dense_" #T)]] kernel void ::shapes::dense<T, F>(    \\
      device T*, uint);                                                            \\
  template [[host_name(#NAME "_strided_" #T)]] kernel void ::                      \\
      shapes::strided<T, F>(device T*, uint)
#define REGISTER_OP(NAME, T) REGISTER_OP_(NAME, T, NAME##_functor)
"""
KERNELS = """#include <shapes/indexing.h>
REGISTER_OP(smooth, float);
#define BOTH(T) REGISTER_OP(smooth_backward, T)
BOTH(float);
BOTH(half);
"""
LIBRARY = """#include <Metal/Metal.h>
namespace n {
void Shaders::exec_unary(Iterator& iter, const std::string& name) {
  auto kernel = fmt::format("{}_{}_{}", name, iter.dense() ? "dense" : "strided", typeOf(iter));
  auto pso = getPipelineStateForFunc(kernel);
}
}
"""
CALLERS = """#include <Metal/Metal.h>
namespace n {
static void smooth_kernel(Iterator& iter) { lib.exec_unary(iter, "smooth"); }
static void smooth_backward_kernel(Iterator& iter) { lib.exec_unary(iter, "smooth_backward"); }
static void other(Iterator& iter) { lib.exec_other(iter, "smooth"); }
static void either(Iterator& iter, bool back) { lib.exec_unary(iter, back ? "smooth_backward" : "smooth"); }
}
"""


def test_kernels_of_a_headers_macros_and_names_that_another_file_completes(tmp_path: Path) -> None:
    native = "aten/src/ATen/native"
    files = {
        f"{native}/native_functions.yaml": "[]\n",
        f"{native}/shapes/indexing.h": HEADER,
        f"{native}/mps/Smooth.metal": KERNELS,
        f"{native}/mps/Shaders.mm": LIBRARY,
        f"{native}/mps/Smooth.mm": CALLERS,
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT kernel, launcher, line, kernel_file, kernel_line FROM v_launches"
            " WHERE file LIKE '%Smooth.mm' ORDER BY line, kernel_line"
        ).fetchall()
        made = conn.execute(
            "SELECT name, function, line FROM kernels WHERE macro IS NOT NULL ORDER BY name"
        ).fetchall()
        # What launches an instance is known of the one that stands for all of them.
        half = "smooth_backward_dense_half"
        users = text(conn, "called_by", name=half)
        sites = text(conn, "cuda_kernels", name=half)
    kernels_file = f"{native}/mps/Smooth.metal"
    assert users[0] == f"{half} (2 definitions) is used by 2, all by launch"
    assert [line.split()[0] for line in users if " at aten" in line] == [
        "n::smooth_backward_kernel",
        "n::either",
    ]
    note = f"note: {half} is an instance of smooth_backward_dense_float: who launches one of its instances may launch this one"
    assert note in users
    assert sites[0] == f"2 launch sites for '{half}'"
    assert [line.split()[0] for line in sites[1:3]] == ["smooth_backward_*"] * 2
    assert [tuple(row) for row in found] == [
        ("smooth_*", "n::smooth_kernel", 3, kernels_file, 2),
        ("smooth_backward_*", "n::smooth_backward_kernel", 4, kernels_file, 4),
        ("smooth_*", "n::either", 6, kernels_file, 2),
        ("smooth_backward_*", "n::either", 6, kernels_file, 4),
    ]
    assert [tuple(row) for row in made] == [
        ("smooth_backward_dense_float", "shapes::dense", 4),
        ("smooth_backward_dense_half", "shapes::dense", 5),
        ("smooth_backward_strided_float", "shapes::strided", 4),
        ("smooth_backward_strided_half", "shapes::strided", 5),
        ("smooth_dense_float", "shapes::dense", 2),
        ("smooth_strided_float", "shapes::strided", 2),
    ]


def test_macros_of_another_header_in_small_letters(tmp_path: Path) -> None:
    folder = "aten/src/ATen/native/mps/kernels"
    files = {
        "version.txt": "2.9.0\n",
        "aten/src/ATen/native/native_functions.yaml": "- func: roll(Tensor self) -> Tensor\n",
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
        "tools/autograd/derivatives.yaml": "- name: roll(Tensor self) -> Tensor\n  self: grad\n",
        f"{folder}/Make.h": "#define make_roll(name, f, ...) \\\n"
        "  template [[host_name(name)]] [[kernel]] decltype(f<__VA_ARGS__>) f<__VA_ARGS__>;\n"
        '#define MAKE_ALL(T) make_roll("own_" #T, own, T)\n',
        f"{folder}/Roll.h": "#include <ATen/native/mps/kernels/Make.h>  // Metal\n"
        "template <typename T>\n[[kernel]] void roll(device T* a [[buffer(0)]]) { fill(a); }\n"
        '#define rolls(T) make_roll("roll_" #T, roll, T)\n'
        "rolls(half);\nrolls(float);\n",
        f"{folder}/Own.metal": "#include <ATen/native/mps/kernels/Make.h>\n"
        "template <typename T>\n[[kernel]] void\nown(\n    device T* a [[buffer(0)]]) {\n  fill(\n      a);\n}\n"
        "#if __METAL_VERSION__ >= 310\nMAKE_ALL(bfloat)\n#endif\n"
        'make_roll("own_uint_2", own, uint)\n'
        '#define owns(T) make_roll("own_" #T "_x", own, T);\nowns(half)\n',
    }
    with indexed(files, tmp_path) as conn:
        rows = conn.execute(
            "SELECT f.path, k.name, k.function, k.line FROM kernels AS k"
            " JOIN source_files AS f ON f.id = k.file_id WHERE NOT k.is_definition ORDER BY 1, 4"
        )
        assert [(path.rpartition("/")[2], *rest) for path, *rest in rows] == [
            ("Own.metal", "own_bfloat", "own", 10),
            ("Own.metal", "own_uint_2", "own", 12),
            ("Own.metal", "own_half_x", "own", 14),
            ("Roll.h", "roll_half", "roll", 5),
            ("Roll.h", "roll_float", "roll", 6),
        ]
        uses = conn.execute(
            "SELECT u.name FROM macro_uses AS u JOIN source_files AS f ON f.id = u.file_id"
            " WHERE f.kind = 'metal' ORDER BY u.id"
        )
        assert [name for (name,) in uses] == ["MAKE_ALL", "make_roll", "make_roll"]
