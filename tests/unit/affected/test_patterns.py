"""Functions of Inductor that stand for a pattern: which of the tests that run such programs come first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.tools import all_tools

_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
_PASS = "torch/_inductor/fx_passes/late.py"


def _tests(name: str, **bodies: str) -> str:
    methods = (f"    def test_{test}(self):\n        {body}\n" for test, body in bodies.items())
    return f"{_HEAD}class {name}(TestCase):\n{''.join(methods)}"


FILES = {
    "aten/src/ATen/native/native_functions.yaml": "".join(
        f"- func: {name}(Tensor self) -> Tensor\n  variants: function\n\n"
        for name in ("warp", "weft", "braid")
    ),
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/_inductor/pattern_matcher.py": (
        "def register_graph_pattern(pattern, pass_dict):\n    return lambda f: f\n\n\n"
        "def register_replacement(search, replace, inputs, trace, passes):\n    pass\n"
    ),
    _PASS: (
        "import torch\n\nfrom ..pattern_matcher import CallFunction, KeywordArg, register_graph_pattern, "
        "register_replacement\n\naten = torch.ops.aten\nlate_pass = 1\n\n\n"
        "@register_graph_pattern(\n    CallFunction(aten.warp, CallFunction(aten.weft, KeywordArg('x'))),\n"
        "    pass_dict=late_pass,\n)\ndef mend(match, x):\n    return x\n\n\n"
        "@register_graph_pattern(CallFunction(aten.warp, KeywordArg('x')), pass_dict=late_pass)\n"
        "def unravel(match, x):\n    return x\n\n\n"
        "def _knot_pattern(x):\n    return torch.braid(x)\n\n\n"
        "def _knot_replacement(x):\n    return x\n\n\n"
        "register_replacement(_knot_pattern, _knot_replacement, [], None, late_pass)\n"
    ),
    "test/inductor/test_programs.py": _tests(
        "TestPrograms", a="torch.warp(1)", both="torch.warp(torch.weft(1))", unravel_it="torch.warp(2)",
        knot="torch.braid(1)",
    ),
    "test/test_warp.py": _tests("TestWarp", unravel="torch.warp(1)", mend="torch.weft(torch.warp(1))"),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("patterns")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("function", "first"),
    [
        ("mend", "both"),
        ("unravel", "unravel_it"),
        ("_knot_pattern", "knot"),
        ("_knot_replacement", "knot"),
    ],
)
def test_what_runs_the_whole_pattern_or_is_named_after_it(
    conn: sqlite3.Connection, function: str, first: str
) -> None:
    name = f"torch._inductor.fx_passes.late.{function}"
    answer = all_tools()["affected"].ask(conn, names=name)
    led = [test for test in answer.tests if test.path[0] == name]
    assert led[0].name == f"TestPrograms.test_{first}"
    assert led[0].path[1] == "runs in Inductor what it is for"
    assert all(test.weight < led[0].weight for test in led[1:])
    # Outside of Inductor nothing is compiled.
    assert not [test for test in led if test.place.file == "test/test_warp.py"]
