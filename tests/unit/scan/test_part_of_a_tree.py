"""A part of PyTorch's tree: an empty answer says what the tree lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_ATEN = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    # A script beside kernels, and a test beside what it tests: the layers are not empty.
    "aten/src/ATen/native/make.py": "class Maker:\n    def make(self):\n        pass\n",
    "aten/src/ATen/test/relu_test.cpp": "TEST(Relu, Works) { at::relu(x); }\n",
}
_PYTHON = "the indexed tree has no torch/__init__.py: little or none of PyTorch's Python is in it"
_TESTS = "the indexed tree has no test/: few or none of PyTorch's tests are in it"


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with indexed(_ATEN, tmp_path) as conn:
        assert ask(conn, "trace_module", name="Linear").notes == (_PYTHON,)
        assert _TESTS in ask(conn, "test_file_info", path="test_nn.py").notes
        assert _PYTHON not in ask(conn, "trace", name="relu").notes


@pytest.mark.parametrize("path", ["torch/__init__.py", "test/test_nn.py"])
def test_what_is_there_is_not_said_to_lack(tmp_path: Path, path: str) -> None:
    with indexed({**_ATEN, path: "x = 1\n"}, tmp_path) as conn:
        notes = (
            *ask(conn, "trace_module", name="Linear").notes,
            *ask(conn, "find_similar_tests", query="qqqzzz").notes,
        )
    assert [note for note in notes if "tree has no" in note] == (
        [_TESTS] if path.startswith("torch") else [_PYTHON]
    )
