"""Which functions of PyTorch's C++ a test really runs, and which calls which, recorded while PyTorch's own tests run.

On Linux and x86-64, with a C compiler, binutils and a Python of at least 3.12 that has torch and what its tests need,
in a copy of the tree's `test` folder:

    NATIVE=nn.tsv PYTHONPATH=…/tests/data python -m pytest -p read_covered_native test_nn.py

and then, for all that was recorded, whichever way the tests ended, and an index of the same tree:

    python …/tests/data/read_covered_native.py covered_native-2.6.0.json.xz native_calls-2.6.0.json.xz FILE.db *.tsv

PyTorch's wheels keep the names of all functions, those of anonymous namespaces as well; covered_native.c stops at each
the first time that it begins in a test, and looks who called it. What the compiler wrote into its callers is not seen:
a caller is the function that stands there in the library. Of tests made for several devices and types one is run, of
those made for operators one for each operator; of all of a file's those that `SECONDS` (60) have room for, in an order
that a hash tells.
"""

from __future__ import annotations

import bisect
import contextlib
import ctypes
import functools
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from read_covered import code_of, end_in_time, keep, note, once_each, put, read_tests

_LIBRARIES = ("libtorch_cpu.so", "libtorch_python.so", "libc10.so")
_KEPT = 2
"""One in so many functions is kept, by what a hash says of it."""
_HUGE = re.compile("large|64bit|big")
_FARTHEST = 1 << 20
# What the build writes, and what every operator comes through.
_WRITTEN = re.compile(
    "wrap_kernel|_ops::|wrapper_|make_boxed|BoxedKernelW|VariableType|ADInplace|TraceType|Register|generated::"
)
_OPENING, _CLOSING = "<([{", ">)]}"


def plain(symbol: str) -> str | None:
    """The qualified name of a function, without what it returns and takes, templates' arguments, anonymous namespaces.

    A lambda is of the function that it stands in.

    Args:
        symbol: as c++filt writes it.

    Returns:
        None of an operator, and of a template that is made with a lambda: that may be any function's.
    """
    symbol = re.sub(r" \[clone [^\]]*\]", "", symbol)
    symbol = symbol.replace("(anonymous namespace)::", "").replace("[abi:cxx11]", "")
    name, depth = "", 0
    for at, sign in enumerate(symbol):
        if sign == "(" and depth == 0:
            break
        if depth and symbol.startswith("{lambda", at):
            return None
        if sign in _OPENING:
            depth += 1
        if depth == 0:
            name = "" if sign == " " else name + sign
        if sign in _CLOSING:
            depth -= 1
    if "operator" in name:
        return None
    return re.sub(r"::(?:AVX2|AVX512|DEFAULT|ZVECTOR|CPU_CAPABILITY)(?=::)", "", name) or None


def demangled(symbols: list[str]) -> list[str]:
    """Names as they are written in C++."""
    return subprocess.run(
        ["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True
    ).stdout.splitlines()


def _symbols(library: Path) -> list[tuple[int, str]]:
    """All functions of a library, with where each begins in it."""
    lines = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    rows = [row for line in lines.splitlines() if len(row := line.split()) == 3]
    return [(int(place, 16), symbol) for place, kind, symbol in rows if kind in "tTwW"]


class Recorder:
    """Listens to the functions of torch's libraries that begin to run."""

    def __init__(self) -> None:
        import torch

        source = Path(__file__).parent / "covered_native.c"
        built = Path(tempfile.mkdtemp()) / "covered_native.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, source], check=True)
        self._native = native = ctypes.CDLL(str(built))
        native.what_ran.restype = ctypes.c_size_t
        by_place: dict[int, str] = {}
        self._all: dict[int, str] = {}
        self._calls: set[tuple[int, int]] = set()
        maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
        for library in _LIBRARIES:
            path = Path(torch.__file__).parent / "lib" / library
            parts = [line.split() for line in maps if line.endswith(f"/{library}")]
            bounds = [[int(each, 16) for each in part[0].split("-")] for part in parts]
            base = bounds[0][0] - int(parts[0][2], 16)
            for part, (start, end) in zip(parts, bounds, strict=True):
                if "x" in part[1] and native.open_code(
                    ctypes.c_uint64(start), ctypes.c_uint64(end - start)
                ):
                    raise OSError("the code of a library can't be written to")
            symbols = _symbols(path)
            self._all.update((base + at, symbol) for at, symbol in symbols)
            for (at, _), symbol in zip(symbols, demangled([s for _, s in symbols]), strict=True):
                # A lambda begins where its function does not.
                name = None if "lambda" in symbol or "[clone" in symbol else plain(symbol)
                if name and name.startswith(("at::", "torch::", "c10::", "caffe2::")):
                    by_place[base + at] = name
        self._names = [by_place[place] for place in sorted(by_place)]
        self._number = len(by_place)
        self._places = (ctypes.c_uint64 * self._number)(*sorted(by_place))
        self._found = (ctypes.c_uint32 * self._number)()
        self._called_at = (ctypes.c_uint64 * self._number)()
        native.set_places(self._places, ctypes.c_size_t(self._number))

    def begin(self) -> None:
        """Listen, also to what was heard before."""
        self._native.listen()

    def heard(self) -> list[str]:
        """What ran since."""
        count = self._native.what_ran(self._found, self._called_at)
        self._calls.update(zip(self._called_at[:count], self._found[:count], strict=True))
        return sorted({self._names[at] for at in self._found[:count]})

    def calls(self) -> set[tuple[str, str]]:
        """Which function was seen to be called by which: as c++filt writes it, and its plain name."""
        places, starts = [], sorted(self._all)
        for called_at, at in self._calls:
            place = bisect.bisect_right(starts, called_at - 1) - 1
            # Of what stands behind all of a library's, or before it, nothing is known.
            if place >= 0 and called_at - starts[place] < _FARTHEST:
                places.append((self._all[starts[place]], self._names[at]))
        callers = sorted({caller for caller, _ in places})
        names = dict(zip(callers, demangled(callers), strict=True))
        return {(names[caller], name) for caller, name in places}


@functools.cache
def _entries() -> dict[str, str]:
    """Operators' entries with their variants, by how tests are called after them."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {op.formatted_name: op.full_name for op in op_db}


def operator_of(item: Any) -> str:
    """The operator's entry that a test is made for, with its variant; empty where it is made for none."""
    rest = item.name.removeprefix(f"{code_of(item).co_name}_")
    words = rest.split("_cpu")[0] if "_cpu" in rest else ""
    return _entries().get(words, "")


if "NATIVE" in os.environ and __name__ != "__main__":
    _recorder = Recorder()

    def pytest_collection_modifyitems(items: list[Any]) -> None:
        """Called by pytest with all tests."""
        few = [item for item in items if not _HUGE.search(item.name)]  # one takes a file's time
        items[:] = once_each(few, lambda item: (item.cls, code_of(item), operator_of(item)))

    def pytest_runtest_setup(item: Any) -> None:
        """Called by pytest before each test."""
        end_in_time(item)

    def pytest_sessionfinish() -> None:
        """Called by pytest at its end."""
        rows = sorted(_recorder.calls())
        with Path(f"{os.environ['NATIVE']}.calls").open("a", encoding="utf-8") as file:
            file.writelines(f"{caller}\t{callee}\n" for caller, callee in rows)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(item: Any) -> Iterator[None]:
        """Called by pytest for each test."""
        _recorder.begin()
        outcome: Any = yield  # type: ignore[misc]
        ran = " ".join(_recorder.heard())
        note(os.environ["NATIVE"], item, outcome, operator_of(item), ran)


def _known(index: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The names of functions outside of tests, and of which there is one definition."""
    with contextlib.closing(sqlite3.connect(index)) as conn:
        rows = conn.execute(
            "SELECT n.name, count(*) FROM functions AS n JOIN source_files AS f ON f.id = n.file_id "
            "WHERE f.path NOT LIKE '%test/%' GROUP BY n.name"
        ).fetchall()
    return frozenset(n for n, _ in rows), frozenset(n for n, count in rows if count == 1)


def write_calls(target: Path, known: frozenset[str], paths: list[Path]) -> None:
    """Write which function was seen to be called by which.

    Args:
        target: a compressed JSON file: names of functions, and the numbers of callers and callees.
        known: functions that are worth keeping.
        paths: of the recordings.
    """
    pairs: set[tuple[str, str]] = set()
    for path in paths:
        calls = Path(f"{path}.calls")
        for row in calls.read_text(encoding="utf-8").splitlines() if calls.exists() else ():
            symbol, callee = row.split("\t")
            caller = plain(symbol)
            if caller in known and callee in known and caller != callee:
                pairs.add((str(caller), callee))
    kept = [pair for pair in sorted(pairs) if not any(map(_WRITTEN.search, pair))]
    names = sorted({name for pair in kept for name in pair})
    number = {name: at for at, name in enumerate(names)}
    put(target, {"functions": names, "calls": [[number[a], number[b]] for a, b in kept]})


def main(covered: Path, calls: Path, index: Path, paths: list[Path]) -> None:
    """Write what was recorded.

    Args:
        covered: of `keep`: tests by path, name, and the operator's entry that they are made for.
        calls: of `write_calls`.
        index: of the same tree, whose functions are kept.
        paths: of the recordings.
    """
    known, single = _known(index)
    tests: dict[tuple[Any, ...], set[str]] = {}
    for (file, name, _, entry), ran in read_tests(paths):
        tests.setdefault((file, name, entry), set()).update(ran)
    keep(covered, tests, single.__contains__, _KEPT)
    write_calls(calls, known, paths)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), [Path(p) for p in sys.argv[4:]])
