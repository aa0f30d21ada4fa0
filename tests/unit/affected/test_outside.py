"""Changed files that are not in the graph: documentation, the build, stubs, what others wrote; headers, macros."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.outside import what_is
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_CASE = "import unittest\nclass {}(unittest.TestCase):\n    def {}(self):\n        pass\n"
_NATIVE = "aten/src/ATen/native"
FILES = {
    f"{_NATIVE}/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n  dispatch:\n    CPU: warp_cpu\n",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "setup.py": "X = 1\n",
    "torch/__init__.py": "",
    "torch/utils/yarn_box.py": "SIZE = 1\n",
    "torchgen/api/cpp.py": "SIZE = 1\n",
    "c10/util/LongYarn.h": "#pragma once\nstruct Yarn;\n",
    f"{_NATIVE}/Warp.h": (
        "#define RETURNS(name) return name;\n"
        "#define MAKES(name) Tensor name(const Tensor& self) { RETURNS(self) }\n"
        "#define NOTHING(name) name\n"
    ),
    f"{_NATIVE}/Warp.cpp": "#include <Warp.h>\nnamespace at::native {\nMAKES(warp_cpu)\n}\n",
    "c10/test/util/long_yarn_test.cpp": "#include <gtest/gtest.h>\nTEST(LongYarnTest, Pulls) { f(1); }\n",
    "test/cpp/api/any.cpp": "#include <gtest/gtest.h>\nTEST(AnyTest, Any) { f(1); }\n",
    "test/test_typing.py": _CASE.format("TestTyping", "test_fail"),
    "test/jit/test_typing.py": _CASE.format("TestTyping", "test_list"),
    "test/test_yarn_box.py": _CASE.format("TestYarnBox", "test_open"),
    "test/test_warp.py": (
        "import torch\nimport unittest\nclass TestWarp(unittest.TestCase):\n    def test_warp(self):\n        torch.warp(1)\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("outside")) as connection:
        yield connection


def _changed(conn: sqlite3.Connection, *paths: str, line: int = 1) -> AffectedAnswer:
    diffs = (f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n" for path in paths)
    return all_tools()["affected"].ask(conn, diff="".join(diffs))


def test_documentation_needs_no_test(conn: sqlite3.Connection) -> None:
    answer = _changed(
        conn, "README.md", "docs/source/nn.rst", "torch/nn/pic.svg", "docs/source/conf.py"
    )
    assert (answer.unseen, answer.tests, answer.guesses) == ((), (), ())
    assert answer.finding.endswith("comments, documentation or layout alone, which no test needs")
    assert "README.md: documentation, which needs no test" in answer.notes


def test_what_is_no_documentation_is_not_said_to_need_none(conn: sqlite3.Connection) -> None:
    assert _changed(conn, "README.md", "CMakeLists.txt").finding == (
        "2 files changed; no test is known to be reached"
    )


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("caffe2/CMakeLists.txt", "built"),
        ("cmake/Codegen.cmake", "built"),
        ("setup.py", "built"),
        ("BUILD.bazel", "built"),
        (".ci/pytorch/test.sh", "tested and released"),
        (".github/workflows/lint.yml", "tested and released"),
        (".lintrunner.toml", "tested and released"),
        ("third_party/fbgemm", "code of others"),
        ("third_party/README.md", "code of others"),
        ("torch/_C/__init__.pyi.in", "types for type checkers"),
    ],
)
def test_what_no_test_is_about(conn: sqlite3.Connection, path: str, what: str) -> None:
    (unseen,) = _changed(conn, path).unseen
    assert unseen.startswith(f"{path}: ")
    assert what in unseen


@pytest.mark.parametrize(
    "path",
    [
        "torch/x.py",
        "test/CMakeLists.txt",
        "test/test_setup.pyi",
        "tools/autograd/x.yaml",
        "torch/csrc/x.h",
    ],
)
def test_what_tests_may_run(path: str) -> None:
    assert what_is(path) is None


def test_stubs_are_looked_at_by_tests_of_types(conn: sqlite3.Connection) -> None:
    (guess,) = _changed(conn, "torch/nn/functional.pyi.in").tests
    assert guess.name == "TestTyping.test_fail"
    assert guess.place.file == "test/test_typing.py"


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("c10/util/LongYarn.h", "LongYarnTest.Pulls"),
        ("torch/utils/yarn_box.py", "TestYarnBox.test_open"),
    ],
)
def test_files_of_which_nothing_is_seen_have_tests_by_name(
    conn: sqlite3.Connection, path: str, test: str
) -> None:
    answer = _changed(conn, path)
    assert answer.unseen
    assert [named.name for named in answer.tests] == [test]
    assert answer.by_name == 1


def test_a_new_file_has_tests_by_name(conn: sqlite3.Connection) -> None:
    path = "torch/nn/yarn_box.py"
    diff = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+X = 1\n"
    assert [named.name for named in all_tools()["affected"].ask(conn, diff=diff).tests] == [
        "TestYarnBox.test_open"
    ]


def test_plain_words_of_a_path_are_no_guess(conn: sqlite3.Connection) -> None:
    assert _changed(conn, "torchgen/api/cpp.py").guesses == ()


@pytest.mark.parametrize("line", [1, 2])
def test_a_macro_leads_to_the_functions_that_it_makes(conn: sqlite3.Connection, line: int) -> None:
    answer = _changed(conn, f"{_NATIVE}/Warp.h", line=line)
    assert [test.name for test in answer.tests] == ["TestWarp.test_warp"]
    assert answer.unseen == ()
    assert any("in the macro" in note and "which makes 1 function" in note for note in answer.notes)


def test_a_macro_that_makes_none_is_not_seen(conn: sqlite3.Connection) -> None:
    answer = _changed(conn, f"{_NATIVE}/Warp.h", line=3)
    assert (answer.selected, len(answer.unseen)) == (answer.by_name, 1)
    assert "in or near the macro NOTHING" in answer.unseen[0]
