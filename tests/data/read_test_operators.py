"""What tests call of torch themselves, recorded while they run: `torch.add` in `test_add`, not what that calls.

With a Python that has torch and what its tests need, in a copy of the tree's `test` folder:

    CALLED=nn.tsv PYTHONPATH=…/tests/data python -m pytest -p read_test_operators test_nn.py

and then, for all that was recorded, whichever way the tests ended:

    python …/tests/data/read_test_operators.py test_operators-2.6.0.json.xz *.tsv

Of tests that are made for several devices, types or operators two of each are run. Calls are recorded that
`__torch_function__` is asked about, from the file of the test; those by symbols (`a * b`) have names of methods or such
as begin with two underscores.
"""

from __future__ import annotations

import json
import lzma
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_RUN = 2


def _code(item: Any) -> Any:
    """What the test was made of, below its decorators and parameters."""
    function = item.function
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function.__code__


if "CALLED" in os.environ and __name__ != "__main__":
    from torch.overrides import TorchFunctionMode, resolve_name

    class Calls(TorchFunctionMode):
        """Hears what is called from one file."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path
            self.called: set[str] = set()

        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            """Called by torch in the place of `func`."""
            if sys._getframe(1).f_code.co_filename == self.path:
                self.called.add(resolve_name(func) or repr(func))
            return func(*args, **(kwargs or {}))

    def pytest_collection_modifyitems(items: list[Any]) -> None:
        """Called by pytest with all tests."""
        found: dict[object, list[Any]] = {}
        for item in items:
            found.setdefault((item.cls, _code(item)), []).append(item)
        items[:] = [
            item
            for each in found.values()
            for item in sorted(each, key=lambda item: ("float32" not in item.name, item.name))[
                :_RUN
            ]
        ]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(item: Any) -> Iterator[None]:
        """Called by pytest for each test."""
        code, root = _code(item), f"{Path.cwd()}/"
        with Calls(str(item.path)) as calls:
            outcome: Any = yield  # type: ignore[misc]
        if outcome.excinfo is None and code.co_filename.startswith(root):
            row = f"test/{code.co_filename[len(root) :]}\t{code.co_name}\t{code.co_firstlineno}"
            with Path(os.environ["CALLED"]).open("a", encoding="utf-8") as file:
                file.write(f"{row}\t{' '.join(sorted(calls.called))}\n")


def main(target: Path, paths: list[Path]) -> None:
    """Write what was recorded.

    Args:
        target: a compressed JSON file: path, name and first line (with decorators) of each test that ran, and
            what it called.
        paths: of the recordings.
    """
    found: dict[tuple[str, str, int], set[str]] = {}
    for path in paths:
        for row in path.read_text(encoding="utf-8").splitlines():
            file, name, line, called = row.split("\t")
            if not name.startswith("test_"):
                continue  # the inside of what makes tests
            names = {each for each in called.split(" ") if each and "__" not in each}
            found.setdefault((file, name, int(line)), set()).update(names)
    with lzma.open(target, "wt", encoding="utf-8") as out:
        json.dump([[*key, sorted(called)] for key, called in sorted(found.items())], out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])
