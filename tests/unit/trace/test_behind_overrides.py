"""What a kernel leaves to a virtual method, and what stubs do behind each that may run: quantizers."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
from torchtalk.db import connect

_NATIVE = "aten/src/ATen/native/"
_FILES = {
    "version.txt": "2.6.0\n",
    f"{_NATIVE}native_functions.yaml": (
        "- func: shrunk(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDA: shrunk\n"
        "- func: grown(Tensor self) -> Tensor\n  dispatch:\n    CPU: grown\n"
    ),
    f"{_NATIVE}Pack.cpp": (
        "namespace at::native {\nDEFINE_DISPATCH(even_stub);\nDEFINE_DISPATCH(odd_stub);\n"
        "void pack_even(const Tensor& x) { even_stub(x.device().type(), x); }\n"
        "void pack_odd(const Tensor& x) { odd_stub(x.device().type(), x); }\n"
        "Tensor shrunk(const Tensor& x) {\n  Packer& packer = packer_of(x);\n  return packer.pack(x);\n}\n"
        "}\n"
    ),
    f"{_NATIVE}Grow.cpp": (
        "namespace at::native {\nstatic void by_hand(const Tensor& x) { pack_even(x); }\n"
        "Tensor grown(const Tensor& x) { by_hand(x); return x; }\n}\n"
    ),
    "aten/src/ATen/core/Packer.h": (
        "namespace at {\nstruct Packer {\n  virtual Tensor pack(const Tensor& x) = 0;\n};\n"
        "}\n"
    ),
    "aten/src/ATen/quantized/Packer.cpp": (
        "namespace at {\nstatic void pack_impl(const Tensor& x) { native::pack_even(x); }\n"
        "struct EvenPacker : public Packer {\n  Tensor pack(const Tensor& x) override {\n    pack_impl(x);\n"
        "    return x;\n  }\n};\n"
        "struct OddPacker : public EvenPacker {\n  Tensor pack(const Tensor& x) override {\n    native::pack_odd(x);\n"
        "    return x;\n  }\n};\n"
        "struct NoPacker : public Packer {\n  Tensor pack(const Tensor& x) override {\n    refuse(x);\n    return x;\n"
        "  }\n};\n}\n"
    ),
    "test/cpp/packers.cpp": (
        "namespace at {\nstruct SlowPacker : public Packer {\n"
        "  Tensor pack(const Tensor& x) override {\n    sleep(1);\n    return x;\n  }\n};\n}\n"
    ),
    f"{_NATIVE}cpu/PackKernel.cpp": (
        "namespace at::native {\nstatic void even_cpu(const Tensor& x) { }\nstatic void odd_cpu(const Tensor& x) { }\n"
        "REGISTER_DISPATCH(even_stub, &even_cpu);\nREGISTER_DISPATCH(odd_stub, &odd_cpu);\n}\n"
    ),
    f"{_NATIVE}cuda/Pack.cu": (
        "namespace at::native {\n__global__ void even_bits(int n) { }\n__global__ void odd_bits(int n) { }\n"
        "static void even_cuda(const Tensor& x) { even_bits<<<1, 2>>>(3); }\n"
        "static void odd_cuda(const Tensor& x) { odd_bits<<<1, 2>>>(3); }\n"
        "REGISTER_DISPATCH(even_stub, &even_cuda);\nREGISTER_DISPATCH(odd_stub, &odd_cuda);\n}\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("overrides")) as connection:
        yield connection


def test_trace_says_what_each_of_the_methods_hands_its_work_to(conn: sqlite3.Connection) -> None:
    """`aten::quantize_per_tensor` ends at `Quantizer::quantize` (aten/src/ATen/native/quantized/QTensor.cpp)."""
    lines = text(conn, "trace", name="shrunk")
    at = next(n for n, line in enumerate(lines) if "a virtual method at" in line)
    assert lines[at : at + 10] == [
        f"    calls a virtual method at {_NATIVE}Pack.cpp:8: one of",
        "      at::EvenPacker::pack  aten/src/ATen/quantized/Packer.cpp:4",
        f"        stub at::native::even_stub [CPU] -> at::native::even_cpu  {_NATIVE}cpu/PackKernel.cpp:2",
        f"        stub at::native::even_stub [CUDA] -> at::native::even_cuda  {_NATIVE}cuda/Pack.cu:4",
        f"        launches at::native::even_bits  {_NATIVE}cuda/Pack.cu:2  at {_NATIVE}cuda/Pack.cu:4",
        "      at::NoPacker::pack  aten/src/ATen/quantized/Packer.cpp:16",
        "      at::OddPacker::pack  aten/src/ATen/quantized/Packer.cpp:10",
        f"        stub at::native::odd_stub [CPU] -> at::native::odd_cpu  {_NATIVE}cpu/PackKernel.cpp:3",
        f"        stub at::native::odd_stub [CUDA] -> at::native::odd_cuda  {_NATIVE}cuda/Pack.cu:5",
        f"        launches at::native::odd_bits  {_NATIVE}cuda/Pack.cu:3  at {_NATIVE}cuda/Pack.cu:5",
    ]


def test_a_kernel_s_own_helpers_are_not_followed_so_far(conn: sqlite3.Connection) -> None:
    """A kernel calls much that has stubs for what is not its work: `by_hand` stands for it."""
    (overload,) = ask(conn, "trace", name="grown").overloads
    assert [line.reached for line in overload.dispatch] == [()]


def test_the_picture_goes_on_behind_the_methods(conn: sqlite3.Connection) -> None:
    picture = ask(conn, "trace", name="shrunk", format="mermaid").picture
    arrows = {(edge.source, edge.relation, edge.target) for edge in picture}
    assert ("at::OddPacker::pack", "stub", "at::native::odd_stub") in arrows
    assert ("at::native::odd_stub", "CUDA", "at::native::odd_cuda") in arrows


def test_gpu_kernels_are_found_behind_them(conn: sqlite3.Connection) -> None:
    sites = ask(conn, "cuda_kernels", name="shrunk").sites
    assert [(site.kernel, site.launcher) for site in sites] == [
        ("at::native::even_bits", "at::native::even_cuda"),
        ("at::native::odd_bits", "at::native::odd_cuda"),
    ]
    assert not ask(conn, "cuda_kernels", name="aten::grown").sites


def test_what_clang_tells_of_the_next_base_alone_leads_to_all(tmp_path: Path) -> None:
    """`PerChannelAffineFloatQParamsQuantizer` overrides a method that overrides one: clang names the nearest."""
    with indexed(_FILES, tmp_path):
        pass
    changing = sqlite3.connect(tmp_path / "small.db")
    of = {
        name: 16 * number
        for number, name in changing.execute("SELECT id, name FROM functions WHERE last = 'pack'")
    }
    first, second, third = (of[f"at::{name}Packer::pack"] for name in ("Even", "Odd", "No"))
    changing.execute("DELETE FROM calls WHERE callee_id IN (? >> 4, ? >> 4)", (second, third))
    changing.execute("UPDATE calls SET code = 2 WHERE callee_id = ? >> 4", (first,))
    changing.executemany("DELETE FROM edges WHERE source = ?", [(first,), (second,)])
    changing.executemany(
        "INSERT INTO edges SELECT ?, ?, id, 1, 1, 1 FROM edge_kinds WHERE kind = 'virtual'",
        [(second, first), (third, second)],
    )
    changing.commit()
    changing.close()
    with contextlib.closing(connect(tmp_path / "small.db")) as conn:
        (overload,) = ask(conn, "trace", name="shrunk").overloads
    (line,) = overload.dispatch
    assert [one.kernel for one in line.reached] == ["at::NoPacker::pack", "at::OddPacker::pack"]
