"""A tree of C++ for the semantic layer, the index of all its layers, and what is asked of that."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from indexer.build import build
from indexer.clang.semantic import Options
from indexer.joint_update import Together
from indexer.layers import LAYER_NAMES
from indexer.report import BuildReport, SemanticReport
from indexer.scan.tree import SourceTree, open_tree
from indexer.semantic import add_semantic
from tests.unit.support import index_dump
from torchtalk.db import connect

NATIVE = "aten/src/ATen/native"
_WRITTEN = 1_700_000_000  # seconds since 1970; any, but the same
FILES = {
    f"{NATIVE}/native_functions.yaml": "- func: relu(Tensor self) -> Tensor\n  dispatch:\n    CPU: relu_cpu\n",
    f"{NATIVE}/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
    "tools/autograd/derivatives.yaml": "- name: relu(Tensor self) -> Tensor\n  self: grad\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "c10/util/shared.h": (
        "#pragma once\nnamespace c10 {\ninline int shared(int x) { return x; }\n"
        "template <class T> int open(T t) { return t.late() + shared(1); }\n}\n"
    ),
    "c10/core/a.cpp": "#include <c10/util/shared.h>\nnamespace c10 {\nint twice(int x) { return shared(x); }\n"
    "int twice(double) { return 2; }\nint a() { return twice(2.0); }\n}\n",
    "c10/core/b.cpp": "#include <c10/util/shared.h>\nnamespace c10 {\nint a();\n"
    "struct Base { virtual int run(); };\nstruct Own : Base { int run() override { return a(); } };\n"
    "int Base::run() { return shared(2); }\nint b(Base& base) { return base.run(); }\n"
    "int late();\n}\n",
    "c10/core/c.cpp": "#include <c10/util/missing.h>\nnamespace c10 {\nint a();\nint c() { return a(); }\n"
    "int d(Gone g) { return a(); }\n}\n",
    f"{NATIVE}/cuda/k.cu": "__global__ void k(int* x) {}\nvoid run(int* x) { k<<<1, 2>>>(x); }\n",
    f"{NATIVE}/Relu.cpp": "namespace at::native {\nint relu_cpu(int x) { return x; }\n}\n",
    "c10/core/either.cpp": (
        "#include <c10/util/shared.h>\nnamespace c10 {\nint elsewhere(int x) { return x; }\n"
        "int either(int x) {\n#ifdef USE_SOMETHING\n  at::relu(x);\n  return elsewhere(x);\n"
        "#else\n  return shared(x);\n#endif\n}\n}\n"
    ),
}
MORE = {
    "c10/util/deep.h": (
        "#pragma once\nnamespace c10 {\nint deep(int);\nint outside(int);\nint outside(double);\n"
        "struct Walk { virtual int step(int x); virtual ~Walk(); };\n"
        "#define MADE(name) int name##_made(int x) { return deep(x); }\n}\n"
    ),
    "c10/core/deep.cpp": (
        "#include <c10/util/deep.h>\n#include <vector>\nnamespace c10 {\n"
        "static int own(int x) { return x; }\n"
        "int deep(int x) { return own(x) + outside(1); }\n"
        "int Walk::step(int x) { return own(x); }\n"
        "MADE(first)\n"
        "int lone(const int x) { return x; }\n"
        "int either(int x) {\n#ifdef NEVER\n  at::relu(x);\n  return own(outside(x));\n#endif\n  return deep(x);\n}\n"
        "int grow() { std::vector<int> v; v.push_back(deep(1)); return v.size(); }\n}\n"
    ),
    "c10/core/user.cpp": (
        "#include <c10/util/deep.h>\n#include <c10/util/shared.h>\nnamespace c10 {\n"
        "static int own(int x) { return deep(x); }\n"
        "struct Far : Walk { int step(int x) override { return own(x) + outside(2.0); } };\n"
        "int go(Walk& w) { auto f = [](int x) { return deep(x); }; return w.step(f(1)) + shared(2); }\n"
        "int twin(int x);\nint calls_twin() { return twin(1); }\n"
        "int lone(int x);\nint calls_lone() { return lone(1); }\n"
        "MADE(second)\nint main_like() { return go(*new Far()); }\n}\n"
    ),
    "c10/util/ops.h": (
        "#pragma once\nnamespace c10 {\nint deep(int);\n"
        "struct Ops { int project(int x) const { return deep(x); } int combine(int x) const { return x; } };\n"
        "struct Plus { int operator()(int x) const { return deep(x); } };\n"
        "template <class Op> int fold(Op op) { return op.project(1) + op(2); }\n"
        "template <class T> T wide(T x);\ntemplate <> inline int wide<int>(int x) { return deep(x); }\n"
        "template <> inline float wide<float>(float x) { return x; }\n}\n"
    ),
    "c10/core/ops.cpp": (
        "#include <c10/util/ops.h>\nnamespace c10 {\n"
        "int once();\ntemplate <> char wide<char>(char x) { return once(); }\n"
        "template <class T> int folds(T x) { return fold(Ops{}) + fold<Plus>(Plus()) + wide(x); }\n"
        "int once() { return wide<int>(Plus()(1)); }\n}\n"
    ),
    f"{NATIVE}/mps/Only.mm": "namespace c10 { int outside(int x) { return x; } }\n",
}
WHOLE = {**FILES, **MORE}
"""`FILES`, and what units tell of each other's functions."""

_MADE = ("semantic.facts", "semantic.settings", "semantic.outside")
"""What `meta` says of how the layer was made: keys of the cache, which are others elsewhere."""


def make_tree(root: Path, files: Mapping[str, str] = WHOLE) -> Path:
    """Write some files below a folder."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def same_tree(root: Path) -> Path:
    """Write them where they were before, as old as then: a cache has what was parsed of them."""
    shutil.rmtree(root, ignore_errors=True)
    make_tree(root)
    for path in root.rglob("*"):
        if path.is_file():
            os.utime(path, (_WRITTEN, _WRITTEN))
    return root


def index(
    tree: Path, target: Path, cache: Path, *, options: Options | None = None, **how: Any
) -> BuildReport:
    """Build or update all layers, at once where that can be."""
    opened, options = open_tree(tree), options or Options()
    report = build(
        opened,
        target,
        layers=LAYER_NAMES,
        workers=0,
        together=lambda: Together(options, cache, 0),
        **how,
    )
    if report.semantic is None:
        unchanged = report.action == "unchanged"
        add_semantic(opened, target, options=options, cache=cache, workers=0, unchanged=unchanged)
    return report


def add(tree: SourceTree, target: Path, **options: object) -> SemanticReport:
    """Add the layer to an index that is there."""
    chosen = Options(**options)  # type: ignore[arg-type]
    return add_semantic(tree, target, options=chosen, cache=target.parent / "clang", workers=0)


def dump(target: Path) -> dict[str, list[Any]]:
    """Every row, but for how what the layer replaced is kept."""
    rows = index_dump.dump(target)
    del rows["semantic_base"]
    return rows


def dump_without_keys(target: Path) -> dict[str, list[Any]]:
    """The same, but for by which keys of the cache it was made."""
    rows = dump(target)
    rows["meta"] = [row for row in rows["meta"] if row[0] not in _MADE]
    return rows


def edges(target: Path, origin: str = "clang") -> set[tuple[str, str, str]]:
    """Caller, callee and kind of every call."""
    conn = connect(target)
    rows = conn.execute("SELECT caller, callee, kind FROM v_calls WHERE origin = ?", (origin,))
    found = {(str(a), str(b), str(kind)) for a, b, kind in rows}
    conn.close()
    return found


def edited(path: Path, before: str, after: str) -> None:
    """Replace a text of a file that stands there once at least."""
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def statuses(target: Path) -> dict[str | None, tuple[str, str]]:
    """Status and detail of each file, and of the layer under None."""
    conn = connect(target)
    rows = conn.execute("SELECT file, status, detail FROM v_coverage WHERE layer = 'semantic'")
    found = {file: (status, detail) for file, status, detail in rows}
    conn.close()
    return found


def differences_from_whole(tree: Path, target: Path, cache: Path, **how: Any) -> list[str]:
    """What an index has otherwise than one that is built of the same tree from nothing, beside it."""
    whole = target.with_name("whole.db")
    index(tree, whole, cache, **how)
    return index_dump.differences(dump(target), dump(whole))


def plain_tree(folder: Path) -> SourceTree:
    """The files of `FILES`, below a folder."""
    return open_tree(make_tree((folder / "tree").resolve(), FILES))


def fast_index(tree: SourceTree, folder: Path) -> Path:
    """An index of a tree that waits for its semantic layer."""
    path = folder / "index.db"
    build(tree, path, layers=LAYER_NAMES, workers=0)
    return path
