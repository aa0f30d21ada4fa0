"""What a search puts first: names that begin as it is written; and a namespace by the end of its name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: mean(Tensor self) -> Tensor\n",
    "torch/csrc/shim.cpp": """\
int fancy_shim_open(int a) { return a; }
int fancy_shim_close(int a) { return a; }
namespace at::inner {
namespace streams {
int opened() { return 1; }
}
struct Stream {
  Stream(int a) : a_(a) {}
  int synchronize() { return a_; }
  int a_;
};
}
""",
    "torch/fancy.py": "class FancyShim:\n    pass\n\nclass ShimFancy:\n    pass\n",
    "torch/__init__.py": "",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("beginnings")) as opened:
        yield opened


def test_what_begins_as_it_is_written_comes_before_words(conn: sqlite3.Connection) -> None:
    names = [hit.name for hit in ask(conn, "search", query="fancy_shim").others]
    assert set(names[:2]) == {"fancy_shim_open", "fancy_shim_close"}
    assert {"torch.fancy.FancyShim", "torch.fancy.ShimFancy"} <= set(names[2:])


@pytest.mark.parametrize(
    ("query", "whole", "first"),
    [
        ("inner::streams", "at::inner::streams", "at::inner::streams::opened"),
        ("inner::Stream", "at::inner::Stream", "at::inner::Stream::Stream"),
    ],
)
def test_a_namespace_or_class_by_the_end_of_its_name(
    conn: sqlite3.Connection, query: str, whole: str, first: str
) -> None:
    answer = ask(conn, "search", query=query)
    assert answer.finding.startswith(f"{whole} is a namespace or a class")
    assert answer.others[0].name == first
