"""A method in C++ that is called like an operator is not that, unless its class is a tensor."""

from __future__ import annotations

from pathlib import Path

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: fold(Tensor self) -> Tensor\n  dispatch:\n    CPU: fold_cpu\n\n"
        "- func: press(Tensor self) -> Tensor\n  dispatch:\n    CPU: press_cpu\n"
    ),
    "c10/core/Paper.h": (
        "namespace c10 {\nstruct Paper {\n  Paper fold() const { return *this; }\n"
        "  static Paper sheet() { return Paper(); }\n};\n}\n"
    ),
    "aten/src/ATen/cpu/vec/vec_paper.h": (
        "namespace at::vec {\nstruct Vectors {\n  Vectors fold() const { return *this; }\n};\n}\n"
    ),
    "aten/src/ATen/native/Press.cpp": (
        "#include <c10/core/Paper.h>\nnamespace at::native {\n"
        "Tensor press_cpu(const Tensor& self) { c10::Paper p; p.fold(); return self; }\n"
        "Tensor fold_cpu(const Tensor& self) { return self; }\n}\n"
    ),
    "torch/__init__.py": "",
    "torch/testing/_internal/opinfo/core.py": "class OpInfo:\n    pass\n",
    "torch/testing/_internal/common_methods_invocations.py": (
        "from torch.testing._internal.opinfo.core import OpInfo\nop_db = [OpInfo('fold'), OpInfo('press')]\n"
    ),
}


def test_methods_of_other_classes(tmp_path: Path) -> None:
    with indexed(_FILES, tmp_path) as conn:

        def entries(query: str) -> list[str]:
            hits = ask(conn, "find_similar_tests", query=query).hits
            return [hit.name for hit in hits if hit.kind == "opinfo"]

        assert entries("c10::Paper::fold") == ["press"]
        assert entries("at::native::fold_cpu") == ["fold"]
        assert entries("at::vec::Vectors::fold") == ["fold"]
        assert entries("aten::fold") == ["fold"]
