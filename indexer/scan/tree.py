"""Finding a PyTorch source tree and telling which version and shape it has."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

_NATIVE = "aten/src/ATen/native"
_PACKAGED = "torchgen/packaged"
_RULES = (
    "torchgen/model.py",
    "torchgen/native_function_generation.py",
    "torchgen/api/autograd.py",
)
_VERSION = re.compile(r"""^__version__\s*(?::\s*\w+\s*)?=\s*['"]([^'"]+)['"]""", re.MULTILINE)


class NotAPyTorchTree(ValueError):
    """A folder is no PyTorch source tree and no installed torch package."""


@dataclass(frozen=True)
class SourceTree:
    """A tree that can be indexed.

    Args:
        root: absolute folder that all paths in the database are relative to.
        is_installed: an installed package (`site-packages`), which has no C++ sources.
        version: PyTorch's version, or None where no file tells it.
    """

    root: Path
    is_installed: bool
    version: str | None

    @property
    def native_functions(self) -> str:
        """Path of native_functions.yaml."""
        return self._native("native_functions.yaml")

    @property
    def tags(self) -> str:
        """Path of tags.yaml."""
        return self._native("tags.yaml")

    @property
    def derivatives(self) -> str:
        """Path of derivatives.yaml."""
        folder = f"{_PACKAGED}/autograd" if self.is_installed else "tools/autograd"
        return f"{folder}/derivatives.yaml"

    @property
    def rules(self) -> tuple[str, ...]:
        """Paths of the files of the tree's own generator that say how operators are made and differentiated."""
        return _RULES

    def is_of_backend(self, path: str) -> bool:
        """Whether the file at `path` may say which operators a backend has kernels of its own for.

        tools/setup_helpers/generate_code.py gives the generator `ts_native_functions.yaml`, which stands beside that of
        all.
        """
        return path.startswith(f"{_NATIVE}/") and path.endswith("_native_functions.yaml")

    def _native(self, name: str) -> str:
        return f"{_PACKAGED}/ATen/native/{name}" if self.is_installed else f"{_NATIVE}/{name}"

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders below the root that belong to PyTorch; empty means all of them."""
        return ("torch", "torchgen", "functorch") if self.is_installed else ()


def is_source_tree(folder: Path) -> bool:
    """Whether a folder looks like the root of a PyTorch checkout."""
    return (folder / _NATIVE / "native_functions.yaml").is_file()


def open_tree(folder: Path) -> SourceTree:
    """Recognise a tree from a folder that a user named.

    Args:
        folder: a checkout, a folder inside one, or an installed `site-packages/torch`.

    Raises:
        NotAPyTorchTree: it is none of these; the message says what was looked for.
    """
    try:
        folder = folder.expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotAPyTorchTree(f"{folder}: no such folder") from error
    if not folder.is_dir():
        raise NotAPyTorchTree(f"{folder} is not a folder")
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError as error:
        # The index says where its tree is, and has text alone.
        raise NotAPyTorchTree(f"{os.fsencode(folder)!r} is not UTF-8") from error
    for candidate in (folder, *folder.parents):
        if is_source_tree(candidate):
            return SourceTree(candidate, False, _checkout_version(candidate))
    for candidate in (folder, folder.parent):
        if (candidate / _PACKAGED / "ATen/native/native_functions.yaml").is_file():
            return SourceTree(candidate, True, _installed_version(candidate))
    raise NotAPyTorchTree(
        f"{folder} is no PyTorch source tree: there is no {_NATIVE}/native_functions.yaml in it or "
        f"above it, and no {_PACKAGED} of an installed torch beside it"
    )


def _checkout_version(root: Path) -> str | None:
    try:
        text = (root / "version.txt").read_text(encoding="utf-8-sig", errors="replace").strip()
    except OSError:
        return None
    return text.splitlines()[0][:100] if text else None


def _installed_version(root: Path) -> str | None:
    try:
        text = (root / "torch/version.py").read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None
    match = _VERSION.search(text)
    return match[1] if match else None
