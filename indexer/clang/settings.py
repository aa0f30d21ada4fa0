"""What facts are made with besides the tree, told without looking at the tree's files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from indexer.clang.compile_commands import find_database
from indexer.clang.environment import installed_folders
from indexer.clang.flags import python_include
from indexer.clang.library import find_libclang
from indexer.clang.plan import code_digest
from indexer.clang.semantic import Options
from torchtalk import __version__


def settings_digest(root: Path, options: Options) -> str:
    """A digest of options, library, compile database and folders of others' headers.

    Args:
        root: of the tree.
        options: see there.

    Raises:
        LibclangMissing: there is no libclang.
    """
    texts = [__version__, code_digest(), repr(options)]
    texts += map(str, (python_include(), *installed_folders()))
    texts += _seen([find_libclang(options.libclang), find_database(root, options.compile_commands)])
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _seen(files: Iterable[Path | None]) -> list[str]:
    found = []
    for file in files:
        try:
            status = os.stat(file) if file is not None else None
        except OSError:
            status = None
        found.append(f"{file} {status.st_size} {status.st_mtime_ns}" if status else str(file))
    return found
