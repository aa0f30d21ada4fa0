"""Functions outside of namespaces that only the files beside them mean: runtime texts', tests' and libraries' own."""

from __future__ import annotations

import pytest

from tests.unit.cpp.test_overloads import called

_LIBRARY = "aten/src/ATen/native/quantized/cpu/qnnpack"
_RUNTIME = "torch/csrc/jit/codegen/cuda/runtime"
_MATH = "inline static size_t max(size_t a, size_t b) { return a > b ? a : b; }\n"
_HELPERS = "__device__ int max(int a, int b) { return a > b ? a : b; }\ntemplate <typename T>\nbool isnan(T x) { return x != x; }\n"


@pytest.mark.parametrize("callee", ["::max", "max"])
def test_what_cuda_has_built_in_is_no_librarys_own(
    monkeypatch: pytest.MonkeyPatch, callee: str
) -> None:
    """MaxFloat of SoftMax.cu calls `::max`, which QNNPACK and the fuser's run-time sources have each for themselves."""
    files = {
        f"{_LIBRARY}/src/qnnpack/math.h": _MATH,
        f"{_RUNTIME}/helpers.cu": _HELPERS,
        "aten/src/ATen/native/cuda/SoftMax.cu": f"float use(float a, float b) {{ return {callee}(a, b); }}\n",
    }
    assert called(monkeypatch, files) == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (f"{_LIBRARY}/test/tester.h", [(1, f"{_LIBRARY}/src/qnnpack/math.h", 1, "call")]),
        (f"{_LIBRARY}/src/conv.cc", [(1, f"{_LIBRARY}/src/qnnpack/math.h", 1, "call")]),
        (f"{_RUNTIME}/fused.cu", [(1, f"{_RUNTIME}/helpers.cu", 1, "call")]),
    ],
)
def test_those_beside_it_mean_it(
    monkeypatch: pytest.MonkeyPatch, path: str, found: list[tuple[int, str, int, str]]
) -> None:
    files = {
        f"{_LIBRARY}/src/qnnpack/math.h": _MATH,
        f"{_RUNTIME}/helpers.cu": _HELPERS,
        path: "int use(int a, int b) { return max(a, b); }\n",
    }
    assert called(monkeypatch, files) == found


def test_what_c_has_is_no_text_that_is_compiled_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """`return ::isnan(val);` in ATen/NumericUtils.h."""
    files = {
        f"{_RUNTIME}/helpers.cu": _HELPERS,
        "aten/src/ATen/NumericUtils.h": "namespace at {\nbool use(float val) { return ::isnan(val); }\n}\n",
    }
    assert called(monkeypatch, files, "at::use") == []


def test_a_tests_own_function_is_no_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """`add(a, b)` in aten/src/ATen/test/basic.cpp is at::add, not an extension's."""
    own = "at::Tensor add(at::Tensor a, at::Tensor b) { return a; }\n"
    files = {
        "test/cpp_extensions/dlink.cpp": own,
        "aten/src/ATen/test/basic.cpp": "void use(Tensor a) { add(a, a); }\n",
    }
    assert called(monkeypatch, files) == []
    beside = {"test/cpp_extensions/use.cpp": "void beside(Tensor a) { add(a, a); }\n"}
    assert called(monkeypatch, files | beside, "beside") == [
        (1, "test/cpp_extensions/dlink.cpp", 1, "call")
    ]


def test_names_of_a_headers_own_are_seen_from_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "torch/csrc/utils/python_numbers.h": "static inline int THPUtils_pack(int n) { return n; }\n",
        "torch/csrc/cuda/Event.cpp": "int use(int n) { return THPUtils_pack(n); }\n",
    }
    assert called(monkeypatch, files) == [(1, "torch/csrc/utils/python_numbers.h", 1, "call")]


def test_what_stands_below_a_call_may_be_another_s(monkeypatch: pytest.MonkeyPatch) -> None:
    """`aliasAnalysisFromSchema()` is register_ops_utils.h's in the tables above register_prim_ops.cpp's own."""
    header, source = "torch/csrc/jit/ops.h", "torch/csrc/jit/prim.cpp"
    own = "namespace {\nint use() { return kind(); }\nint kind() { return 2; }\nint later() { return kind(); }\n}\n"
    files = {
        header: "namespace torch::jit {\ninline int kind() { return 1; }\n}\n",
        source: f"namespace torch::jit {{\n{own}}}\n",
    }
    assert called(monkeypatch, files, "torch::jit::use") == [
        (3, header, 2, "candidate"), (3, source, 4, "candidate"),
    ]  # fmt: skip
    assert called(monkeypatch, files, "torch::jit::later") == [(5, source, 4, "call")]
