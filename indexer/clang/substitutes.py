"""Generated headers without running the tree's generator: an installed torch's, or only those that cmake configures."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from indexer.clang.configured import configure, templates
from indexer.clang.made_folder import CodegenError, made_folder

_FORMAT = 3


def configured_headers(root: Path, cache: Path) -> Path:
    """A folder with what cmake makes of the tree's templates, and nothing else.

    Args:
        root: the tree.
        cache: where such folders are kept.

    Raises:
        CodegenError: the folder cannot be written.
    """
    return _made(root, cache, "configured", [])


def installed_headers(root: Path, include: Path, cache: Path) -> Path:
    """A folder with those headers of an installed torch that the tree has not: the generated ones, as a build has them.

    Args:
        root: the tree.
        include: `torch/include` of an installation.
        cache: where such folders are kept.

    Raises:
        CodegenError: there are no generated headers in it, or the folder cannot be written.
    """
    found = [
        (file, place) for file in _headers(include)
        if not (root / (place := _place(file.relative_to(include).as_posix()))).exists()
    ]  # fmt: skip
    if not any(place.endswith("ATen/core/TensorBody.h") for _, place in found):
        raise CodegenError(f"{include} has no ATen/core/TensorBody.h: it is not torch's include")
    return _made(root, cache, "installed", found)


def _headers(include: Path) -> Iterator[Path]:
    for folder in ("ATen", "c10", "caffe2", "torch"):
        yield from sorted(path for path in (include / folder).rglob("*.h") if path.is_file())


def _place(name: str) -> str:
    """Where a build has a header that is installed under a name (setup.py moves ATen's up)."""
    return f"aten/src/{name}" if name.startswith("ATen/") else name


def _made(root: Path, cache: Path, kind: str, files: list[tuple[Path, str]]) -> Path:
    digest = hashlib.sha256(f"{_FORMAT} {root}".encode())
    for template in (*templates(root), root / "version.txt"):
        with contextlib.suppress(OSError):
            digest.update(template.read_bytes())
    for file, place in files:
        status = file.stat()
        digest.update(f"{file} {place} {status.st_size} {status.st_mtime_ns}\n".encode())

    def copy(folder: Path) -> None:
        for file, place in files:
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, folder / place)
        configure(root, folder)

    return made_folder(cache, kind, digest.hexdigest()[:24], copy)
