"""Tests called like the folder, of who runs an operator, and of compilers: which of them come first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.home import NONE, Homes
from torchtalk.affected.choice.similar_names import AlikeFiles
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_BATCHED = "aten/src/ATen/functorch/BatchRules.cpp"
_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"


def _tests(name: str, test: str, *lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines or ("pass",))
    return f"{_HEAD}class {name}(TestCase):\n    def {test}(self):\n{body}"


_FILES = {
    f"{_NATIVE}/native_functions.yaml": (
        "- func: weft(Tensor self) -> Tensor\n  dispatch:\n    CPU: weft_cpu\n\n"
        "- func: inner(Tensor self) -> Tensor\n\n"
        "- func: outer(Tensor self) -> Tensor\n"
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/Weft.cpp": (
        "namespace at::native {\nTensor weft_cpu(const Tensor& self) { return self; }\n"
        "Tensor inner(const Tensor& self) { return self; }\n"
        "Tensor outer(const Tensor& self) { return at::inner(self); }\n}\n"
    ),
    _BATCHED: (
        "namespace at::functorch {\nTensor inner_batch_rule(const Tensor& self) { return self; }\n"
        "TORCH_LIBRARY_IMPL(aten, FuncTorchBatched, m) {\n"
        '  m.impl("inner", TORCH_FN(inner_batch_rule));\n}\n}\n'
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/masked/_ops.py": "def mean(x):\n    return x\n",
    "torch/kept/impls.py": "def keep():\n    return 1\n",
    **{f"torch/kept/{name}.py": "from torch.kept import impls\n" for name in ("a", "tensors")},
    **{f"torch/{name}.py": "from torch.kept import impls\n" for name in "bcd"},
    "test/dynamo/test_programs.py": _tests("TestPrograms", "test_weft", "torch.weft(1)"),
    "test/test_looms.py": _tests("TestLooms", "test_weft", "torch.weft(1)"),
    "test/test_inner.py": _tests("TestInner", "test_inner", "torch.inner(1)"),
    "test/test_vmap.py": _tests("TestVmap", "test_outer", "torch.outer(1)"),
    "test/test_masked.py": _tests("TestMasked", "test_it"),
    "test/test_ops.py": _HEAD
    + "from torch.masked._ops import mean\n"
    + "class TestOps(TestCase):\n"
    + "".join(f"    def test_{at}(self):\n        mean(1)\n" for at in range(30)),
    "torch/_knit/padding_it.py": "def pad(x):\n    return x\n",
    "torch/far.py": "from torch._knit.padding_it import pad\n\ndef f0(x):\n    return pad(x)\n"
    + "".join(f"\n\ndef f{at + 1}(x):\n    return f{at}(x)\n" for at in range(7)),
    "test/test_faraway.py": _HEAD
    + "from torch.far import f6, f7\nclass TestFar(TestCase):\n"
    + "".join(f"    def test_{at}(self):\n        f{7 - at % 2}(1)\n" for at in range(4)),
    "test/knit/test_padding_it.py": _tests("TestPaddingIt", "test_it"),
    "test/test_cuda.py": _tests("TestCuda", "test_it"),
    "test/test_mps.py": _tests("TestMPS", "test_it"),
    "test/test_tensors.py": _tests("TestTensors", "test_it"),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("namesakes")) as connection:
        yield connection


def _changed(conn: sqlite3.Connection, path: str, line: int, most: int = 50) -> AffectedAnswer:
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n"
    return all_tools()["affected"].ask(conn, diff=diff, max_tests=most)


def test_of_a_kernels_tests_those_of_programs_come_second(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, f"{_NATIVE}/Weft.cpp", 2)
    assert [test.name for test in answer.tests] == ["TestLooms.test_weft", "TestPrograms.test_weft"]


def test_who_runs_an_operator_has_tests_of_its_aspect_before_its_others(
    conn: sqlite3.Connection,
) -> None:
    """Nobody maps over convolution, and test_vmap.py over conv2d, which runs it."""
    answer = _changed(conn, _BATCHED, 2)
    assert [test.name for test in answer.tests] == ["TestVmap.test_outer", "TestInner.test_inner"]


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("torch/masked/_ops.py", "test/test_masked.py"),
        ("c10/cuda/Stream.cpp", "test/test_cuda.py"),
        (f"{_NATIVE}/mps/operations/Weft.mm", "test/test_mps.py"),
        (f"{_NATIVE}/cuda/Weft.cu", None),
        ("torch/_weft.py", None),
    ],
)
def test_what_is_called_like_the_folder(
    conn: sqlite3.Connection, changed: str, test: str | None
) -> None:
    assert AlikeFiles(conn).of_folder(changed) == ((test,) if test else ())


def test_it_is_run_beside_what_the_graph_leads_to(conn: sqlite3.Connection) -> None:
    assert Homes(conn).factor("torch/masked/_ops.py", "test/test_ops.py") == NONE
    answer = _changed(conn, "torch/masked/_ops.py", 2, most=20)
    assert answer.selected == 20
    assert "TestMasked.test_it" in [test.name for test in answer.tests]


def test_of_many_that_import_it_those_beside_it_tell(conn: sqlite3.Connection) -> None:
    (test,) = _changed(conn, "torch/kept/impls.py", 2).tests
    assert test.name == "TestTensors.test_it"


def test_what_is_called_like_the_file_comes_before_what_is_far(conn: sqlite3.Connection) -> None:
    first, *others = _changed(conn, "torch/_knit/padding_it.py", 2).tests
    assert first.name == "TestPaddingIt.test_it"
    assert {test.place.file for test in others} == {"test/test_faraway.py"}
    assert first.weight > others[0].weight


@pytest.mark.parametrize(
    ("names", "tests"),
    [
        ("TestLooms", ["TestLooms.test_weft"]),
        ("TestLooms.test_weft", ["TestLooms.test_weft"]),
        ("test_weft", ["TestLooms.test_weft", "TestPrograms.test_weft"]),
    ],
)
def test_tests_are_named_as_a_report_of_failures_names_them(
    conn: sqlite3.Connection, names: str, tests: list[str]
) -> None:
    """A class stands for its tests, a test of a class for itself alone, a bare name for all that are called so."""
    answer = all_tools()["affected"].ask(conn, names=names)
    assert sorted(test.name for test in answer.tests) == tests
    assert answer.unseen == ()
