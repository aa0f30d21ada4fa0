"""Abstract methods of C++ classes, and overloads by their parameters: names without a definition of their own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: mean(Tensor self) -> Tensor\n",
    "c10/core/Maker.h": """\
namespace c10 {
struct Maker {
  virtual ~Maker() = default;
  virtual int make(int n) = 0;
  virtual int remove(int n) = 0;
};
struct PlainMaker : Maker {
  int make(int n) override { return n; }
  int remove(int n) override { return -n; }
};
namespace cached {
struct CachedMaker : public c10::PlainMaker {
  int make(int n) override { return n + 1; }
};
}
// Called alike, and of another.
struct Other {};
struct OtherMaker : Other {
  int make(int n) { return 0; }
};
int use(Maker& maker) {
  return maker.make(3);
}
struct Box { int n; };
bool operator==(const Box& a, const Box& b) { return a.n == b.n; }
}
bool operator==(const char* a, int b) { return true; }
bool operator==(int a, const char* b) { return true; }
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("abstract")) as opened:
        yield opened


@pytest.mark.parametrize("name", ["c10::Maker::make", "Maker::make"])
def test_those_that_override_it_are_meant(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "called_by", name=name)
    assert {subject.name for subject in answer.subjects} == {
        "c10::PlainMaker::make",
        "c10::cached::CachedMaker::make",
    }
    lines = text(conn, "called_by", name=name)
    assert any("c10::use" in line for line in lines)
    assert any("c10::Maker has no definition of make in this index" in line for line in lines)


def test_the_one_that_overrides_it(conn: sqlite3.Connection) -> None:
    lines = text(conn, "called_by", name="c10::Maker::remove")
    assert lines[0].startswith("c10::PlainMaker::remove")


def test_what_no_heir_has_is_not_known(conn: sqlite3.Connection) -> None:
    assert not ask(conn, "called_by", name="c10::Maker::mend").found
    assert not ask(conn, "called_by", name="c10::Other::mend").found


def test_an_overload_of_a_namespace_by_its_parameters_alone(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "called_by", name="operator==(const Box&, const c10::Box&)")
    assert [subject.name for subject in answer.subjects] == ["c10::operator=="]
    # One that stands in no namespace comes first.
    answer = ask(conn, "called_by", name="operator==(int, const char*)")
    assert [subject.name for subject in answer.subjects] == ["operator=="]
