"""Files that are written beside their place and put there in one step: who reads one sees the old or the new.

A process that is killed leaves its half-written file behind, under a name of its own (`.NAME.PID.building`);
whoever knows that no other process writes there, as the holder of a target's lock does, removes it.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

_BUILDING = ".building"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside another one, whose name it gets when the block ends well; else it is removed.

    Args:
        path: what is to be replaced; what stands there stays until then.

    Raises:
        OSError: the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_BUILDING}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def replace_file(path: Path, *parts: bytes) -> None:
    """Replace a file in one step.

    Args:
        path: of the file.
        parts: what it is to contain, one behind the other.

    Raises:
        OSError: it cannot be written; what was there stands as it was.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.writelines(parts)
        file.flush()


def sync(path: Path) -> None:
    """Have what was written to the file or folder `path` on the disk.

    Raises:
        OSError: it is not there, or the disk refuses.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def leftovers(path: Path) -> list[Path]:
    """What processes that write a file have not finished, alive or not, by name.

    Args:
        path: the file that is to be written.

    Returns:
        Files beside it, sorted; none where its folder cannot be read.
    """
    # By a whole name: another file's may begin with this one's.
    name = re.compile(rf"\.{re.escape(path.name)}\.\d+{re.escape(_BUILDING)}([.-].*)?")
    try:
        return sorted(entry for entry in path.parent.iterdir() if name.fullmatch(entry.name))
    except OSError:
        return []
