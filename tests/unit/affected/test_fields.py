"""A data member that changes is known by the functions whose text names it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.support.asking import affected_by, ask
from tests.unit.support.endless import ended
from tests.unit.support.small_tree import indexed
from torchtalk.affected.places.fields import fields_in

_CPP = "c10/core/Pool.cpp"
_HEADER = "c10/core/Engine.h"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    _CPP: """namespace c10 {
class Pool {
  std::vector<Observer> observers_;

  int64_t used_ = 0;
  void watch(Observer o) { observers_.push_back(o); }
  int64_t used() { return used_; }
  int64_t idle() { return 1; }
};
}
""",
    _HEADER: """#pragma once
namespace c10 {
struct Engine {
  void start();
  void stop();
  void rest() {}
  bool started_{false};
};
}
""",
    "c10/core/Engine.cpp": """#include <c10/core/Engine.h>
namespace c10 {
void Engine::start() {
  started_ = true;
}
void Engine::stop() { rest(); }
}
""",
    "c10/core/Request.h": """#pragma once
namespace c10 {
struct Request {
  int priority;
  Kind kind = Kind::fast;
};
constexpr int kMostRequests = 8;
enum class Kind {
  fast,
  slow,
};
class Later;
struct Alone { int n; };
}
""",
    "c10/core/Loop.cpp": """#include <c10/core/Request.h>
namespace c10 {
bool is_urgent(const Request& one) { return one.priority > 3; }
bool are_urgent(const std::vector<Request>& all) {
  for (const auto& one : all) {
    if (one.priority > 3) return true;
  }
  return all[0].priority > kMostRequests;
}
bool is_other(const Engine& one, Request& two) { return one.priority > 3; }
bool called(Request& one) { return one.priority(); }
// one.priority
int none(int priority) { return priority; }
Kind slowest() { return c10::Kind::slow; }
}
""",
    "c10/core/Task.cpp": """namespace c10 {
struct Task { int priority; };
bool is_urgent(const Task& one) { return one.priority > 3; }
}
""",
    "c10/util/Request.cpp": """namespace elsewhere {
struct Request { int priority; };
bool is_first(const Request& one) { return one.priority > 3; }
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("fields")) as connection:
        yield connection


def test_of_a_source_files_class_the_users_of_the_field_changed(conn: sqlite3.Connection) -> None:
    answer = affected_by(
        conn, _FILES, _CPP, "std::vector<Observer> observers_", "std::list<Observer> observers_"
    )
    assert [one.name for one in answer.changed] == ["c10::Pool::watch uses observers_"]


def test_of_a_header_the_methods_that_name_it_wherever_they_stand(conn: sqlite3.Connection) -> None:
    answer = affected_by(conn, _FILES, _HEADER, "bool started_{false}", "bool started_{true}")
    assert [one.name for one in answer.changed] == [
        "c10::Engine::start uses started_ of c10::Engine"
    ]


def test_impact_takes_a_line_of_a_field_for_the_methods_that_name_it(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "impact", name=f"{_HEADER}:7")
    assert [subject.name for subject in answer.subjects] == ["c10::Engine::start"]
    assert (
        "line 7 declares started_ of c10::Engine: the methods whose text names it are meant"
        in answer.notes
    )
    declared = ask(conn, "impact", name=f"{_HEADER}:5")
    assert [subject.name for subject in declared.subjects] == ["c10::Engine::stop"]
    assert "line 5 declares functions that are defined elsewhere, which are meant" in declared.notes


_REQUEST = "c10/core/Request.h"


def test_of_a_plain_structs_field_the_functions_that_name_it_elsewhere(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "impact", name=f"{_REQUEST}:4")
    assert [(subject.name, str(subject.place)) for subject in answer.subjects] == [
        ("c10::is_urgent", "c10/core/Loop.cpp:3"),
        ("c10::are_urgent", "c10/core/Loop.cpp:4"),
    ]
    assert (
        "line 4 declares priority of c10::Request: the functions that name it behind a dot or an arrow are meant"
        in answer.notes
    )
    changed = affected_by(conn, _FILES, _REQUEST, "int priority;", "int64_t priority;").changed
    assert [one.name for one in changed] == [
        f"c10::{name} uses priority of c10::Request" for name in ("is_urgent", "are_urgent")
    ]


@pytest.mark.parametrize(
    ("line", "names", "what"),
    [
        (7, ["c10::are_urgent"], "kMostRequests"),
        (8, ["c10::slowest"], "Kind"),
        (10, ["c10::slowest"], "slow"),
    ],
)
def test_impact_of_what_a_line_defines_is_that_of_who_names_it(
    conn: sqlite3.Connection, line: int, names: list[str], what: str
) -> None:
    answer = ask(conn, "impact", name=f"{_REQUEST}:{line}")
    assert [subject.name for subject in answer.subjects] == names
    note = f"line {line} defines {what}, or belongs to it: 1 function whose text names it is meant"
    assert note in answer.notes


@pytest.mark.parametrize(
    ("name", "what"),
    [("c10::Request::priority", "c10::Request::priority"), ("Loop::no", "")],
)
def test_a_field_by_its_name(conn: sqlite3.Connection, name: str, what: str) -> None:
    answer = ask(conn, "called_by", name=name)
    assert [subject.name for subject in answer.subjects] == (
        ["c10::is_urgent", "c10::are_urgent"] if what else []
    )
    assert (f"{what} is a data member ({_REQUEST}:4)" in answer.notes) == bool(what)
    if what:
        # They use it themselves; what is listed uses them.
        assert answer.finding.startswith(f"{what} is named by 2 functions, which")
        assert (
            "it is named by c10::is_urgent c10/core/Loop.cpp:3, c10::are_urgent c10/core/Loop.cpp:4"
        ) in answer.notes


def test_a_field_of_one_of_several_classes(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="Request::priority")
    assert answer.finding == (
        "Request::priority could be: c10::Request::priority, elsewhere::Request::priority; ask for one of them"
    )
    unread = ask(conn, "impact", name="Alone::n")
    assert unread.finding == (
        f"c10::Alone::n is a data member ({_REQUEST}:13) that no function is seen to name"
    )


def test_a_class_without_functions_is_that_of_who_names_it(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="c10::Request")
    assert sorted((str(subject.place), subject.name) for subject in answer.subjects) == [
        ("c10/core/Loop.cpp:10", "c10::is_other"),
        ("c10/core/Loop.cpp:11", "c10::called"),
        ("c10/core/Loop.cpp:3", "c10::is_urgent"),
        ("c10/core/Loop.cpp:4", "c10::are_urgent"),
    ]
    assert ask(conn, "called_by", name="c10::Request").finding == (
        "c10::Request is a C++ class (0 functions of its own), and no node of the graph;"
        " impact follows those whose text names it"
    )
    assert ask(conn, "impact", name="Alone").finding == (
        "c10::Alone is a C++ class that no function is seen to name"
    )


@pytest.mark.parametrize("line", [2, 9, 12])
def test_a_namespace_what_nothing_names_and_what_is_only_told_to_be_a_class_have_no_impact(
    conn: sqlite3.Connection, line: int
) -> None:
    answer = ask(conn, "impact", name=f"{_REQUEST}:{line}")
    assert not answer.found
    assert answer.subjects == ()


def test_where_nothing_stands_the_next_definitions_are_told(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name=f"{_CPP}:4")
    assert "c10::Pool::watch begins below it in line 6" in answer.notes
    (note,) = (n for n in ask(conn, "impact", name="c10/core/Engine.cpp:7").notes if "above" in n)
    assert note == "c10::Engine::stop ends above it in line 6"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("int64_t numel_ = 1;", ("numel_",)),
        ("caffe2::TypeMeta data_type_;", ("data_type_",)),
        ("std::map<int, std::vector<int>> a, *b{nullptr};", ("a", "b")),
        ("bool is_contiguous_ : 1;", ("is_contiguous_",)),
        (" public:\n  float z[3] = {1, 2, 3};  // int c;", ("z",)),
        ('const char* name_ = "a;b";', ("name_",)),
        (r'const char* said_ = "a\"; int b;"; int c;', ("said_", "c")),
        ('const char* url_ = "http://x"; int d;', ("url_", "d")),
        ("std::function<void(int)> hook_;", ("hook_",)),
        ("TORCH_API static constexpr int kMost = 3;", ("kMost",)),
        ("/* int a; */ std::atomic<int>\n    count_;", ("count_",)),
        ("void f(int x);", ()),
        ("int g() const; using X = int; friend class Y;", ()),
        ("C(C&&) = default; ~C(); virtual int h() = 0;", ()),
        ("#define X int a;\n", ()),
        ("std::vector<Observer>", ()),
    ],
)
def test_fields(text: str, fields: tuple[str, ...]) -> None:
    assert fields_in(text) == fields


@given(st.text(alphabet="ab <>(){}[];:=,*&/\"'\\\n#", max_size=300))
def test_any_text_is_read(text: str) -> None:
    with ended():
        names = fields_in(text)
    for name in names:
        assert name.isidentifier()
        assert name in text
