"""Enough tests in C++ beside a change do not end the way to those of Python, which are farther off."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_DEEP = "\n".join(f"int step{n}(int a) {{ return step{n - 1}(a); }}" for n in range(1, 9))
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: weave(Tensor self) -> Tensor\n  dispatch:\n    CPU: weave\n"
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/Weave.cpp": f"""namespace at::native {{
int step0(int a) {{ return a; }}
{_DEEP}
Tensor weave(const Tensor& self) {{ step8(1); return self; }}
}}
""",
    "aten/src/ATen/test/weave_test.cpp": "".join(
        f"TEST(WeaveTest, Steps{n}) {{ at::native::step0({n}); }}\n" for n in range(40)
    ),
    "test/test_weave.py": """import torch
from torch.testing._internal.common_utils import TestCase

class TestWeave(TestCase):
    def test_weave(self):
        torch.weave(torch.ones(2))
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("languages")) as connection:
        yield connection


@pytest.mark.parametrize("most", [10, 30])
def test_the_test_of_python_is_among_them(conn: sqlite3.Connection, most: int) -> None:
    answer = ask(conn, "affected", names="at::native::step0", max_tests=most)
    assert "TestWeave.test_weave" in {test.name for test in answer.tests}
    assert len(answer.tests) == most


def test_what_tests_in_cpp_do_not_reach_has_it_alone(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="at::native::step8")
    assert [test.name for test in answer.tests] == ["TestWeave.test_weave"]
