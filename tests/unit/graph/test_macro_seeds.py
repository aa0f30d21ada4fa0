"""impact of a macro: of the functions that use it or that it makes, by its name or a line of its definition."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.places.macro_heads import in_heads

_HEADER = "c10/util/Check.h"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    _HEADER: """#pragma once
#define KNIT_CHECK(x) \\
  if (!(x)) { \\
    c10::fail(); \\
  } /* NOLINT */
#define KNIT_BOTH(x, y) KNIT_CHECK(x) KNIT_CHECK(y)
#define KNIT_MAKE(NAME) int NAME##_knit(int a) { return a; }
#define KNIT_UNUSED(x) x
#define KNIT_DEVICE __device__
#define KNIT_FORCED KNIT_DEVICE inline
#define plainly
""",
    "c10/core/One.cpp": """#include <c10/util/Check.h>
namespace c10 {
int plain(int a) { KNIT_CHECK(a); return a; }
int twice(int a) { KNIT_BOTH(a, a); return a; }
int above(int a) { return twice(a); }
int none(int a) { return a; }
KNIT_MAKE(deep)
}
""",
    "c10/core/Heads.cpp": """#include <c10/util/Check.h>
namespace c10 {
template <typename T>
KNIT_DEVICE T headed(T a) { return a; }
KNIT_FORCED int forced(int a) { return a; }
KNIT_DEVICE int declared(int a);
int lower(int plainly, int KNIT_DEVICES) { return headed(plainly); }
}
""",
    "c10/core/Each.cpp": """namespace c10 {
#define KNIT_EACH(F) F(wool) F(silk)
#define KNIT_ONE(NAME) int NAME##_one(int a) { \\
  return a; \\
}
KNIT_EACH(KNIT_ONE)
#undef KNIT_ONE
}
""",
    # A macro of a source is nobody else's.
    "c10/core/Two.cpp": """#define KNIT_CHECK(x) x
int other(int a) { KNIT_CHECK(a); return a; }
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("macros")) as connection:
        yield connection


@pytest.mark.parametrize("name", [f"{_HEADER}:2", f"{_HEADER}:4", f"{_HEADER}:5"])
def test_a_line_of_a_definition_stands_for_that_macros_users(
    conn: sqlite3.Connection, name: str
) -> None:
    answer = ask(conn, "impact", name=name)
    assert {subject.name for subject in answer.subjects} >= {"c10::plain", "c10::twice"}
    assert [dependent.name for dependent in answer.dependents] == ["c10::above"]
    assert answer.finding.startswith("KNIT_CHECK: within 3 calls ")
    assert answer.notes[0] == (
        f"KNIT_CHECK is a macro ({_HEADER}:2): 3 functions use it, some through 1 other macro; these stand for it"
    )


def test_by_its_name_all_definitions_are_meant(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="KNIT_CHECK(x)")
    assert {subject.name for subject in answer.subjects} == {"c10::plain", "c10::twice", "other"}
    assert f"(c10/core/Two.cpp:1, {_HEADER}:2)" in answer.notes[0]


def test_a_macro_of_a_source_is_used_there_alone(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="c10/core/Two.cpp:1")
    assert [subject.name for subject in answer.subjects] == ["other"]


def test_what_a_macro_makes_stands_for_it(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="KNIT_MAKE")
    assert [subject.name for subject in answer.subjects] == ["c10::deep_knit"]
    assert "it makes 1 function" in answer.notes[0]


@pytest.mark.parametrize("name", ["KNIT_ONE", "KNIT_EACH", "c10/core/Each.cpp:4"])
def test_a_macro_that_is_handed_to_another_makes_what_that_does(
    conn: sqlite3.Connection, name: str
) -> None:
    subjects = ask(conn, "impact", name=name).subjects
    assert [subject.name for subject in subjects] == ["c10::wool_one", "c10::silk_one"]


def test_an_unused_macro_has_nothing_that_depends_on_it(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="KNIT_UNUSED")
    assert answer.subjects == ()
    assert answer.finding.startswith(f"KNIT_UNUSED is a macro, defined at {_HEADER}:8")


def test_heads_of_functions_use_it_too(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="KNIT_DEVICE")
    assert {subject.name for subject in answer.subjects} == {"c10::headed", "c10::forced"}
    assert [dependent.name for dependent in answer.dependents] == ["c10::lower"]
    assert (
        "2 functions use it, 2 of them in their heads (declarations and classes are not counted), some through 1 "
        "other macro"
    ) in answer.notes[0]


def test_a_parameter_in_a_head_is_no_macro(conn: sqlite3.Connection) -> None:
    assert ask(conn, "impact", name="plainly").subjects == ()


def test_a_change_of_a_macro_in_heads_changes_these_functions(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names=f"{_HEADER}:9")
    assert {thing.name.partition(" ")[0] for thing in answer.changed} == {
        "c10::headed",
        "c10::forced",
    }
    assert any("2 of them in their heads" in note for note in answer.notes)


def test_many_macros_at_once_are_found_in_heads(conn: sqlite3.Connection) -> None:
    (row,) = conn.execute("SELECT id FROM functions WHERE name = 'c10::headed'")
    names = ["KNIT_DEVICE", *(f"KNIT_OTHER_{number}" for number in range(9))]
    assert [function for _, function in in_heads(conn, names, None)] == [row["id"]]


@pytest.mark.parametrize(("name", "is_read"), [("KNIT_NOTHING", False), ("KNIT_DEVICE", True)])
def test_heads_are_read_for_what_is_a_macro_alone(
    conn: sqlite3.Connection, name: str, *, is_read: bool
) -> None:
    told: list[str] = []
    conn.set_trace_callback(told.append)
    ask(conn, "impact", name=name)
    conn.set_trace_callback(None)
    assert any("instr(f.head" in statement for statement in told) is is_read
