"""A change of an option's default: the tests whose decorators set it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_CONFIG = "torch/_inductor/config.py"
_INSTALL = (
    "import sys\nfrom torch.utils._config_module import install_config_module\n"
    "install_config_module(sys.modules[__name__])\n"
)
_TEST = "    @{}\n    def {}(self):\n        pass\n\n"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _CONFIG: (
        "max_autotune = False\nmax_autotune_gemm = False\nboth = 1\nclass triton:\n    graphs = True\n"
        + _INSTALL
    ),
    "torch/_dynamo/config.py": "both = 1\n" + _INSTALL,
    "test/inductor/test_options.py": (
        "from torch._inductor import config\nfrom torch.testing._internal.common_utils import TestCase\n\n\n"
        "class TestOptions(TestCase):\n"
        + _TEST.format("config.patch(max_autotune=True)", "test_keyword")
        + _TEST.format('config.patch({"max_autotune": True, "triton.graphs": False})', "test_key")
        + _TEST.format("config.patch(max_autotune_gemm=True)", "test_gemm")
        + _TEST.format("skipIf(config.max_autotune == True)", "test_asks")
        + _TEST.format("config.patch(both=2)", "test_both")
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("options")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("line", "option", "tests"),
    [
        (1, "max_autotune", ["test_keyword", "test_key"]),
        (2, "max_autotune_gemm", ["test_gemm"]),
        (3, "both", []),
        (5, "triton.graphs", ["test_key"]),
    ],
)
def test_options(conn: sqlite3.Connection, line: int, option: str, tests: list[str]) -> None:
    diff = f"--- a/{_CONFIG}\n+++ b/{_CONFIG}\n@@ -{line} +{line} @@\n-a = 1\n+b = 2\n"
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [thing.name for thing in answer.changed] == [f"torch._inductor.config.{option}"]
    reached = answer.tests[: answer.selected - answer.by_name]
    assert [test.name for test in reached] == [f"TestOptions.{test}" for test in tests]


@pytest.mark.parametrize(
    ("name", "line", "note"),
    [
        ("torch._inductor.config.max_autotune", 1, ""),
        (" torch._inductor.config.triton.graphs ", 5, ""),
        ("triton.graphs", 5, "taken as torch._inductor.config.triton.graphs"),
    ],
)
def test_the_name_of_an_option_is_taken_for_its_line(
    conn: sqlite3.Connection, name: str, line: int, note: str
) -> None:
    named = all_tools()["affected"].ask(conn, names=name)
    there = all_tools()["affected"].ask(conn, names=f"{_CONFIG}:{line}")
    assert there.selected
    assert (named.changed, named.tests) == (there.changed, there.tests)
    assert [one for one in named.notes if one.startswith("taken as")] == ([note] if note else [])


def test_a_name_that_several_options_end_in_is_none_of_them(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, names="both")
    assert answer.changed == ()
    assert "both: nothing in the index is called so" in answer.unseen[0]
