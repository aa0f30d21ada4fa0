"""A method that is looked up by a part of its name leads to the tests of its part of PyTorch that have the rest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_VARIABLES = "torch/_loom/variables.py"
_TESTS = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase): ...\n",
    _VARIABLES: """\
class BuiltinVariable:
    def call_function(self, fn):
        handler = getattr(self, f"call_{fn.__name__}", None)
        return handler()
    def call_shear(self):
        return 1
    def call_card(self):
        return 2
class TensorVariable:
    def var_getattr(self, name):
        method = getattr(self, f"method_attr_{name}", None)
        return method()
    def method_attr_pile(self):
        return 3
""",
    "test/loom/test_functions.py": f"""\
{_TESTS}
class FunctionTests(TestCase):
    def test_one(self):
        self.assertEqual(torch.weave(lambda x: shear(x)), 1)
    def test_two(self):
        self.assertEqual(torch.weave(lambda x: x.shearing(x)), 1)
    def test_three(self):
        self.assertEqual(torch.weave(lambda x: x.pile), 1)
    def test_four(self):
        def pile(x): ...
        self.assertEqual(torch.weave(pile), 1)
""",
    "test/shed/test_shears.py": f"""\
{_TESTS}
class ShearTests(TestCase):
    def test_five(self):
        self.assertEqual(shear(1), 1)
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("looked_up")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("method", "rest", "tests"),
    [
        ("BuiltinVariable.call_shear", "shear", ["FunctionTests.test_one"]),
        ("BuiltinVariable.call_card", "card", []),
        ("TensorVariable.method_attr_pile", "pile", ["FunctionTests.test_three"]),
    ],
)
def test_tests_have_the_rest_of_the_name(
    conn: sqlite3.Connection, method: str, rest: str, tests: list[str]
) -> None:
    """As `next(…)` in test/dynamo/ runs BuiltinVariable.call_next."""
    name = method.rpartition(".")[2]
    answer = ask(conn, "affected", names=f"torch._loom.variables.{method}")
    reason = f"has {rest}, for which {name} is looked up"
    assert [one.name for one in answer.tests if reason in str(one.path)] == tests


def test_a_changed_line_of_it_does_as_well(conn: sqlite3.Connection) -> None:
    diff = (
        f"--- a/{_VARIABLES}\n+++ b/{_VARIABLES}\n@@ -5,2 +5,2 @@\n"
        "     def call_shear(self):\n-        return 1\n+        return 4\n"
    )
    answer = ask(conn, "affected", diff=diff)
    assert answer.tests[0].name == "FunctionTests.test_one"
