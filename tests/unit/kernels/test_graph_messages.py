"""trace ends at what kernels for MPS have Apple's libraries do: MPSGraph, and Metal Performance Shaders."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.cpp.library_calls import library_calls
from indexer.extract.cpp.unit import CppUnit
from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_KERNELS = """#include <ATen/native/mps/OperationUtils.h>
namespace at::native {
namespace mps {
MPSGraphTensor* log1p(MPSGraph* mpsGraph, MPSGraphTensor* x) {
  MPSGraphTensor* one = [mpsGraph constantWithScalar:1.0 dataType:x.dataType];
  auto sum = [mpsGraph additionWithPrimaryTensor:x secondaryTensor:[mpsGraph castTensor:one toType:f(x) name:@"c"] name:nil];
  return [mpsGraph logarithmWithTensor : (sum ? sum : x) name : nil];
}
void unary(const Tensor& x, UnaryBlock block) { gathered_kernel(x); }
}
Tensor grown_mps(const Tensor& x) {
  mps::unary(x, ^MPSGraphTensor*(MPSGraph* mpsGraph, MPSGraphTensor* t) {
    return mps::log1p(mpsGraph, t);
  });
  return x;
}
Tensor grown_cpu(const Tensor& x) { return x; }
#define MAKE_UNARY(function, operation)                                   \\
  Tensor function(const Tensor& x) {                                      \\
    mps::unary(x, ^MPSGraphTensor*(MPSGraph * mpsGraph, MPSGraphTensor* t) { \\
      return [mpsGraph operation##WithTensor:t name:nil];                  \\
    });                                                                   \\
    return x;                                                             \\
  }
MAKE_UNARY(waved_mps, sin)
MAKE_UNARY(rooted_mps, squareRoot)
Tensor parted_mps(const Tensor& x) {
  id filter = [[MPSMatrixDecompositionLU alloc] initWithDevice:device rows:1 columns:2];
  MPSNDArray* held = [[MPSNDArray alloc] initWithDevice:device descriptor:d];
  [library newFunctionWithName:@"x"];
  return x;
}
}
"""
_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "".join(
        f"- func: {name}(Tensor self) -> Tensor\n  dispatch:\n    MPS: {name}_mps\n{more}"
        for name, more in (
            ("grown", "    CPU: grown_cpu\n"), ("waved", ""), ("rooted", ""), ("parted", ""),
        )
    ),
    "aten/src/ATen/native/mps/operations/Grown.mm": _KERNELS,
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("operator", "told"),
    [
        ("grown", ["MPSGraph: additionWithPrimaryTensor, logarithmWithTensor  at {}:6, 7"]),
        ("waved", ["MPSGraph: sinWithTensor  at {}:25"]),
        ("rooted", ["MPSGraph: squareRootWithTensor  at {}:26"]),
        ("parted", ["Metal Performance Shaders: MPSMatrixDecompositionLU  at {}:28"]),
    ],
)
def test_kernels_for_mps_end_at_them(
    conn: sqlite3.Connection, operator: str, told: list[str]
) -> None:
    lines = text(conn, "trace", name=operator)
    place = "aten/src/ATen/native/mps/operations/Grown.mm"
    assert [line.strip() for line in lines if "calls M" in line] == [
        f"calls {line.format(place)}" for line in told
    ]


def test_gpu_kernels_of_an_operator_end_there_too(conn: sqlite3.Connection) -> None:
    lines = text(conn, "cuda_kernels", name="rooted")
    assert "calls of MPSGraph" in lines[0]
    assert [line.partition("  at ")[0] for line in lines if line.startswith("calls ")] == [
        "calls MPSGraph: squareRootWithTensor"
    ]


@pytest.mark.parametrize(
    "message",
    [
        "[mpsGraph placeholderWithShape:s dataType:t name:nil]",
        "[self sendOperation:x name:nil]",
        "[center observe:x object:nil]",
        "[mpsGraph name:x]",
        "[&](auto x) { return f(x, name); }",
        "[mpsGraph signWithTensor:x]",
        "// [mpsGraph signWithTensor:x name:nil]",
    ],
)
def test_what_is_no_operation(message: str) -> None:
    source = f"void f(MPSGraph* mpsGraph) {{ {message}; }}\n"
    assert not list(library_calls(CppUnit("a.mm", source.encode())))


def test_only_objective_c_sends_them() -> None:
    source = b"void f(MPSGraph* g) { [g signWithTensor:x name:nil]; }"
    assert [one.name for one in library_calls(CppUnit("a.mm", source))] == ["signWithTensor"]
    assert not list(library_calls(CppUnit("a.cpp", source)))


@given(
    st.lists(
        st.sampled_from(["[", "]", "(", ")", "{", "}", "g", " ", ":", "name:", "x", "MPS", "alloc"])
    )
)
def test_whatever_is_written_is_read(parts: list[str]) -> None:
    source = f"MPSGraph {''.join(parts)}".encode()
    for one in library_calls(CppUnit("a.mm", source)):
        assert one.line == 1
        assert one.name.encode() in source
