"""Where the databases of the fast tests stand, what they begin as, and who compiles the tests."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer import schema
from tests.unit.support.empty import create_by_copy

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_MEMORY = Path("/dev/shm")
_NEEDED = 2 << 30  # all databases of a run are a quarter of it

# A third of the time went into waiting for a disk to confirm six hundred small databases.
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _NEEDED:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Have workers begin in different places to compile what all of them load: each finds what others left on disk."""
    worker = getattr(session.config, "workerinput", None)
    asked = [session.config.invocation_params.dir / argument for argument in session.config.args]
    if worker is None or sys.dont_write_bytecode or asked != [_HERE]:
        return
    files = sorted(_HERE.rglob("test_*.py"))
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for file in files[first:] + files[:first]:
        name = ".".join(file.relative_to(_ROOT).with_suffix("").parts)
        with contextlib.suppress(Exception, pytest.skip.Exception):  # pytest will say so
            importlib.import_module(name)


@pytest.fixture(scope="session", autouse=True)
def _empty_by_copy() -> Iterator[None]:
    """Indexes begin as copies of one that `indexer.schema.create` made; what that makes, migrations are held to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "create", create_by_copy)
        yield
