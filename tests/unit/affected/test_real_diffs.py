"""Diffs of what one version of a tree changed of another, as `python -m benchmarks.real_diffs` asks about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.real_diffs import FILES, diff_of, hunks, table
from tests.unit.support.small_tree import indexed
from torchtalk.affected.diff.diffs import parse_diff

_OLD = {f"torch/loom_{at}.py": f"def weave():\n    return {at}\n" for at in range(FILES)}
_NEW = {path: text.replace("return ", "return 1 + ") for path, text in _OLD.items()}


_BASE = {
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "aten/src/ATen/native/native_functions.yaml": "- func: weft(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: |\n    Core.\n",
}


def _trees(tmp_path: Path, new: dict[str, str]) -> tuple[Path, Path, Path]:
    """An index, its tree and another one."""
    with indexed({**_BASE, **_OLD}, tmp_path):
        pass
    other = tmp_path / "other" / "torch"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("")
    for path, text in new.items():
        (other.parent / path).write_text(text)
    return tmp_path / "small.db", tmp_path / "tree", other.parent


def test_hunks_are_those_of_the_two_files(tmp_path: Path) -> None:
    _, old, new = _trees(tmp_path, _NEW)
    parts = hunks(old, new, "torch/loom_3.py")
    assert parts == [
        ["@@ -1,3 +1,3 @@", " def weave():", "-    return 3", "+    return 1 + 3", " "]
    ]
    (change,) = parse_diff(diff_of("torch/loom_3.py", parts))
    assert change.path == "torch/loom_3.py"
    assert [(span.first, span.last) for span in change.old] == [(2, 2)]
    assert hunks(old, new, "torch/__init__.py") == hunks(old, new, "torch/gone.py") == []


def test_the_table_has_real_diffs_beside_made_up_lines(tmp_path: Path) -> None:
    lines = table(*_trees(tmp_path, _NEW), questions=1)
    assert [line.split("  ")[0] for line in lines] == [
        "affected, ten files", "made-up lines", "one real hunk each", "all that changed",
    ]  # fmt: skip
    assert lines[1].split()[-1] == "1.00"


def test_too_few_files_that_differ_are_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=f"differ in 0 files of the index: {FILES} are wanted"):
        table(*_trees(tmp_path, _OLD), questions=1)
