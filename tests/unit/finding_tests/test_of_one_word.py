"""Two words that no test has both of: a file that is called by one of them is about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.tools.finding_tests.of_one_word import files_called

_TEST = "import torch\n\ndef test_{}():\n    torch.relu(1)\n"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "test/jit/test_woven.py": _TEST.format("inner"),
    "test/test_woven.py": _TEST.format("outer"),
    "test/test_more_woven.py": _TEST.format("other"),
    "test/test_knots.py": _TEST.format("tied"),
    "test/test_all.py": "".join(_TEST.format(f"numbers_{at}") for at in range(11)),
    "test/test_rare.py": _TEST.format("knot"),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("words")) as conn:
        yield conn


@pytest.mark.parametrize(
    ("query", "tests"),
    [
        ("woven numbers", ["test_outer", "test_inner"]),  # what stands in no folder first
        ("many numbers", [f"test_numbers_{at}" for at in range(11)]),  # no file is called so
        ("woven nonsense", []),  # nothing has the other
        ("woven knot", ["test_knot"]),  # few are named so, which tells more
    ],
)
def test_a_file_is_called_by_one_of_two_words(
    conn: sqlite3.Connection, query: str, tests: list[str]
) -> None:
    hits = [hit.name for hit in ask(conn, "find_similar_tests", query=query).hits]
    assert hits == tests


def test_where_two_are_neither_is_meant_more(conn: sqlite3.Connection) -> None:
    assert files_called(conn, ("woven", "numbers"))
    assert not files_called(conn, ("woven", "knots"))


def test_which_is_said(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "find_similar_tests", query="woven numbers")
    assert answer.hits[0].why == ("stands in test/test_woven.py",)
    assert any("files that are called by one of the words" in note for note in answer.notes)
