"""Bindings of whole trees: against the names that torch 2.6.0 itself has, and against a grep."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from tests.real.conftest import Real
from tests.real.cpp_grep import sources

NAMES = Path(__file__).parent.parent / "data" / "torch_c_names-2.6.0.txt.gz"


def test_functions_of_torch_c(new: Real) -> None:
    """Every function that `torch._C` of the built 2.6.0 has is bound somewhere in the tree."""
    names = gzip.decompress(NAMES.read_bytes()).decode().split()
    assert len(names) > 5000
    rows = new.conn.execute("SELECT DISTINCT python_name FROM v_bindings").fetchall()
    known = {row[0] for row in rows}
    top = [name for name in names if name.count(".") == 2]
    assert [name for name in top if name not in known and name[9:10].islower()] == []
    missing = [name for name in names if name not in known]
    assert len(missing) <= 26, missing


@pytest.mark.parametrize(
    ("python_name", "cpp_name", "kind", "place"),
    [
        (
            "torch._C._get_tracing_state", "torch::jit::tracer::initPythonTracerBindings::lambda", "pybind",
            "torch/csrc/jit/python/python_tracer.cpp:260",
        ),
        ("torch._C._jit_pass_inline", "torch::jit::Inline", "pybind", "torch/csrc/jit/python/init.cpp:631"),
        (
            "torch._C._functorch._vmap_increment_nesting", "torch::functorch::impl::_vmap_increment_nesting",
            "pybind", "torch/csrc/functorch/init.cpp:467",
        ),
        (
            "torch._C._dynamo.guards.TensorGuards.check", "torch::dynamo::TensorGuards_check", "method_table",
            "torch/csrc/dynamo/guards.cpp:511",
        ),
        (
            "torch._C._dynamo.eval_frame.set_eval_frame", "set_eval_frame_py", "method_table",
            "torch/csrc/dynamo/eval_frame.c:914",
        ),
        ("torch._C._cuda_setDevice", "THCPModule_setDevice_wrap", "method_table", "torch/csrc/cuda/Module.cpp:1839"),
        (
            "torch._C._TensorBase.requires_grad", "THPVariable_get_requires_grad", "getset",
            "torch/csrc/autograd/python_variable.cpp:1679",
        ),
        (
            "torch._C._TensorBase.add", "torch::autograd::THPVariable_add", "generated",
            "tools/autograd/templates/python_variable_methods.cpp:1324",
        ),
        (
            "torch._C._nn.gelu", "torch::autograd::THPVariable_gelu", "generated",
            "tools/autograd/templates/python_nn_functions.cpp:86",
        ),
    ],
)  # fmt: skip
def test_known_bindings(new: Real, python_name: str, cpp_name: str, kind: str, place: str) -> None:
    rows = new.conn.execute(
        "SELECT cpp_name, kind, file || ':' || line FROM v_bindings WHERE python_name = ?",
        (python_name,),
    ).fetchall()
    assert (cpp_name, kind, place) in [tuple(row) for row in rows]


def test_every_named_def_in_pybind_files_is_bound(real: Real) -> None:
    """`.def("name", …)` and its kin, counted by grep in the files that hold py::class_ or py::module."""
    rows = real.conn.execute(
        "SELECT f.path, b.name FROM bindings AS b JOIN source_files AS f ON f.id = b.file_id"
    ).fetchall()
    bound = {(row[0], row[1]) for row in rows}
    expected, missing = 0, []
    for path, text in sources(real.root):
        if (
            not re.search(r"\bpy::(?:class_|module|enum_)", text)
            or "torch::class_" in text
            or "TORCH_LIBRARY" in text
        ):
            continue
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        for match in re.finditer(r'\.def(?:_\w+)?\(\s*"([^"\\\n]+)"', code):
            expected += 1
            if (path, match.group(1)) not in bound:
                missing.append((path, match.group(1)))
    assert expected > 1500
    assert len(missing) <= expected // 100, missing[:40]


def test_lines_hold_what_is_bound(real: Real) -> None:
    rows = real.conn.execute(
        "SELECT b.name, f.path, b.line FROM bindings AS b JOIN source_files AS f ON f.id = b.file_id"
        " WHERE b.form IN ('method_table', 'getset') ORDER BY f.path, b.line"
    ).fetchall()
    wrong = []
    for name, path, line in rows:
        around = real.line(path, line) + real.line(path, line + 1)
        if f'"{name}"' not in around:
            wrong.append((name, path, line))
    assert not wrong
    assert len(rows) > 400


def test_a_storages_methods_are_those_of_its_base(real: Real) -> None:
    """In 1.13.1 a macro of Storage.h has the end of the type's name."""
    rows = real.conn.execute(
        "SELECT python_name FROM bindings WHERE cpp_name = 'THPStorage_pyNewFdStorage'"
    )
    assert [name for (name,) in rows] == ["torch._C.StorageBase._new_using_fd_cpu"]
    (wrong,) = real.conn.execute(
        "SELECT count(*) FROM bindings WHERE python_name GLOB '*..*'"
    ).fetchone()
    assert wrong == 0


_COLLECTIVES = {
    "1.13.1": {
        "ProcessGroup": "allgather_ allreduce_ alltoall_ barrier broadcast_ gather_ recv_ reduce_ reduce_scatter_ scatter_ send",
    },
    "2.6.0": {"_SymmetricMemory": "memset32_ stream_write_value32_"},
}  # fmt: skip
"""Operators behind lambdas that torch/csrc/distributed/c10d/init.cpp binds, by the class that has these."""


def test_bound_lambdas_lead_to_the_operators_whose_handles_they_get(real: Real) -> None:
    for owner, operators in _COLLECTIVES[real.version].items():
        rows = real.conn.execute(
            "SELECT DISTINCT o.base FROM python_natives AS n"
            " JOIN python_native_operators AS x ON x.native_id = n.id JOIN operators AS o ON o.id = x.operator_id"
            " WHERE n.name GLOB 'torch._C._distributed_c10d.' || ? || '.*' ORDER BY 1",
            (owner,),
        )
        assert " ".join(base for (base,) in rows) == operators
