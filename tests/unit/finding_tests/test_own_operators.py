"""Which operators tests are about that call functions of Python: those that these are about, not all that they run."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.link.tests.own_operators import alike, native_operators
from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_OPERATORS = """
- func: searchsorted.Tensor(Tensor sorted_sequence, Tensor self) -> Tensor

- func: soft_cap_loss(Tensor self) -> Tensor
  python_module: nn

- func: soft_cap_loss_(Tensor(a!) self) -> Tensor(a!)
  python_module: nn

- func: im2col(Tensor self) -> Tensor
  python_module: nn

- func: feature_dropout(Tensor input) -> Tensor
"""

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": _OPERATORS,
    "torch/__init__.py": "from torch._C._VariableFunctions import *\nfrom torch import nn as nn, attention as attention\n",
    "torch/nn/__init__.py": "from torch.nn import functional as functional\n",
    "torch/nn/functional.py": (
        "import torch\n\n"
        "def soft_cap(input):\n    return torch._C._nn.soft_cap_loss(input)\n\n"
        "def unfold(input):\n    return torch._C._nn.im2col(input)\n\n"
        "def dropout2d(input):\n    return torch.feature_dropout(input)\n"
    ),
    "torch/attention.py": (
        "import torch\n\n"
        "def _adapt(x):\n    return torch.searchsorted(x, x)\n\n"
        "def attend(x):\n    return torch.nn.functional.soft_cap(_adapt(x))\n"
    ),
    "test/test_all.py": (
        "import torch\nimport torch.nn.functional as F\nfrom torch.attention import attend\n\n"
        "def test_a(x=None):\n    attend(x)\n\n"
        "def test_b(x=None):\n    torch.searchsorted(x, x)\n\n"
        "def test_c(x=None):\n    F.soft_cap(x)\n\n"
        "def test_d(x=None):\n    F.unfold(x)\n\n"
        "def test_e(x=None):\n    F.dropout2d(x)\n"
    ),
}


@pytest.mark.parametrize(
    ("name", "base", "is_so"),
    [
        ("cross_entropy", "cross_entropy_loss", True),
        ("relu", "relu_", True),
        ("all_reduce", "allreduce_", True),
        ("grid_sample", "grid_sampler", True),
        ("normalize", "norm", False),
        ("flex_attention", "searchsorted", False),
        ("interpolate", "upsample_nearest2d", False),
    ],
)
def test_names(name: str, base: str, *, is_so: bool) -> None:
    assert alike(name, base) is is_so


def test_what_a_bound_name_runs_is_its_own_where_it_is_called_so(
    memory: sqlite3.Connection,
) -> None:
    memory.executescript(
        "CREATE TABLE python_natives (id, name); CREATE TABLE operators (id, base, namespace DEFAULT 'aten');"
        "CREATE TABLE python_native_operators (native_id, operator_id);"
        "INSERT INTO python_natives VALUES (1, 'torch._C.a.tensor'), (2, 'torch._C.a.conj'), (3, 'torch._C.a.t');"
        "INSERT INTO operators (id, base) VALUES (1, 'set_'), (2, 'empty'), (3, 'conj'), (4, '_conj'), (5, 'relu'), (6, 'relu_');"
        "INSERT INTO python_native_operators VALUES (1, 1), (1, 2), (2, 2), (2, 3), (2, 4), (3, 5), (3, 6);"
    )
    assert list(native_operators(memory)) == [
        (2, "_conj", True), (2, "conj", False), (3, "relu", False), (3, "relu_", False),
    ]  # fmt: skip


def test_what_a_long_body_runs_has_no_test_in_its_tests(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:
        rows = conn.execute(
            "SELECT t.name, x.base FROM test_operators AS x JOIN tests AS t ON t.id = x.test_id ORDER BY 1, 2"
        )
        assert [tuple(row) for row in rows] == [
            ("test_b", "searchsorted"),
            ("test_c", "soft_cap_loss"),
            ("test_d", "im2col"),
            ("test_e", "feature_dropout"),
        ]
        answer = ask(conn, "find_similar_tests", query="torch.searchsorted")
        assert [hit.name for hit in answer.hits] == ["test_b"]
        assert answer.notes == (
            "not counted: tests of functions that run it among other things: torch.attention.attend (1 test)",
        )


def test_what_is_called_for_itself_has_the_tests_that_call_it(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": (
            "- func: empty(int[] size) -> Tensor\n\n- func: lift_fresh(Tensor self) -> Tensor\n"
        ),
        "tools/autograd/templates/python_torch_functions.cpp": (
            "static PyObject* THPVariable_tensor(PyObject* self, PyObject* args) {\n"
            "  auto x = at::empty({1});\n  return wrap(at::lift_fresh(x));\n}\n"
            "static PyMethodDef methods[] = {\n"
            '  {"tensor", castPyCFunctionWithKeywords(THPVariable_tensor), METH_VARARGS, nullptr},\n};\n'
        ),
        "torch/__init__.py": "from torch._C._VariableFunctions import *\n",
        "test/test_all.py": (
            "import torch\n\ndef _make():\n    return torch.tensor(2)\n\n"
            "def test_a():\n    torch.tensor(1)\n\ndef test_b():\n    torch.empty(1)\n\ndef test_c():\n    _make()\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        hits = ask(conn, "find_similar_tests", query="torch.tensor").hits
        assert [(hit.name, hit.why) for hit in hits] == [
            ("test_a", ("calls torch.tensor",)), ("test_c", ("a helper of it uses torch.tensor",)),
        ]  # fmt: skip
        finding = ask(conn, "find_similar_tests", query="lift_fresh").finding
        assert finding.endswith("2 tests by its callers")


def test_an_operator_of_another_namespace_is_not_aten_s_namesake(tmp_path: Path) -> None:
    """As `torch.ops.quantized.linear`, and `torch.distributed.scatter`, which runs c10d::scatter_."""
    library = (
        'TORCH_LIBRARY(knots, m) {\n  m.def("feature_dropout(Tensor input) -> Tensor");\n'
        '  m.def("tie(Tensor input) -> Tensor");\n}\n'
    )
    files = {
        **_FILES,
        "aten/src/ATen/knots.cpp": library,
        "test/test_knots.py": (
            "import torch\n\n"
            "def test_f(x=None):\n    torch.ops.knots.feature_dropout(x)\n\n"
            "def test_g(x=None):\n    torch.ops.knots.tie(x)\n\n"
            "def test_h(x=None):\n    torch.knots.feature_dropout(x)\n\n"
            "def test_i(x=None):\n    torch.ops.knots.feature_dropout(x)\n"
        ),
        "torch/knots.py": (
            "import torch\n\n"
            "def feature_dropout(input):\n    return torch.ops.knots.feature_dropout(input)\n"
        ),
    }
    with indexed(files, tmp_path) as conn:
        of_aten = ask(conn, "find_similar_tests", query="aten::feature_dropout")
        own = ask(conn, "find_similar_tests", query="knots::feature_dropout")
        reached = {
            name: ask(conn, "impact", name=f"{name}::feature_dropout").tests
            for name in ("aten", "knots")
        }
        rows = conn.execute(
            "SELECT source FROM v_edges WHERE target = 'aten::feature_dropout' AND kind = 'test'"
        ).fetchall()
    assert [hit.name for hit in of_aten.hits] == ["test_e"]
    assert [(hit.name, hit.why[0]) for hit in own.hits] == [
        ("test_f", "calls torch.ops.knots.feature_dropout"),
        ("test_h", "uses torch.knots.feature_dropout"),
        ("test_i", "calls torch.ops.knots.feature_dropout"),
    ]
    assert [source for (source,) in rows] == ["test.test_all.test_e"]
    # `impact quantized::add` counted 1,060 tests, which are those of aten::add.
    assert reached == {"aten": 1, "knots": 3}
