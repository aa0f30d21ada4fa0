"""find_similar_tests of Python functions and classes that are called like an operator with an entry, and are none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_INTERNAL = "torch/testing/_internal"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: scatter(Tensor self) -> Tensor\n  variants: function, method\n\n"
        "- func: _total(Tensor self) -> Tensor\n\n- func: _outer(Tensor self) -> Tensor\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "from torch.sums import both, total\n",
    "torch/_tensor.py": "class Tensor:\n    def scatter(self):\n        return self\n",
    "torch/hooks.py": (
        "class Holder:\n    def scatter(self):\n        return 1\n\n\n"
        "class zeros:\n    def check(self):\n        return 1\n\n\ndef tie(x):\n    return x\n"
    ),
    "torch/optim/__init__.py": "from torch.optim.wave import Wave\n__all__ = ['Wave']\n",
    "torch/optim/wave.py": "class Optimizer:\n    pass\n\n\nclass Wave(Optimizer):\n    def step(self):\n        pass\n",
    "torch/_higher_order_ops/__init__.py": "",
    "torch/_higher_order_ops/roll.py": "def roll(f):\n    return f\n",
    "torch/_refs/__init__.py": "",
    "torch/_refs/linalg.py": "def scatter(x):\n    return x\n",
    "torch/sums.py": (
        "import torch\n\ndef total(x):\n    return torch._total(x)\n\ndef both(x):\n"
        "    return total(x), torch._outer(x)\n"
    ),
    f"{_INTERNAL}/opinfo/core.py": "class OpInfo:\n    pass\n",
    f"{_INTERNAL}/common_optimizers.py": (
        "from torch.optim import Wave\nclass OptimizerInfo:\n    pass\noptim_db = [OptimizerInfo(Wave)]\n"
    ),
    f"{_INTERNAL}/common_methods_invocations.py": (
        f"from {_INTERNAL.replace('/', '.')}.opinfo.core import OpInfo\n"
        "op_db = [OpInfo('scatter'), OpInfo('zeros'), OpInfo('roll'), OpInfo('linalg.scatter'),"
        " OpInfo('both')]\n"
    ),
    "test/test_ops.py": (
        "from torch.testing._internal.common_device_type import ops, instantiate_device_type_tests\n"
        "from torch.testing._internal.common_methods_invocations import op_db\n"
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestOps(TestCase):\n    @ops(op_db)\n    def test_all(self, device, op):\n        pass\n"
        "instantiate_device_type_tests(TestOps, globals())\n"
    ),
    **{
        f"test/test_{name}.py": (
            "import unittest\nimport torch\nfrom torch.hooks import tie\nfrom torch.utils import tied\n"
            f"class Test{name.title()}(unittest.TestCase):\n    def test_tie(self):\n        tie(1)\n        tied(1)\n"
        )
        for name in ("binding", "hook", "utils")
    },
    "torch/utils/__init__.py": "def tied(x):\n    return x\n",
    "test/test_hooks.py": (
        "import torch\nimport unittest\nfrom torch.hooks import Holder, zeros\nclass TestHooks(unittest.TestCase):\n"
        "    def test_holder(self):\n        Holder().scatter()\n"
        "    def test_zeros(self):\n        zeros().check()\n"
        "    def test_summed(self):\n        torch.total(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("entry_names")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("query", "entries"),
    [
        ("torch.hooks.Holder.scatter", []),
        ("torch.hooks.zeros", []),
        ("torch.hooks.zeros.check", []),
        ("scatter", ["scatter"]),
        ("torch.Tensor.scatter", ["scatter"]),
        ("torch._tensor.Tensor.scatter", ["scatter"]),
        ("torch._refs.linalg.scatter", ["linalg.scatter"]),
        ("torch._higher_order_ops.roll.roll", ["roll"]),
        ("torch.optim.Wave", ["Wave"]),
        ("torch.optim.wave.Wave", ["Wave"]),
    ],
)
def test_entries_are_of_what_has_their_whole_name(
    conn: sqlite3.Connection, query: str, entries: list[str]
) -> None:
    """DataParallel.scatter is no operator, and torch.distributions.constraints.multinomial none either."""
    answer = all_tools()["find_similar_tests"].ask(conn, query=query)
    kinds = ("opinfo", "optimizerinfo")
    assert [hit.name for hit in answer.hits if hit.kind in kinds] == entries
    assert answer.hits


def test_its_own_tests_come_before_entries_that_may_lead_to_it(conn: sqlite3.Connection) -> None:
    hits = all_tools()["find_similar_tests"].ask(conn, query="torch.total").hits
    assert [hit.kind for hit in hits] == ["test", "opinfo", "generic"]
    assert hits[1].why[-1] == "its function may call torch.total"


def test_of_tests_that_use_it_alike_those_of_its_file_come_first(conn: sqlite3.Connection) -> None:
    ask = all_tools()["find_similar_tests"].ask
    hits = ask(conn, query="torch.hooks.tie").hits
    assert [hit.name for hit in hits] == [
        "TestHook.test_tie",
        "TestBinding.test_tie",
        "TestUtils.test_tie",
    ]
    assert hits[0].why == ("uses torch.hooks.tie", "its file is called like torch/hooks.py")
    assert ask(conn, query="torch.utils.tied").hits[0].name == "TestBinding.test_tie"
