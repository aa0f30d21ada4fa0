"""Of the tests that have a module's words alike come first those that have words of what changed in it."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed

_FILE = "torch/looms/_warp_ops.py"


def test_a_namespace_is_no_word_of_what_stands_in_it(tmp_path: Path) -> None:
    """`at::native::rot90` is not about TestTransformers.test_mha_native_args."""
    file = "c10/looms/Warp.cpp"
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
        file: "namespace felting {\nint wind(int x) {\n  return x + 1;\n}\n}\n",
        "c10/test/looms/Warp_test.cpp": "#include <gtest/gtest.h>\n"
        + "".join(f"TEST(WarpTest, {name}) {{}}\n" for name in ("Felting", "One", "Wind")),
    }
    with indexed(files, tmp_path) as conn:
        answer = affected_by_line(conn, files, file, "return x + 1")
    assert [test.name for test in answer.tests][:1] == ["WarpTest.Wind"]


def test_a_class_is_called_like_the_module(tmp_path: Path) -> None:
    """DistMathOpsTest has the words of torch/distributed/tensor/_ops/_math_ops.py, all of its tests."""
    tests = "".join(
        f"    def test_{name}(self):\n        pass\n\n"
        for name in ("mean", "topk", "felting_fwd", "norm", "felting_and_bwd", "sum")
    )
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
        "torch/__init__.py": "",
        "torch/looms/__init__.py": "",
        _FILE: "def felting_strategy(x):\n    return x + 1\n",
        "test/looms/test_warp_ops.py": f"from unittest import TestCase\n\nclass WarpOpsTest(TestCase):\n{tests}",
    }
    with indexed(files, tmp_path) as conn:
        answer = affected_by_line(conn, files, _FILE, "return x + 1")
    assert [test.name.rpartition(".")[2] for test in answer.tests][:3] == [
        "test_felting_fwd",
        "test_felting_and_bwd",
        "test_mean",
    ]
