"""Test files of which something changed that leads to none of their tests: they are run as a whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed

_HEAD = "from torch.testing._internal.common_utils import TestCase, run_tests\n"
_MAKES = "test/test_makes.py"
_LOOM = "test/test_loom.py"
_SCRIPT = "test/bin/test_script.py"
_RUNNER = "test/run_test.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/__init__.py": "",
    "torch/testing/_internal/__init__.py": "",
    "torch/testing/_internal/common_utils.py": (
        "import unittest\n\n\nclass TestCase(unittest.TestCase):\n    pass\n\n\ndef run_tests():\n    unittest.main()\n"
    ),
    _MAKES: (
        f"{_HEAD}\n\ndef make(of):\n    globals()[of] = type(of, (TestCase,), {{}})\n\n\n"
        "for one in ('TestA', 'TestB'):\n    make(one)\n\nif __name__ == '__main__':\n    run_tests()\n"
    ),
    _LOOM: (
        f"{_HEAD}\n\ndef helper():\n    return 1\n\n\ndef named_in_a_table():\n    return 2\n\n\n"
        "class TestLoom(TestCase):\n    def test_one(self):\n        helper()\n\n    def test_two(self):\n        pass\n"
    ),
    _SCRIPT: "def main():\n    return 1\n\n\nmain()\n",
    _RUNNER: "def start():\n    return 1\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("whole_files")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("path", "old", "new", "commands"),
    [
        (_MAKES, "(TestCase,)", "(object,)", (f"pytest {_MAKES}",)),
        (_LOOM, "return 2", "return 3", (f"pytest {_LOOM}",)),
        (_LOOM, "return 1", "return 3", (f"pytest {_LOOM}::TestLoom::test_one",)),
        # What tests start is no test file, and neither is what starts tests.
        (_SCRIPT, "return 1", "return 3", ()),
        (_RUNNER, "return 1", "return 3\n\n\ndef test_jit():\n    return 1", ()),
    ],
)
def test_what_leads_to_no_test_of_its_file(
    conn: sqlite3.Connection, path: str, old: str, new: str, commands: tuple[str, ...]
) -> None:
    answer = affected_by(conn, FILES, path, old, new)
    assert tuple(one for one in answer.commands if path in one) == commands
