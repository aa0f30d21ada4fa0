"""What one of several functions may be called by weighs less than what surely calls, and no file's name lifts it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph.nodes import one_of

_KINDS = ("Adam", "Sgd", "Rprop", "Adagrad", "Adamax")
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: add(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/optim/__init__.py": "",
    "torch/optim/functional.py": "".join(
        f"class Functional{kind}:\n    def __init__(self):\n        pass\n\n    def step(self):\n        return 1\n\n\n"
        for kind in _KINDS
    ),
    "torch/optim/sharding.py": (
        f"from torch.optim.functional import {', '.join(f'Functional{kind}' for kind in _KINDS)}\n\n\n"
        f"def all_of(optim: {' | '.join(f'Functional{kind}' for kind in _KINDS)}):\n    return optim.step()\n\n\n"
        "def sure_of(optim: FunctionalAdam):\n    return optim.step()\n"
    ),
    "test/test_sharding.py": (
        "import torch\nfrom torch.optim.sharding import all_of\n"
        "from torch.testing._internal.common_utils import TestCase\n\n\n"
        "class TestSharding(TestCase):\n    def test_all(self):\n        all_of(None)\n"
    ),
    "test/test_more.py": (
        "import torch\nfrom torch.optim.sharding import sure_of\n"
        "from torch.testing._internal.common_utils import TestCase\n\n\n"
        "class TestMore(TestCase):\n    def test_sure(self):\n        sure_of(None)\n"
    ),
    "torch/testing/__init__.py": "",
    "torch/testing/_internal/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "import unittest\n\n\nclass TestCase(unittest.TestCase):\n    pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("one_of_several")) as connection:
        yield connection


def test_who_may_call_any_of_five_comes_after_who_calls_this_one(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="torch.optim.functional.FunctionalAdam.step")
    sure, all_of = (
        next(test for test in answer.tests if test.name == name)
        for name in ("TestMore.test_sure", "TestSharding.test_all")
    )
    assert sure.weight > all_of.weight
    assert "torch.optim.sharding.all_of may call it" in all_of.path
    # test_sharding.py is called like a file on the way, which nothing says that this is.
    assert not any("its file is called like" in why for why in all_of.path)


def test_a_few_are_all_called() -> None:
    assert [one_of(number) for number in (1, 2, 3)] == [1.0, 1.0, 1.0]
    assert one_of(9) == pytest.approx(1 / 3)
    assert one_of(5) > one_of(9) > one_of(100) > 0
