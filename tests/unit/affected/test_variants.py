"""Variants of OpInfos: the one of the mode that changed comes first, also of what checks a formula."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.support.asking import affected_by_line
from tests.unit.support.small_tree import indexed
from torchtalk.affected.graph.variants import Fit, Variants
from torchtalk.answers.affected import AffectedAnswer

NATIVE = "aten/src/ATen/native"
FORMULAS = "tools/autograd/derivatives.yaml"
_FIXTURES = Path(__file__).parents[3] / "fixtures/pytorch"
_COPIED = (
    "torch/testing/_internal/__init__.py",
    "torch/testing/_internal/common_device_type.py",
    "torch/testing/_internal/common_utils.py",
    "torch/testing/_internal/opinfo/__init__.py",
    "torch/testing/_internal/opinfo/core.py",
)
_GENERIC = (
    "import torch\n"
    "from torch.testing._internal.common_device_type import instantiate_device_type_tests, ops\n"
    "from torch.testing._internal.common_methods_invocations import op_db\n"
    "from torch.testing._internal.common_utils import TestCase\n\n"
)
_MODES = ("nearest", "bicubic", "linear")
_OPERATORS = ("zoom_nearest2d", "zoom_bicubic2d", "zoom_linear2d")
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "".join(
            f"- func: {name}(Tensor self) -> Tensor\n  python_module: nn\n\n" for name in _OPERATORS
        )
        + "- func: reflection_hem2d(Tensor self) -> Tensor\n  dispatch:\n    CPU: reflection_hem2d_cpu\n\n"
        "- func: reflection_hem2d_backward(Tensor grad, Tensor self) -> Tensor\n"
        "  dispatch:\n    CPU: reflection_hem2d_backward_cpu\n\n"
        "- func: _hem_enum(Tensor self) -> Tensor\n\n"
        "- func: hem(Tensor self) -> Tensor\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    f"{NATIVE}/Hem.cpp": (
        "namespace at::native {\n"
        "Tensor reflection_hem2d_cpu(const Tensor& self) { return self; }\n"
        "Tensor reflection_hem2d_backward_cpu(const Tensor& grad, const Tensor& self) { return grad; }\n"
        "Tensor _hem_enum(const Tensor& self) { return at::reflection_hem2d(self); }\n"
        "Tensor hem(const Tensor& self) { return at::native::_hem_enum(self); }\n}\n"
    ),
    FORMULAS: (
        "".join(f"- name: {name}(Tensor self) -> Tensor\n  self: grad\n\n" for name in _OPERATORS)
        + "- name: reflection_hem2d(Tensor self) -> Tensor\n  self: reflection_hem2d_backward(grad, self)\n\n"
        "- name: reflection_hem2d_backward(Tensor grad, Tensor self) -> Tensor\n  grad: grad\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/nn/__init__.py": "",
    "torch/nn/functional.py": (
        "import torch\n\n\ndef zoom(input, mode):\n"
        + "".join(
            f"    if mode == '{mode}':\n        return torch._C._nn.{name}(input)\n"
            for mode, name in zip(_MODES, _OPERATORS, strict=True)
        )
    ),
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo\nop_db = [\n"
        + "".join(
            f"    OpInfo('nn.functional.zoom', variant_test_name='{mode}'),\n" for mode in _MODES
        )
        + "".join(
            f"    OpInfo('hem', variant_test_name='{mode}'),\n"
            for mode in ("constant", "reflect", "replicate", "replicate_negative")
        )
        + "]\n"
    ),
    "test/test_ops_gradients.py": (
        f"{_GENERIC}class TestBwdGradients(TestCase):\n"
        "    @ops(op_db)\n    def test_fn_grad(self, device, dtype, op):\n        op(None)\n"
        "instantiate_device_type_tests(TestBwdGradients, globals())\n"
    ),
    "test/test_zoom.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n\n\n"
        "class TestHem(TestCase):\n    def test_reflection_hem2d_backward(self):\n"
        "        torch.ops.aten.reflection_hem2d_backward(1, 1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    copied = {path: (_FIXTURES / path).read_text(encoding="utf-8") for path in _COPIED}
    with indexed({**copied, **FILES}, tmp_path_factory.mktemp("variants")) as connection:
        yield connection


def _formula(conn: sqlite3.Connection, name: str) -> AffectedAnswer:
    """The answer for a formula's entry."""
    return affected_by_line(conn, FILES, FORMULAS, f"- name: {name}(")


def _generic(answer: AffectedAnswer) -> list[str]:
    """The OpInfos of the generic tests, the best first."""
    return [test.name.rpartition(" ")[2] for test in answer.tests if test.kind == "generic"]


@pytest.mark.parametrize(("operator", "mode"), list(zip(_OPERATORS, _MODES, strict=True)))
def test_an_operators_own_mode_comes_first(
    conn: sqlite3.Connection, operator: str, mode: str
) -> None:
    found = _formula(conn, operator)
    assert _generic(found)[0] == f"nn.functional.zoom.{mode}"
    weights = [test.weight for test in found.tests if test.kind == "generic"]
    assert weights[0] > 2 * max(weights[1:])


def test_a_formula_of_a_backward_operator_is_checked_by_what_runs_it(
    conn: sqlite3.Connection,
) -> None:
    """test_reflection_hem2d_backward alone would be no check of it."""
    found = _formula(conn, "reflection_hem2d_backward")
    assert "TestHem.test_reflection_hem2d_backward" in {test.name for test in found.tests}
    assert _generic(found)[0] == "hem.reflect"
    assert _generic(_formula(conn, "reflection_hem2d"))[0] == "hem.reflect"


@pytest.mark.parametrize(
    ("entry", "name", "fit"),
    [
        ("hem.reflect", "aten::reflection_hem1d", Fit.OWN),
        ("hem.constant", "aten::reflection_hem1d", Fit.OTHER),
        ("hem.replicate", "at::native::replication_hem1d_kernel", Fit.OWN),
        ("hem.replicate_negative", "at::native::replication_hem1d_kernel", Fit.OPEN),
        ("hem.reflect", "aten::hem", Fit.OPEN),
        ("other.reflect", "aten::reflection_hem1d", Fit.OPEN),
    ],
)
def test_a_variant_is_compared_by_stems(
    conn: sqlite3.Connection, entry: str, name: str, fit: Fit
) -> None:
    assert Variants(conn).of_full_name(entry, name) is fit


def test_a_test_of_another_mode_is_told_by_its_name(conn: sqlite3.Connection) -> None:
    variants = Variants(conn)
    assert variants.of_test("zoom_bicubic2d", "test zoomnearest2d backward") is Fit.OTHER
    assert variants.of_test("zoom_bicubic2d", "test zoom bicubic2d") is Fit.OWN
    assert variants.of_test("zoom_bicubic2d", "test zoom") is Fit.OPEN
