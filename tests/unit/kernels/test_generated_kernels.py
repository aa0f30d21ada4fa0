"""Whose kernels are those that torchgen writes? They are named after their operators, which depend on all they call."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from indexer import link
from indexer.facts.edges import call_code
from tests.unit.support.asking import ask, text
from tests.unit.support.small_tree import indexed
from torchtalk.db import connect

_FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: warp.int(Tensor self, int by) -> Tensor\n  structured_delegate: warp.out\n"
        "- func: warp_.int(Tensor(a!) self, int by) -> Tensor(a!)\n  structured_delegate: warp.out\n"
        "- func: warp.out(Tensor self, int by, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n"
        "  dispatch:\n    CPU: warp_out\n"
        "- func: _warp(Tensor self) -> Tensor\n  structured_delegate: _warp.out\n"
        "- func: _warp.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n"
        "  dispatch:\n    CPU: _warp_out\n"
        "- func: warp(Tensor self) -> Tensor\n"
        "- func: weft(Tensor self) -> Tensor\n  variants: function, method\n"
        "  dispatch:\n    CPU, NestedTensorCPU: weft\n"
    ),
    "torch/__init__.py": "",
    "torch/testing/_internal/common_utils.py": "class TestCase:\n    pass\n",
    "test/test_cloth.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n\nclass TestCloth(TestCase):\n"
        "    def test_trace_weft(self):\n        torch.weft(torch.ones(3))\n"
    ),
    "torch/csrc/autograd/Utils.h": "namespace torch::autograd {\ninline void check(int n) { (void)n; }\n"
    "inline void raw(int n) { (void)n; }\n}\n",
}
_OF_AUTOGRAD = "build/torch/csrc/autograd/generated/"
_ATEN = "build/aten/src/ATen/"
_WRITTEN = (
    (f"{_OF_AUTOGRAD}VariableType_0.cpp", "torch::autograd::VariableType::warp_int", "aten::warp.int", "Autograd"),
    (f"{_OF_AUTOGRAD}VariableType_0.cpp", "torch::autograd::VariableType::warp__int_AutogradCUDA", "aten::warp_.int",
     "AutogradCUDA"),
    (f"{_OF_AUTOGRAD}ADInplaceOrViewType_1.cpp", "torch::ADInplaceOrView::warp_out_out", "aten::warp.out",
     "ADInplaceOrView"),
    (f"{_OF_AUTOGRAD}TraceType_3.cpp", "torch::TraceType::weft", "aten::weft", "Tracer"),
    (f"{_ATEN}RegisterFunctionalization_0.cpp", "at::functionalization::warp__int", "aten::warp_.int", "Functionalize"),
    (f"{_ATEN}RegisterCPU.cpp", "at::wrapper_CPU_warp_int", "aten::warp.int", "CPU"),
    # A structured operator's `_warp`, and the empty overload of `weft`, which is none.
    (f"{_ATEN}RegisterCPU.cpp", "at::wrapper_CPU__warp", "aten::_warp", "CPU"),
    (f"{_ATEN}RegisterNestedTensorCPU.cpp", "at::wrapper_NestedTensorCPU__weft", "aten::weft", "NestedTensorCPU"),
    # What is composite is not the structured one, whose name gives the same.
    (f"{_ATEN}RegisterCompositeImplicitAutograd.cpp", "at::wrapper_CompositeImplicitAutograd__warp", "aten::warp",
     "CompositeImplicitAutograd"),
    # PyTorch 1.13.1 leaves out the key.
    (f"{_ATEN}RegisterMeta.cpp", "at::wrapper_warp_out_out", "aten::warp.out", "Meta"),
    # Nothing registers it: `weft` is composite to functionalization.
    (f"{_ATEN}RegisterFunctionalization_0.cpp", "at::functionalization::weft", None, None),
    (f"{_ATEN}RegisterCPU.cpp", "at::create_out", None, None),
)  # fmt: skip

_BOUND = (
    ("python_torch_functions.cpp", "torch._C._VariableFunctions.weft", "python_torch_functions_1.cpp"),
    ("python_variable_methods.cpp", "torch._C._TensorBase.weft", "python_variable_methods.cpp"),
)  # fmt: skip


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    with indexed(_FILES, folder):
        pass
    conn = sqlite3.connect(folder / "small.db")
    (check,) = conn.execute(
        "SELECT id FROM functions WHERE name = 'torch::autograd::check'"
    ).fetchone()
    for path, name, operator, _ in _WRITTEN:
        conn.execute(
            "INSERT OR IGNORE INTO source_files (path, kind, size, sha) VALUES (?, 'generated', 0, '')",
            (path,),
        )
        written = conn.execute(
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " SELECT ?, '', 'function', id, 7, 9, 1 FROM source_files WHERE path = ?", (name, path),
        ).lastrowid  # fmt: skip
        conn.execute(
            f"INSERT INTO calls VALUES (?, ?, 8, {call_code('call', 'clang')})", (written, check)
        )
        if operator:
            registering = conn.execute(
                "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
                " SELECT 'at::TORCH_LIBRARY_IMPL_init_aten', '', 'function', id, 90, 99, 1 FROM source_files"
                " WHERE path = ?", (path,),
            ).lastrowid  # fmt: skip
            of = call_code("reference", "clang")
            conn.execute(f"INSERT INTO calls VALUES (?, ?, 91, {of})", (registering, written))
    for template, name, file in _BOUND:
        conn.executemany(
            "INSERT OR IGNORE INTO source_files (path, kind, size, sha) VALUES (?, ?, 0, '')",
            (
                (f"tools/autograd/templates/{template}", "cpp"),
                (f"{_OF_AUTOGRAD}{file}", "generated"),
            ),
        )
        conn.execute(
            "INSERT INTO bindings (name, python_name, cpp_name, scope, form, file_id, line)"
            " SELECT 'weft', ?, 'torch::autograd::THPVariable_weft', 'torch::autograd', 'generated', id, 5"
            " FROM source_files WHERE path = ?", (name, f"tools/autograd/templates/{template}"),
        )  # fmt: skip
        conn.execute(
            "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
            " SELECT 'torch::autograd::THPVariable_weft', '', 'function', id, 3, 4, 1 FROM source_files"
            " WHERE path = ?", (f"{_OF_AUTOGRAD}{file}",),
        )  # fmt: skip
    _call_for_one_key(conn)
    for _, run in link.steps([74, 80, 82]):
        run(conn, None)  # type: ignore[arg-type]
    conn.commit()
    conn.close()
    return folder / "small.db"


def _call_for_one_key(conn: sqlite3.Connection) -> None:
    """`raw` calls at::cpu::warp, which is written beside the kernel that it runs without the dispatcher."""
    keyed = conn.execute(
        "INSERT INTO functions (name, head, kind, file_id, line, end_line, is_exact)"
        " SELECT 'at::cpu::warp', '', 'function', id, 11, 13, 1 FROM source_files WHERE path = ?",
        (f"{_ATEN}RegisterCPU.cpp",),
    ).lastrowid
    for caller, callee in (
        ("torch::autograd::raw", "at::cpu::warp"),
        ("at::cpu::warp", "at::wrapper_CPU_warp_int"),
    ):
        conn.execute(
            f"INSERT INTO calls SELECT a.id, b.id, a.line, {call_code('call', 'clang')}"
            " FROM functions AS a, functions AS b WHERE a.name = ? AND b.name = ?", (caller, callee),
        )  # fmt: skip
    assert keyed


def test_what_runs_a_kernel_of_one_key_calls_the_operator(database: Path) -> None:
    with contextlib.closing(connect(database)) as conn:
        below = ask(conn, "calls", name="torch::autograd::raw").neighbours
    assert {(one.name, one.relation) for one in below} == {
        ("at::cpu::warp", "call"), ("aten::warp.int", "operator"),
    }  # fmt: skip


def test_each_is_of_one_operator_for_one_key(database: Path) -> None:
    with contextlib.closing(connect(database)) as conn:
        found = conn.execute(
            "SELECT u.name, o.name, x.dispatch_key FROM operator_functions AS x"
            " JOIN functions AS u ON u.id = x.function_id JOIN operators AS o ON o.id = x.operator_id"
            " WHERE x.role = 'generated'"
        ).fetchall()
    assert sorted(map(tuple, found)) == sorted(
        (name, operator, key) for _, name, operator, key in _WRITTEN if operator
    )


def test_operators_depend_on_what_their_written_kernels_call(database: Path) -> None:
    """torch/csrc/autograd/VariableTypeUtils.h: what stands there is called by VariableType alone."""
    with contextlib.closing(connect(database)) as conn:
        answer = ask(conn, "impact", name="torch::autograd::check", depth=1)
        assert set(answer.operators) == {"aten::warp", "aten::warp_", "aten::_warp", "aten::weft"}
        using = ask(conn, "called_by", name="torch::TraceType::weft").neighbours
        assert ("aten::weft", "generated") in {(one.name, one.relation) for one in using}
        nested = ask(conn, "impact", name="at::wrapper_NestedTensorCPU__weft", depth=1)
        assert "all of it through kernels of NestedTensorCPU" in nested.finding


def test_a_change_of_what_they_call_leads_to_tests_of_the_operators(database: Path) -> None:
    with contextlib.closing(connect(database)) as conn:
        lines = text(conn, "affected", names="torch::autograd::check")
    assert lines[2:4] == [
        "0.40 torch::autograd::check -> torch::TraceType::weft calls it -> generated kernel for Tracer of aten::weft"
        " -> named after it and calls it, and is about tracer",
        "  TestCloth.test_trace_weft  test/test_cloth.py:5",
    ]


def test_each_python_name_has_the_function_that_is_written_for_it(database: Path) -> None:
    """`torch.relu` and `Tensor.relu` both have a THPVariable_relu, in files of their own."""
    with contextlib.closing(connect(database)) as conn:
        found = conn.execute(
            "SELECT source, file, kind, origin FROM v_edges WHERE target = 'torch::autograd::THPVariable_weft'"
        ).fetchall()
    assert sorted(map(tuple, found)) == [
        ("torch._C.TensorBase.weft", f"{_OF_AUTOGRAD}python_variable_methods.cpp", "bind", "clang"),
        ("torch._C._VariableFunctions.weft", f"{_OF_AUTOGRAD}python_torch_functions_1.cpp", "bind", "clang"),
    ]  # fmt: skip
