"""Who calls a template's function stands before that others are specializations of it."""

from __future__ import annotations

from pathlib import Path

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
