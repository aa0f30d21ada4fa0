"""Updates of the index of a whole PyTorch tree: exact, and what a full build gives."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.report import BuildReport
from indexer.scan.tree import open_tree
from tests.real.conftest import source
from tests.unit.support.index_dump import differences, dump

LINEAR = "aten/src/ATen/native/LinearAlgebra.cpp"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a copy of the tree and its index."""
    folder = tmp_path_factory.mktemp("update")
    tree = source("2.6.0")
    assert tree is not None
    shutil.copytree(tree, folder / "tree", symlinks=True)
    build(open_tree(folder / "tree"), folder / "x.db")
    yield folder
    shutil.rmtree(folder)


def _update(folder: Path) -> BuildReport:
    report = build(open_tree(folder / "tree"), folder / "x.db")
    assert report.action == "updated", report.reason
    return report


def _calls(folder: Path, caller: str) -> list[tuple[str, str, int]]:
    conn = sqlite3.connect(folder / "x.db")
    try:
        return conn.execute(
            "SELECT callee, kind, line FROM v_calls WHERE caller = ? ORDER BY line, callee",
            (caller,),
        ).fetchall()
    finally:
        conn.close()


def _append(path: Path, text: str) -> int:
    """Append lines to a file; returns the number of the first."""
    before = path.read_text(encoding="utf-8")
    path.write_text(before + text, encoding="utf-8")
    return before.count("\n") + 1


def test_nothing_changed(copy: Path) -> None:
    before = (copy / "x.db").stat()
    report = build(open_tree(copy / "tree"), copy / "x.db")
    assert report.action == "unchanged"
    after = (copy / "x.db").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_new_function_and_its_exact_edges(copy: Path) -> None:
    line = _append(
        copy / "tree" / LINEAR,
        "namespace at::native {\n"
        "static void fresh_helper(int a) {}\n"
        "void fresh_function() {\n"
        "  fresh_helper(1);\n"
        "  linalg_vector_norm_impl_missing();\n"
        "}\n"
        "}\n",
    )
    report = _update(copy)
    assert report.changes == {"edited": [LINEAR]}
    assert "python" not in report.relinked
    assert _calls(copy, "at::native::fresh_function") == [
        ("at::native::fresh_helper", "call", line + 3)
    ]


def test_a_function_that_other_files_call_comes_and_goes(copy: Path) -> None:
    other = "aten/src/ATen/native/BatchLinearAlgebra.cpp"
    line = _append(
        copy / "tree" / other, "namespace at::native { void fresh_caller() { fresh_shared(); } }\n"
    )
    _update(copy)
    assert _calls(copy, "at::native::fresh_caller") == []
    header = copy / "tree/aten/src/ATen/native/LinearAlgebraUtils.h"
    before = header.read_text(encoding="utf-8")
    _append(header, "namespace at::native { inline void fresh_shared() {} }\n")
    _update(copy)
    assert _calls(copy, "at::native::fresh_caller") == [("at::native::fresh_shared", "call", line)]
    header.write_text(before, encoding="utf-8")
    _update(copy)
    assert _calls(copy, "at::native::fresh_caller") == []


def test_every_row_is_that_of_a_full_build(copy: Path) -> None:
    tree = copy / "tree"
    edits = [
        lambda: _append(tree / "torch/nn/functional.py", "\ndef fresh(x):\n    return relu(x)\n"),
        lambda: _append(
            tree / "aten/src/ATen/native/native_functions.yaml",
            "\n- func: fresh_thing(Tensor self) -> Tensor\n  dispatch:\n    CPU: fresh_function\n",
        ),
        lambda: (tree / "aten/src/ATen/native/cuda/Lerp.cu").rename(tree / "aten/Renamed.cu"),
        lambda: (tree / "torch/nn/modules/flatten.py").unlink(),
        lambda: _append(tree / "test/test_nn.py", "\nclass TestFresh(TestCase):\n    def test_x(self):\n"
                        "        torch.relu(1)\n"),
        lambda: _append(tree / "c10/util/Exception.h", "#define FRESH_MACRO(n) void n() {}\n"
                        "struct FreshClass { void run(); };\n"),
        lambda: (tree / "c10/util/Exception.h").touch(),
        lambda: (tree / "aten/src/ATen/native/BinaryOps.cpp").write_text(
            "\n" + (tree / "aten/src/ATen/native/BinaryOps.cpp").read_text(encoding="utf-8"),
            encoding="utf-8",
        ),
    ]  # fmt: skip
    for edit in edits:
        edit()
        build(open_tree(tree), copy / "x.db")
    build(open_tree(tree), copy / "whole.db", full=True)
    assert differences(dump(copy / "x.db"), dump(copy / "whole.db")) == []
    assert _views(copy / "x.db") == _views(copy / "whole.db")


def _views(path: Path) -> dict[str, list[str]]:
    """The rows of every view, without the ids in them."""
    conn = sqlite3.connect(path)
    try:
        found = {}
        for (view,) in conn.execute(
            "SELECT name FROM sqlite_master WHERE name GLOB 'v_*'"
        ).fetchall():
            columns = [row[1] for row in conn.execute(f"PRAGMA table_info({view})")]
            plain = [name for name in columns if name != "id" and not name.endswith("_id")]
            rows = conn.execute(f"SELECT {', '.join(plain)} FROM {view}")
            found[view] = sorted(map(repr, rows))
        return found
    finally:
        conn.close()
