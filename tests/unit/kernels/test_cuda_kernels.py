"""cuda_kernels on a small index of its own: what a name finds, and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer import schema
from tests.unit.support.small_tree import indexed
from torchtalk.render import to_text
from torchtalk.render.text_cuda_kernels import (
    __name__ as _registered,  # its import registers the text
)
from torchtalk.tools import all_tools

TOOL = all_tools()["cuda_kernels"]
TRACE = all_tools()["trace"]

SCRIPT = """
INSERT INTO source_files VALUES
 (1, 'native/Norm.cpp', 'cpp', 0, ''), (2, 'native/cuda/row.cu', 'cuda', 0, ''),
 (3, 'native/native_functions.yaml', 'yaml', 0, ''), (4, 'native/cpu/row.cpp', 'cpp', 0, '');
INSERT INTO operators (id, name, namespace, base, overload, kind, origin, file_id, line) VALUES
 (1, 'aten::native_layer_norm', 'aten', 'native_layer_norm', '', 'functional', 'yaml', 3, 1);
INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact) VALUES
 (1, 'at::native::entry', 'f', 'function', 1, 5, 9, 0),
 (2, 'at::native::rows', 'f', 'function', 2, 20, 30, 0),
 (3, 'at::native::inner', 'f', 'function', 2, 10, 18, 0),
 (4, 'at::native::on_cpu', 'f', 'function', 4, 1, 8, 0);
INSERT INTO dispatch (id, operator_id, dispatch_key, kernel, origin, file_id, line) VALUES
 (1, 1, 'CUDA', 'at::native::entry', 'yaml', 3, 1);
INSERT INTO dispatch_kernels VALUES (1, 1, 1);
INSERT INTO stub_callers (stub, scope, function, function_id, how, device, file_id, line) VALUES
 ('at::native::Rows', 'at::native', 'at::native::entry', 1, 'call', 'x.device().type()', 1, 6);
INSERT INTO stub_registrations (stub, scope, backend, kernel, form, function_id, file_id, line) VALUES
 ('at::native::Rows', 'at::native', 'CUDA', 'at::native::rows', 'REGISTER_DISPATCH', 2, 2, 40),
 ('at::native::Rows', 'at::native', 'CPU', 'at::native::on_cpu', 'REGISTER_DISPATCH', 4, 4, 9);
INSERT INTO calls VALUES (2, 3, 25, 8);
INSERT INTO kernels (id, name, function, platform, is_definition, is_template, embedded, file_id, line) VALUES
 (1, 'at::native::welford', 'welford', 'cuda', 1, 1, 0, 2, 3),
 (2, 'at::native::idle_welford', 'idle_welford', 'cuda', 1, 0, 0, 2, 7);
INSERT INTO launches (id, kernel, scope, launcher, launcher_id, kind, grid, block, in_definition, platform,
 file_id, line) VALUES
 (1, 'at::native::welford', 'at::native', 'at::native::inner', 3, 'launch', 'n', '32', 0, 'cuda', 2, 12);
INSERT INTO launch_kernels VALUES (1, 1, 1);
"""


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    schema.create(connection)
    connection.executescript(SCRIPT)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("native_layer_norm", "behind the operator, 2 calls on"),
        ("layer_norm", "behind the operator, 2 calls on"),
        ("welford", "the kernel's name"),
        ("at::native::welford", "the kernel's name"),
        ("elfor", "in the kernel's name"),
        ("inner", "in the launcher's name"),
        ("row.cu", "in the file's path"),
        ("native/cuda", "in the file's path"),
    ],
)
def test_what_a_name_finds(index: sqlite3.Connection, name: str, why: str) -> None:
    answer = TOOL.ask(index, name=name)
    assert answer.page.total == 1
    (site,) = answer.sites
    assert (site.kernel, site.launcher, site.why) == (
        "at::native::welford",
        "at::native::inner",
        why,
    )
    assert str(site.place) == "native/cuda/row.cu:12"
    assert str(site.kernel_place) == "native/cuda/row.cu:3"
    assert answer.found


def test_what_dense_tensors_reach_comes_first(index: sqlite3.Connection) -> None:
    """bmm's kernel for sparse tensors launches one itself, and is none that linear runs."""
    index.executescript("""
        INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact) VALUES
         (5, 'at::native::sparse_entry', 'f', 'function', 2, 50, 60, 0);
        INSERT INTO dispatch (id, operator_id, dispatch_key, kernel, generated_by, origin, file_id, line) VALUES
         (2, 1, 'SparseCUDA', 'at::native::sparse_entry', NULL, 'yaml', 3, 1),
         (3, 1, 'CUDA', 'at::native::ufunc_norm', 'torchgen (ufunc_inner_loop)', 'yaml', 3, 1);
        INSERT INTO dispatch_kernels VALUES (2, 5, 1);
        INSERT INTO launches (id, kernel, scope, launcher, launcher_id, kind, in_definition, platform,
         file_id, line) VALUES
         (2, 'at::native::sparse_rows', 'at::native', 'at::native::sparse_entry', 5, 'launch', 0, 'cuda', 2, 55);
    """)
    answer = TOOL.run(index, name="aten::native_layer_norm")
    assert [(site.kernel, site.why) for site in answer.sites] == [
        ("at::native::welford", "behind the operator, 2 calls on"),
        ("at::native::sparse_rows", "behind aten::native_layer_norm for SparseCUDA"),
    ]
    assert answer.operators == ("aten::native_layer_norm",)
    assert answer.sites[1].behind == ("aten::native_layer_norm",)
    assert answer.notes == (
        "torchgen writes at::native::ufunc_norm when PyTorch is built: the tree has no launch of theirs, but for those "
        "of gpu_kernel, which a ufunc's calls; trace says more",
    )


def test_text(index: sqlite3.Connection) -> None:
    assert _registered
    assert to_text(TOOL.ask(index, name="welford")).split("\n") == [
        "1 launch site for 'welford', 1 kernel of that name without a launch",
        "at::native::welford native/cuda/row.cu:3 <- at::native::inner native/cuda/row.cu:12 <<<n, 32>>>"
        "  [cuda; the kernel's name]",
        "no launch found: at::native::idle_welford native/cuda/row.cu:7 [cuda]",
    ]


def test_overview(index: sqlite3.Connection) -> None:
    answer = TOOL.ask(index)
    assert [(f.path, f.kernels, f.launches, f.others) for f in answer.folders] == [
        ("native/cuda", 2, 1, 0)
    ]
    assert answer.finding.startswith("2 GPU kernels, 1 launches")


def test_nothing_and_pages(index: sqlite3.Connection) -> None:
    assert not TOOL.ask(index, name="nothing_like_it").found
    behind = TOOL.ask(index, name="welford", offset=5)
    assert (behind.page.total, behind.page.shown) == (1, 0)
    assert TOOL.ask(index, name="%").page.total == 0
    assert TOOL.ask(index, name="'; --").page.total == 0


LAUNCHERS = """#include <ATen/ATen.h>
namespace at::native {
template <typename T> __global__ void gather_top(T* p) {}
struct TopLauncher {
  int rank;
  TopLauncher(int rank) : rank(rank) {}
  template <typename T> void launch(T* p) { gather_top<T><<<1, 32>>>(p); }
};
template <typename T, typename Launcher>
void run_launcher(T* p, Launcher l) { l.template launch<T>(p); }
Tensor top_cuda(const Tensor& self) {
  run_launcher<float>(self.data_ptr<float>(), TopLauncher(3));
  return self;
}
__global__ void far_kernel(float* p) {}
void far_5(float* p) { far_kernel<<<1, 32>>>(p); }
void far_4(float* p) { far_5(p); }
void far_3(float* p) { far_4(p); }
void far_2(float* p) { far_3(p); }
void far_1(float* p) { far_2(p); }
Tensor far_cuda(const Tensor& self) { far_1(self.data_ptr<float>()); return self; }
} // namespace at::native
"""
OPERATORS = """
- func: top(Tensor self) -> Tensor
  dispatch:
    CUDA: top_cuda

- func: far(Tensor self) -> Tensor
  dispatch:
    CUDA: far_cuda
"""


def test_to_a_function_that_launches_nothing_nothing_like_it_is_suggested(
    conn: sqlite3.Connection,
) -> None:
    answer = TOOL.ask(conn, name="at::native::softcap_kernel_impl")
    assert answer.operators == ("at::native::softcap_kernel_impl",)
    assert answer.sites == answer.closest == ()
    assert TOOL.ask(conn, name="at::native::softcap_kernel_imp").closest


def test_launches_behind_a_launcher_and_behind_many_calls(tmp_path: Path) -> None:
    native = "aten/src/ATen/native"
    files = {f"{native}/native_functions.yaml": OPERATORS, f"{native}/cuda/Top.cu": LAUNCHERS}
    with indexed(files, tmp_path) as conn:
        for name, kernel, line in (("top", "gather_top", 7), ("far", "far_kernel", 16)):
            text = to_text(TRACE.run(conn, name=name, focus="dispatch"))
            assert f"launches at::native::{kernel}" in text
            assert f"{native}/cuda/Top.cu:{line}" in text
            site = TOOL.run(conn, name=name, limit=5, offset=0).sites[0]
            assert (site.kernel, site.place.line) == (f"at::native::{kernel}", line)


COMPOSITE = """
- func: most(Tensor self) -> Tensor
  dispatch:
    {keys}: most
"""


@pytest.mark.parametrize("keys", ["CompositeExplicitAutograd", "CPU, CUDA, MPS"])
def test_what_a_kernel_of_many_devices_launches_through_its_stub(tmp_path: Path, keys: str) -> None:
    native = "aten/src/ATen/native"
    files = {
        f"{native}/native_functions.yaml": COMPOSITE.format(keys=keys),
        f"{native}/mps/Most.mm": "namespace at::native {\nstatic void most_mps(float* p) {\n"
        '  lib.getPipelineStateForFunc("most_row");\n}\nREGISTER_DISPATCH(most_stub, &most_mps)\n}\n',
        f"{native}/mps/Most.metal": "kernel void most_row(device float* p [[buffer(0)]]) {}\n",
        f"{native}/Most.h": "namespace at::native {\nDECLARE_DISPATCH(void(*)(float*), most_stub)\n}\n",
        f"{native}/Most.cpp": "namespace at::native {\nDEFINE_DISPATCH(most_stub);\n"
        "Tensor most(const Tensor& self) { most_stub(self.device().type(), p); return self; }\n"
        "void most_hpu(float* p) {}\nREGISTER_HPU_DISPATCH(most_stub, &most_hpu)\n}\n",
        f"{native}/cuda/Most.cu": "namespace at::native {\n__global__ void most_row(float* p) {}\n"
        "static void most_kernel(float* p) { most_row<<<1, 32>>>(p); }\n"
        "REGISTER_DISPATCH(most_stub, &most_kernel)\n}\n",
    }
    with indexed(files, tmp_path) as conn:
        text = to_text(TRACE.run(conn, name="most", focus="dispatch"))
    assert "stub at::native::most_stub [CUDA] -> at::native::most_kernel" in text
    assert ("stub at::native::most_stub [HPU]" in text) == keys.startswith("Composite")
    assert f"launches most_row  {native}/mps/Most.metal:1  at {native}/mps/Most.mm:3" in text
    assert (
        f"launches at::native::most_row  {native}/cuda/Most.cu:2  at {native}/cuda/Most.cu:3"
        in text
    )


MORE = """
INSERT INTO source_files VALUES (5, 'native/cuda/Roll.cu', 'cuda', 0, ''), (6, 'native/cuda/unrolled.cu', 'cuda', 0, '');
INSERT INTO operators (id, name, namespace, base, overload, kind, origin, file_id, line) VALUES
 (2, 'aten::roll', 'aten', 'roll', '', 'functional', 'yaml', 3, 5),
 (3, 'aten::roll_by', 'aten', 'roll_by', '', 'functional', 'yaml', 3, 8),
 (4, 'aten::layer_norm', 'aten', 'layer_norm', '', 'functional', 'yaml', 3, 11);
INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact) VALUES
 (5, 'at::native::roll_cuda', 'f', 'function', 5, 10, 19, 0),
 (6, 'at::native::loops', 'f', 'function', 6, 1, 9, 0),
 (7, 'at::native::roll_by_cuda', 'f', 'function', 5, 30, 39, 0),
 (8, 'at::native::layer_norm', 'f', 'function', 1, 15, 19, 0);
INSERT INTO dispatch (id, operator_id, dispatch_key, kernel, origin, file_id, line) VALUES
 (2, 2, 'CUDA', 'at::native::roll_cuda', 'yaml', 3, 5), (3, 3, 'CUDA', 'at::native::roll_by_cuda', 'yaml', 3, 8),
 (4, 4, 'CompositeImplicitAutograd', 'at::native::layer_norm', 'yaml', 3, 11);
INSERT INTO dispatch_kernels VALUES (2, 5, 1), (3, 7, 1), (4, 8, 1);
INSERT INTO edge_kinds VALUES (14, 'operator', 'syntax');
INSERT INTO edges VALUES (1 * 16 + 1, 8 * 16, 14, 1, 16, 1);
INSERT INTO calls VALUES (7, 5, 31, 8);
INSERT INTO launches (id, kernel, scope, launcher, launcher_id, kind, in_definition, platform, file_id, line) VALUES
 (2, 'at::native::shift', 'at::native', 'at::native::roll_cuda', 5, 'launch', 0, 'cuda', 5, 12),
 (3, 'at::native::unrolled_elementwise', 'at::native', 'at::native::loops', 6, 'launch', 0, 'cuda', 6, 2),
 (4, 'cub::Device::Roll', 'at::native', 'at::native::loops', 6, 'library', 0, 'cuda', 6, 3);
INSERT INTO names (name, kind, last) VALUES ('at::native::roll_by_cuda', 'kernel', 'roll_by_cuda');
INSERT INTO python_apis (api, operator_id, via) VALUES
 ('torch.roll', 2, 'binding'), ('torch.rolls', 2, 'python'), ('torch.rolls', 3, 'python');
"""


@pytest.fixture
def more(index: sqlite3.Connection) -> sqlite3.Connection:
    index.executescript(MORE)
    return index


@pytest.mark.parametrize(
    "name", ["aten::roll", "torch.roll", "torch.ops.aten.roll.default", "roll"]
)
def test_an_operator_is_what_it_reaches_and_nothing_that_is_called_alike(
    more: sqlite3.Connection, name: str
) -> None:
    answer = TOOL.ask(more, name=name)
    assert [(site.kernel, site.why, site.behind) for site in answer.sites] == [
        ("at::native::shift", "behind the operator", ("aten::roll",))
    ]
    assert (answer.operators, answer.page.total) == (("aten::roll",), 1)
    assert bool(answer.notes) == (name == "roll")


def test_instances_launched_in_one_line_are_one_site(more: sqlite3.Connection) -> None:
    more.executescript(
        "INSERT INTO launches (id, kernel, template_arguments, scope, launcher, launcher_id, kind, in_definition,"
        " platform, file_id, line) SELECT 10 + value, kernel, '<' || value || '>', scope, launcher, launcher_id, kind,"
        " 0, platform, file_id, line FROM launches, json_each('[1, 2]') WHERE launches.id = 2"
    )
    answer = TOOL.ask(more, name="torch.roll")
    assert [site.launches for site in answer.sites] == [3]
    lines = to_text(answer).splitlines()
    assert lines[0].startswith("1 launch site ")
    assert sum("3 launches in this line]" in line for line in lines) == 1


def test_a_kernel_is_what_it_reaches(more: sqlite3.Connection) -> None:
    answer = TOOL.ask(more, name="at::native::roll_by_cuda")
    assert [(site.why, site.behind) for site in answer.sites] == [
        ("behind the kernel, 1 call on", ("at::native::roll_by_cuda",))
    ]


def test_of_several_operators_each_site_says_whose_it_is(more: sqlite3.Connection) -> None:
    (site,) = TOOL.ask(more, name="torch.rolls").sites
    assert site.behind == ("aten::roll", "aten::roll_by")
    assert site.why == "behind aten::roll, aten::roll_by"
    assert "behind aten::roll, aten::roll_by]" in to_text(TOOL.ask(more, name="torch.rolls"))


def test_a_composite_operator_is_what_those_reach_that_it_calls(more: sqlite3.Connection) -> None:
    answer = TOOL.ask(more, name="aten::layer_norm")
    assert answer.operators == ("aten::layer_norm", "aten::native_layer_norm")
    assert [site.behind for site in answer.sites] == [("aten::native_layer_norm",)]


def test_a_word_is_searched_for_as_before(more: sqlite3.Connection) -> None:
    assert {site.kernel for site in TOOL.ask(more, name="unrolled").sites} == {
        "at::native::unrolled_elementwise", "cub::Device::Roll",
    }  # fmt: skip
    assert TOOL.ask(more, name="by").operators == ("aten::roll_by",)
    assert TOOL.ask(more, name="torch.roll", offset=7).page.total == 1


@pytest.mark.parametrize("name", ["torch.nn.Cap", "nn.Cap", "Cap"])
def test_a_module_is_what_its_forward_reaches(conn: sqlite3.Connection, name: str) -> None:
    found = TOOL.ask(conn, name=name)
    assert found.operators[:2] == ("aten::softcap", "aten::_softcap")
    assert "at::native::softcap_forward" in {site.kernel for site in found.sites}


def test_of_a_module_that_runs_no_operator_no_namesake_is_suggested(
    conn: sqlite3.Connection,
) -> None:
    found = TOOL.ask(conn, name="torch.nn.Module")
    assert not found.closest
    assert found.notes == ("torch.nn.Module runs no operator that is known",)


def test_the_file_that_is_called_so_comes_before_those_with_it_in_their_path(
    tmp_path: Path,
) -> None:
    text = "__global__ void {0}_kernel(int n) {{}}\nvoid {0}() {{ {0}_kernel<<<1, 2>>>(3); }}\n"
    tree = {
        "aten/src/ATen/native/native_functions.yaml": "[]",
        "aten/src/ATen/native/cuda/ManyRows.cuh": text.format("many"),
        "aten/src/ATen/native/cuda/Rows.cu": text.format("one"),
    }
    with indexed(tree, tmp_path) as conn:
        sites = TOOL.ask(conn, name="Rows.cu").sites
        assert [site.kernel for site in sites] == ["one_kernel", "many_kernel"]
