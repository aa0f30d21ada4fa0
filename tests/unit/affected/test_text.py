"""How affected reads where much changes, or tests are reached by ways that have most in common."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.asking import ask
from torchtalk.answers.affected import AffectedAnswer, AffectedTest, ChangedGroup, ChangedThing
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


def test_what_changed_in_few_places_has_a_line_each() -> None:
    things = tuple(ChangedThing("cpp", f"at::f{n}", Place("a.cpp", n), n) for n in (1, 2))
    groups = (ChangedGroup("a.cpp", "", 2),)
    answer = AffectedAnswer("x", "2 things changed", changed=things, groups=groups)
    assert to_text(answer).splitlines()[1:] == [
        "changed: at::f1  a.cpp:1", "changed: at::f2  a.cpp:2  2 lines",
    ]  # fmt: skip


def test_much_that_changed_stands_in_a_line_for_each_file() -> None:
    things = (
        *(ChangedThing("cpp", f"at::f{n}", Place("a.cpp", n), 1) for n in range(1, 31)),
        ChangedThing("cpp", "at::g uses kMost", Place("a.h", 7), 1, "uses kMost"),
        ChangedThing("operator", "aten::h", Place("b.yaml", 3), 1),
    )
    groups = (
        ChangedGroup("b.yaml", "", 1), ChangedGroup("a.cpp", "", 300), ChangedGroup("a.h", "uses kMost", 9),
    )  # fmt: skip
    lines = to_text(AffectedAnswer("x", "310 things changed", changed=things, groups=groups))
    names = ", ".join(f"at::f{n}:{n}" for n in range(1, 9))
    assert lines.splitlines()[1:] == [
        f"changed in a.cpp: {names} and 292 more",
        "changed in a.h, each uses kMost: at::g and 8 more",
        "changed in b.yaml: aten::h:3",
    ]
    many = tuple(ChangedGroup(f"{n}.cpp", "", 2) for n in range(20))
    last = to_text(AffectedAnswer("x", "40 things changed", changed=things, groups=many))
    assert last.splitlines()[-1] == "… and 16 more things that changed"


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
