"""Changes of what tests are decorated with."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph.decorators import Decorators
from torchtalk.tools import all_tools

HELPERS = "torch/testing/_internal/common_loom.py"
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    HELPERS: (
        "class onlyOn:\n    def __call__(self, fn):\n        return fn\n\n\n"
        "def onlyLoom(fn):\n    return onlyOn()(fn)\n\n\n"
        "def skip_if_lt_x(x):\n    return lambda fn: fn\n\n\n"
        "def types():\n    return ()\n"
    ),
    "test/test_warp.py": (
        "import torch.testing._internal.common_loom as loom\n"
        "from torch.testing._internal.common_loom import skip_if_lt_x, types\n"
        "from torch.testing._internal.common_utils import TestCase\n\n\n"
        "class TestWarp(TestCase):\n"
        "    @skip_if_lt_x(2)\n    def test_two(self):\n        pass\n\n"
        "    @loom.onlyLoom\n    def test_loom(self):\n        pass\n\n"
        "    @dtypes(*types())\n    def test_types(self):\n        pass\n\n"
        "    @skipIf('skip_if_lt_x', types=1)\n    def test_plain(self):\n        pass\n"
    ),
    "test/test_other.py": (
        "from torch.testing._internal.common_utils import TestCase\n"
        "def skip_if_lt_x(x):\n    return lambda fn: fn\n\n\n"
        "class TestOther(TestCase):\n"
        "    @skip_if_lt_x(2)\n    def test_two(self):\n        pass\n"
    ),
}


def test_what_decorates_a_test_is_what_runs_it(tmp_path: Path) -> None:
    """Through what decorators call as well; names that a file has from elsewhere are others'."""
    with indexed(FILES, tmp_path) as conn:
        for name, test, steps in (
            ("skip_if_lt_x", "TestWarp.test_two", 2),
            ("types", "TestWarp.test_types", 2),
            ("onlyLoom", "TestWarp.test_loom", 2),
            ("onlyOn.__call__", "TestWarp.test_loom", 3),
        ):
            line = 1 + FILES[HELPERS][: FILES[HELPERS].index(name.partition(".")[0])].count("\n")
            line += name.endswith("__call__")
            diff = f"--- a/{HELPERS}\n+++ b/{HELPERS}\n@@ -{line} +{line} @@\n-x\n+y\n"
            answer = all_tools()["affected"].ask(conn, diff=diff)
            assert [one.name for one in answer.tests] == [test], name
            assert answer.tests[0].path[-1] == "its decorators use it"
            assert len(answer.tests[0].path) == steps


def test_names_within_other_names_are_none(tmp_path: Path) -> None:
    """`skipIf` is no `skip_if`, whichever is asked for first."""
    with indexed(FILES, tmp_path) as conn:
        module = HELPERS.removesuffix(".py").replace("/", ".")
        names = ("skip_if_lt_x", "types", "onlyLoom", "skipIf", "dtypes", "loom", "skip_if", "fn")
        one_by_one = [Decorators(conn).using(f"{module}.{name}") for name in names]
        together = Decorators(conn)
        for turn in (names, names[::-1]):
            found = {name: together.using(f"{module}.{name}") for name in turn}
            assert [found[name] for name in names] == one_by_one
        assert [len(tests) for tests in one_by_one[:3]] == [1, 1, 1]
        assert not one_by_one[-1]


def test_what_is_defined_elsewhere(tmp_path: Path) -> None:
    """By the name that the file has it by: `import torch` gives no other module's `is_there` by itself."""
    outer = "torch/_loom/testing.py"
    files = {
        **FILES,
        outer: "def skipIfOld(fn):\n    return fn\n\n\ndef is_there():\n    return True\n",
        "test/test_loom.py": (
            "import torch\nimport torch._loom.testing\nfrom torch._loom import testing as weaving\n"
            "from torch._loom.testing import skipIfOld\n"
            "from torch.testing._internal.common_utils import TestCase\n\n\n"
            "class TestLoom(TestCase):\n"
            "    @skipIfOld\n    def test_one(self):\n        pass\n\n"
            "    @skipIf(torch._loom.testing.is_there())\n    def test_two(self):\n        pass\n\n"
            "    @skipIf(weaving.is_there())\n    def test_three(self):\n        pass\n\n"
            "    @skipIf(is_there())\n    def test_four(self):\n        pass\n\n"
            "    @skipIf(torch._other.testing.is_there())\n    def test_five(self):\n        pass\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        for name, tests in (
            ("skipIfOld", ["TestLoom.test_one"]),
            ("is_there", ["TestLoom.test_two", "TestLoom.test_three"]),
        ):
            answer = all_tools()["affected"].ask(conn, names=f"torch._loom.testing.{name}")
            assert [one.name for one in answer.tests] == tests
            assert {one.path[1:] for one in answer.tests} == {("its decorators use it",)}


def test_a_name_that_is_assigned(tmp_path: Path) -> None:
    """As a changed line and by its name: what it decorates, and what has it among a decorator's arguments."""
    line = 'requires_silk = unittest.skipUnless(1, "no silk")\n'
    files = {
        **FILES,
        HELPERS: f"import unittest\nHAS_SILK = True\n{line}",
        "test/test_warp.py": (
            "import unittest\nfrom torch.testing._internal import common_loom\n"
            "from torch.testing._internal.common_loom import HAS_SILK, requires_silk\n"
            "from torch.testing._internal.common_utils import TestCase\n\n\n"
            "class TestWarp(TestCase):\n"
            "    @requires_silk\n    def test_one(self):\n        pass\n\n"
            "    @common_loom.requires_silk\n    def test_two(self):\n        pass\n\n"
            "    @unittest.skipIf(not HAS_SILK, f'HAS_SILK')\n    def test_three(self):\n        pass\n\n"
            "    @unittest.skipIf(1, 'requires_silk')\n    def test_four(self):\n        pass\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        diff = f"--- a/{HELPERS}\n+++ b/{HELPERS}\n@@ -3 +3 @@\n-{line}+{line.replace('1', '2')}"
        ask = all_tools()["affected"].ask
        for name, answer, tests in (
            ("requires_silk", ask(conn, diff=diff), ["TestWarp.test_one", "TestWarp.test_two"]),
            (
                "requires_silk",
                ask(conn, names="requires_silk"),
                ["TestWarp.test_one", "TestWarp.test_two"],
            ),
            (
                "HAS_SILK",
                ask(conn, names="torch.testing._internal.common_loom.HAS_SILK"),
                ["TestWarp.test_three"],
            ),
        ):
            assert [one.name for one in answer.tests] == tests
            assert {one.path for one in answer.tests} == {(f"{name} is in its decorators",)}
            assert answer.finding.startswith("1 thing changed")
