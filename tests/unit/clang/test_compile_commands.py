"""A build's own command lines, in each way they are written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.clang.compile_commands import (
    Command,
    CompileCommandsError,
    Database,
    find_database,
    read_database,
)


def read(folder: Path, *entries: object) -> Database:
    path = folder / "compile_commands.json"
    path.write_text(json.dumps(entries))
    return read_database(path, folder)


def one(folder: Path, **entry: object) -> Command:
    found = read(folder, {"directory": str(folder), "file": "a.cpp", **entry})
    (command,) = found.commands.values()
    return command


def test_arguments(tmp_path: Path) -> None:
    command = one(
        tmp_path,
        arguments=[
            "c++",
            "-DX=1",
            "-Iinc",
            "-std=c++20",
            "-O3",
            "-Wall",
            "-o",
            "a.o",
            "-c",
            "a.cpp",
        ],
    )
    assert command == Command(
        f"{tmp_path}/a.cpp", ("-x", "c++", "-std=c++20", "-DX=1", "-I", f"{tmp_path}/inc"), False
    )


def test_a_quoted_command(tmp_path: Path) -> None:
    command = one(
        tmp_path, command="/usr/bin/c++ '-DNAME=\"a b\"' -isystem ../sys -I/abs\\ path -c a.cpp"
    )
    parent = tmp_path.parent
    assert command.arguments[3:] == ('-DNAME="a b"', "-isystem", f"{parent}/sys", "-I", "/abs path")


def test_paths_are_relative_to_the_directory(tmp_path: Path) -> None:
    command = one(
        tmp_path,
        directory=f"{tmp_path}/build",
        file="../src/a.cpp",
        arguments=["cc", "-I.", "../src/a.cpp"],
    )
    assert command.file == f"{tmp_path}/src/a.cpp"
    assert command.arguments[3:] == ("-I", f"{tmp_path}/build")


def test_included_files(tmp_path: Path) -> None:
    (tmp_path / "pre.h").write_text("")
    command = one(tmp_path, arguments=["c++", "-include", "pre.h", "-include", "other.h", "a.cpp"])
    assert command.arguments[3:] == ("-include", f"{tmp_path}/pre.h", "-include", "other.h")


def test_response_files(tmp_path: Path) -> None:
    (tmp_path / "more.rsp").write_text('-DA="1 2" @deep.rsp')
    (tmp_path / "deep.rsp").write_text("-DB")
    (tmp_path / "loop.rsp").write_text("@loop.rsp")
    command = one(tmp_path, arguments=["c++", "@more.rsp", "@missing.rsp", "a.cpp"])
    assert command.arguments[3:] == ("-DA=1 2", "-DB")
    assert one(tmp_path, arguments=["c++", "@loop.rsp", "a.cpp"]).arguments == (
        "-x",
        "c++",
        "-std=gnu++17",
    )


def test_nvcc(tmp_path: Path) -> None:
    command = one(
        tmp_path, file="k.cu",
        command="/opt/cuda/bin/nvcc -forward-unknown-to-host-compiler --define-macro=A -DB --include-path=inc -isystem=/s "
        "--expt-relaxed-constexpr -gencode arch=compute_80,code=sm_80 -Xcompiler -fPIC -Xfatbin -compress-all "
        "--options-file inc.rsp -std c++17 -x cu -c k.cu -o k.o",
    )  # fmt: skip
    assert command.is_device
    assert "-std=c++17" in command.arguments
    words = " ".join(command.arguments)
    for wanted in ("-DA", "-DB", f"-I {tmp_path}/inc", "-isystem /s"):
        assert wanted in words
    for unwanted in ("gencode", "compute_80", "compress-all", "expt", "fatbin", "k.o"):
        assert unwanted not in words


def test_launchers_are_passed_over(tmp_path: Path) -> None:
    assert one(tmp_path, arguments=["ccache", "sccache", "g++", "-DX", "a.cpp"]).arguments[3:] == (
        "-DX",
    )


def test_c_is_c(tmp_path: Path) -> None:
    assert one(tmp_path, file="a.c", arguments=["cc", "-DX", "a.c"]).arguments == ("-x", "c", "-DX")


def test_the_first_command_of_a_file_counts(tmp_path: Path) -> None:
    entry = {"directory": str(tmp_path), "file": "a.cpp"}
    found = read(
        tmp_path,
        {**entry, "arguments": ["c++", "-DA", "a.cpp"]},
        {**entry, "arguments": ["c++", "-DB", "a.cpp"]},
        3,
        {},
    )
    assert [c.arguments[3:] for c in found.commands.values()] == [("-DA",)]
    assert (found.entries, found.unreadable) == (4, 2)


@pytest.mark.parametrize("text", ["", "{}", "nonsense", "[" * 100_000, "\0"])
def test_what_is_no_database(tmp_path: Path, text: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    with pytest.raises(CompileCommandsError, match="compile_commands.json"):
        read_database(path, tmp_path)


def test_where_it_is_looked_for(tmp_path: Path) -> None:
    assert find_database(tmp_path) is None
    (tmp_path / "build").mkdir()
    built = tmp_path / "build/compile_commands.json"
    built.write_text("[]")
    assert find_database(tmp_path) == built
    assert find_database(tmp_path, tmp_path / "build") == built
    assert find_database(tmp_path, tmp_path / "x.json") == tmp_path / "x.json"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_no_database(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "compile_commands.json"
    make(path)
    with pytest.raises(CompileCommandsError, match=r"compile_commands\.json"):
        read_database(path, tmp_path)


def test_files_that_name_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "loop.rsp").write_text("-DA " + "@loop.rsp " * 12)
    for number in range(8):
        (tmp_path / f"{number}.rsp").write_text(f"@{number + 1}.rsp " * 12)
    (tmp_path / "8.rsp").write_text("-DB")
    os.mkfifo(tmp_path / "fifo.rsp")
    entry = {"directory": str(tmp_path), "file": "a.cpp"}
    assert one(tmp_path, arguments=["c++", "@loop.rsp", "@fifo.rsp", "a.cpp"]).arguments[3:] == (
        "-DA",
    )
    found = read(tmp_path, {**entry, "arguments": ["c++", "@0.rsp", "a.cpp"]})
    assert (found.entries, found.unreadable, dict(found.commands)) == (1, 1, {})


def test_entries_that_no_command_line_can_hold(tmp_path: Path) -> None:
    entry = {"directory": str(tmp_path), "file": "a.cpp"}
    found = read(
        tmp_path,
        {**entry, "command": "c++ -DX='"},
        {**entry, "arguments": ["c++", "-DX=\ud800"]},
        {**entry, "arguments": ["c++", "-DX=\0"]},
        {**entry, "file": "\udfff.cpp", "arguments": ["c++"]},
        {**entry, "arguments": ["c++", "-DGOOD"]},
    )
    assert [c.arguments[3:] for c in found.commands.values()] == [("-DGOOD",)]
    assert found.told([f"{tmp_path}/a.cpp", f"{tmp_path}/b.cpp"]) == (
        "compile_commands.json: 1 of 2 units have a command in it; 4 of its 5 entries cannot be read"
    )


def test_a_tree_may_be_named_by_a_link(tmp_path: Path) -> None:
    root = tmp_path / "real"
    (root / "inc").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    link = f"{tmp_path}/link"
    entry = {
        "directory": link,
        "file": f"{link}/a.cpp",
        "arguments": ["c++", "-Iinc", "-I/usr/x", f"{link}/a.cpp"],
    }
    found = read(root, entry)
    (command,) = found.commands.values()
    assert command == Command(
        f"{root}/a.cpp", ("-x", "c++", "-std=gnu++17", "-I", f"{root}/inc", "-I", "/usr/x"), False
    )


def test_a_database_of_another_tree_says_so(tmp_path: Path) -> None:
    entry = {"directory": "/docker/tree", "file": "c10/a.cpp", "arguments": ["c++", "c10/a.cpp"]}
    found = read(tmp_path, entry)
    assert not found.commands
    assert found.told(["x"] * 2111) == (
        "compile_commands.json: 0 of 2,111 units have a command in it;"
        " it is of other files, such as /docker/tree/c10/a.cpp"
    )
