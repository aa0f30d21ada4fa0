"""What is asked about a folder, a package beside torch or a line far behind a file's end is told what it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.places import several

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: weave(Tensor self) -> Tensor\n- func: shuttle_of(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/loom/Weft.cpp": "namespace at::native {\nvoid weft() {}\n}\n",
    "torch/__init__.py": "def shuttles(): ...\n",
    "shuttle/__init__.py": "class Weaver: ...\n",
    "shuttle/thread.py": "",
    "bobbin.py": "",
}
_FOLDER = "aten/src/ATen/native"
_IN_ATEN = [f"{_FOLDER}/loom/Weft.cpp", f"{_FOLDER}/native_functions.yaml"]


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("folders")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("trace", "name"),
        ("calls", "name"),
        ("impact", "name"),
        ("compile_path", "name"),
        ("trace_module", "name"),
        ("find_similar_tests", "query"),
    ],
)
@pytest.mark.parametrize("written", [_FOLDER, f"./{_FOLDER}/"])
def test_a_folder_is_said_to_be_one(
    conn: sqlite3.Connection, tool: str, argument: str, written: str
) -> None:
    answer = ask(conn, tool, **{argument: written})
    assert not answer.found
    said = f"{_FOLDER} is a folder with 2 files of this index: ask for one of them, such as {_FOLDER}/loom/Weft.cpp"
    assert answer.finding == said


@pytest.mark.parametrize(
    ("written", "said", "files"),
    [
        ("aten/src", "aten/src is a folder with", _IN_ATEN),
        ("./aten/src/", "aten/src is a folder with", _IN_ATEN),
        ("/home/me/pytorch/aten/src", "aten/src is a folder with", _IN_ATEN),
        ("aten/**/*.cpp", "aten/**/*.cpp fits", _IN_ATEN[:1]),
        ("aten/src/ATen/native/*", "aten/src/ATen/native/* fits", _IN_ATEN[1:]),
        (
            "shuttle/*.py bobbin.py",
            "shuttle/*.py fits",
            ["shuttle/__init__.py", "shuttle/thread.py"],
        ),
    ],
)
def test_a_folder_of_few_files_and_a_pattern_are_a_change_of_these(
    conn: sqlite3.Connection, written: str, said: str, files: list[str]
) -> None:
    answer = ask(conn, "affected", names=written)
    count = (
        "1 file of this index, which is taken"
        if len(files) == 1
        else "2 files of this index, all of which are taken"
    )
    assert f"{said} {count}: {', '.join(files)}" in answer.notes
    assert not [text for text in answer.unseen if "nothing in the index" in text]


def test_what_is_no_folder_or_of_too_many_files_is_no_change(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "folder" not in ask(conn, "affected", names="shuttle/x").unseen[0]
    assert ask(conn, "affected", names="shuttle/*.cpp").unseen == (
        "no file of this index fits shuttle/*.cpp",
    )
    monkeypatch.setattr(several, "MOST_FILES", 1)
    assert (
        "shuttle is a folder with 2 files of this index, more than the 1"
        in (ask(conn, "affected", names="shuttle/").unseen[0])
    )


@pytest.mark.parametrize("tool", ["calls", "called_by", "impact", "trace", "search", "affected"])
def test_lines_that_end_before_they_begin_are_turned_and_this_is_said(
    conn: sqlite3.Connection, tool: str
) -> None:
    asked = {"search": "query", "affected": "names"}.get(tool, "name")
    assert "taken as Weft.cpp:1-2" in ask(conn, tool, **{asked: "Weft.cpp:2-1"}).notes


def test_a_package_beside_torch_is_a_module(conn: sqlite3.Connection) -> None:
    assert (
        ask(conn, "trace", name="shuttle").finding
        == "shuttle is a Python module: ask for a name in it"
    )
    assert ask(conn, "trace_module", name="shuttle").finding.startswith(
        "shuttle is a Python file or package: ask for its class"
    )
    # A script is none: its name says too little.
    assert ask(conn, "trace", name="bobbin").finding == "nothing in this index is called 'bobbin'"


@pytest.mark.parametrize("line", [99, 10**12])
def test_a_line_behind_the_end(conn: sqlite3.Connection, line: int) -> None:
    path = f"{_FOLDER}/loom/Weft.cpp"
    finding = ask(conn, "calls", name=f"{path}:{line}").finding
    assert finding == f"{path} has 3 lines and no line {line}"


@pytest.mark.parametrize("tool", ["trace", "calls", "compile_path"])
def test_names_like_a_folders_are_not_what_was_meant(conn: sqlite3.Connection, tool: str) -> None:
    assert ask(conn, tool, name="shuttlo").closest
    assert not ask(conn, tool, name="shuttle/").closest
