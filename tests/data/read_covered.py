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
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest

_BEGAN = time.monotonic()
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


def once_each(items: list[Any], key: Callable[[Any], Hashable]) -> list[Any]:
    """One test of all that have the same key, in an order that a hash tells.

    Args:
        items: pytest's.
        key: of one of them.
    """
    found: dict[Hashable, Any] = {}
    for item in sorted(items, key=lambda each: hashlib.sha256(each.nodeid.encode()).digest()):
        found.setdefault(key(item), item)
    return list(found.values())


def end_in_time(item: Any) -> None:
    """Stop before a test once `SECONDS` (60) have gone since this module was loaded."""
    if time.monotonic() > _BEGAN + float(os.environ.get("SECONDS", "60")):
        item.session.shouldstop = "time is over"


def note(path: str, item: Any, outcome: Any, *columns: str) -> None:
    """Write a row with a test's path, name and first line, and some more, if it passed.

    Args:
        path: of the recording.
        item: the test.
        outcome: of its call.
        columns: that come last.
    """
    code, root = code_of(item), f"{Path.cwd()}/"
    has_failed = outcome.excinfo is not None or getattr(item, "_excinfo", None)
    if has_failed or not code.co_filename.startswith(root):
        return
    where = (f"test/{code.co_filename[len(root) :]}", code.co_name, str(code.co_firstlineno))
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("\t".join((*where, *columns)) + "\n")


if "COVERED" in os.environ and __name__ != "__main__":
    _recorder = Recorder()

    def pytest_collection_modifyitems(items: list[Any]) -> None:
        """Called by pytest with all tests."""
        items[:] = once_each(items, lambda item: (item.cls, code_of(item)))

    def pytest_runtest_setup(item: Any) -> None:
        """Called by pytest before each test."""
        end_in_time(item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(item: Any) -> Iterator[None]:
        """Called by pytest for each test."""
        _recorder.listen(True)
        outcome: Any = yield  # type: ignore[misc]
        _recorder.listen(False)
        note(os.environ["COVERED"], item, outcome, " ".join(sorted(_recorder.started)))


def read_tests(paths: list[Path]) -> Iterator[tuple[list[str], list[str]]]:
    """What recordings have of each test: its columns, and what it ran.

    Args:
        paths: of the recordings.
    """
    for path in paths:
        for row in path.read_text(encoding="utf-8").splitlines():
            *columns, ran = row.split("\t")
            if columns[1].startswith("test_"):
                yield columns, ran.split()


def keep(
    target: Path,
    tests: dict[tuple[Any, ...], set[str]],
    is_kept: Callable[[str], bool],
    one_in: int,
) -> None:
    """Write which functions tests ran, of those that few do.

    Args:
        target: a compressed JSON file: names of functions, and for each test its key and their numbers.
        tests: by their keys what they ran.
        is_kept: whether a function is worth it.
        one_in: so many functions one is kept of, by what a hash says.
    """
    often = collections.Counter(each for ran in tests.values() for each in ran)
    few = {
        each
        for each, count in often.items()
        if count <= _MOST * len(tests)
        and is_kept(each)
        and hashlib.sha256(each.encode()).digest()[0] % one_in == 0
    }
    names = sorted(few)
    number = {name: at for at, name in enumerate(names)}
    rows = [
        [*key, sorted(number[each] for each in ran & few)] for key, ran in sorted(tests.items())
    ]
    put(target, {"functions": names, "tests": rows})


def put(target: Path, data: dict[str, object]) -> None:
    """Write a compressed JSON file.

    Args:
        target: its path.
        data: what is in it.
    """
    with lzma.open(target, "wt", encoding="utf-8") as out:
        json.dump(data, out, separators=(",", ":"))


def main(target: Path, paths: list[Path]) -> None:
    """Write what was recorded: tests by path, name and first line, and the places of functions.

    Args:
        target: of `keep`.
        paths: of the recordings.
    """
    tests: dict[tuple[Any, ...], set[str]] = {}
    for (file, name, line), ran in read_tests(paths):
        tests.setdefault((file, name, int(line)), set()).update(ran)
    keep(target, tests, _is_of_torch, _KEPT)


def _is_of_torch(function: str) -> bool:
    return function.startswith("torch/") and not function.startswith("torch/testing/")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])
