"""A changed field of an OpInfo: the tests that read it come first, by themselves or by a helper."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import Span
from torchtalk.affected.places.entry_fields import fields_in

_METHODS = "torch/testing/_internal/common_methods_invocations.py"
_HEAD = (
    "from torch.testing._internal.common_device_type import ops, instantiate_device_type_tests\n"
    "from torch.testing._internal.common_utils import TestCase\n"
    f"from {_METHODS.removesuffix('.py').replace('/', '.')} import op_db\n"
)
_TEST = "    @ops({})\n    def test_{}(self, device, dtype, op):\n        {}\n"


def _tests(name: str, *bodies: tuple[str, str, str], helper: str = "") -> str:
    tests = "".join(_TEST.format(*each) for each in bodies)
    return f"{_HEAD}class {name}(TestCase):\n{helper}{tests}instantiate_device_type_tests({name}, globals())\n"


FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/testing/_internal/opinfo/core.py": (
        "class OpInfo:\n    def faults(self):\n        return self.faults_func()\n"
    ),
    _METHODS: (
        "from torch.testing._internal.opinfo.core import OpInfo\n\nop_db = [\n"
        "    OpInfo('warp',\n           supports_wool=True,\n           faults_func=faults_warp,\n"
        "           supports_silk=True,\n           supports_felt=True,\n"
        "           skips=(\n               DecorateInfo('x', 'TestA', 'test_a1', active=True),\n           )),\n]\n"
    ),
    "test/test_a.py": _tests(
        "TestA", *(("op_db", f"a{n}", "op(1)") for n in range(9)), ("op_db", "wool", "op.supports_wool"),
    ),
    "test/test_b.py": _tests(
        "TestB", ("op_db", "b", "op(1)"), ("op_db", "faults", "list(op.faults())"),
        ("op_db", "silk", "self._check(op)"), ("[op for op in op_db if op.supports_felt]", "felt", "op(1)"),
        helper="    def _check(self, op):\n        op.supports_silk\n",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("fields")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("old", "path", "name"),
    [
        ("           supports_wool=True,\n", "test/test_a.py", "_wool_"),
        ("           faults_func=faults_warp,\n", "test/test_b.py", "_faults_"),
        ("           supports_silk=True,\n", "test/test_b.py", "_silk_"),
        ("           supports_felt=True,\n", "test/test_b.py", "_felt_"),
    ],
)
def test_what_reads_a_field_comes_first(
    conn: sqlite3.Connection, old: str, path: str, name: str
) -> None:
    answer = affected_by(conn, FILES, _METHODS, old, "")
    first, *others = answer.tests
    assert (first.place.file, first.tests) == (path, 1)
    field = old.strip().partition("=")[0]
    assert first.path[-1] == f"run over it, and have to do with {field} of it"
    assert name.strip("_") in first.command
    assert others
    assert all(one.weight < first.weight for one in others)
    # What is left of the budget is not all of one file.
    assert {one.place.file for one in others} == {"test/test_a.py", "test/test_b.py"}


def test_a_skip_names_its_tests(conn: sqlite3.Connection) -> None:
    old = "               DecorateInfo('x', 'TestA', 'test_a1', active=True),\n"
    first, *_ = affected_by(conn, FILES, _METHODS, old, "").tests
    assert (first.place.file, first.tests) == ("test/test_a.py", 1)
    assert "a1" in first.command


@pytest.mark.parametrize(
    ("above", "line", "fields"),
    [
        ("    OpInfo('warp',", "           supports_out=False,", {"supports_out"}),
        ("", "    OpInfo('warp', ref=f, dtypes=all_types(x=1))", {"ref", "dtypes"}),
        ("           skips=(", "               DecorateInfo('x', dtypes=(1,)),", {"skips"}),
        ("           dtypes=all_types_and(", "               torch.half,", {"dtypes"}),
        ("", "               DecorateInfo('x', dtypes=(1,)),", set()),
        ("           skips=(", "               # dtypes=1,", set()),
        ("           skips=(),", "           ref=f,", {"ref"}),
        ("           skips=(", "               # Why.", set()),
        ("           name='a(',", "           ref=f)", {"ref"}),
    ],
)
def test_fields_on_changed_lines(above: str, line: str, fields: set[str]) -> None:
    assert fields_in(Span(2, 2, (line,), (), (above,))) == fields
