"""Methods of a class template by its arguments: those of other specializations are not meant."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: plain(Tensor self) -> Tensor\n",
    "aten/src/ATen/cpu/vec/base.h": """\
namespace at::vec {
template <typename T, typename Enable = void>
struct Lane { int width() { return 1; } };
template <typename T>
struct Lane<T, std::enable_if_t<is_wide<T>>> { int width() { return 2; } };
template <>
struct Lane<float> { int width() { return 3; } };
template <> class Lane<c10::complex<double>> : public Base {
  int width() { return 4; }
};
using Wide = c10::complex<double>;
template <> struct Lane<int32_t> { int width(); };
template <> int Lane<int32_t>::width() { return 5; }
}
""",
    "aten/src/ATen/cpu/vec/other.h": """\
namespace at::vec {
template <> struct Lane<Wide> { int width() { return 6; } };
template <typename T> struct Lane<std::vector<T>> { int width() { return 7; } };
}
""",
}
LINES = {
    f"{path.rpartition('/')[2]}:{number}": int(line.partition("return ")[2].partition(";")[0])
    for path, text in FILES.items()
    for number, line in enumerate(text.split("\n"), 1)
    if "return " in line
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("lanes")) as connection:
        yield connection


def meant(conn: sqlite3.Connection, name: str) -> list[int]:
    """Which definitions a name means, by what each returns."""
    places = [subject.place for subject in ask(conn, "called_by", name=name).subjects]
    return [LINES[f"{str(place.file).rpartition('/')[2]}:{place.line}"] for place in places]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        # What is specialized for the arguments comes first, what the template has for any behind it.
        ("Lane<float>::width", [3, 1, 2]),
        ("at::vec::Lane<float>::width() const", [3, 1, 2]),
        ("Lane<complex<double>>::width", [4, 6, 1, 2]),
        ("Lane<int>::width", [5, 1, 2]),
        # Nothing is for these alone, or nothing is told of arguments.
        ("Lane<double>::width", [1, 2, 3, 4, 5, 6, 7]),
        ("Lane::width", [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_arguments_of_a_class(conn: sqlite3.Connection, name: str, found: list[int]) -> None:
    assert meant(conn, name) == found


def test_it_is_said(conn: sqlite3.Connection) -> None:
    assert (
        "1 of the 7 definitions of this name, of Lane<float>, and 2 others of the template for any;"
        " ask at::vec::Lane::width for all"
    ) in ask(conn, "calls", name="Lane<float>::width").notes


def test_without_the_tree_all_are_meant(tmp_path: Path) -> None:
    with indexed(FILES, tmp_path) as found:
        shutil.rmtree(tmp_path / "tree")
        assert len(meant(found, "Lane<float>::width")) == len(LINES)
