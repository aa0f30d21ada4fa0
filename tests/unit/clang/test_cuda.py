"""Device code as C++: launches become calls, everything keeps its place."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from indexer.clang.cuda import configuration_lines, without_launch_configurations
from tests.unit.support.clang_units import Call, calls, parse


def test_a_launch_is_a_call_of_the_kernel(tmp_path: Path) -> None:
    text = (
        "#include <cuda_runtime.h>\n__device__ float half_of(float x) { return x / 2; }\n"
        "template <int N> __global__ void __launch_bounds__(256) scale(float* x) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  x[i] = half_of(x[i]);\n  __syncthreads();\n}\n"
        "void run(float* x, cudaStream_t s) {\n  dim3 grid(1);\n  scale<4>\n    <<<grid, dim3(32),\n    0, s>>>(x);\n}\n"
    )
    facts = parse(tmp_path, text, "scale.cu", "cuda")
    assert facts.problems == []
    found = calls(facts)
    assert Call("run", "scale", "call", 10) in found
    assert Call("scale", "half_of", "call", 5) in found
    # What stands in the configuration is the text's to tell.
    assert configuration_lines(text.encode()) == [(11, 12)]


def test_what_is_no_launch_stays() -> None:
    for text in (
        b"// a <<< b >>> c",
        b'"<<<x>>>"',
        b"<<<<<<< HEAD\nint a;\n",
        b"cout <<< 3;",
        b"/* <<<\n>>> */",
    ):
        assert without_launch_configurations(text) == text


def test_nested_configurations() -> None:
    text = b"k<<<f<(a>>>b)>(1), g(2 >> 1)>>>(x);"
    assert (
        without_launch_configurations(b"k<<<f(a[1], {2}), 3>>>(x);") == b"k" + b" " * 21 + b"(x);"
    )
    assert len(without_launch_configurations(text)) == len(text)


def test_macros_keep_their_line_ends() -> None:
    text = b"#define RUN(k) \\\n  k<<<1, \\\n 2>>>(0)\n"
    assert without_launch_configurations(text) == b"#define RUN(k) \\\n  k      \\\n     (0)\n"


@given(st.text(alphabet='k<>(){}[];,"/*\\\n x', max_size=60))
def test_length_and_lines_are_kept(text: str) -> None:
    data = text.encode()
    result = without_launch_configurations(data)
    assert len(result) == len(data)
    assert [i for i, b in enumerate(result) if b == 10] == [
        i for i, b in enumerate(data) if b == 10
    ]
    assert all(new == old or new == 32 for new, old in zip(result, data, strict=True))
