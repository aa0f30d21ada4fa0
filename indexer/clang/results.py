"""Facts of units as files: written by workers, kept for the next run, read in order by the one who merges."""

from __future__ import annotations

import json
import os
import pickle
import zlib
from pathlib import Path

from indexer.facts.clang import UnitFacts
from indexer.replacing import replace_file

_MAGIC = b"torchtalk unit 1 "

_ALLOWED = {
    ("indexer.facts.clang", name)
    for name in ("Symbol", "Override", "StubKernel", "Problem", "UnitFacts")
} | {("array", "array"), ("array", "_array_reconstructor")}


def write_result(path: str, facts: UnitFacts) -> None:
    """Write a unit's facts in one step.

    Args:
        path: the file; one that is there is replaced.
        facts: of the unit.

    Raises:
        OSError: the folder cannot be written.
    """
    body = zlib.compress(pickle.dumps(facts, protocol=5), 1)
    head = json.dumps([len(body), facts.status, facts.detail])
    replace_file(Path(path), _MAGIC, head.encode(), b"\n", body)


def read_status(path: Path) -> tuple[str, str] | None:
    """How a unit went and what fell short, without reading its facts.

    Args:
        path: the file of these.

    Returns:
        None where there is no such file, or it is not whole.
    """
    try:
        with path.open("rb") as file:
            line = file.readline()
            if not line.startswith(_MAGIC):
                return None
            length, status, detail = json.loads(line[len(_MAGIC) :])
            whole = file.seek(0, os.SEEK_END) == len(line) + length
    except (OSError, ValueError, TypeError):
        return None
    return (str(status), str(detail)) if whole else None


def read_result(path: Path) -> UnitFacts | None:
    """The facts of the unit that the file `path` holds, or None where there are none that can be used."""
    try:
        data = path.read_bytes()
        found = _Unpickler(zlib.decompress(data[data.index(b"\n") + 1 :])).load()
    except (OSError, zlib.error, pickle.UnpicklingError, EOFError, TypeError, ValueError):
        return None
    return found if isinstance(found, UnitFacts) else None


class _Unpickler(pickle.Unpickler):
    """Reads nothing but facts, whoever wrote the file."""

    def __init__(self, data: bytes) -> None:
        import io

        super().__init__(io.BytesIO(data))

    def find_class(self, module: str, name: str) -> object:
        if (module, name) in _ALLOWED:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no fact")
