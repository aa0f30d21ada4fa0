"""Commands that run what is wanted alone, though pytest looks for words anywhere in names."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.commands import Selected, commands
from torchtalk.testing.exact import Wanted, expression

_UTILS = "torch.testing._internal.common_utils"
_DEVICE = "torch.testing._internal.common_device_type"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "test/test_loom.py": (
        f"from {_UTILS} import TestCase, run_tests\n"
        f"from {_DEVICE} import instantiate_device_type_tests\n\n\n"
        "class TestLoom(TestCase):\n"
        "    def test_shed(self):\n        pass\n\n    def test_shed_wide(self):\n        pass\n\n\n"
        "class TestLoomDevice(TestCase):\n"
        "    def test_shed(self, device):\n        pass\n\n"
        "    def test_heddle(self, device):\n        pass\n\n"
        "    def test_heddle_cpu_twice(self, device):\n        pass\n\n"
        "    def test_heddle_frame(self, device):\n        pass\n\n"
        "    def test_weft_c(self, device):\n        pass\n\n"
        "    def test_weft(self, device):\n        pass\n\n"
        "    @parametrize('pick', [1, 2])\n    def test_pick(self, device, pick):\n        pass\n\n"
        "    def test_pick_1(self, device):\n        pass\n\n\n"
        "instantiate_device_type_tests(TestLoomDevice, globals())\n"
        f"from {_UTILS} import instantiate_parametrized_tests\n"
        "instantiate_parametrized_tests(TestLoomDevice)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    place: Path = tmp_path_factory.mktemp("exact")
    with indexed(_FILES, place) as connection:
        yield connection


def _command(conn: sqlite3.Connection, query: str) -> str:
    hits = ask(conn, "find_similar_tests", query=query).hits
    return next(hit.command for hit in hits if hit.name.endswith(f".{query.replace(' ', '_')}"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # What has devices behind its name is told from what has more; a device is no such thing.
        ("test heddle", "'TestLoomDevice and test_heddle and not test_heddle_frame'"),
        # test_weft_c is in test_weft_cpu.
        ("test weft", "'TestLoomDevice and test_weft'"),
        # Of parameters nobody knows what they are called.
        ("test pick", "'TestLoomDevice and test_pick'"),
    ],
)
def test_one_that_is_made_for_devices(conn: sqlite3.Connection, query: str, expected: str) -> None:
    assert _command(conn, query) == f"pytest test/test_loom.py -k {expected}"


def test_several_of_a_file(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="test/test_loom.py")
    assert answer.commands == (
        "pytest test/test_loom.py -k '(TestLoom and test_shed and not TestLoomDevice)"
        " or (TestLoomDevice and (test_shed or test_heddle or test_weft or test_pick))'",
    )


def test_what_merged_commands_leave_out() -> None:
    """The one test of a file has an id; of several no id may be missing, or pytest runs none."""
    shed = Selected(
        "test/test_x.py", "test", "TestX", "test_shed",
        Wanted("TestX", "test_shed", ("test_shed_wide", "TestXDevice")), "test/test_x.py::TestX::test_shed",
    )  # fmt: skip
    assert commands([shed]) == ("pytest test/test_x.py::TestX::test_shed",)
    pick = Selected(
        "test/test_x.py", "test", "TestXDevice", "test_pick", Wanted("TestXDevice", "test_pick")
    )
    assert commands([shed, pick]) == (
        "pytest test/test_x.py -k '(TestX and test_shed and not (test_shed_wide or TestXDevice))"
        " or (TestXDevice and test_pick)'",
    )
    new = Selected("test/test_x.py", "test", "TestX", "test_new")
    assert commands([shed, new]) == (
        "pytest test/test_x.py -k 'test_new or (TestX and test_shed and not (test_shed_wide or TestXDevice))'",
    )


def test_what_is_wanted_itself_is_not_left_out() -> None:
    both = [
        Wanted("TestX", "test_a", ("test_a_b", "test_a_c")),
        Wanted("TestX", "test_a_b", ("test_a_b_d",)),
    ]
    assert expression(both) == "TestX and test_a and not (test_a_c or test_a_b_d)"
    made = [
        Wanted("Out.TestX", "test_a", ("test_a_b_d",)), Wanted("Out.TestX", "test_a_b", is_made=True),
    ]  # fmt: skip
    assert expression(made) == "TestX and test_a"
    assert expression([Wanted("", "test_a"), Wanted("", "test_b")]) == "test_a or test_b"
