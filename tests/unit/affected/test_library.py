"""What is registered on changed lines, and how much entries and callers of an operator have to do with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import affected_by
from tests.unit.support.small_tree import indexed
from torchtalk.affected.places.library import Block, block_of
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

_NATIVE = "aten/src/ATen/native"
_CAST = "aten/src/ATen/cast.cpp"
_LISTS = "aten/src/ATen/cast.h"
_LONG = "aten/src/ATen/long.cpp"
_HEAD = "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
FILES = {
    f"{_NATIVE}/native_functions.yaml": "".join(
        f"- func: {name}(Tensor self) -> Tensor\n  variants: function\n{more}\n"
        for name, more in {
            "warp": "  python_module: nn\n",
            "weft": "",
            "gloss": "",
            "fold2d": "",
            "fold2d_forward": "  dispatch:\n    CPU: fold2d_forward_cpu\n",
        }.items()
    ),
    f"{_NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{_NATIVE}/Fold.cpp": (
        "namespace at::native {\n"
        "Tensor fold2d_forward_cpu(const Tensor& self) {\n  return self;\n}\n"
        "Tensor fold2d(const Tensor& self) {\n  return at::fold2d_forward(self);\n}\n}\n"
    ),
    _LISTS: "#define FORALL_LOWER(_) \\\n  _(warp) \\\n  _(weft)\n",
    "torch/library.h": (
        "#define TORCH_LIBRARY_IMPL(ns, k, m) void TORCH_LIBRARY_IMPL_init_##ns##_##k##_0(torch::Library& m)\n"
    ),
    _CAST: (
        '#include <ATen/cast.h>\n#include <torch/library.h>\n#define KERNEL_CPU(OP, POLICY) m.impl("aten::" #OP, &wrap<POLICY>);\n'
        "#define LOWER(OP) KERNEL_CPU(OP, lower)\n"
        "TORCH_LIBRARY_IMPL(aten, AutocastCPU, m) {\n  KERNEL_CPU(weft, fp32)\n}\n"
        "TORCH_LIBRARY_IMPL(aten, Autocast, m) {\n  FORALL_LOWER(LOWER)\n}\n"
    ),
    _LONG: (
        "#include <torch/library.h>\nTORCH_LIBRARY_IMPL(aten, AutocastCPU, m) {\n"
        '  m.impl("warp", f);\n'
        '  m.impl(\n      TORCH_SELECTIVE_NAME("aten::weft"),\n      TORCH_FN(wefted));\n'
        "  prepare();\n"
        '  m.impl("gloss", [](const Tensor& x) {\n    auto y = x;\n    auto z = y;\n    auto w = z;\n'
        "    auto v = w;\n    return v;\n  });\n}\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/nn/__init__.py": "",
    "torch/nn/functional.py": (
        "import torch\n\n\ndef warp(x):\n    return torch._C._nn.warp(x)\n\n\n"
        "def drape(x):\n    return torch._C._nn.warp(torch.weft(torch.gloss(x)))\n"
    ),
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo\n"
        "op_db = [\n    OpInfo('nn.functional.drape'),\n    OpInfo('nn.functional.warp'),\n]\n"
    ),
    "test/test_ops.py": (
        "from torch.testing._internal.common_device_type import instantiate_device_type_tests, ops\n"
        "from torch.testing._internal.common_methods_invocations import op_db\n"
        "from torch.testing._internal.common_utils import TestCase\n"
        "class TestOps(TestCase):\n"
        "    @ops(op_db)\n    def test_all(self, device, dtype, op):\n        pass\n"
        "instantiate_device_type_tests(TestOps, globals())\n"
    ),
    "test/test_autocast.py": (
        f"{_HEAD}class TestCast(TestCase):\n    def test_gloss(self):\n        torch.gloss(1)\n"
        "    def test_weft(self):\n        torch.weft(1)\n"
    ),
    "test/test_fold.py": (
        f"{_HEAD}class TestFold(TestCase):\n    def test_it(self):\n        torch.fold2d(1)\n"
        "    def test_gloss(self):\n        torch.gloss(1)\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("library")) as connection:
        yield connection


def _asked(conn: sqlite3.Connection, path: str, old: str, new: str) -> AffectedAnswer:
    return affected_by(conn, FILES, path, old, new)


@pytest.mark.parametrize(
    ("function", "block"),
    [
        ("TORCH_LIBRARY_init_quantized", Block("quantized", "")),
        ("TORCH_LIBRARY_FRAGMENT_init_symm_mem_0", Block("symm_mem", "")),
        ("at::autocast::TORCH_LIBRARY_IMPL_init_aten_AutocastCPU_12", Block("aten", "AutocastCPU")),
        ("TORCH_LIBRARY_IMPL_init___ADInplaceOrView_0", Block("_", "ADInplaceOrView")),
        ("at::native::init_library", None),
    ],
)
def test_blocks_by_the_names_of_their_functions(function: str, block: Block | None) -> None:
    assert block_of(function) == block


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("  KERNEL_CPU(weft, fp32)\n", "  KERNEL_CPU(weft, fp32)\n  KERNEL_CPU(gloss, fp32)\n", "gloss"),
        ("  KERNEL_CPU(weft, fp32)\n", "  KERNEL_CPU(weft, lower)\n", "weft"),
        ("  KERNEL_CPU(weft, fp32)\n", "", "weft"),
        ("  KERNEL_CPU(weft", '  m.impl("gloss",\n      TORCH_FN(weft));\n  KERNEL_CPU(weft', "gloss"),
        (
            "  KERNEL_CPU(weft",
            '  m.impl(TORCH_SELECTIVE_NAME("aten::gloss.out"), f);\n  KERNEL_CPU(weft',
            "gloss",
        ),
    ],
)  # fmt: skip
def test_lines_of_a_block(conn: sqlite3.Connection, old: str, new: str, name: str) -> None:
    """What a line registers is followed, also where only the diff has the line; the key's tests come first."""
    answer = _asked(conn, _CAST, old, new)
    assert [thing.name for thing in answer.changed] == [f"aten::{name} for autocast"]
    assert answer.tests[0].name == f"TestCast.test_{name}"
    assert "is about autocast" in answer.tests[0].path[-1]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("  m.impl(\n", "  m.impl( //\n     {},\n", "aten::weft for autocast"),
        ('NAME("aten::weft"', 'NAME("aten::fold2d"', "aten::weft for autocast"),
        ("TORCH_FN(wefted)", "TORCH_FN(other)", "aten::weft for autocast"),
        ('"gloss", [](', '"gloss", [&](', "aten::gloss for autocast"),
        ("    auto z = y;", "    auto z = x;", "aten::gloss for autocast"),
        # What begins the statement stands farther above than the diff shows.
        ("    return v;", "    return w;", "aten::gloss for autocast"),
        # What stands between two belongs to neither.
        ("  prepare();\n", "  prepare(1);\n", "TORCH_LIBRARY_IMPL_init_aten_AutocastCPU_0"),
        ("  prepare();\n", "  prepare();\n  prepared();\n", "TORCH_LIBRARY_IMPL_init_aten_AutocastCPU_0"),
    ],
)  # fmt: skip
def test_lines_of_a_statement_of_several(
    conn: sqlite3.Connection, old: str, new: str, changed: str
) -> None:
    answer = _asked(conn, _LONG, old, new)
    assert [thing.name for thing in answer.changed] == [changed]


def test_a_list_that_a_block_hands_to_a_macro(conn: sqlite3.Connection) -> None:
    answer = _asked(conn, _LISTS, "  _(warp) \\\n", "  _(warp) \\\n  _(gloss) \\\n")
    assert [thing.name for thing in answer.changed] == ["aten::gloss for autocast"]
    assert answer.tests[0].name == "TestCast.test_gloss"


@pytest.mark.parametrize("line", ["m.fallback(f);", "if (weft) {}", "// KERNEL_CPU(weft)", "h();"])
def test_a_block_of_which_no_operator_is_named(conn: sqlite3.Connection, line: str) -> None:
    answer = _asked(conn, _CAST, "  KERNEL_CPU(weft", f"  {line}\n  x();\n  KERNEL_CPU(weft")
    (changed,) = answer.changed
    assert changed.name == "TORCH_LIBRARY_IMPL_init_aten_AutocastCPU_0"


def test_an_operators_own_entry_comes_before_those_that_only_run_it(
    conn: sqlite3.Connection,
) -> None:
    """nn.functional.warp is what aten::warp is called in Python; nn.functional.drape calls others as well."""
    tests = all_tools()["affected"].ask(conn, names="aten::warp").tests
    generic = {test.name: test for test in tests if test.kind == "generic"}
    own, other = (generic[f"1 generic test for nn.functional.{name}"] for name in ("warp", "drape"))
    assert own.path[1] == "OpInfo nn.functional.warp stands for it"
    assert own.weight > 1.5 * other.weight


def test_what_has_no_entry_is_tested_by_what_runs_it(conn: sqlite3.Connection) -> None:
    (test,) = all_tools()["affected"].ask(conn, names="at::native::fold2d_forward_cpu").tests
    assert test.name == "TestFold.test_it"
    assert test.weight > 0.3
