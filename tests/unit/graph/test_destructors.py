"""A destructor runs where an object ends, which no call names: who makes one stands for that."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_PATH = "c10/util/Guard.cpp"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    _PATH: """namespace c10 {
struct Guard {
  Guard(int device) {}
  ~Guard() { restore(); }
  int device() { return 1; }
  void restore() { give_back(); }
};
inline void give_back() {}
struct Plain {
  ~Plain() {}
};
int guarded(int a) { Guard guard(a); return a; }
int above(int a) { return guarded(a); }
}
""",
    "aten/src/ATen/test/guard_test.cpp": "TEST(GuardTest, Guards) { c10::Guard guard(1); }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("destructors")) as connection:
        yield connection


@pytest.mark.parametrize("name", ["c10::Guard::~Guard", f"{_PATH}:4"])
def test_who_makes_one_is_reached(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "impact", name=name)
    assert {subject.name for subject in answer.subjects} == {
        "c10::Guard::~Guard",
        "c10::Guard::Guard",
    }
    assert {"c10::guarded", "c10::above"} <= {dependent.name for dependent in answer.dependents}
    assert any("by its class's 1 constructor, stands for that" in note for note in answer.notes)
    made = {one.name for one in ask(conn, "called_by", name=name).neighbours}
    assert "c10::guarded" in made
    assert "c10::above" not in made


def test_what_only_a_destructor_calls_leads_to_who_makes_one(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="c10::give_back")
    depths = {one.name: one.depth for one in answer.dependents}
    # An object's end is no call: its constructor is as near as its destructor.
    assert depths["c10::Guard::~Guard"] == depths["c10::Guard::Guard"] == 2
    assert depths["c10::guarded"] == 3
    (ends,) = ask(conn, "calls", name="c10::Guard::Guard").neighbours
    assert (ends.name, ends.relation) == ("c10::Guard::~Guard", "destructor")


def test_a_source_file_ends_its_own_objects(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "namespace {\nstruct Scope {\n  Scope() {}\n  ~Scope() {}\n};\n}\n"
    files = {**_FILES, "c10/util/One.cpp": text, "c10/util/Other.cpp": f"// other\n{text}"}
    with indexed(files, tmp_path_factory.mktemp("scopes")) as conn:
        edges = conn.execute(
            "SELECT file, line FROM v_edges WHERE kind = 'destructor' AND source LIKE '%Scope::Scope' ORDER BY file"
        ).fetchall()
    assert [tuple(edge) for edge in edges] == [("c10/util/One.cpp", 4), ("c10/util/Other.cpp", 5)]


def test_other_methods_have_no_constructors_with_them(conn: sqlite3.Connection) -> None:
    assert [one.name for one in ask(conn, "impact", name="c10::Guard::device").subjects] == [
        "c10::Guard::device"
    ]


def test_of_a_class_without_constructors_it_is_said_that_no_call_names_it(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "called_by", name="c10::Plain::~Plain")
    assert [subject.name for subject in answer.subjects] == ["c10::Plain::~Plain"]
    assert (
        "a destructor runs where an object ends, which no call names: ask for its class"
        in answer.notes
    )


def test_a_changed_destructor_leads_to_the_tests_that_make_one(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="c10::Guard::~Guard")
    (test,) = answer.tests
    assert "Guards" in str(test)
    assert "makes what it ends" in str(test)
