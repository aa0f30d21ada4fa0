"""Which operators a C++ call can mean by its name and number of arguments."""

from __future__ import annotations

from pathlib import Path

from indexer.build import build
from indexer.link.cpp.operator_overloads import Overloads
from indexer.scan.tree import open_tree
from torchtalk.db import connect

NATIVE = "aten/src/ATen/native"
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: width.int(Tensor self, int dim) -> int\n  variants: function\n  manual_cpp_binding: True\n\n"
        "- func: width.Dimname(Tensor self, Dimname dim) -> int\n  variants: function, method\n\n"
        "- func: depth.int(Tensor self, int dim) -> int\n  variants: function\n\n"
        "- func: depth.Dimname(Tensor self, Dimname dim) -> int\n  variants: function, method\n\n"
        "- func: dense(Tensor self) -> Tensor\n  variants: method\n  manual_cpp_binding: True\n"
    ),
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "tools/autograd/derivatives.yaml": "- name: dense(Tensor self) -> Tensor\n  self: grad\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
}


def test_a_method_that_somebody_wrote_is_not_the_generated_one_of_another_overload(
    tmp_path: Path,
) -> None:
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    build(open_tree(root.resolve()), tmp_path / "i.db", layers=("operators",), workers=0)
    conn = connect(tmp_path / "i.db")
    names = {row[0]: row[1] for row in conn.execute("SELECT id, name FROM operators")}
    overloads = Overloads(conn)
    conn.close()

    def methods(name: str, arguments: int | None) -> list[str]:
        return [names[number] for number in overloads.of_method(name, arguments)]

    assert methods("width", 1) == []
    assert methods("width", None) == []
    assert methods("depth", 1) == ["aten::depth.Dimname"]
    assert methods("dense", 0) == ["aten::dense"]
