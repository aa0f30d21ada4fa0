"""What `-k` is given for the tests of an entry, by pytest's own reading of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from _pytest.mark.expression import Expression

from tests.unit.support.small_tree import indexed
from torchtalk.testing.filters import EntryFilters

_CORE = """
class OpInfo:
    def __init__(self, name, variant_test_name=""):
        pass
"""
_ENTRIES = """
from torch.testing._internal.opinfo.core import OpInfo
op_db = [
    OpInfo("t"),
    OpInfo("special.poly_t"),
    OpInfo("add"),
    OpInfo("add", variant_test_name="scaled"),
    OpInfo("index_add"),
    OpInfo("trace"),
]
others = [OpInfo("mat_add")]
"""
_TESTS = """
from torch.testing._internal.common_device_type import instantiate_device_type_tests, ops
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_utils import TestCase, parametrize

class TestAll(TestCase):
    @ops(op_db)
    def test_out(self, device, dtype, op):
        pass

    @ops(op_db)
    def test_out_warns(self, device, dtype, op):
        pass
{more}
instantiate_device_type_tests(TestAll, globals(){devices})
"""
_MORE = """
    @ops(op_db)
    @parametrize("layout", [0, 1])
    def test_layouts(self, device, dtype, op, layout):
        pass

    @parametrize("executor", ["aten"])
    @ops(op_db)
    def test_executors(self, device, dtype, op, executor):
        pass
"""
_TRACED = """
    def test_trace_of_nothing(self, device):
        pass
"""
_INTERNAL = "torch/testing/_internal"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: t(Tensor self) -> Tensor\n",
    f"{_INTERNAL}/opinfo/core.py": _CORE,
    f"{_INTERNAL}/common_methods_invocations.py": _ENTRIES,
    f"{_INTERNAL}/common_utils.py": "import unittest\nclass TestCase(unittest.TestCase):\n    pass\n",
    "test/test_all.py": _TESTS.format(more="", devices=""),
    "test/test_more.py": _TESTS.format(more=_MORE + _TRACED, devices=', only_for=("cuda",)'),
    "test/test_rest.py": _TESTS.format(more=_TRACED, devices=', except_for="cuda"'),
}
_NAMES = ("t", "special_poly_t", "add", "add_scaled", "index_add", "trace")


@pytest.fixture(scope="module")
def filters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EntryFilters]:
    with indexed(_FILES, tmp_path_factory.mktemp("filters")) as conn:
        yield EntryFilters(conn)


def _selected(expression: str, tests: list[str]) -> list[str]:
    compiled = Expression.compile(expression)
    nodes = ("test_all.py", "TestAllCPU")

    def matches(word: str, test: str) -> bool:
        return any(word.lower() in name.lower() for name in (*nodes, test))

    return [
        test for test in tests if compiled.evaluate(lambda word, test=test: matches(word, test))
    ]


def _tests(generic: tuple[str, ...], device: str = "cpu") -> dict[str, list[str]]:
    return {name: [f"{test}_{name}_{device}_float32" for test in generic] for name in _NAMES}


@pytest.mark.parametrize("name", _NAMES)
def test_an_entry_is_not_those_that_are_called_alike(filters: EntryFilters, name: str) -> None:
    tests = _tests(("test_out", "test_out_warns"))
    everything = list(itertools.chain(*tests.values()))
    full = name.replace("special_", "special.").replace("add_scaled", "add.scaled")
    expression = filters.expression("test/test_all.py", [full])
    assert _selected(expression, everything) == tests[name]
    expression = filters.expression("test/test_all.py", [full], ["test_out"])
    assert _selected(expression, everything) == tests[name][:1]


def test_what_is_asked_for_is_short(filters: EntryFilters) -> None:
    assert filters.expression("test/test_all.py", ["trace"]) == "_trace_"
    # `mat_add` is in no list of the file.
    assert (
        filters.expression("test/test_all.py", ["add"]) == "_add_ and not (add_scaled or index_add)"
    )
    assert (
        filters.expression("test/test_all.py", ["add", "add.scaled"]) == "_add_ and not index_add"
    )
    assert filters.expression("test/test_all.py", ["trace"], ["test_out"]) == "test_out_trace_"


def test_a_word_that_a_test_has_in_its_own_name_is_asked_for_with_the_devices(
    filters: EntryFilters,
) -> None:
    assert filters.expression("test/test_rest.py", ["trace"]) == "_trace_cpu"
    assert filters.expression("test/test_rest.py", ["t"]) == "_t_ and not special_poly_t"


def test_what_stands_behind_the_entry_in_a_name(filters: EntryFilters) -> None:
    tests = ["test_out_t_cuda_float32", "test_layouts_t_layout_1_cuda_float32",
             "test_executors_executor_aten_t_cuda_float32"]  # fmt: skip
    others = ["test_layouts_trace_layout_1_cuda_float32", "test_out_trace_cuda_float32"]
    expression = filters.expression("test/test_more.py", ["t"])
    assert _selected(expression, [*tests, *others]) == tests
    expression = filters.expression("test/test_more.py", ["t"], ["test_out", "test_layouts"])
    assert _selected(expression, [*tests, *others]) == tests[:2]
    expression = filters.expression("test/test_more.py", ["trace"])
    assert expression == "_trace_cuda or test_layouts_trace_"
    assert _selected(expression, [*tests, *others]) == others


def test_what_is_made_before_an_entry_stands_between(filters: EntryFilters) -> None:
    expression = filters.expression("test/test_more.py", ["add"], ["test_executors", "test_out"])
    chosen = {
        name
        for name in (
            "test_executors_aten_add_cuda_float32",
            "test_executors_aten_trace_cuda_float32",
            "test_executors_aten_add_scaled_cuda_float32",
            "test_out_add_cuda_float32",
            "test_out_warns_add_cuda_float32",
        )
        if Expression.compile(expression).evaluate(lambda word, name=name, **_: word in name)
    }
    assert chosen == {"test_executors_aten_add_cuda_float32", "test_out_add_cuda_float32"}
