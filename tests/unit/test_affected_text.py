"""How affected reads where much changes, or tests are reached by ways that have most in common."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.asking import ask
from torchtalk.answers.affected import AffectedAnswer, AffectedTest, ChangedThing
from torchtalk.answers.base import Place
from torchtalk.render import to_text

_NOWHERE = Place(None, None)


def _test(name: str, *path: str) -> AffectedTest:
    return AffectedTest(name, "test", Place("test/test_a.py", 1), 0.5, 1, path, "")


def _answer(tests: tuple[AffectedTest, ...] = (), changed: int = 1) -> AffectedAnswer:
    things = tuple(ChangedThing("cpp", f"at::f{n}", _NOWHERE, 0) for n in range(changed))
    return AffectedAnswer("x", "things changed", changed=things, tests=tests)


def test_steps_that_ways_have_in_common_are_said_once() -> None:
    tests = (
        _test("T.a", "f", "g calls it", "h calls it", "k calls it", "uses it"),
        _test("T.b", "f", "g calls it", "h calls it", "T._all calls it", "uses it"),
        _test("T.c", "f", "g calls it", "h calls it", "T._all calls it", "calls it"),
        _test("T.d", "f", "g calls it", "m calls it", "calls it"),
    )
    ways = [line for line in to_text(_answer(tests)).splitlines() if line.startswith("0.50")]
    assert ways == [
        "0.50 f -> g calls it -> h calls it -> k calls it -> uses it",
        "0.50 (as above for 3 steps) -> T._all calls it -> uses it",
        "0.50 (as above for 4 steps) -> calls it",
        "0.50 f -> g calls it -> m calls it -> calls it",
    ]


def test_the_last_reason_is_always_told() -> None:
    path = ("f", "g calls it", "h calls it", "k calls it", "uses it")
    tests = (_test("T.a", *path), _test("T.b", *path[:-1]))
    ways = [line for line in to_text(_answer(tests)).splitlines() if line.startswith("0.50")]
    assert ways[1] == "0.50 (as above for 3 steps) -> k calls it"


def test_many_changed_things_are_counted() -> None:
    lines = to_text(_answer(changed=79)).splitlines()
    assert lines[-1] == "… 20 of 79 changed things shown"
    assert len(lines) == 22
    assert "…" not in to_text(_answer(changed=20))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("README.md", "documentation, which needs no test"),
        ("docs/source/nn.rst", "documentation, which needs no test"),
        (
            "CMakeLists.txt",
            "how PyTorch is built: any test may notice, and none is known to be about it",
        ),
        (
            ".github/workflows/pull.yml",
            "how PyTorch is tested and released, which no test is about",
        ),
        ("torch/nosuch.py", "no such file in the index"),
    ],
)
def test_a_file_that_no_index_has_is_no_name_with_a_slip(
    conn: sqlite3.Connection, name: str, said: str
) -> None:
    (note,) = ask(conn, "affected", names=name).notes
    assert note == f"not seen by the graph: {name}: {said}"
