"""What beneath a tree is not PyTorch's own: worktrees, submodules, clones, others' headers of an installed package."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from indexer.build import build
from indexer.layers import NO_UNITS
from indexer.scan.files import SourceFile, Unreadable, is_listed, list_files
from indexer.scan.tree import SourceTree, open_tree
from indexer.semantic import add_semantic
from tests.unit.support.git_tree import checkout, git
from torchtalk.db import connect
from torchtalk.doctor.index import index
from torchtalk.tools.get_status import get_status


def _listed(tree: Path) -> tuple[list[str], list[Unreadable]]:
    entries = list(list_files(open_tree(tree)))
    return (
        [entry.path for entry in entries if isinstance(entry, SourceFile)],
        [entry for entry in entries if isinstance(entry, Unreadable)],
    )


def _write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_other_checkouts_inside_a_checkout_are_passed_over(
    fixture_tree: Path, tmp_path: Path
) -> None:
    tree = checkout(fixture_tree, tmp_path / "tree")
    before, _ = _listed(tree)
    git(tree, "worktree", "add", "-q", ".claude/worktrees/mine")
    library = checkout(fixture_tree / "torchgen", tmp_path / "library")
    git(
        tree, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library),
        "android/libs/lib",
    )  # fmt: skip
    _write(tree / "android/libs/own.py")
    git(tmp_path, "clone", "-q", str(library), str(tree / "tools/cloned"))
    files, passed = _listed(tree)
    assert sorted({*files} - {*before}) == ["android/libs/own.py"]
    assert not {*before} - {*files}
    assert passed == [
        Unreadable(".claude/worktrees/mine", "a further worktree"),
        Unreadable("android/libs/lib", "a submodule"),
        Unreadable("tools/cloned", "another repository"),
    ]
    # One that was opened for itself is a tree as any.
    assert _listed(tree / ".claude/worktrees/mine") == (before, [])


def test_a_submodule_in_an_archive_is_known_by_its_list(fixture_tree: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(fixture_tree, tree)
    before, _ = _listed(tree)
    _write(
        tree / ".gitmodules",
        '[submodule "android/libs/fbjni"]\n    path = android/libs/fbjni\n    url = https://x/y.git\n',
    )
    (tree / "android/libs/fbjni").mkdir(parents=True)
    assert _listed(tree) == (before, [])
    _write(tree / "android/libs/fbjni/cxx/a.cpp")
    assert _listed(tree) == (before, [Unreadable("android/libs/fbjni", "a submodule")])


def test_what_a_build_has_copied_is_passed_over(fixture_tree: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(fixture_tree, tree)
    before, _ = _listed(tree)
    shutil.copytree(tree / "aten/src/ATen", tree / "torch/include/ATen")
    shutil.copytree(tree / "aten/src/ATen/native", tree / "torchgen/packaged/ATen/native")
    _write(tree / "torch/csrc/include/own.h")
    assert _listed(tree) == (
        sorted([*before, "torch/csrc/include/own.h"], key=lambda path: path.split("/")),
        [
            Unreadable("torch/include", "what a build has copied from this tree"),
            Unreadable("torchgen/packaged", "what a build has copied from this tree"),
        ],
    )
    assert not is_listed("torch/include/ATen/Parallel.h")
    assert is_listed("torch/csrc/include/own.h")


@pytest.fixture
def installed(fixture_tree: Path, tmp_path: Path) -> SourceTree:
    packages = tmp_path / "site-packages"
    shutil.copytree(
        fixture_tree / "aten/src/ATen/native", packages / "torchgen/packaged/ATen/native",
        ignore=lambda _, names: [name for name in names if Path(name).suffix not in ("", ".yaml")],
    )  # fmt: skip
    shutil.copy(fixture_tree / "torchgen/model.py", packages / "torchgen")
    _write(packages / "torch/version.py", "__version__ = '9.9.1'\n")
    own = ("ATen/Parallel.h", "c10/core/Device.h", "torch/library.h", "libshm.h")
    for header in (*own, "fmt/core.h", "sleef.h", "pybind11/detail/common.h", "mkl.txt"):
        _write(packages / "torch/include" / header, "inline int f() { return 1; }\n")
    _write(packages / "torch/_fmt/fmt/x.py")
    return open_tree(packages / "torch")


def test_headers_of_others_in_an_installed_package_are_passed_over(installed: SourceTree) -> None:
    files, passed = _listed(installed.root)
    assert [path for path in files if path.startswith("torch/")] == [
        "torch/_fmt/fmt/x.py",
        "torch/include/ATen/Parallel.h",
        "torch/include/c10/core/Device.h",
        "torch/include/libshm.h",
        "torch/include/torch/library.h",
        "torch/version.py",
    ]
    assert passed == [
        Unreadable("torch/include/fmt", "headers of another project"),
        Unreadable("torch/include/pybind11", "headers of another project"),
        Unreadable("torch/include/sleef.h", "a header of another project"),
    ]


def test_an_installed_package_has_no_units_for_libclang(
    installed: SourceTree, tmp_path: Path
) -> None:
    target = tmp_path / "x.db"
    build(installed, target, workers=0)
    with connect(target) as conn:
        layers = {layer.name: layer.status for layer in get_status(conn).layers}
    assert layers["semantic"] == f"skipped ({NO_UNITS})"
    (finding,) = (finding for finding in index(target, None) if finding.name == "layers")
    assert finding.text.startswith("2 of 7 not complete: calls: ")
    # Even where some C++ file is among them: no unit of PyTorch's is.
    _write(installed.root / "torch/utils/x.cpp", "int f() { return 1; }\n")
    report = add_semantic(installed, target, cache=tmp_path / "clang", workers=0)
    assert (report.status, report.detail) == ("skipped", NO_UNITS)
    assert not (tmp_path / "clang").exists()
