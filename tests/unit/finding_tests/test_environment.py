"""Files of tests that end on import without variables of the environment, and how these tests are run."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from indexer.extract.python.testing.environment import read_environment
from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "if 'A' not in os.environ or 'B' not in os.environ:\n    raise RuntimeError()",
            ["A", "B"],
        ),
        ("if not os.environ.get('A'):\n    print('no')\n    sys.exit(0)", ["A"]),
        ("if not 'A' in environ:\n    raise ValueError", ["A"]),
        ("if os.getenv('A') is None:\n    raise ValueError", ["A"]),
        ("A = os.environ['A']\nB = int(os.environ['A'])", ["A"]),
        ("if os.environ['A'] == '1':\n    pass", ["A"]),
        # These do without.
        ("if 'A' not in os.environ:\n    os.environ['A'] = '1'\nB = 2", []),
        ("if not os.environ.get('A', '1'):\n    raise ValueError", []),
        ("if x and 'A' not in os.environ:\n    raise ValueError", []),
        ("os.environ['A'] = '1'\nA = os.environ['A']", []),
        ("os.environ.setdefault('A', '1')\nA = os.environ['A']", []),
        ("A = os.environ['A'] if 'A' in os.environ else 1", []),
        ("try:\n    A = os.environ['A']\nexcept KeyError:\n    A = 1", []),
        ("def f():\n    return os.environ['A']", []),
        ("if x:\n    A = os.environ['A']", []),
    ],
)
def test_variables_that_have_to_be_there(text: str, names: list[str]) -> None:
    found = read_environment(ast.parse(text).body)
    assert [one.target for one in found] == [f"os.environ={name}" for name in names]


_UTILS = "torch.testing._internal.common_utils"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/loom_test.py": (
        f"import torch\nfrom {_UTILS} import TestCase\n\n\n"
        "class LoomTest:\n    class _Base(TestCase):\n"
        "        def test_shed(self):\n            torch.ops.aten.warp(1)\n\n"
        "        def test_shed_wide(self):\n            pass\n"
    ),
    "test/far/test_loom_spawn.py": (
        f"import os\nfrom {_UTILS} import run_tests\n"
        "from torch.testing._internal.loom_test import LoomTest\n\n"
        "if 'SPEED' not in os.environ:\n    raise RuntimeError('how fast?')\n"
        "COLOUR = os.environ['COLOUR']\n\n\n"
        "class TestLoomSpawn(LoomTest._Base):\n    pass\n\n\n"
        "if __name__ == '__main__':\n    run_tests()\n"
    ),
}
_RUNNER = {"test/run_test.py": ""}
_RUN = "python test/run_test.py -i far/test_loom_spawn"
_SAID = "test/far/test_loom_spawn.py does not run without COLOUR, SPEED in the environment"


def test_such_tests_are_run_by_the_trees_own_runner(tmp_path: Path) -> None:
    said = f"{_SAID}: test/run_test.py runs it, as a whole; with them, pytest takes -k"
    with indexed(_FILES | _RUNNER, tmp_path) as conn:
        answer = ask(conn, "find_similar_tests", query="shed")
        assert {hit.command for hit in answer.hits} == {_RUN}
        assert said in answer.notes
        for path in ("torch/testing/_internal/loom_test.py", "test_loom_spawn.py"):
            of_file = ask(conn, "test_file_info", path=path)
            assert of_file.commands == (_RUN,)
            assert said in of_file.notes
        chosen = ask(conn, "affected", names="aten::warp")
        assert chosen.commands == (_RUN,)
        assert said in chosen.notes


def test_without_the_runner_it_is_said_what_is_wanted(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:
        answer = ask(conn, "find_similar_tests", query="shed wide")
        (hit,) = answer.hits
        assert hit.command == "pytest test/far/test_loom_spawn.py -k test_shed_wide"
        assert _SAID in answer.notes
