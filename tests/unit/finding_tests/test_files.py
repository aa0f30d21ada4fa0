"""test_file_info of paths as people have them, and of files that have no tests."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_HEAD = (
    "import torch.nn.functional as F\nfrom torch.testing._internal.common_utils import TestCase\n"
)
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/nn/functional.py": "def warp(x):\n    return x\n",
    "torch/testing/_internal/common_utils.py": "class TestCase:\n    pass\n",
    "test/test_warp.py": (
        f"{_HEAD}from torch.testing._internal.common_device_type import instantiate_device_type_tests\n"
        "class TestWarpMPS(TestCase):\n    def test_it(self, device):\n        pass\n"
        "instantiate_device_type_tests(TestWarpMPS, globals(), allow_mps=True, only_for='mps')\n"
    ),
    **{
        f"test/test_for_{name}.py": (
            f"{_HEAD}from torch.testing._internal.common_device_type import instantiate_device_type_tests\n"
            f"{first}\nclass TestWeft(TestCase):\n    def test_it(self, device):\n        pass\n"
            f"{second}\ninstantiate_device_type_tests(TestWeft, globals(), {given})\n"
        )
        for name, first, second, given in (
            ("some", 'kinds = ("cuda", "hpu")', "", "only_for=kinds"),
            ("added", 'kinds = ["cuda"]', "kinds.append(f())", "only_for=kinds"),
            ("branch", 'kinds = "cuda"', "if f():\n    kinds = 'xpu'", "only_for=kinds"),
            ("called", "kinds = f()", "", "only_for=kinds"),
            ("others", "", "", "except_for='cpu'"),
        )
    },
    "test/test_packed/__init__.py": "",
    "torch/csrc/jit/codegen/cuda/test/test_gpu.cpp": "#include <gtest/gtest.h>\nTEST(NVFuserTest, One) { f(1); }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("files")) as connection:
        yield connection


@pytest.mark.parametrize(
    "path",
    [
        "test/test_warp.py::TestWarpMPS::test_it",
        "test_warp.py:12",
        "test\\test_warp.py",
        "/home/me/pytorch/test/test_warp.py",
        "./test/test_warp.py",
        "test_warp",
        "test/test_warp/",
    ],
)
def test_paths_as_people_have_them(conn: sqlite3.Connection, path: str) -> None:
    answer = all_tools()["test_file_info"].ask(conn, path=path)
    assert answer.path == "test/test_warp.py"
    assert answer.finding.startswith("test/test_warp.py: 1 test in 1 class, ")


def test_the_devices_that_it_is_made_for_are_named(conn: sqlite3.Connection) -> None:
    note = all_tools()["test_file_info"].ask(conn, path="test_warp").notes[0]
    assert note.startswith(
        "for each device: TestWarpMPS becomes TestWarpMPSMPS, and test_x test_x_mps;"
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("some", "for each device: TestWeft becomes TestWeftCUDA, TestWeftHPU, and test_x test_x_cuda;"),
        ("added", "TestWeft, for each device (only_for=kinds), becomes a class for each,"),
        ("branch", "TestWeft, for each device (only_for=kinds), becomes a class for each,"),
        ("called", "TestWeft, for each device (only_for=kinds), becomes a class for each,"),
        ("others", "for each device: TestWeft becomes TestWeftCUDA …, and test_x test_x_cuda;"),
    ],
)  # fmt: skip
def test_devices_that_a_name_of_the_module_stands_for(
    conn: sqlite3.Connection, name: str, said: str
) -> None:
    """As test/distributed/fsdp/ has it: `only_for=devices`; of a name with several values none is told."""
    assert (
        all_tools()["test_file_info"].ask(conn, path=f"test_for_{name}").notes[0].startswith(said)
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("torch/nn/functional.py", "imported by test/test_warp.py"),
        ("functional.py", "affected torch/nn/functional.py"),
        ("torch/testing/_internal/common_utils.py", "list_test_utils"),
    ],
)
def test_a_file_without_tests_is_said_to_have_none(
    conn: sqlite3.Connection, path: str, said: str
) -> None:
    answer = all_tools()["test_file_info"].ask(conn, path=path)
    assert answer.finding.endswith(f"{path} has no tests")
    assert any(said in note for note in answer.notes)


def test_a_folder_s_name_makes_no_file_of_tests(conn: sqlite3.Connection) -> None:
    """test/package/test_trace_dep/__init__.py, of 405 files that are called so in PyTorch 2.6.0."""
    answer = all_tools()["test_file_info"].ask(conn, path="__init__.py")
    assert answer.finding == "none of the 2 files that end in '__init__.py' has tests"
    alone = all_tools()["test_file_info"].ask(conn, path="test_packed/__init__.py")
    assert alone.finding == "test/test_packed/__init__.py has no tests"


def test_a_file_that_is_not_there_brings_those_called_alike(conn: sqlite3.Connection) -> None:
    answer = all_tools()["test_file_info"].ask(conn, path="test/test_wrap.py")
    assert answer.finding == "no file with tests has 'test/test_wrap.py' in its path"
    assert answer.closest == ("test/test_warp.py",)
    assert all_tools()["test_file_info"].ask(conn, path=" ").closest == ()


def test_the_program_that_takes_in_the_tests_of_nvfuser(conn: sqlite3.Connection) -> None:
    assert all_tools()["test_file_info"].ask(conn, path="test_gpu").commands == (
        "build/bin/test_jit",
    )


@pytest.mark.parametrize(
    ("behind", "said"),
    [
        ("::TestWarpMPS::test_it", "the test that is asked for is TestWarpMPS.test_it  {}:"),
        ("::TestWarpMPSCPU::test_it_cpu[x]", "the test that is asked for is TestWarpMPS.test_it  {}:"),
        ("::TestWarpMPS::test_that", "no test of the file is written as test_that"),
    ],
)  # fmt: skip
def test_a_pytest_id_names_a_test(conn: sqlite3.Connection, behind: str, said: str) -> None:
    path = conn.execute(
        "SELECT f.path FROM tests AS t JOIN source_files AS f ON f.id = t.file_id"
        " JOIN test_classes AS c ON c.id = t.class_id WHERE c.name = 'TestWarpMPS' LIMIT 1"
    ).fetchone()[0]
    notes = ask(conn, "test_file_info", path=path + behind).notes
    assert notes[0].startswith(said.format(path))
