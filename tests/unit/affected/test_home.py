"""Of tests that a change reaches alike, those first whose file is called like what changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.choice.home import NONE, OF_FILE, OF_FOLDER, OF_FOLDERS, Homes
from torchtalk.tools import all_tools

_TEST = (
    "from torch.utils.data.loader import load\nfrom torch.testing._internal.common_utils import TestCase\n"
    "class Test{0}(TestCase):\n    def test_{0}(self):\n        load(1)\n"
)
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/utils/data/loader.py": "def load(x):\n    return x\n",
    **{f"torch/{name}/utils.py": "X = 1\n" for name in ("_warp", "_weft", "fx", "nn")},
    "test/test_loader.py": _TEST.format("own"),
    "test/a/test_first.py": _TEST.format("first"),
    "test/data/test_second.py": _TEST.format("second"),
    "torch/utils/data/_utils/worker.py": "def loop(x):\n    return x\n",
    "torch/utils/data/sampling.py": (
        "from torch.utils.data._utils.worker import loop\n\n\ndef sample(x):\n    return loop(x)\n"
    ),
    **{
        f"test/test_{name}.py": (
            "from torch.utils.data.sampling import sample\n"
            "from torch.testing._internal.common_utils import TestCase\n"
            f"class Test{name}(TestCase):\n    def test_{name}(self):\n        sample(1)\n"
        )
        for name in ("bagging", "sampling")
    },
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("home")) as connection:
        yield connection


def test_tests_at_home_come_first(conn: sqlite3.Connection) -> None:
    path = "torch/utils/data/loader.py"
    answer = all_tools()["affected"].ask(
        conn, diff=f"--- a/{path}\n+++ b/{path}\n@@ -2 +2 @@\n-a\n+b\n"
    )
    assert [test.name for test in answer.tests] == [
        "Testown.test_own", "Testsecond.test_second", "Testfirst.test_first",
    ]  # fmt: skip
    assert answer.tests[0].path[-2:] == ("calls it", f"its file is called like {path}")
    assert answer.tests[1].path[-1] == answer.tests[2].path[-1] == "calls it"


def test_what_is_named_is_at_home_where_it_stands(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, names="torch.utils.data.loader.load")
    assert [test.name for test in answer.tests] == [
        "Testown.test_own", "Testsecond.test_second", "Testfirst.test_first",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "test", "factor"),
    [
        ("torch/utils/data/loader.py", "test/test_loader.py", OF_FILE),
        ("c10/util/SmallVector.h", "c10/test/util/small_vector_test.cpp", OF_FILE),
        ("torch/export/__init__.py", "test/export/test_export.py", OF_FILE),
        ("torch/_warp/utils.py", "test/warp/test_utils.py", OF_FILE),
        ("torch/_warp/utils.py", "test/test_utils.py", NONE),
        ("torch/_warp/variables/dicts.py", "test/warp/test_misc.py", OF_FOLDER),
        ("aten/src/ATen/native/mps/Copy.mm", "test/test_mps.py", OF_FOLDERS),
        ("torch/csrc/autograd/engine.cpp", "test/test_autograd.py", OF_FOLDERS),
        ("aten/src/ATen/native/cpu/Copy.cpp", "test/cpp/api/init.cpp", NONE),
        ("torch/_warp/loader.py", "test/test_jit.py", NONE),
    ],
)
def test_homes(conn: sqlite3.Connection, changed: str, test: str, factor: float) -> None:
    assert Homes(conn).factor(changed, test) == factor


def test_tests_at_home_on_the_way_come_first(conn: sqlite3.Connection) -> None:
    path = "torch/utils/data/_utils/worker.py"
    answer = all_tools()["affected"].ask(
        conn, diff=f"--- a/{path}\n+++ b/{path}\n@@ -2 +2 @@\n-a\n+b\n"
    )
    assert [test.name for test in answer.tests] == [
        "Testsampling.test_sampling", "Testbagging.test_bagging",
    ]  # fmt: skip
    assert answer.tests[0].path[-1] == "its file is called like torch/utils/data/sampling.py"
    assert answer.tests[0].weight > answer.tests[1].weight
