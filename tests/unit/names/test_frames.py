"""A traceback of another version of PyTorch: its functions are found where the indexed tree has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_LOOM = """\
class Loom:
    def weave(self):
        return 1

def knot():
    return 2

class Frame:
    def weave(self):
        return 3
"""
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: far(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/loom.py": _LOOM,
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("frames")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("line", "function", "name", "note"),
    [
        (3, "weave", "torch.loom.Loom.weave", ""),
        (3, "knot", "torch.loom.knot", "line 3 of the indexed file is not in knot, which begins in line 5"),
        (70, "weave", "torch.loom.Frame.weave",
         "line 70 of the indexed file is not in weave, the nearest of 2 such begins in line 9"),
        (6, "<module>", "torch.loom.knot", ""),
        (6, "unknown", "torch.loom.knot", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("below", ["", "\n    return 3"])
def test_the_function_of_a_frame(
    conn: sqlite3.Connection, line: int, function: str, name: str, note: str, below: str
) -> None:
    frame = f'  File "/opt/lib/site-packages/torch/loom.py", line {line}, in {function}{below}'
    answer = ask(conn, "calls", name=frame)
    assert [subject.name for subject in answer.subjects] == [name]
    assert any(note in each for each in answer.notes)
    assert bool(note) == any("of the indexed file" in each for each in answer.notes)
