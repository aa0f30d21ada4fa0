"""Tests of what nobody calls by its name: `x[index]` runs `index`, and test/test_indexing.py is about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.path_words import is_called_like
from torchtalk.tools import all_tools

_TESTS = (
    "from torch.testing._internal.common_utils import TestCase\nclass Test{0}(TestCase):\n"
    "    def test_warp_{0}(self):\n        x[1]\n"
)
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    **{
        f"test/{path}": _TESTS.format(at)
        for at, path in enumerate(("test_others.py", "test_warping.py", "export/test_warp.py"))
    },
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("like")) as connection:
        yield connection


def test_those_of_its_own_file_come_first(conn: sqlite3.Connection) -> None:
    first, *others = all_tools()["affected"].ask(conn, names="aten::warp").tests
    assert (first.name, first.path[-1]) == (
        "Test1.test_warp_1",
        "is named after it, and so is its file",
    )
    assert {other.path[-1] for other in others} == {"is named after it"}
    assert all(other.weight < first.weight / 2 for other in others)


@pytest.mark.parametrize(
    ("path", "name", "is_so"),
    [
        ("test/test_indexing.py", "index", True),
        ("test/test_type_promotion.py", "promote_types", True),
        ("test/export/test_unflatten.py", "unflatten", False),
        ("test/test_indexing.py", "index_put", False),
        ("aten/src/ATen/test/pow_test.cpp", "pow", True),
    ],
)  # fmt: skip
def test_called_like(path: str, name: str, is_so: bool) -> None:
    assert is_called_like(path, name) == is_so
