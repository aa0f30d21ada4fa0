"""Of the tests that may run a method those come first that have its class, or its name, in hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "torch/__init__.py": "",
    "torch/plan.py": """\
class Plan:
    def rate(self):
        return 0
    def advance(self):
        return self.rate()
class Line(Plan):
    def rate(self):
        return 1
class Step(Plan):
    def rate(self):
        return 2
    def __getstate__(self):
        return {}
    def undo(self):
        return 3
class Stair(Step):
    pass
def go(plan: Plan):
    return plan.advance()
""",
    "test/test_plans.py": """\
import pickle
from unittest import TestCase
from torch.plan import Line, Plan, Stair, Step, go
def ready():
    return Step()
class TestFirst(TestCase):
    def test_line(self):
        go(Line())
    def test_made(self, plan: Plan):
        return Step().advance()
class TestPlans(TestCase):
    def setUp(self):
        self.plan = Step()
    def test_own(self):
        go(self.plan)
class TestLast(TestCase):
    def test_ready(self):
        go(ready())
    def test_stair(self):
        go(Stair())
    def test_back(self, plan):
        Step().begin().undo()
    def test_kept(self):
        pickle.dumps(Step())
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


def _weights(conn: sqlite3.Connection, line: int) -> dict[str, float]:
    diff = f"--- a/torch/plan.py\n+++ b/torch/plan.py\n@@ -{line} +{line} @@\n-a()\n+b()\n"
    tests = all_tools()["affected"].ask(conn, diff=diff).tests
    return {one.name.partition(".")[2]: one.weight for one in tests}


@pytest.mark.parametrize("test", ["test_own", "test_ready", "test_stair", "test_made"])
def test_what_calls_any_of_several_runs_that_of_the_class_in_hand(
    conn: sqlite3.Connection, test: str
) -> None:
    weights = _weights(conn, 11)
    assert weights[test] > 2 * weights.get("test_line", 0.0)


def test_a_class_that_no_test_names_is_in_the_hands_of_all(
    conn: sqlite3.Connection, tmp_path: Path
) -> None:
    without = {**FILES, "test/test_plans.py": FILES["test/test_plans.py"].replace("Step", "Line")}
    without["test/test_plans.py"] = without["test/test_plans.py"].replace("Stair", "Line")
    diff = "--- a/torch/plan.py\n+++ b/torch/plan.py\n@@ -11 +11 @@\n-a()\n+b()\n"
    with indexed(without, tmp_path) as other:
        of_none = all_tools()["affected"].ask(other, diff=diff).tests
    line = next(one for one in of_none if one.name == "TestFirst.test_line")
    assert line.weight > 2 * _weights(conn, 11).get("test_line", 0.0)


def test_a_method_s_name_in_a_test_tells_that_it_is_run(conn: sqlite3.Connection) -> None:
    weights = _weights(conn, 15)
    assert weights["test_back"] > 1.2 * weights["test_made"]


def test_what_pickles_an_object_runs_its_getstate(conn: sqlite3.Connection) -> None:
    weights = _weights(conn, 13)
    assert weights["test_kept"] > 1.2 * weights["test_made"]


_MODULES = {
    "torch/nn/modules/loom.py": """\
class Module:
    def __repr__(self):
        return self.shown()
    def shown(self):
        return ""
class Loom(Module):
    def shown(self):
        return "loom"
    def thread(self):
        return 1
""",
    "torch/testing/_internal/common_modules.py": """\
from torch.nn.modules.loom import Loom
class ModuleInfo:
    def __init__(self, module_cls): ...
def modules(infos): ...
module_db = [ModuleInfo(Loom)]
""",
    "test/test_modules.py": """\
from torch.testing._internal.common_device_type import instantiate_device_type_tests
from torch.testing._internal.common_modules import modules, module_db
from unittest import TestCase
class TestModule(TestCase):
    @modules(module_db)
    def test_forward(self, device, dtype, module_info):
        module_info.module_cls().run()
    @modules(module_db)
    def test_repr(self, device, dtype, module_info):
        module_info.module_cls().__repr__()
    @modules(module_db)
    def test_spool(self, device, dtype, module_info):
        module_info.module_cls().thread()
instantiate_device_type_tests(TestModule, globals())
""",
}


@pytest.mark.parametrize(("line", "test"), [(8, "test_repr"), (10, "test_spool")])
def test_of_generic_tests_those_come_first_that_run_the_method_by_name(
    tmp_path: Path, line: int, test: str
) -> None:
    """Of test/test_modules.py `test_repr` for `extra_repr`, which `Module.__repr__` calls."""
    path = "torch/nn/modules/loom.py"
    diff = f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a()\n+b()\n"
    with indexed({**FILES, **_MODULES}, tmp_path) as conn:
        answer = all_tools()["affected"].ask(conn, diff=diff, max_tests=1, form="commands")
    assert answer.commands == (f"pytest test/test_modules.py -k {test}_nn_Loom_",)
