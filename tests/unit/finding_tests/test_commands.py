"""The commands of find_similar_tests, where a test is not called what its class and function are."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_UTILS = "torch.testing._internal.common_utils"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "test/test_bases.py": (
        f"from {_UTILS} import TestCase, run_tests\n\n\n"
        "class TestWeave(TestCase):\n    def test_weave_all(self):\n        pass\n\n\n"
        "class TestWeaveFast(TestWeave):\n    pass\n\n\ndel TestWeave\n\n\n"
        "if __name__ == '__main__':\n    run_tests()\n"
    ),
    "test/test_alias.py": (
        f"from {_UTILS} import TestCase, run_tests, instantiate_parametrized_tests\n"
        f"from {_UTILS} import parametrize as parametrize_test\n\n\n"
        "class TestLoom(TestCase):\n"
        "    @parametrize_test('bias', [True, False])\n"
        "    def test_loom_speed(self, bias):\n        pass\n\n"
        "    @skipIfNoLoom\n    @swap([True, False])\n"
        "    def test_loom_swapped(self, bias):\n        pass\n\n"
        "    @unittest.skipIf(x, 'a, b')\n    @skipIfNoLoom\n    def test_loom_plain(self):\n        pass\n\n\n"
        "instantiate_parametrized_tests(TestLoom)\n"
        "if __name__ == '__main__':\n    run_tests()\n"
    ),
}


def test_commands_name_what_runs(tmp_path: Path) -> None:
    """A class that its file deletes is not there; `parametrize` by another name makes names, too."""
    with indexed(_FILES, tmp_path) as conn:
        for query, command in (
            ("weave all", "pytest test/test_bases.py -k test_weave_all"),
            ("loom speed", "pytest test/test_alias.py -k 'TestLoom and test_loom_speed'"),
            ("loom swapped", "pytest test/test_alias.py -k 'TestLoom and test_loom_swapped'"),
            ("loom plain", "python test/test_alias.py TestLoom.test_loom_plain"),
        ):
            (hit,) = all_tools()["find_similar_tests"].ask(conn, query=query).hits
            assert hit.command == command
        weave, fast = all_tools()["test_file_info"].ask(conn, path="test/test_bases.py").classes
        assert (weave.role, weave.runs) == ("mixin", ("by what derives from it",))
        assert fast.role == "test"
