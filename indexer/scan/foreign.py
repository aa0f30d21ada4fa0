"""Folders beneath a tree that are not its own source.

They are others' headers in an installed package, submodules, other checkouts inside a checkout, and copies that a build
in place leaves of the tree's own files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from indexer.scan.stamps import Stamps
from indexer.scan.tree import SourceTree

_GIT = ".git"
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(\S+)", re.MULTILINE)

# What a build copies into torch/include from PyTorch's own folders: `install(… DESTINATION …)` in
# aten/src/ATen/CMakeLists.txt, c10/CMakeLists.txt, caffe2/CMakeLists.txt, torch/CMakeLists.txt, once aten/src/TH*;
# libshm.h in torch/lib/libshm/CMakeLists.txt, qnnpack_func.h in that of ATen/native/quantized/cpu/qnnpack.
# All else there comes from third_party.
_HEADERS = "torch/include"
_OWN_HEADERS = frozenset(
    (
        "ATen",
        "c10",
        "caffe2",
        "torch",
        "TH",
        "THC",
        "THCUNN",
        "THH",
        "THNN",
        "libshm.h",
        "qnnpack_func.h",
    )
)

# What a build leaves in a checkout as copies of its own files, of which every function would be there twice: headers,
# since CMAKE_INSTALL_PREFIX is `torch` (tools/setup_helpers/cmake.py, `CMake.generate`), and what the generator needs
# (setup.py, `mirror_files_into_torchgen`).
_COPIES = frozenset((_HEADERS, "torchgen/packaged"))
_ABOVE_COPIES = frozenset(path.rpartition("/")[0] for path in _COPIES)

_COPIED = "what a build has copied from this tree"
_OTHERS_HEADER = "a header of another project"
_OTHERS_HEADERS = "headers of another project"
_SUBMODULES = "a submodule"


class Foreign:
    """Tells what beneath a tree is not PyTorch's own.

    Args:
        tree: whose files are listed.
        stamps: where to note what is asked beyond folders and the files in them.
    """

    def __init__(self, tree: SourceTree, stamps: Stamps) -> None:
        self._stamps = stamps
        self._root = tree.root
        self._is_installed = tree.is_installed
        self._submodules = frozenset() if tree.is_installed else submodules(tree.root, stamps)

    def passes_over(self, folder: str, children: Mapping[str, bool]) -> dict[str, str]:
        """Those of a folder's children that are left out, with why.

        Args:
            folder: below the root; empty for the root itself.
            children: their names, and whether they are folders.
        """
        found = {}
        if self._is_installed:
            for name, is_folder in children.items() if folder == _HEADERS else ():
                if name not in _OWN_HEADERS:
                    found[name] = _OTHERS_HEADERS if is_folder else _OTHERS_HEADER
            return found
        for name in children if self._submodules or folder in _ABOVE_COPIES else ():
            path = f"{folder}/{name}" if folder else name
            if path in _COPIES:
                found[name] = _COPIED
            elif path in self._submodules and not self._is_empty(path):
                found[name] = _SUBMODULES
        return found

    def _is_empty(self, folder: str) -> bool:
        """Whether a submodule has not been checked out, so that there is nothing to pass over."""
        place = self._root / folder
        try:
            self._stamps.note(str(place))
            with os.scandir(place) as entries:
                return next(entries, None) is None
        except OSError:
            return False

    def why_not(self, folder: str, names: Collection[str]) -> str | None:
        """Why a folder is another repository's, or None where it is none.

        Where git checks something out it leaves `.git`: a folder in a clone, a file in a submodule or in a further
        worktree of the same repository (gitrepository-layout(5)), whose PyTorch would be indexed twice.

        Args:
            folder: below the root.
            names: what is in it.
        """
        if not folder or _GIT not in names:
            return None
        link = self._root / folder / _GIT
        try:
            self._stamps.note(str(link))
            text = link.read_text("utf-8", "replace")
        except OSError:
            return "another repository"
        place = text.partition("gitdir:")[2].strip().replace(os.sep, "/")
        if "/worktrees/" in place:
            return "a further worktree"
        return _SUBMODULES if "/modules/" in place else "another repository"


def is_copy(path: str) -> bool:
    """Whether a checkout's file, by its path below the root, is a copy that a build has made of another one."""
    return "/".join(path.split("/")[:2]) in _COPIES


def submodules(root: Path, stamps: Stamps) -> frozenset[str]:
    """Paths of a tree's submodules, which an archive of a release holds without their `.git` (gitmodules(5)).

    Args:
        root: of the tree.
        stamps: where to note the file that names them.
    """
    place = root / ".gitmodules"
    try:
        stamps.note(str(place))
        text = place.read_text("utf-8", "replace")
    except OSError:
        return frozenset()
    return frozenset(path.strip("\"'").rstrip("/") for path in _SUBMODULE.findall(text))
