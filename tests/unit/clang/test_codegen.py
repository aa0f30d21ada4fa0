"""Generated headers: by the tree's own generator, in a folder of their own, once for a state of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.clang.codegen import codegen_key, generated_headers
from indexer.clang.configured import configure, substituted
from indexer.clang.made_folder import CodegenError

GEN = """
import argparse, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("--source-path"); parser.add_argument("--install_dir"); parser.add_argument("--aoti-install-dir")
parser.add_argument("--per-operator-headers", action="store_true")
options = parser.parse_args()
assert pathlib.Path("aten/src/ATen").is_dir() and sys.dont_write_bytecode
folder = pathlib.Path(options.install_dir)
(folder / "Functions.h").write_text("// made")
(folder / "OperatorsEverything.cpp").write_text("")
EXTRA
"""
CODE = """
import sys, pathlib
target = pathlib.Path(sys.argv[sys.argv.index("--gen-dir") + 1])
(target / "torch/csrc/lazy/generated").mkdir(parents=True)
(target / "torch/csrc/lazy/generated/a.cpp").write_text(f'#include "{target}/torch/b.h"')
(target / "torch/templates").mkdir()
(target / "torch/templates/x.h").write_text("${x}")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in {
        "aten/src/ATen/native/native_functions.yaml": "", "aten/src/ATen/native/tags.yaml": "", "torchgen/__init__.py": "",
        "torchgen/gen.py": GEN.replace("EXTRA", ""), "tools/__init__.py": "", "tools/setup_helpers/__init__.py": "",
        "tools/setup_helpers/generate_code.py": CODE, "version.txt": "2.6.0a0",
        "aten/src/ATen/Config.h.in": "#define AT_MKL_ENABLED() @AT_MKL_ENABLED@\n",
    }.items():  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_made_once_and_outside_the_tree(tree: Path, tmp_path: Path) -> None:
    before = sorted(tree.rglob("*"))
    folder = generated_headers(tree, tmp_path / "cache")
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert made == {
        "aten/src/ATen/Functions.h",
        "aten/src/ATen/Config.h",
        "torch/csrc/lazy/generated/a.cpp",
    }
    assert (folder / "torch/csrc/lazy/generated/a.cpp").read_text() == '#include "torch/b.h"'
    assert sorted(tree.rglob("*")) == before
    (tree / "torchgen/gen.py").touch()
    (folder / "mark").write_text("")
    assert generated_headers(tree, tmp_path / "cache") == folder
    assert (folder / "mark").exists()
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [folder.name]


def test_a_change_of_the_sources_makes_them_anew(tree: Path) -> None:
    before = codegen_key(tree)
    (tree / "aten/src/ATen/native/native_functions.yaml").write_text("- func: f() -> ()")
    assert codegen_key(tree) != before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("raise SystemExit('no such operator')", "no such operator"),
        ("import time; time.sleep(60)", "took over 1 s"),
    ],
)
def test_a_generator_that_fails_leaves_nothing(
    tree: Path, tmp_path: Path, extra: str, message: str
) -> None:
    (tree / "torchgen/gen.py").write_text(GEN.replace("EXTRA", extra))
    with pytest.raises(CodegenError, match=message):
        generated_headers(tree, tmp_path / "cache", time_limit=1.0)
    assert list((tmp_path / "cache").iterdir()) == []


def test_what_cmake_would_substitute(tmp_path: Path) -> None:
    assert substituted(
        "#cmakedefine C10_USE_GLOG\n# cmakedefine C10_BUILD_SHARED_LIBS @X@\n", {}
    ) == ("/* #undef C10_USE_GLOG */\n#define C10_BUILD_SHARED_LIBS\n")
    assert (
        substituted(
            '"@TORCH_VERSION_MAJOR@.@OTHER@" ${A} @AT_BUILD_WITH_BLAS@',
            {"TORCH_VERSION_MAJOR": "2"},
        )
        == '"2.0"  1'
    )
    root = tmp_path / "tree/torch/csrc/api/include/torch"
    root.mkdir(parents=True)
    (root / "version.h.in").write_text("@TORCH_VERSION_MAJOR@ @TORCH_VERSION_PATCH@")
    (tmp_path / "tree/version.txt").write_text("1.13.1\n")
    configure(tmp_path / "tree", tmp_path / "out")
    assert (tmp_path / "out/torch/csrc/api/include/torch/version.h").read_text() == "1 1"
