"""What tests open by its path leads to them: a source that they build, a script that they start."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_HEAD = "from torch.testing._internal.common_utils import TestCase\n"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase): ...\n",
    "test/looms/jacquard.cpp": "int weave(int a) { return a; }\n",
    "test/looms/bin/shuttle.py": "print(1)\n",
    "test/looms/setup.py": "print(2)\n",
    "test/shed/deep/setup.py": "print(3)\n",
    "test/expect/TestLooms.test_build.expect": "1\n",
    "test/test_looms.py": f"""\
{_HEAD}
class TestLooms(TestCase):
    def test_build(self):
        load("jacquard", sources=["looms/jacquard.cpp"])
    def test_other(self):
        load("jacquard", sources=["sheds/jacquard.cpp", "my_jacquard.cpp"])
    def test_setup(self):
        run("setup.py")
""",
    "test/looms/test_scripts.py": f"""\
{_HEAD}
class TestScripts(TestCase):
    def _start(self):
        return run(bin("shuttle.py"))
    def test_start(self):
        self._start()
    def test_none(self):
        run("shuttle.pyc")
""",
    "test/yarn/test_yarn.py": f"""\
{_HEAD}
class TestYarn(TestCase):
    def test_yarn(self):
        run("shuttle.py", "jacquard.cpp")
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("fixtures")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("test/looms/jacquard.cpp", {"TestLooms.test_build"}),
        ("test/looms/bin/shuttle.py", {"TestScripts.test_start"}),
        ("test/looms/setup.py", {"TestLooms.test_setup"}),
        ("test/shed/deep/setup.py", set()),
    ],
)
def test_a_path_in_the_text_of_a_test(conn: sqlite3.Connection, path: str, tests: set[str]) -> None:
    """Each of them led to no test, or to those beside it."""
    first = _FILES[path].splitlines()[0]
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{first}\n+{first} \n+x\n"
    reason = f'has "{path.rpartition("/")[2]}"'
    for asked in ({"names": path}, {"diff": diff}):
        answer = ask(conn, "affected", **asked)
        assert {one.name for one in answer.tests if reason in str(one.path)} == tests


def test_an_expectation_by_its_name_is_its_tests(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="test/expect/TestLooms.test_build.expect")
    assert [one.name for one in answer.tests] == ["TestLooms.test_build"]
    assert not answer.unseen
