"""Which functions of torch's Python and which operators a test really runs, recorded while PyTorch's own tests run.

With a Python of at least 3.12 (PEP 669) that has torch and what its tests need, in a copy of the tree's `test` folder:

    COVERED=nn.tsv PYTHONPATH=…/tests/data python -m pytest -p read_covered test_nn.py

and then, for all that was recorded, whichever way the tests ended:

    python …/tests/data/read_covered.py covered-2.6.0.json.xz *.tsv

Of tests that are made for several devices, types or operators one is run, of all of a file's those that `SECONDS` (60)
have room for, in an order that a hash tells. Functions that run in more than `_MOST` of the tests, or while torch is
imported only, say nothing of one, and are left out.
"""

from __future__ import annotations

import collections
import hashlib
import json
import lzma
import os
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_MOST = 0.03
"""A share of all tests that were recorded."""
_KEPT = 4
"""One in so many functions is kept, by what a hash says of it."""


def code_of(item: Any) -> types.CodeType:
    """What the test was made of, below its decorators and parameters."""
    function = item.function
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code: types.CodeType = function.__code__
    return code


class Recorder:
    """Listens to the functions of torch's code that begin to run, and to its operators."""

    def __init__(self) -> None:
        import torch

        self._root = f"{Path(torch.__file__).parent.parent}/"
        self.started: set[str] = set()
        monitoring = sys.monitoring
        monitoring.use_tool_id(monitoring.PROFILER_ID, "read_covered")
        monitoring.register_callback(
            monitoring.PROFILER_ID, monitoring.events.PY_START, self._begun
        )

    def listen(self, is_on: bool) -> None:
        """Begin to listen, also to what was heard before, or end it."""
        events = sys.monitoring.events.PY_START if is_on else 0
        self.started = set() if is_on else self.started
        sys.monitoring.set_events(sys.monitoring.PROFILER_ID, events)
        if is_on:
            sys.monitoring.restart_events()

    def _begun(self, code: types.CodeType, _: int) -> object:
        path = code.co_filename
        if path.startswith(self._root) and "<" not in code.co_qualname:
            self.started.add(f"{path[len(self._root) :]}:{code.co_firstlineno}:{code.co_qualname}")
        return sys.monitoring.DISABLE


if "COVERED" in os.environ and __name__ != "__main__":
    _recorder = Recorder()
    _ends = time.monotonic() + float(os.environ.get("SECONDS", "60"))

    def pytest_collection_modifyitems(items: list[Any]) -> None:
        """Called by pytest with all tests."""
        found: dict[object, Any] = {}
        for item in sorted(items, key=lambda each: hashlib.sha256(each.nodeid.encode()).digest()):
            found.setdefault((item.cls, code_of(item)), item)
        items[:] = found.values()

    def pytest_runtest_setup(item: Any) -> None:
        """Called by pytest before each test."""
        if time.monotonic() > _ends:
            item.session.shouldstop = "time is over"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(item: Any) -> Iterator[None]:
        """Called by pytest for each test."""
        code, root = code_of(item), f"{Path.cwd()}/"
        _recorder.listen(True)
        outcome: Any = yield  # type: ignore[misc]
        _recorder.listen(False)
        if (
            outcome.excinfo is None
            and not getattr(item, "_excinfo", None)
            and code.co_filename.startswith(root)
        ):
            row = (
                f"test/{code.co_filename[len(root) :]}",
                code.co_name,
                str(code.co_firstlineno),
                " ".join(sorted(_recorder.started)),
            )
            with Path(os.environ["COVERED"]).open("a", encoding="utf-8") as file:
                file.write("\t".join(row) + "\n")


def main(target: Path, paths: list[Path]) -> None:
    """Write what was recorded.

    Args:
        target: a compressed JSON file: for each test that passed its path, name and first line (with decorators),
            and the places of the functions that it ran.
        paths: of the recordings.
    """
    tests: dict[tuple[str, str, int], set[str]] = {}
    for path in paths:
        for row in path.read_text(encoding="utf-8").splitlines():
            file, name, line, ran = row.split("\t")
            if name.startswith("test_"):
                tests.setdefault((file, name, int(line)), set()).update(ran.split())
    often = collections.Counter(each for ran in tests.values() for each in ran)
    few = {
        each
        for each, count in often.items()
        if count <= _MOST * len(tests)
        and each.startswith("torch/")
        and not each.startswith("torch/testing/")
        and hashlib.sha256(each.encode()).digest()[0] % _KEPT == 0
    }
    names = sorted(few)
    number = {name: at for at, name in enumerate(names)}
    rows = [
        [*key, sorted(number[each] for each in ran & few)] for key, ran in sorted(tests.items())
    ]
    with lzma.open(target, "wt", encoding="utf-8") as out:
        json.dump({"functions": names, "tests": rows}, out, separators=(",", ":"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])
