"""Whose a text is that a diff changes: a docstring has none, and a table's is no function's above it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.documented import without_docs
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_METHODS = "torch/testing/_internal/common_methods_invocations.py"
FILES = {
    f"{_NATIVE}/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n- func: weft(Tensor self) -> Tensor\n",
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/yarn.py": "def pull(n):\n    return fuse('woven by hand', n)\n",
    _METHODS: (
        "from torch.testing._internal.opinfo.core import OpInfo\n\n"
        "def sample_inputs_weft(op):\n    '''Weaves.\n\n"
        "    >>> # xdoctest: +SKIP(\"no loom is here\")\n    '''\n    return []\n\n"
        "op_db = [\n    OpInfo('warp',\n           nodes=['woven by hand']),\n"
        "    OpInfo('weft', sample_inputs_func=sample_inputs_weft),\n]\n"
    ),
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
    "test/test_all.py": (
        "from torch.testing._internal.common_device_type import ops, instantiate_device_type_tests\n"
        "from torch.testing._internal.common_utils import TestCase\n"
        f"from {_METHODS.removesuffix('.py').replace('/', '.')} import op_db\n"
        "class TestAll(TestCase):\n    @ops(op_db)\n    def test_them(self, device, dtype, op):\n        op(1)\n"
        "instantiate_device_type_tests(TestAll, globals())\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("tables")) as connection:
        yield connection


def test_a_text_in_a_table_is_that_of_the_entry(conn: sqlite3.Connection) -> None:
    diff = (
        "--- a/torch/yarn.py\n+++ b/torch/yarn.py\n@@ -2 +2 @@\n"
        "-    return fuse('woven by hand', n)\n+    return fuse('woven', n)\n"
    )
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert [(one.name, one.path[0]) for one in answer.tests if one.kind == "generic"] == [
        ("1 generic test for warp", 'OpInfo warp has the text "woven by hand" of torch/yarn.py')
    ]


@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_what_a_docstring_says_is_no_message(conn: sqlite3.Connection, quotes: str) -> None:
    added = (
        "", "def push():", f"    r{quotes}Pushes.", "", '    >>> f("no loom is here")', f"    {quotes}",
        "    return 1",
    )  # fmt: skip
    lines = "".join(f"+{line}\n" for line in added)
    diff = (
        f"--- a/torch/yarn.py\n+++ b/torch/yarn.py\n@@ -2,1 +2,8 @@\n return fuse('a', n)\n{lines}"
    )
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert not any("no loom" in reason for test in answer.tests for reason in test.path)
    # Nor is what a docstring of tests' helpers has an expectation.
    diff = (
        "--- a/torch/yarn.py\n+++ b/torch/yarn.py\n@@ -2 +2 @@\n"
        "-    return fuse('woven by hand', n)\n+    raise ValueError('no loom is here')\n"
    ).replace("woven by hand", "woven")
    answer = all_tools()["affected"].ask(conn, diff=diff)
    assert not any("no loom" in reason for test in answer.tests for reason in test.path)


@pytest.mark.parametrize(
    ("lines", "above", "left"),
    [
        (("def f():", '    """A."""', "    return 1"), (), "def f():\n\n    return 1"),
        (("raise E(", '    """A."""', ")"), (), 'raise E(\n    """A."""\n)'),
        (('    """A."""',), ("x = f(",), '    """A."""'),
        (('    """A.', '    b"""'), ("def f():  # why",), ""),
        (("    a", '    b"""', "    c"), (), '    a\n    b"""\n    c'),
    ],
)
def test_docstrings_are_statements(
    lines: tuple[str, ...], above: tuple[str, ...], left: str
) -> None:
    assert without_docs(lines, above) == left


def test_lines_that_are_known_to_be_a_docstring() -> None:
    lines = ("    says 'this and that'", '    """', "    return 'that and this'")
    assert without_docs(lines, (), 7, [(4, 8)]) == "\n\n    return 'that and this'"
