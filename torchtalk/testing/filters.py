"""What `pytest -k` has to be given so that an entry's tests run, and not those of entries that are called alike.

pytest looks for the words of an expression as parts of names, in either case: `t` is in every test's. Tests over
OpInfos are called test_<generic>_<entry>_<device>_<dtype> (torch/testing/_internal/common_device_type.py,
`DeviceTypeTestBase.instantiate_test`), so that `_t_` finds those of `t`, and of entries that have it as a part of
their names, which are left out; `_t_cpu or _t_cuda` is said where that is shorter, or a test has `_t_` in its own name.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from torchtalk.graph.nodes import tuples
from torchtalk.kept import once
from torchtalk.sqlfile import listed
from torchtalk.testing import queries

_DEVICES = ("cpu", "cuda")
_GIVEN = re.compile(r"\b(only_for|except_for)\s*=\s*(\([^)]*\)|\[[^\]]*\]|[\w.'\"]+)")
_TEXT = re.compile(r"['\"](\w+)['\"]")
# More tests with longer names are not named one by one.
_MOST_LONGER = 4

# Where an entry's name has other entries' names in its own.
_BEGINS, _HAS, _ENDS = "^(?:{})_", "(?:^|_)(?:{})(?:_|$)", "_(?:{})$"


class EntryFilters:
    """Makes the expressions, from what an index has.

    Args:
        conn: the index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sql = queries("filters")
        self._alike: dict[tuple[tuple[str, ...], str], list[str]] = {}
        self._having: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        self._lists: dict[int, set[int]] = {}
        self._ids = once(conn, _ids)

    def expression(self, path: str, entries: Iterable[str], tests: Iterable[str] = ()) -> str:
        """The expression for the tests that a file's generic tests make of entries.

        Args:
            path: of the file.
            entries: names with their variants: `nn.functional.gelu`, `std.unbiased`.
            tests: only these generic tests; without any, all.
        """
        wanted = tuple(dict.fromkeys(_called(entry) for entry in entries))
        rows = self._conn.execute(self._sql["lists"], {"path": path}).fetchall()
        held = self._held(rows, [name for name in self._ids if name in wanted])
        longer = [
            (row["test"], name)
            for row in rows
            if row["list_id"] in held and (row["is_longer"] or row["is_module"])
            for name in wanted
            if not held[row["list_id"]].isdisjoint(self._ids.get(name, ()))
        ]
        devices = self._devices(path)
        ends = [f"_{name}_{device}" for name in _shortest(wanted) for device in devices]
        if tests:
            apart = {row["test"] for row in rows if row["is_apart"]}
            parts = _any(
                f"({test} and _{name}_)" if test in apart else f"{test}_{name}_"
                for test in tests for name in wanted
            )  # fmt: skip
            alike = self._others(rows, wanted, _BEGINS)
            plain = not any(test in tests for test, _ in longer)
            return f"{_grouped([parts])} and {_grouped(ends)}" if alike and plain else parts
        words = [f"_{name}_" for name in wanted]
        inside = self._others(rows, wanted, _HAS)
        anywhere = _without(words, inside)
        if len(longer) > _MOST_LONGER:
            return anywhere
        ending = self._others(rows, wanted, _ENDS)
        at_devices = _without([*ends, *(f"{test}_{name}_" for test, name in longer)], ending)
        is_short = len(anywhere) <= len(at_devices)
        return anywhere if is_short and not self._is_in_a_test(path, words) else at_devices

    def _held(self, rows: list[sqlite3.Row], names: Iterable[str]) -> dict[int, set[int]]:
        """By list of those that the rows name: which of the entries it holds."""
        ids = [identity for name in names for identity in self._ids[name]]
        unread = tuple(identity for identity in ids if identity not in self._lists)
        self._lists.update((identity, set()) for identity in unread)
        of = {"entries": listed(unread)}
        for identity, list_id in self._conn.execute(self._sql["held"], of) if unread else ():
            self._lists[identity].add(list_id)
        found: dict[int, set[int]] = {}
        lists = {row["list_id"] for row in rows}
        for identity in ids:
            for list_id in lists & self._lists[identity]:
                found.setdefault(list_id, set()).add(identity)
        return found

    def _others(self, rows: list[sqlite3.Row], wanted: tuple[str, ...], where: str) -> list[str]:
        """Entries of the lists that have a wanted one's name there in their own, and are not wanted."""
        names = self._alike.get((wanted, where))
        if names is None:
            # Case does not tell two entries apart, nor can a part of a wanted name be left out.
            lower = [name.lower() for name in wanted]
            has = re.compile(where.format("|".join(map(re.escape, lower)))).search
            names = self._alike[wanted, where] = [
                name
                for name, this in self._longer_than(wanted, lower)
                if has(this) and not any(this in each for each in lower)
            ]
        held = set().union(*self._held(rows, names).values()) if names else set()
        return least(name for name in names if not held.isdisjoint(self._ids[name]))

    def _longer_than(self, wanted: tuple[str, ...], lower: list[str]) -> list[tuple[str, str]]:
        """What tests call the entries that have a wanted one's name anywhere in their own, in lower case as well."""
        found = self._having.get(wanted)
        if found is None:
            found = self._having[wanted] = [
                both for both in once(self._conn, _lower) if any(each in both[1] for each in lower)
            ]
        return found

    def _is_in_a_test(self, path: str, words: list[str]) -> bool:
        """Whether a test of the file has one of the words in its own name."""
        of = {"path": path, "words": listed(tuple(words))}
        return self._conn.execute(self._sql["tests"], of).fetchone() is not None

    def _devices(self, path: str) -> tuple[str, ...]:
        """The devices that a file makes tests for, of those that most machines with PyTorch have."""
        found: dict[str, None] = {}
        for text in once(self._conn, _made_for).get(path, ()):
            found |= dict.fromkeys(devices_of(text))
        return tuple(found) or _DEVICES


def _ids(conn: sqlite3.Connection) -> dict[str, list[int]]:
    """The entries by what tests call them."""
    found: dict[str, list[int]] = {}
    for identity, called in tuples(conn).execute(queries("filters")["names"]):
        found.setdefault(called, []).append(identity)
    return found


def _lower(conn: sqlite3.Connection) -> list[tuple[str, str]]:
    """What tests call the entries, with the same in lower case."""
    return [(name, name.lower()) for name in once(conn, _ids)]


def _made_for(conn: sqlite3.Connection) -> dict[str, list[str]]:
    """By file: the arguments that it makes tests for devices with."""
    found: dict[str, list[str]] = {}
    for path, arguments in tuples(conn).execute(queries("filters")["devices"]):
        found.setdefault(path, []).append(arguments)
    return found


def devices_in(text: str) -> tuple[str, ...]:
    """The only devices that tests are made for; none where others are possible.

    Args:
        text: the arguments of `instantiate_device_type_tests`.
    """
    return tuple(_given(text).get("only_for", ()))


def devices_of(text: str) -> tuple[str, ...]:
    """The devices that tests are made for, of those that most machines with PyTorch have where others are possible.

    Args:
        text: the arguments of `instantiate_device_type_tests`.
    """
    given = _given(text)
    without = given.get("except_for", ())
    devices = given.get("only_for") or _DEVICES
    return tuple(device for device in devices if device not in without)


def _given(text: str) -> dict[str, list[str]]:
    return {name: _TEXT.findall(value) for name, value in _GIVEN.findall(text)}


def _called(entry: str) -> str:
    """An entry's name as tests have it (torch/testing/_internal/opinfo/core.py, `OpInfo.formatted_name`)."""
    return entry.replace(".", "_")


def _shortest(names: Iterable[str]) -> list[str]:
    """Those that end in no other of them: who looks for `_add_cpu` finds `_index_add_cpu` too."""
    distinct = list(dict.fromkeys(names))
    return [
        name
        for name in distinct
        if not any(name != other and name.endswith(f"_{other}") for other in distinct)
    ]


def least(words: Iterable[str]) -> list[str]:
    """Those of some words that have no other of them in them, which find all that these find.

    Args:
        words: as `-k` looks for them.
    """
    distinct = {word.lower(): word for word in words}
    return [
        word
        for lower, word in distinct.items()
        if not any(lower != other and other in lower for other in distinct)
    ]


def _any(words: Iterable[str]) -> str:
    return " or ".join(least(words))


def _grouped(words: Iterable[str]) -> str:
    text = _any(words)
    return f"({text})" if " " in text else text


def _without(words: Iterable[str], others: list[str]) -> str:
    return f"{_grouped(words)} and not {_grouped(others)}" if others else _any(words)
