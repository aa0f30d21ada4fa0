"""Who calls a template's function stands before that others are specializations of it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from indexer.link.cpp.element_types import ElementTypes
from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

# Of so many a call names some alone; the others are what the template may come to.
_MANY = 12
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: sum(Tensor self) -> Tensor\n",
    "aten/src/ATen/cpu/vec/base.cpp": "namespace at::vec {\n"
    "template <typename T> T load(const T* p) { return *p; }\n"
    + "".join(
        f"template <> T{n} load(const T{n}* p) {{ return *p; }}\n"
        f"void sum{n}(const T{n}* p) {{ load(p); }}\n"
        for n in range(_MANY)
    )
    + "}\n",
}


def test_callers_come_before_specializations(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:
        lines = text(conn, "called_by", name="at::vec::load", limit=100)
    kinds = [line.strip() for line in lines if line.endswith(":") and line.startswith("  ")]
    first = kinds.index("specialization:")
    assert set(kinds[:first]) == {"candidate:"}
    assert set(kinds[first:]) == {"specialization:"}


_ELEMENTS = {
    "aten/src/ATen/native/native_functions.yaml": "- func: sum(Tensor self) -> Tensor\n",
    "aten/src/ATen/cpu/vec/vec_base.h": "namespace at::vec {\n"
    "template <typename T> struct Vectorized { T data; };\n"
    "template <typename T> Vectorized<T> least(const Vectorized<T>& a) { return a; }\n}\n",
    "aten/src/ATen/cpu/vec/vec_n.h": "namespace at::vec {\n"
    "template <typename T, int N> struct VectorizedN { T data; };\n"
    "template <typename T, int N> VectorizedN<T, N> least(const VectorizedN<T, N>& a) { return a; }\n}\n",
    "aten/src/ATen/cpu/vec/vec_int.h": "namespace at::vec {\n"
    + "".join(
        f"struct T{n} {{ }};\n"
        f"template <> Vectorized<T{n}> inline least(const Vectorized<T{n}>& a) {{ return a; }}\n"
        for n in range(_MANY)
    )
    + "}\n",
    "aten/src/ATen/native/Sum.cpp": "namespace at::vec {\n"
    "template <typename U> void all(U u) { least(u); }\n}\n",
}


def test_what_takes_another_template_s_object_is_no_specialization(tmp_path: Path) -> None:
    with indexed(_ELEMENTS, tmp_path) as conn:
        query = (
            "SELECT DISTINCT f.path FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id"
            " JOIN functions AS u ON u.id = e.source >> 4 JOIN source_files AS f ON f.id = u.file_id"
            " WHERE k.kind = 'specialization'"
        )
        assert [row["path"] for row in conn.execute(query)] == ["aten/src/ATen/cpu/vec/vec_base.h"]


@pytest.mark.parametrize(
    ("one", "other", "are_others"),
    [
        ("const Vec<float>& a", "const Vec<c10::Half>& b", True),
        ("Vec<c10::Half> a", "const Vec<Half>& a", False),
        ("Vec<int> a", "Vec<std::int32_t> a", False),
        ("Vec<float> a", "Vec<double>", True),
        ("Vec<Vec<float>> a", "Vec<Vec<double>> a", True),
        ("Vec<float, 2> a", "VecN<float, 2> a", True),
        # What a template's parameter, an alias or a class of others' stands for may be anything.
        ("Vec<T> a", "Vec<float> a", False),
        ("Vec<Known> a", "Vec<Half> a", False),
        ("Vec<Element> a", "Vec<float> a", False),
        ("Vec<float> a", "Other<float> a", False),
        ("float a", "double a", False),
    ],
)
def test_element_types(one: str, other: str, are_others: bool) -> None:
    conn = sqlite3.connect(":memory:")
    conn.execute("CREATE TABLE cpp_classes (name TEXT)")
    names = ("n::Vec", "n::VecN", "c10::Half", "n::T", "n::Known")
    conn.executemany("INSERT INTO cpp_classes VALUES (?)", ((name,) for name in names))
    types = ElementTypes(conn)
    heads = (f"template <class Known> void f({one})", f"void f({other})")
    assert types.takes_others(heads[0], "n::f", heads[1], "n::f") is are_others
    assert types.takes_others(heads[1], "n::f", heads[0], "n::f") is are_others
