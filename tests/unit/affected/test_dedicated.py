"""Tests of a file that import a module and have all words of its name have a share, whatever the graph leads to."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed

_CACHE = "torch/_functorch/_aot/thread_cache.py"
_CASE = "from torch.testing._internal.common_utils import TestCase\n"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: add(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_functorch/__init__.py": "",
    "torch/_functorch/_aot/__init__.py": "",
    _CACHE: (
        "class ThreadCache:\n    @staticmethod\n    def find(key):\n        return key\n\n"
        "    @staticmethod\n    def load(key):\n        return ThreadCache.find(key)\n"
    ),
    "test/test_runs.py": (
        f"from torch._functorch._aot.thread_cache import ThreadCache\n{_CASE}\n\nclass TestRuns(TestCase):\n"
        + "".join(
            f"    def test_run_{at}(self):\n        ThreadCache.find({at})\n\n" for at in range(40)
        )
    ),
    "test/dynamo/test_aot_thread_cache.py": (
        f"from torch._functorch._aot.thread_cache import ThreadCache\n{_CASE}\n\nclass TestCaching(TestCase):\n"
        "    def test_hit(self):\n        pass\n\n    def test_miss(self):\n        pass\n"
    ),
    "test/dynamo/test_other_thread_cache.py": (
        f"{_CASE}\n\nclass TestOthers(TestCase):\n    def test_far(self):\n        pass\n"
    ),
    "torch/testing/__init__.py": "",
    "torch/testing/_internal/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\n\n\nclass TestCase(unittest.TestCase):\n    pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("dedicated")) as connection:
        yield connection


def test_the_dedicated_file_has_a_share(conn: sqlite3.Connection) -> None:
    answer = affected_by_line(conn, FILES, _CACHE, "return key")
    names = {test.name for test in answer.tests}
    assert sum(name.startswith("TestRuns") for name in names) > 20
    assert {"TestCaching.test_hit", "TestCaching.test_miss"} <= names
    # It is called like it as well, and does not import it.
    assert "TestOthers.test_far" not in names
