"""Which tests `pytest -k` has to leave out so that those that are wanted run alone.

pytest looks for each word of an expression anywhere in the names of a test, its class and its file, in either case
(`_pytest/mark/__init__.py`, `KeywordMatcher`): `test_function` is in `test_function_returns_input`, `TestNN` in
`TestNNDeviceType`. An id (`test_nn.py::TestNN::test_x`) would be exact as well, but where one of several is not there,
since its class stands below `if TEST_CUDA:`, pytest runs none of them.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable
from typing import NamedTuple

from torchtalk.testing import queries
from torchtalk.testing.filters import least

_TEXT = re.compile(r"['\"](\w+)['\"]")
# What may stand behind a test's name, or a class's, that is made for devices
# (torch/testing/_internal/common_device_type.py, `get_device_type_test_bases`).
_DEVICES = ("cpu", "cuda", "gpu", "mps", "xpu", "hpu", "mtia", "meta", "lazy", "xla", "privateuse1")
# More is not left out: so long a command nobody reads.
_MOST = 16


class Wanted(NamedTuple):
    """One test as `-k` is given it.

    Args:
        owner: its class; empty where the classes that run it are others.
        test: its name.
        without: other tests of the file, and classes, that the two would find, too.
        is_made: it has parameters behind its name, whatever these are called.
    """

    owner: str
    test: str
    without: tuple[str, ...] = ()
    is_made: bool = False


class Exact:
    """Tells what else of a file the names of tests would find.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._of_files: dict[int, list[tuple[str, str]]] = {}

    def wanted(self, row: sqlite3.Row | dict[str, object], owner: str, *, is_made: bool) -> Wanted:
        """One test with what has to be left out.

        Args:
            row: of the statement `details`.
            owner: the class to be named, or nothing.
            is_made: the test's name has parameters behind it, of which nobody knows whether they are called like the
                end of another test's: nothing is left out.
        """
        test = str(row["name"])
        if is_made:
            return Wanted(owner, test, is_made=True)
        behind = (*_DEVICES, *_TEXT.findall(str(row["copied"] or "").lower()))
        has_owner, has_test = _has(owner), _has(test)
        without: dict[str, None] = {}
        for other_owner, other in self._names(int(str(row["file_id"]))):
            if not has_owner(other_owner) or not has_test(other):
                continue
            if other.lower() != test.lower():
                word, own = other, test
            elif other_owner.lower() != owner.lower() and owner:
                word, own = other_owner, owner
            else:
                continue
            if not _may_follow(word.lower(), own.lower(), behind):
                without[word] = None
        return Wanted(owner, test, tuple(without) if len(without) <= _MOST else ())

    def _names(self, file_id: int) -> list[tuple[str, str]]:
        """The classes, without those around them, and tests of a file."""
        found = self._of_files.get(file_id)
        if found is None:
            rows = self._conn.execute(queries("exact")["names"], {"file": file_id})
            found = self._of_files[file_id] = [
                (_last(row["class"] or ""), str(row["name"])) for row in rows
            ]
        return found


def _last(owner: str) -> str:
    return owner.rpartition(".")[2]


def _has(word: str) -> Callable[[str], bool]:
    lower = _last(word).lower()
    return lambda name: lower in name.lower()


def _may_follow(word: str, own: str, behind: tuple[str, ...]) -> bool:
    """Whether a longer name is what the own one becomes for a device or a copy, or begins so."""
    if not word.startswith(own):
        return False
    rest = word.removeprefix(own).strip("_")
    return any(rest.startswith(one) or one.startswith(rest) for one in behind)


def expression(wanted: Iterable[Wanted]) -> str:
    """What `-k` takes for some tests, with what they have in common said once.

    Args:
        wanted: the tests of one file.
    """
    owners: dict[str, list[Wanted]] = {}
    for one in wanted:
        owners.setdefault(_last(one.owner), []).append(one)
    parts = [_of_class(owner, tests) for owner, tests in owners.items()]
    if len(parts) == 1:
        return parts[0]
    return " or ".join(f"({part})" if " and " in part else part for part in parts)


def _of_class(owner: str, tests: list[Wanted]) -> str:
    named = [one.test.lower() for one in tests]
    made = tuple(one.test.lower() for one in tests if one.is_made)
    without = [
        word for one in tests for word in one.without
        # What is wanted itself, or has its name in it, stays, and what may be made of one that is wanted.
        if not any(word.lower() in name for name in named) and not word.lower().startswith(made)
    ]  # fmt: skip
    parts = [owner] if owner else []
    parts.append(_any((one.test for one in tests), alone=not owner and not without))
    if without:
        parts.append(f"not {_any(without)}")
    return " and ".join(parts)


def _any(words: Iterable[str], *, alone: bool = False) -> str:
    those = least(words)
    text = " or ".join(those)
    return text if len(those) == 1 or alone else f"({text})"
