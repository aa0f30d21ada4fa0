"""Which files are translation units, and which of them share a precompiled header."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from indexer.clang.texts import Texts

CORE, TORCH, API, CUDA, PLAIN = "core", "torch", "api", "cuda", "plain"
"""Units that share a precompiled header: libtorch's lower part, its upper part with Python, what uses the C++ frontend
(`torch::zeros_like` makes `at::zeros_like` ambiguous elsewhere), device code."""

FRONTEND = "torch/csrc/autograd/generated/variable_factories.h"
"""The header that defines the factories of `torch::`: who includes it belongs to the group `API`."""

GENERATED = "build/"
"""What the paths of generated files begin with, where they are not the tree's own; as in PyTorch's build."""

_SUFFIXES = frozenset((".cpp", ".cc", ".cxx", ".c", ".cu"))
# Inputs of code generators: no C++ until something is put into them.
_TEMPLATES = re.compile(r"(?:^|/)templates/")
_TESTS = re.compile(r"(?:^|/)(?:tests?|benchmarks?|bench|examples?)/|_test\.\w+$|_bench\w*\.\w+$")


@dataclass(frozen=True)
class Unit:
    """A translation unit.

    Args:
        path: how it stands in the database.
        file: absolute.
        group: `CORE`, `TORCH`, `CUDA`; `PLAIN` for C and what has a command of its own.
        is_test: belongs to tests, benchmarks or examples; those come last.
        size: in bytes.
    """

    path: str
    file: str
    group: str
    is_test: bool
    size: int


def is_unit(path: str) -> bool:
    """Whether the file `path`, relative to the tree, is a translation unit by its name and place."""
    return PurePosixPath(path).suffix in _SUFFIXES and _TEMPLATES.search(path) is None


def group_of(path: str) -> str:
    """The group of the unit `path`, as it stands in the database, by its ending and its folder."""
    suffix = PurePosixPath(path).suffix
    if suffix == ".cu":
        return CUDA
    if suffix == ".c":
        return PLAIN
    own = path.removeprefix(GENERATED)
    return CORE if own.startswith(("aten/", "c10/", "caffe2/")) else TORCH


def is_test(path: str) -> bool:
    """Whether the unit `path`, relative to the tree, belongs to tests, benchmarks or examples."""
    return _TESTS.search(path) is not None


def list_units(
    root: Path, generated: Path, files: Iterable[str], texts: Texts, *, walk: bool = True
) -> list[Unit]:
    """Every unit of a tree and of what is generated from it, in the order of their paths.

    Args:
        root: the tree.
        generated: the folder of generated files.
        files: paths of the tree's files.
        texts: of all files.
        walk: whether the generated folder holds nothing else, so that its units are wanted.
    """
    found = {path: root / path for path in files if is_unit(path)}
    for file in generated.rglob("*") if walk else ():
        path = file.relative_to(generated).as_posix()
        # A file that the tree has as well (a built tree, or one that is checked in) is read from the tree.
        if is_unit(path) and not (root / path).is_file():
            found[GENERATED + path] = file
    return [
        Unit(path, str(file), group_of(path), is_test(path), texts.text(str(file)).size)
        for path, file in sorted(found.items())
        if not texts.text(str(file)).template
    ]
