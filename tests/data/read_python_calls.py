"""Which calls between functions of torch's Python really happen, recorded while PyTorch's own tests run.

With a Python that has torch and what its tests need, of at least 3.12 (PEP 669) or, for older torch and slower, 3.11,
in a copy of the tree's `test` folder:

    CALLS=nn.tsv PYTHONPATH=…/tests/data python -m pytest -p read_python_calls test_nn.py

and then, for all that was recorded, whichever way the tests ended:

    python …/tests/data/read_python_calls.py python_calls-2.6.0.json.xz 3 *.tsv

Each place is written once with each function that it was seen to call, also where that is a class's `__init__`.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

_PACKAGES = ("torch/", "functorch/")


def _place(code: types.CodeType, root: str) -> tuple[str, str, int] | None:
    path = code.co_filename
    return (
        (path[len(root) :], code.co_qualname, code.co_firstlineno)
        if path.startswith(root)
        else None
    )


class Recorder:
    """Listens to the calls of torch's code.

    Args:
        path: of the file to which they are appended.
    """

    def __init__(self, path: Path) -> None:
        import torch

        self._root = f"{Path(torch.__file__).parent.parent}/"
        self._file = path.open("a", encoding="utf-8")
        self._seen: set[str] = set()
        self._profiled: dict[tuple[int, int, int], object] = {}
        if sys.version_info < (3, 12):
            sys.setprofile(self._entered)
            return
        monitoring = sys.monitoring
        monitoring.use_tool_id(monitoring.PROFILER_ID, "read_python_calls")
        monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.CALL, self._called)
        monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.CALL)

    def again(self) -> None:
        """Listen once more to places that were heard: in the next test they may call something else."""
        self._file.flush()
        if sys.version_info >= (3, 12):
            sys.monitoring.restart_events()
        elif sys.getprofile() is None:
            sys.setprofile(self._entered)

    def _entered(self, frame: types.FrameType, event: str, _: object) -> None:
        """A function begins: whoever is below it on the stack called it, also where C++ stands between them."""
        back = frame.f_back
        if event == "call" and back is not None:
            key = (id(back.f_code), back.f_lasti, id(frame.f_code))
            if key not in self._profiled:
                self._profiled[key] = (
                    back.f_code,
                    frame.f_code,
                )  # kept, that its id is not given again
                self._write(_place(back.f_code, self._root), back.f_lineno, frame.f_code)

    def _called(self, code: types.CodeType, offset: int, called: object, _: object) -> object:
        caller = _place(code, self._root)
        function = called.__func__ if isinstance(called, types.MethodType) else called
        if isinstance(function, type):
            function = getattr(function, "__init__", None)
        if caller is not None:
            line = next((at for begin, end, at in code.co_lines() if begin <= offset < end), None)
            self._write(caller, line, getattr(function, "__code__", None))
        return sys.monitoring.DISABLE

    def _write(self, caller: tuple[str, str, int] | None, line: int | None, callee: object) -> None:
        found = _place(callee, self._root) if isinstance(callee, types.CodeType) else None
        if caller is not None and found is not None and line is not None:
            row = f"{caller[0]}\t{line}\t{found[0]}\t{found[2]}\t{found[1]}\n"
            if row not in self._seen:
                self._seen.add(row)
                self._file.write(row)


if "CALLS" in os.environ and __name__ != "__main__":
    _recorder = Recorder(Path(os.environ["CALLS"]))

    def pytest_runtest_setup() -> None:
        """Called by pytest before each test."""
        _recorder.again()

    def pytest_unconfigure() -> None:
        """Called by pytest when all is done."""
        sys.setprofile(None)
        if sys.version_info >= (3, 12):
            sys.monitoring.set_events(sys.monitoring.PROFILER_ID, 0)


def _rows(paths: list[Path], kept: int) -> Iterator[tuple[str, int, str, int, str]]:
    """What is known of functions that stand in modules and classes, of one in some lines."""
    for path in paths:
        for row in path.read_text(encoding="utf-8").splitlines():
            caller, line, callee, first, name = row.split("\t")
            is_kept = hashlib.sha256(f"{caller}:{line}".encode()).digest()[0] % kept == 0
            is_own = caller.startswith(_PACKAGES) and callee.startswith(_PACKAGES)
            if is_kept and is_own and "<" not in name and not caller.startswith("torch/testing/"):
                yield caller, int(line), callee, int(first), name


def main(target: Path, kept: int, paths: list[Path]) -> None:
    """Write what was recorded.

    Args:
        target: a compressed JSON file: by caller's path and line, the path, first line (with decorators) and qualified
            name of what was called.
        kept: one in so many callers' lines is, by what a hash says of it.
        paths: of the recordings.
    """
    found: dict[str, dict[int, list[tuple[str, int, str]]]] = {}
    for caller, line, *called in sorted(set(_rows(paths, kept))):
        found.setdefault(caller, {}).setdefault(line, []).append(tuple(called))  # type: ignore[arg-type]
    with lzma.open(target, "wt", encoding="utf-8") as file:
        json.dump(found, file, separators=(",", ":"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), [Path(each) for each in sys.argv[3:]])
