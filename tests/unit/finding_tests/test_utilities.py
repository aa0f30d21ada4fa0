"""How often tests use what they are written with."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_UTILS = """
import unittest

class TestCase(unittest.TestCase):
    def assertEqual(self, x, y):
        pass

class TestGradients(TestCase):
    def helper(self):
        pass

class TestSelf(TestCase):
    def test_self(self):
        pass

def run_tests():
    pass

def test_this_much():
    pass
"""
_TESTS = """
from torch.testing._internal import common_utils
from torch.testing._internal.common_utils import TestCase, run_tests

class TestA(TestCase):
    def test_a(self):
        self.assertEqual(1, 1)
        self.assertEqual(2, 2)  # self.assertEqual

class TestB(common_utils.TestCase):
    pass

globals().update(common_utils.test_this_much(*[common_utils.run_tests()] + []))

if __name__ == "__main__":
    try:
        run_tests()
    finally:
        pass
"""


def test_uses(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
        "torch/testing/_internal/common_utils.py": _UTILS,
        "test/test_a.py": _TESTS,
        "test/test_b.py": _TESTS,
    }
    with indexed(files, tmp_path) as conn:
        lines = all_tools()["list_test_utils"].ask(conn, category="common_utils").utilities
        lines += all_tools()["list_test_utils"].ask(conn, category="assertions").utilities
    found = {line.name.rpartition(".")[2]: (line.uses, line.used_in) for line in lines}
    assert found == {
        # Four in test files and two in torch.testing derive from it.
        "TestCase": (6, 3),
        "TestGradients": (0, 0),
        "run_tests": (4, 2),
        "test_this_much": (2, 2),
        "assertEqual": (4, 2),
    }


_DTYPES = "def all_types():\n    return ()\n\n\ndef all_types_and(*dtypes):\n    return dtypes\n"
_DECORATED = """
from torch.testing._internal.common_dtype import all_types, all_types_and
from torch.testing._internal.common_utils import TestCase

class TestA(TestCase):
    @dtypes(*all_types_and(torch.half, *all_types()))
    @skipIf(x, 'all_types()')
    def test_a(self):
        pass

    @dtypes(*all_types())
    def test_b(self):
        pass

op_db: List[OpInfo] = [
    OpInfo('a', dtypes=all_types()),
    OpInfo('b', dtypes=all_types_and(1)),
]
other_db: List[OpInfo]
"""


def test_uses_in_decorators_and_lists(tmp_path: Path) -> None:
    """What decorators are given is no call of the test's body, and a list with a type is a list."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
        "torch/testing/_internal/common_utils.py": _UTILS,
        "torch/testing/_internal/common_dtype.py": _DTYPES,
        "test/test_a.py": _DECORATED,
    }
    with indexed(files, tmp_path) as conn:
        lines = all_tools()["list_test_utils"].ask(conn, category="devices and dtypes").utilities
    assert {line.name.rpartition(".")[2]: (line.uses, line.used_in) for line in lines} == {
        "all_types": (3, 1),
        "all_types_and": (2, 1),
    }


def test_how_people_ask(tmp_path: Path) -> None:
    """By a category in the singular or a part of one, by a file or module, by a name in full or another module's."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
        "torch/testing/_internal/common_utils.py": _UTILS,
        "torch/testing/_internal/common_cuda.py": "def skipCUDAIf(x):\n    pass\ndef on_device():\n    pass\n",
        "test/test_a.py": _TESTS,
    }

    def asked(text: str) -> tuple[str, list[str]]:
        answer = all_tools()["list_test_utils"].ask(conn, category=text)
        return answer.finding, [line.name.rpartition(".")[2] for line in answer.utilities]

    with indexed(files, tmp_path) as conn:
        assert asked("assertion") == ("1 test utility of category assertions", ["assertEqual"])
        for text in (
            "common_cuda",
            "common_cuda.py",
            "torch/testing/_internal/common_cuda.py",
            "torch.testing._internal.common_cuda",
        ):
            assert asked(text)[1] == ["on_device", "skipCUDAIf"], text
        for text in ("torch.testing.run_tests", "torch.testing._internal.common_utils.run_tests"):
            assert asked(text)[1] == ["run_tests"], text
        assert len(asked("common")[1]) == 4
        assert asked("nosuch.thing")[1] == []
        # A word of utilities' names may be one of categories' names as well.
        assert asked("device")[1] == ["on_device"]
        notes = all_tools()["list_test_utils"].ask(conn, category="device").notes
        assert notes == ("categories with 'device' in their name: devices and dtypes (2)",)
        # Several words are parts of one name, in any order and spelling.
        assert asked("skip if") == (
            "1 test utility with 'skip' and 'if' in its name",
            ["skipCUDAIf"],
        )
        assert asked("if_cuda skip")[1] == ["skipCUDAIf"]
        assert asked("skip nothing")[1] == []


def test_names_that_are_assigned(tmp_path: Path) -> None:
    """Those that other files import or have in a decorator; and what a part of PyTorch has for its own tests."""
    files = {
        "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
        "torch/testing/_internal/common_utils.py": _UTILS
        + "IS_LOOM: bool = True\nrequires_loom = unittest.skipUnless(IS_LOOM, 'f')\nUNUSED = 1\nf = 1\n"
        "TestSelf = TestSelf\n",
        "torch/_loom/testing.py": "def skipIfOld(fn):\n    return fn\n",
        "test/test_a.py": (
            "import unittest\nfrom torch._loom.testing import skipIfOld\n"
            "from torch.testing._internal.common_utils import IS_LOOM, requires_loom, TestCase\n"
            "class TestA(TestCase):\n"
            "    @requires_loom\n    def test_a(self):\n        pass\n\n"
            "    @skipIfOld\n    @unittest.skipIf(not IS_LOOM, f'no UNUSED')\n    def test_b(self):\n        pass\n"
        ),
        "test/test_b.py": "from torch.testing._internal.common_utils import IS_LOOM\n",
    }
    with indexed(files, tmp_path) as conn:

        def asked(name: str) -> list[tuple[str, str, int, int]]:
            lines = all_tools()["list_test_utils"].ask(conn, category=name).utilities
            return [
                (line.name.rpartition(".")[2], line.category, line.uses, line.used_in)
                for line in lines
            ]

        assert asked("IS_LOOM") == [("IS_LOOM", "common_utils", 3, 2)]
        assert asked("requires_loom") == [("requires_loom", "decorators", 2, 1)]
        assert asked("skipIfOld") == [("skipIfOld", "decorators", 1, 1)]
        assert asked("UNUSED") == asked("f") == []
        assert len(asked("TestSelf")) <= 1
