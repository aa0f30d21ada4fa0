"""Tests for changed lines of a declaration that begins above them: parameters of their own lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.places.statements import argument_list

_HEADER = "torch/csrc/loom/loom.h"
FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    _HEADER: """\
namespace torch::loom {
TORCH_API int
spun(
    int self,
    int turns = turns_of(3),
    bool tight = false);
struct Loom {
  Loom(
      int threads,
      int width);
  int weave(
      int threads,
      bool tight);
  int threads;
  int width;
  int cloth = spun(
      1,
      2);
};
using woven = int (*)(
    int threads);
struct Reel {
  virtual int wind(
      int turns) const = 0;
  int spare = 0;
};
struct Bobbin : Reel {
  int wind(int turns) const override { return turns; }
};
namespace other {
struct Reel {
  virtual int wind(int turns) const = 0;
};
struct Spool : Reel {
  int wind(int turns) const override { return turns; }
};
}
}
""",
    "torch/csrc/loom/loom.cpp": """\
#include <torch/csrc/loom/loom.h>
namespace torch::loom {
int spun(int self, int turns, bool tight) { return self; }
Loom::Loom(int threads, int width) { this->threads = threads; }
int Loom::weave(int threads, bool tight) { return threads + width; }
}
""",
}
_OWN = "torch::loom::Loom"
_INCLUDER = " stands in torch/csrc/loom/loom.cpp, which includes it"


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("declarations")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (4, ["torch::loom::spun is declared there"]),
        (5, ["torch::loom::spun is declared there"]),
        (6, ["torch::loom::spun is declared there"]),
        # A parameter is no data member, though the class has one of that name.
        (9, [f"{_OWN}::Loom is declared there"]),
        (10, [f"{_OWN}::Loom is declared there"]),
        (12, [f"{_OWN}::weave is declared there"]),
        (13, [f"{_OWN}::weave is declared there"]),
        (14, [f"{_OWN}::Loom uses threads of {_OWN}", f"{_OWN}::weave uses threads of {_OWN}"]),
        # A value declares nothing.
        (17, [f"{_OWN}::Loom is a method of {_OWN}", f"{_OWN}::weave is a method of {_OWN}"]),
        (
            21,
            [f"torch::loom::{name}" + _INCLUDER for name in ("spun", "Loom::Loom", "Loom::weave")],
        ),
    ],
)
def test_what_goes_on_in_a_line(conn: sqlite3.Connection, line: int, names: list[str]) -> None:
    text = FILES[_HEADER].splitlines()[line - 1]
    new = text.replace("int ", "long ").replace("bool ", "char ").replace("1", "4")
    diff = f"--- a/{_HEADER}\n+++ b/{_HEADER}\n@@ -{line} +{line} @@\n-{text}\n+{new}\n"
    assert [one.name for one in ask(conn, "affected", diff=diff).changed] == names


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (23, "torch::loom::Bobbin::wind"),
        (24, "torch::loom::Bobbin::wind"),
        (32, "torch::loom::other::Spool::wind"),
    ],
)
def test_what_overrides_it(conn: sqlite3.Connection, line: int, name: str) -> None:
    text = FILES[_HEADER].splitlines()[line - 1]
    new = text.replace("int turns", "long turns").replace("virtual int", "virtual long")
    diff = f"--- a/{_HEADER}\n+++ b/{_HEADER}\n@@ -{line} +{line} @@\n-{text}\n+{new}\n"
    names = [one.name for one in ask(conn, "affected", diff=diff).changed]
    assert names == [f"{name} overrides what is declared there"]


def test_impact_of_a_parameter(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name=f"{_HEADER}:12")
    assert [subject.name for subject in answer.subjects] == [f"{_OWN}::weave"]


@pytest.mark.parametrize(
    ("lines", "begin"),
    [
        (["int f(", "    int a,"], 1),
        (["int g();", "int f(h(1), {", "    2},"], 2),
        (["struct A {"], None),
        (["int f(int a) {", "  return g("], 2),
        # What a comment opens ends nowhere.
        (["// (see", "int g();"], None),
        ([], None),
    ],
)
def test_where_a_list_of_arguments_begins(lines: list[str], begin: int | None) -> None:
    assert argument_list(lines) == begin
