"""A folder of the cache that is made once of what its name says, and is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


class CodegenError(Exception):
    """The generated headers could not be made; the message says why."""


def made_folder(cache: Path, kind: str, digest: str, fill: Callable[[Path], None]) -> Path:
    """The folder, which is made if it is not there.

    Args:
        cache: where such folders are kept.
        kind: of folder; the first part of its name.
        digest: of all that it is made of; the second.
        fill: writes what is to be in it into an empty folder.

    Raises:
        CodegenError: the folder cannot be written, or what `fill` raises.
    """
    folder = cache / f"{kind}-{digest}"
    if folder.is_dir():
        with contextlib.suppress(OSError):
            os.utime(folder)  # What was used last is thrown away last.
        return folder
    temporary = None
    try:
        cache.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{kind}-", dir=cache))
        fill(temporary)
        with contextlib.suppress(OSError):  # Somebody else may have made it meanwhile.
            temporary.rename(folder)
    except OSError as error:
        raise CodegenError(f"cannot write {cache}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
    if not folder.is_dir():
        raise CodegenError(f"cannot write {folder}")
    return folder
