"""A change of a function that OpInfos are made with: the tests that read the field which it is given for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_CORE = "torch/testing/_internal/opinfo/core.py"
_METHODS = "torch/testing/_internal/common_methods_invocations.py"
_REFS = "torch/testing/_internal/opinfo/refs.py"
_HEAD = (
    "from torch.testing._internal.common_device_type import ops, instantiate_device_type_tests\n"
    "from torch.testing._internal.common_utils import TestCase\n"
    f"from {_METHODS.removesuffix('.py').replace('/', '.')} import op_db, refs_db\n"
)
_MODULE = _METHODS.removesuffix(".py").replace("/", ".")
FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    _CORE: (
        "def silk_inputs(op):\n    return []\n\n"
        "class OpInfo:\n    def faults(self):\n        return self.faults_func()\n\n"
        "class SilkInfo(OpInfo):\n    def __init__(self, name, *, silk_func=silk_inputs, **kwargs):\n"
        "        super().__init__(name, **kwargs)\n        self.silk_func = silk_func\n\n"
        "class SoftSilkInfo(SilkInfo):\n    pass\n"
    ),
    _REFS: f"from {_CORE.removesuffix('.py').replace('/', '.')} import OpInfo\n"
    "class PythonRefInfo(OpInfo):\n    pass\n",
    _METHODS: (
        "from functools import partial\n"
        "from torch.testing._internal.opinfo.core import OpInfo, SilkInfo, SoftSilkInfo\n"
        "from torch.testing._internal.opinfo.refs import PythonRefInfo\n"
        "def faults_warp(op):\n    return made_by()\n\ndef made_by():\n    return []\n\n"
        "def samples_warp(op):\n    return []\n\n"
        "def own_silk(op):\n    return []\n\n"
        "op_db = [\n"
        "    OpInfo('warp', sample_inputs_func=samples_warp, faults_func=partial(faults_warp, 1)),\n"
        "    SoftSilkInfo('weft'),\n"
        "    SilkInfo('wool', silk_func=own_silk),\n]\n"
        "refs_db = [PythonRefInfo('_refs.warp', torch_opinfo_name='warp')]\n"
    ),
    "test/test_a.py": (
        f"{_HEAD}class TestA(TestCase):\n"
        "    @ops(op_db + refs_db)\n    def test_faults(self, device, dtype, op):\n        list(op.faults())\n"
        "    @ops(op_db)\n    def test_silk(self, device, dtype, op):\n        op.silk_func()\n"
        "    @ops(op_db)\n    def test_other(self, device, dtype, op):\n        op(1)\n"
        "    @ops(op_db)\n    def test_another(self, device, dtype, op):\n        op(1)\n"
        "instantiate_device_type_tests(TestA, globals())\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("entry_functions")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, name: str) -> AffectedAnswer:
    return all_tools()["affected"].ask(conn, names=name)


def _run(answer: AffectedAnswer) -> dict[str, str]:
    """By OpInfo the command, or what it is called where all of a file's tests for it run."""
    return {test.name: test.command for test in answer.tests}


@pytest.mark.parametrize("name", ["faults_warp", "made_by"])
def test_the_tests_that_read_the_field(conn: sqlite3.Connection, name: str) -> None:
    answer = _asked(conn, f"{_MODULE}.{name}")
    found = _run(answer)
    assert [*found] == ["1 generic test for warp", "1 generic test for _refs.warp"]
    assert "faults" in found["1 generic test for warp"]
    assert answer.tests[0].path[-2:] == (
        "faults_func of OpInfo warp",
        "tests about faults_func run over OpInfo warp",
    )


def test_all_tests_read_what_makes_samples(conn: sqlite3.Connection) -> None:
    assert [*_run(_asked(conn, f"{_MODULE}.samples_warp"))] == ["4 generic tests for warp"]


def test_a_default_of_a_class_is_that_of_entries_that_are_given_none(
    conn: sqlite3.Connection,
) -> None:
    module = _CORE.removesuffix(".py").replace("/", ".")
    assert [*_run(_asked(conn, f"{module}.silk_inputs"))] == ["1 generic test for weft"]
    assert [*_run(_asked(conn, f"{_MODULE}.own_silk"))] == ["1 generic test for wool"]


_OPINFO = _CORE.removesuffix(".py").replace("/", ".")


@pytest.mark.parametrize(
    ("name", "entries"),
    [
        ("SilkInfo.__init__", {"weft", "wool"}),
        ("SoftSilkInfo", {"weft"}),
        ("OpInfo", {"warp", "weft", "wool", "_refs.warp"}),
    ],
)
def test_a_class_leads_to_the_entries_that_are_made_of_it(
    conn: sqlite3.Connection, name: str, entries: set[str]
) -> None:
    answer = _asked(conn, f"{_OPINFO}.{name}")
    assert {one.name.rpartition(" ")[2] for one in answer.tests} == entries
    how = "is made of its class" if "__init__" in name else "is made of it"
    assert {one.path[1].rpartition(" is made")[2] for one in answer.tests} == {how[7:]}


def test_a_method_of_entries_leads_to_the_tests_that_call_it(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, f"{_OPINFO}.OpInfo.faults")
    entries = ("warp", "weft", "wool", "_refs.warp")
    # What else runs over them comes behind.
    first = {one.name: one for one in answer.tests if one.kind == "generic"}
    assert {*first} >= {f"1 generic test for {name}" for name in entries}
    assert first["1 generic test for weft"].path[-2:] == (
        "method of OpInfo weft",
        "tests about faults run over OpInfo weft",
    )
