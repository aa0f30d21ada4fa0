"""Types that have no functions, by their names: enumerations, their values, aliases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools.affected import affected
from torchtalk.tools.called_by import called_by
from torchtalk.tools.impact import impact

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: mean(Tensor self) -> Tensor\n",
    "c10/core/Format.h": """\
#pragma once
namespace c10 {
enum class Format : int8_t {
  Dense,
  Strided = 3,
};
using FormatList = ArrayRef<Format>;
} // namespace c10
namespace at {
using namespace c10;
}
""",
    "c10/core/Format.cpp": """\
#include <c10/core/Format.h>
namespace c10 {
bool is_dense(int i) {
  return i == static_cast<int>(Format::Dense);
}
bool is_strided(Format f) {
  return f == Format::Strided;
}
int count(FormatList all) {
  return all.size();
}
}
""",
    # Another type of the same name, whose file uses no other.
    "c10/util/Printing.h": """\
namespace c10::printing {
namespace {
enum class Format { Plain, Coloured };
}
bool is_plain(int i) {
  return i == static_cast<int>(Format::Plain);
}
}
""",
    "aten/src/ATen/Reduction.h": """\
namespace at {
using Format = c10::Format;
namespace reducing {
enum Kind { Mean, Sum };
}
int reduced(int kind) {
  return kind == reducing::Kind::Mean ? 1 : 2;
}
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("types")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "whole", "functions"),
    [
        ("c10::Format", "c10::Format", {"c10::is_dense", "c10::is_strided"}),
        ("at::Format", "c10::Format", {"c10::is_dense", "c10::is_strided"}),
        ("c10::Format::Dense", "c10::Format::Dense", {"c10::is_dense"}),
        ("FormatList", "c10::FormatList", {"c10::count"}),
        # No operator `mean` in another case.
        ("at::reducing::Kind::Mean", "at::reducing::Kind::Mean", {"at::reduced"}),
    ],
)
def test_functions_that_name_it_stand_for_it(
    conn: sqlite3.Connection, name: str, whole: str, functions: set[str]
) -> None:
    answer = impact(conn, name)
    assert answer.finding.startswith(f"{whole}: ")
    assert {subject.name for subject in answer.subjects} == functions


def test_one_of_several_is_asked_for(conn: sqlite3.Connection) -> None:
    answer = impact(conn, "Format")
    assert not answer.found
    assert "c10::Format, c10::printing::Format" in answer.finding


def test_it_is_said_what_it_is(conn: sqlite3.Connection) -> None:
    answer = called_by(conn, "c10::Format")
    assert "c10::Format is an enumeration (c10/core/Format.h:3)" in answer.finding


def test_what_changed_is_followed(conn: sqlite3.Connection) -> None:
    for name in ("c10::Format::Strided", "c10/core/Format.h:5"):
        answer = affected(conn, names=name)
        assert [one.name for one in answer.changed] == ["c10::is_strided uses Strided"]


def test_what_is_not_declared_is_not_known(conn: sqlite3.Connection) -> None:
    assert not impact(conn, "c10::Formatted").found
    assert not impact(conn, "c10::Format::Sparse").found
