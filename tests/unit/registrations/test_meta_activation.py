"""Which decompositions become Meta kernels: before PyTorch 2.0 those alone for whose operators C++ has none."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.extract.python.registrations import registrations as read_python
from indexer.facts.registrations import MetaExclusion, MetaGuard, MetaLibrary
from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_DECOMP = "torch/_decomp/__init__.py"
# torch/_decomp/__init__.py of 1.13
_REGISTER = """import torch
import torch.library
meta_lib = torch.library.Library("aten", "IMPL", "Meta")
def register_decomposition(aten_op, registry=None, *, disable_meta: bool = False):
    def decomposition_decorator(f):
        def add_op_to_table(aten_op):
            for op_overload in overloads:
                registry[op_overload] = fn
                if (
                    not disable_meta
                    and torch._C._dispatch_has_kernel(name)
                    and not torch._C._dispatch_has_computed_kernel_for_dispatch_key(
                        name, "Meta"
                    )
                ):
                    meta_lib.impl(op_overload, fn)
        tree_map(add_op_to_table, aten_op)
        return fn
    return decomposition_decorator
"""
# torch/_meta_registrations.py since 2.0
_ACTIVATE = """import torch
meta_lib = torch.library.Library("aten", "IMPL", "Meta")
def activate_meta():
    for op_overload, fn in activate_meta_table.items():
        if torch._C._dispatch_has_kernel_for_dispatch_key(op_overload.name(), "CompositeImplicitAutograd"):
            pass
        else:
            meta_lib.impl(op_overload, fn)
activate_meta()
"""
_YAML = "".join(
    f"- func: {name}(Tensor self) -> Tensor\n  dispatch:\n    {keys}: {name}_kernel\n"
    for name, keys in {
        "tied": "CPU, CUDA",
        "woven": "CPU, Meta",
        "sewn": "CompositeExplicitAutograd",
        "apart": "CPU, CUDA",
        "hemmed": "CPU, CUDA",
        "given": "CPU, CUDA",
    }.items()
)
_DECOMPOSITIONS = """import torch
from torch._decomp import register_decomposition
aten = torch.ops.aten
@register_decomposition(aten.tied)
def tied(x): ...
@register_decomposition([aten.woven.default, aten.sewn])
def both(x): ...
@register_decomposition(aten.apart, disable_meta=True)
def apart(x): ...
@register_decomposition([aten.hemmed.default], disable_meta=True)
def hemmed(x): ...
@register_decomposition(aten.given)
def given(x): ...
"""
_REGISTERED = """import torch
lib = torch.library.Library("aten", "IMPL", "Meta")
def meta_given(x): ...
lib.impl("given", meta_given)
"""


def _meta_kernels(conn: sqlite3.Connection) -> list[tuple[str, str, str]]:
    rows = conn.execute(
        "SELECT v.operator, v.kernel, f.path || ':' || r.block_line FROM v_dispatch AS v"
        " JOIN registrations AS r ON r.kernel = v.kernel AND r.line = v.registered_line"
        " JOIN source_files AS f ON f.id = r.block_file_id"
        " WHERE v.key = 'Meta' AND v.origin = 'python' ORDER BY v.operator, v.kernel"
    ).fetchall()
    return [(row[0].removeprefix("aten::"), row[1].rpartition(".")[2], row[2]) for row in rows]


def _files(path: str, source: str) -> dict[str, str]:
    return {
        "aten/src/ATen/native/native_functions.yaml": _YAML,
        "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
        "torch/__init__.py": "",
        path: source,
        "torch/_decomp/decompositions.py": _DECOMPOSITIONS,
        "torch/_given.py": _REGISTERED,
    }


def test_who_asks_first_registers_what_has_none(tmp_path: Path) -> None:
    with indexed(_files(_DECOMP, _REGISTER), tmp_path) as conn:
        assert _meta_kernels(conn) == [
            ("given", "meta_given", "torch/_given.py:2"),
            ("tied", "tied", f"{_DECOMP}:3"),
        ]
        shown = text(conn, "trace", name="aten::woven", focus="dispatch")
    assert not [line for line in shown if "replaced at import" in line]


def test_activate_meta_replaces_what_is_there(tmp_path: Path) -> None:
    path = "torch/_meta_registrations.py"
    with indexed(_files(path, _ACTIVATE), tmp_path) as conn:
        found = {(operator, kernel) for operator, kernel, _ in _meta_kernels(conn)}
        shown = text(conn, "trace", name="aten::woven", focus="dispatch")
    assert found >= {("tied", "tied"), ("woven", "both"), ("sewn", "both"), ("given", "given")}
    assert [line for line in shown if "replaced at import" in line]


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        (_REGISTER, [MetaLibrary("aten", "torch/a.py", 3), MetaGuard()]),
        # That it asks for another key, or in another function, is no guard.
        (_REGISTER.replace('name, "Meta"', 'name, "CPU"'), []),
        (_REGISTER.replace("def register_decomposition", "def register_other"), []),
        (_ACTIVATE, [MetaLibrary("aten", "torch/a.py", 2)]),
        (
            _DECOMPOSITIONS,
            [MetaExclusion("aten::apart", all_overloads=True), MetaExclusion("aten::hemmed")],
        ),
    ],
)
def test_what_a_file_says_of_it(source: str, facts: list[object]) -> None:
    kinds = MetaLibrary | MetaGuard | MetaExclusion
    found = [f for f in read_python("torch/a.py", source.encode()) if isinstance(f, kinds)]
    assert found == facts
