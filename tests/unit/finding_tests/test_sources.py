"""Which files run the tests of others, which run their own, and the commands that follow from it."""

from __future__ import annotations

import ast
import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.extract.python.testing.mains import read_mains
from indexer.scan.tree import open_tree
from tests.unit.support.index_dump import differences, dump
from tests.unit.support.small_tree import indexed
from torchtalk.db import connect
from torchtalk.testing.commands import gtest_program
from torchtalk.tools import all_tools

_CASE = "from torch.testing._internal.common_utils import TestCase\n"
_TEST = "class {}(TestCase):\n    def {}(self):\n        pass\n\n"
_MAIN = "if __name__ == '__main__':\n    {}\n"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
    "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase):\n    pass\n",
    "torch/testing/_internal/distributed/far_test.py": _CASE
    + "class Far:\n    class _FarBase(TestCase):\n        def test_far_away(self):\n            pass\n",
    "torch/testing/_internal/distributed/near_test.py": _CASE + _TEST.format("Near", "test_nearby"),
    "torch/testing/_internal/near_utils.py": (
        "from torch.testing._internal.distributed.near_test import Near\nNEAR = [Near]\n"
    ),
    "test/distributed/test_far_spawn.py": (
        "from torch.testing._internal.distributed.far_test import Far\n"
        "class TestFar(Far._FarBase):\n    pass\n" + _MAIN.format("run_tests()")
    ),
    "test/distributed/test_near_spawn.py": (
        "from torch.testing._internal.near_utils import NEAR\nglobals().update(NEAR)\n"
    ),
    "torch/testing/_internal/distributed/knit_test.py": _CASE
    + _TEST.format("KnitTest", "test_knitted") + _TEST.format("PurlTest", "test_purled"),
    "torch/testing/_internal/knit_utils.py": (
        "from torch.testing._internal.distributed.knit_test import KnitTest, PurlTest\n"
        "KNIT = [\n    KnitTest,\n]\nPURL = [\n    PurlTest,\n]\ndef make(prefix, tests):\n    return {}\n"
    ),
    "test/distributed/test_a.py": "from torch.testing._internal.knit_utils import make, PURL\nmake('A', PURL)\n",
    "test/distributed/test_abc.py": "from torch.testing._internal.knit_utils import KNIT, make\nmake('B', KNIT)\n",
    "test/distributed/test_common.py": _CASE + (
        "class Shared:\n    def test_shared(self):\n        pass\n\n"
        "class TestHere(TestCase):\n    def test_here(self):\n        pass\n"
    ),
    "test/distributed/test_spun.py": (
        f"import test_common\n{_CASE}class TestSpun(test_common.Shared, TestCase):\n    pass\n"
    ),
    "test/test_pairs.py": (
        f"from parameterized import parameterized, parameterized_class\n{_CASE}"
        "@parameterized_class([{'device': 'cpu'}])\n" + _TEST.format("TestPairs", "test_paired")
        + "class TestExpanded(TestCase):\n    @parameterized.expand([(1,)])\n    def test_expanded(self, n):\n"
        "        pass\n" + _MAIN.format("run_tests()")
    ),
    "test/test_making.py": (
        f"{_CASE}class _TestMade:\n    def test_made_here(self):\n        pass\n\n"
        "TestMade = type('TestMade', (TestCase,), dict(_TestMade.__dict__))\n"
    ),
    "test/test_own.py": _CASE + _TEST.format("TestOwn", "test_own_thing") + _MAIN.format("run_tests()"),
    "test/test_refusing.py": _CASE + _TEST.format("TestRefusing", "test_refused_thing")
    + _MAIN.format("raise RuntimeError('not meant to be run directly')"),
    "test/test_loading.py": 'test_own = load_test_module("test_own")\nnone = load_test_module("elsewhere")\n',
    "test/test_all_parts.py": "from test_parts import *\n",
    "test/test_again.py": "from test_own import *\n" + _MAIN.format("run_tests()"),
    "test/jit/test_more.py": "from . import test_inner\nimport test_own\n",
    "test/jit/test_inner.py": _CASE + _TEST.format("TestInner", "test_inner_thing"),
    "test/test_parts.py": "from jit.test_inner import TestInner\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("sources")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("body", "runs"),
    [
        ("run_tests()", True),
        ("if HAS_CPU:\n        run_tests('filelock')", True),
        ("common.run_tests()", True),
        ("unittest.main()", True),
        ("main()", False),
        ("raise RuntimeError('not meant to be run directly')", False),
        ("raise RuntimeError('no')\n    run_tests()", False),
    ],
)
def test_what_runs_the_tests_of_a_file(body: str, runs: bool) -> None:
    assert bool(list(read_mains(ast.parse(_MAIN.format(body)).body))) is runs
    assert not list(read_mains(ast.parse(body.replace("\n    run", "\nrun")).body))


def test_where_the_tests_of_a_file_come_from(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT f.path, s.path, x.classes FROM test_sources AS x JOIN source_files AS f ON f.id = x.file_id"
        " JOIN source_files AS s ON s.id = x.source_id WHERE f.path GLOB 'test/*' ORDER BY 1, 2"
    )
    internal = "torch/testing/_internal/distributed"
    assert [tuple(row) for row in rows] == [
        ("test/distributed/test_a.py", f"{internal}/knit_test.py", "PurlTest"),
        ("test/distributed/test_abc.py", f"{internal}/knit_test.py", "KnitTest"),
        ("test/distributed/test_far_spawn.py", f"{internal}/far_test.py", "Far"),
        ("test/distributed/test_near_spawn.py", f"{internal}/near_test.py", None),
        ("test/distributed/test_spun.py", "test/distributed/test_common.py", None),
        ("test/jit/test_more.py", "test/jit/test_inner.py", None),
        ("test/jit/test_more.py", "test/test_own.py", None),
        ("test/test_again.py", "test/test_own.py", None),
        ("test/test_all_parts.py", "test/jit/test_inner.py", "TestInner"),
        ("test/test_loading.py", "test/test_own.py", None),
        ("test/test_parts.py", "test/jit/test_inner.py", "TestInner"),
    ]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("own thing", "python test/test_own.py TestOwn.test_own_thing"),
        ("refused thing", "pytest test/test_refusing.py::TestRefusing::test_refused_thing"),
        ("inner thing", "pytest test/jit/test_inner.py::TestInner::test_inner_thing"),
        ("far away", "pytest test/distributed/test_far_spawn.py -k test_far_away"),
        ("nearby", "pytest test/distributed/test_near_spawn.py -k test_nearby"),
        ("shared", "pytest test/distributed/test_spun.py -k test_shared"),
        ("paired", "pytest test/test_pairs.py -k 'TestPairs and test_paired'"),
        ("expanded", "pytest test/test_pairs.py -k 'TestExpanded and test_expanded'"),
        ("made here", "pytest test/test_making.py -k test_made_here"),
        ("knitted", "pytest test/distributed/test_abc.py -k test_knitted"),
        ("purled", "pytest test/distributed/test_a.py -k test_purled"),
    ],
)
def test_commands_that_run(conn: sqlite3.Connection, words: str, command: str) -> None:
    hit = all_tools()["find_similar_tests"].ask(conn, query=words).hits[0]
    assert hit.command == command


def test_a_file_whose_tests_stand_in_others(conn: sqlite3.Connection) -> None:
    answer = all_tools()["test_file_info"].ask(conn, path="test/test_again.py")
    assert answer.path == "test/test_again.py"
    assert "it has tests of test/test_own.py, which it imports" in answer.notes
    assert answer.commands == ("python test/test_again.py", "pytest test/test_again.py")
    answer = all_tools()["test_file_info"].ask(conn, path="test/test_parts.py")
    assert "it has tests of test/jit/test_inner.py: TestInner" in answer.notes
    assert answer.commands == ("pytest test/test_parts.py",)
    answer = all_tools()["test_file_info"].ask(conn, path="far_test.py")
    assert answer.commands == ("pytest test/distributed/test_far_spawn.py",)


@pytest.mark.parametrize(
    ("path", "program"),
    [
        ("aten/src/ATen/test/basic.cpp", "basic"),
        ("test/cpp/api/modules.cpp", "test_api"),
        ("test/cpp/rpc/e2e_test_base.cpp", "test_cpp_rpc"),
        ("test/cpp/c10d/TCPStoreTest.cpp", "TCPStoreTest"),
        ("c10/test/util/Half_test.cpp", "c10_Half_test"),
        ("c10/cuda/test/impl/CUDATest.cpp", "c10_cuda_CUDATest"),
        ("test/mobile/nnc/test_context.cpp", "test_mobile_nnc"),
        ("benchmarks/static_runtime/test_static_module.cc", "static_runtime_test"),
        ("aten/src/ATen/native/quantized/cpu/qnnpack/test/q8gemm_sparse.cc", "q8gemm-sparse-test"),
        ("aten/src/ATen/test/vec_test_all_types.cpp", "vec_test_all_types_AVX2"),
    ],
)
def test_programs_of_gtests(path: str, program: str) -> None:
    assert gtest_program(path) == f"build/bin/{program}"


@pytest.mark.slow
def test_an_update_tells_the_same(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:
        before = conn.execute("SELECT count(*) FROM test_sources").fetchone()[0]
    root = tmp_path / "tree"
    (root / "test/test_parts.py").write_text("import test_refusing\n")
    (root / "test/test_own.py").write_text(_CASE + _TEST.format("TestOwn", "test_own_thing"))
    report = build(open_tree(root), tmp_path / "small.db", workers=0)
    assert report.action == "updated"
    build(open_tree(root), tmp_path / "anew.db", workers=0)
    assert differences(dump(tmp_path / "small.db"), dump(tmp_path / "anew.db")) == []
    with contextlib.closing(connect(tmp_path / "small.db")) as conn:
        # Nothing comes through test_parts.py any more to who imports all of it.
        assert conn.execute("SELECT count(*) FROM test_sources").fetchone()[0] == before - 1
        hit = all_tools()["find_similar_tests"].ask(conn, query="own thing").hits[0]
        assert hit.command == "pytest test/test_own.py::TestOwn::test_own_thing"
