"""search by a place: a file, a module of Python, a namespace of C++."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.tools.searching import inside

_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: weave(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/Loom.cpp": (
        "namespace at::native {\nstatic void thread(int n) { }\nstatic void thread(float n) { }\n"
        "Tensor weave(const Tensor& x) { thread(1); return x; }\n"
        "namespace inner {\nvoid knot() { }\n}\n}\n"
    ),
    "aten/src/ATen/native/cuda/Loom.cu": "__global__ void shuttle(int n) { }\n",
    "torch/__init__.py": "",
    "torch/loom/__init__.py": "from torch.loom.frame import Frame as Frame\n\n\ndef warp(x):\n    pass\n",
    "torch/loom/frame.py": (
        "def _beam():\n    def inside(): pass\n\n\nclass Frame:\n    def turn(self): pass\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("inside")) as connection:
        yield connection


def names(
    conn: sqlite3.Connection, query: str, **more: object
) -> list[tuple[str, str, int | None]]:
    answer = ask(conn, "search", query=query, **more)
    return [(hit.kind, hit.name, hit.place.line) for hit in answer.others]


def test_a_file_shows_what_it_defines_in_its_order(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "search", query="Loom.cpp")
    assert answer.finding == "aten/src/ATen/native/Loom.cpp is a file with 3 names"
    assert [(hit.name, hit.places) for hit in answer.others] == [
        ("at::native::thread", 2), ("at::native::weave", 1), ("at::native::inner::knot", 1)
    ]  # fmt: skip
    assert names(conn, "cuda/Loom.cu", kind="cuda") == [("cuda", "shuttle", 1)]
    assert names(conn, "torch/loom/frame.py") == [
        ("python", "torch.loom.frame._beam", 1), ("class", "torch.loom.Frame", 5)
    ]  # fmt: skip


def test_pages_go_on(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "search", query="Loom.cpp", limit=1, offset=1)
    assert ([hit.name for hit in answer.others], answer.others_page.total) == (
        ["at::native::weave"], 3,
    )  # fmt: skip


def test_files_that_end_alike_are_listed(conn: sqlite3.Connection) -> None:
    finding = ask(conn, "search", query="__init__.py").finding
    assert finding.startswith("__init__.py is 2 files: ask ")


def test_a_file_without_names_says_what_else_to_ask(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "search", query="native_functions.yaml")
    assert answer.finding.startswith("aten/src/ATen/native/native_functions.yaml is a file: ask ")


def test_a_file_that_there_is_not_is_no_name(conn: sqlite3.Connection) -> None:
    """A wheel has no ReduceOps.cpp, and many names with a word cpp."""
    answer = ask(conn, "search", query="loom.cuh")
    assert answer.finding == "no file of this index is called loom.cuh"
    assert set(answer.closest) == {
        "aten/src/ATen/native/Loom.cpp", "aten/src/ATen/native/cuda/Loom.cu"
    }  # fmt: skip
    assert ask(conn, "search", query="torch.loom.Frame").found


def test_a_module_shows_its_own_and_what_users_import_from_it(conn: sqlite3.Connection) -> None:
    assert names(conn, "torch.loom") == [
        ("python", "torch.loom.warp", 4), ("class", "torch.loom.Frame", 5)
    ]  # fmt: skip


@pytest.mark.parametrize("query", ["at::native", "at::native::"])
def test_a_namespace_shows_what_is_nearest(conn: sqlite3.Connection, query: str) -> None:
    assert [name for _, name, _ in names(conn, query)] == [
        "at::native::thread", "at::native::weave", "at::native::inner::knot"
    ]  # fmt: skip


def test_operators_alone_are_searched_for_as_before(conn: sqlite3.Connection) -> None:
    assert [hit.name for hit in ask(conn, "search", query="weave").hits] == ["aten::weave"]
    assert not ask(conn, "search", query="Loom.cpp", kind="operator").found


def test_a_line_is_what_other_tools_take(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "search", query="Loom.cpp:3")
    assert answer.finding.startswith("Loom.cpp:3 is a line of a file, no name: trace, calls")
    assert not answer.found
    assert not ask(conn, "search", query="Nothing.cpp:3").finding.startswith("Nothing.cpp:3 is")


def test_a_folder_has_what_its_files_define(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "search", query="aten/src/ATen/native/")
    # The YAML is a file of it as well.
    assert answer.finding == "aten/src/ATen/native is a folder of 3 files with 4 names"
    assert [hit.name for hit in answer.others] == [
        "at::native::thread", "at::native::weave", "at::native::inner::knot", "shuttle",
    ]  # fmt: skip
    assert names(conn, "./aten/src/ATen/native", kind="cuda") == [("cuda", "shuttle", 1)]


def test_a_package_is_its_module(conn: sqlite3.Connection) -> None:
    assert names(conn, "torch/loom") == names(conn, "torch.loom")


def test_a_folder_of_very_many_files_names_those_in_it(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inside, "_MOST_FILES", 2)
    answer = ask(conn, "search", query="aten/src/ATen/native")
    assert answer.finding == (
        "aten/src/ATen/native is a folder of 3 files: 2 files of its own, the others in cuda (1);"
        " search one of these folders or files"
    )
    assert not answer.others
