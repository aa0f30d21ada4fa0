"""Overloads of one GPU kernel: which of them does a launch mean?"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

PAD = "aten/src/ATen/native/cuda/Pad.cu"
FILES = {
    "version.txt": "2.9.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: pad(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: core\n",
    "tools/autograd/derivatives.yaml": "- name: pad(Tensor self) -> Tensor\n  self: grad\n",
    PAD: """\
namespace at::native {
namespace {
template <typename T>
__global__ void pad_kernel(T* in, int left) {
  in[0] = left;
  in[1] = left;
}
template <typename T>
__global__ void pad_kernel(T* in, int left, int top) {
  in[0] = left;
  in[1] = top;
}
__global__ void check_kernel(float* in) { assert(in[0]); }


__global__ void check_kernel(double* in) { assert(in[0]); }
} // namespace

void pad1d(float* in) {
  pad_kernel<float>
      <<<1, 32>>>(in, 1);
}

void pad2d(float* in) {
  pad_kernel<float> <<<1, 32>>>(in, 1, 2);
}

void check(const Storage& s) {
  check_kernel<<<1, 1>>>(s.data());
}
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    folder: Path = tmp_path_factory.mktemp("overloads")
    with indexed(FILES, folder) as opened:
        yield opened


@pytest.mark.parametrize(("launcher", "line"), [("pad1d", 4), ("pad2d", 9)])
def test_the_overload_that_fits_the_arguments_is_launched(
    conn: sqlite3.Connection, launcher: str, line: int
) -> None:
    name = f"at::native::{launcher}"
    found = conn.execute("SELECT kernel_line FROM v_launches WHERE launcher = ?", (name,))
    assert [*map(tuple, found)] == [(line,)]
    # Those of other arguments have no edge: `called_by` of one is asked by its place.
    ends = conn.execute(
        "SELECT DISTINCT t.line FROM edges AS e JOIN functions AS s ON s.id * 16 = e.source"
        " JOIN functions AS t ON t.id * 16 = e.target WHERE s.name = ?", (name,),
    )  # fmt: skip
    calls = conn.execute(
        "SELECT t.line FROM calls AS c JOIN functions AS s ON s.id = c.caller_id"
        " JOIN functions AS t ON t.id = c.callee_id WHERE s.name = ?", (name,),
    )  # fmt: skip
    assert {*map(tuple, ends), *map(tuple, calls)} == {(line,)}


def test_one_of_several_is_said_to_be_one(conn: sqlite3.Connection) -> None:
    (line,) = (one for one in text(conn, "cuda_kernels", name="check_kernel") if " <- " in one)
    assert "check_kernel aten/src/ATen/native/cuda/Pad.cu:16 (one of 2 overloads) <- " in line
    assert not any("one of" in one for one in text(conn, "cuda_kernels", name="pad_kernel"))


def test_one_of_several_stays_one_of_several(conn: sqlite3.Connection) -> None:
    kernels = conn.execute(
        "SELECT k.line FROM launch_kernels AS x JOIN kernels AS k ON k.id = x.kernel_id"
        " WHERE k.function = 'check_kernel' ORDER BY 1"
    )
    assert [*map(tuple, kernels)] == [(13,), (16,)]
