"""What a structured kernel calls on itself is overridden by generated classes, not by other heirs of its base."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_NATIVE = "aten/src/ATen/native"
# aten/src/ATen/TensorMeta.h, TensorIterator.h
_FILES = {
    "version.txt": "2.6.0\n",
    f"{_NATIVE}/native_functions.yaml": """
- func: fold(Tensor self) -> Tensor
  structured_delegate: fold.out
- func: fold.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: fold_out
- func: bend(Tensor self) -> Tensor
  dispatch:
    CPU: bend
""",
    "aten/src/ATen/TensorMeta.h": "#define TORCH_META_FUNC(name) void structured_##name::meta\n"
    "#define TORCH_IMPL_FUNC(name) void structured_##name::impl\nnamespace at::impl {\nstruct MetaBase {\n"
    "  virtual void set_shape(int at, int size) { check(at); }\n};\n}\n",
    "aten/src/ATen/Walker.cpp": "namespace at {\nstruct Walker : public impl::MetaBase {\n"
    "  void set_shape(int at, int size) override { resize(at); }\n};\n}\n",
    f"{_NATIVE}/Fold.cpp": "namespace at::meta {\n"
    "TORCH_META_FUNC(fold)(const Tensor& self) { set_shape(0, self.dim()); }\n}\n"
    "namespace at::native {\nTORCH_IMPL_FUNC(fold_out)(const Tensor& self, const Tensor& out) {}\n"
    "Tensor bend(const Tensor& self) {\n  impl::MetaBase& meta = made();\n  meta.set_shape(0, 1);\n  return self;\n}\n}\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("structured")) as connection:
        yield connection


def test_none_of_what_other_classes_override(conn: sqlite3.Connection) -> None:
    shown = "\n".join(text(conn, "trace", name="fold"))
    assert "Meta -> at::meta::structured_fold::meta" in shown
    assert "Walker" not in shown


def test_of_what_is_called_on_another_object_it_is_told(conn: sqlite3.Connection) -> None:
    shown = "\n".join(text(conn, "trace", name="bend"))
    assert "calls at::impl::MetaBase::set_shape, which is virtual" in shown
    assert "at::Walker::set_shape" in shown
