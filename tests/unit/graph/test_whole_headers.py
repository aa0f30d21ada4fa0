"""A header that is asked for as a whole: what it declares, its macros, and what it only hands on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.places.whole_headers import declarations, included_alone

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: warp(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "c10/util/Knit.h": """#pragma once
#include <string>
namespace c10 {
struct Knit;
// void spun(int a);
C10_API void purl(const std::string& row, int width = {4});
C10_DEPRECATED_MESSAGE("use purl(a)") void purl(double row);
bool operator==(const Knit& a, const Knit& b);
void nobody(int a);
}
""",
    "c10/util/Knit.cpp": """#include <c10/util/Knit.h>
namespace c10 {
void purl(const std::string& row, int width) {}
void purl(double row) {}
void purl(char own) {}
bool operator==(const Knit& a, const Knit& b) { return true; }
void spun(int a) {}
}
""",
    "c10/util/Other.h": """#pragma once
namespace c10 {
struct Other {};
inline bool operator==(const Other& a, const Other& b) { return false; }
inline void user(double a) { purl(a); }
struct Loom {
  Loom(int a);
  ~Loom();
  int weave(int a) const { return weave_all(a); }
 private:
  int weave_all(int a) const;
  friend void unravel(Loom& loom);
};
#define LOOM_CHECK(x) c10::purl(x)
}
""",
    "c10/util/Loom.cpp": """#include <c10/util/Other.h>
namespace c10 {
Loom::Loom(int a) {}
Loom::~Loom() {}
int Loom::weave_all(int a) const { return a; }
void unravel(Loom& loom) { LOOM_CHECK(1.0); }
}
""",
    "c10/util/Macros.h": "#define LOOM_ONE(x) c10::purl(x)\n#define LOOM_TWO(x) LOOM_ONE(x)\n#define LOOM_ON\n",
    "c10/util/Uses.cpp": "void one() { LOOM_ONE(1.0); }\nvoid two() { LOOM_TWO(1.0); }\nvoid three() {}\n",
    "c10/util/Fail.h": "namespace c10 {\nvoid fail_with(int a);\n#define FAIL_IF(x) c10::fail_with(x)\n}\n",
    "c10/util/Fail.cpp": "#include <c10/util/Fail.h>\nnamespace c10 { void fail_with(int a) {} }\n",
    "c10/util/Told.h": "namespace c10 {\ninline void told(int a) {}\n#define TOLD_IF(x) c10::told(x)\n}\n",
    "aten/src/ATen/native/Warp.cpp": """#include <c10/util/Fail.h>
namespace at::native {
Tensor warp(const Tensor& self) { FAIL_IF(1); c10::told(2); return self; }
void warped(int a) { TOLD_IF(a); }
}
""",
    "c10/Knit.h": "#pragma once\n// old place\n#include <c10/util/Knit.h>\n",
    "c10/util/Forward.cpp": "namespace c10 { void purl(double row); }\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("headers")) as connection:
        yield connection


def test_a_header_that_defines_nothing_stands_for_what_it_declares(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "impact", name="c10/util/Knit.h")
    places = [(subject.name, subject.place.line) for subject in answer.subjects]
    assert places == [("c10::purl", 3), ("c10::purl", 4), ("c10::operator==", 6)]
    assert answer.finding.startswith("c10/util/Knit.h: ")
    assert (
        "it defines no function; 3 functions that it declares and other files define are meant"
        in answer.notes
    )
    assert [dependent.name for dependent in answer.dependents] == ["c10::user"]


@pytest.mark.parametrize("tool", ["called_by", "calls"])
def test_the_direct_neighbours_are_those_of_what_it_declares(
    conn: sqlite3.Connection, tool: str
) -> None:
    answer = ask(conn, tool, name="c10/util/Knit.h")
    assert {subject.name for subject in answer.subjects} == {"c10::purl", "c10::operator=="}


def test_beside_what_it_defines_a_header_stands_for_what_it_declares(
    conn: sqlite3.Connection,
) -> None:
    answer = ask(conn, "impact", name="c10/util/Other.h")
    assert [subject.name for subject in answer.subjects] == [
        "c10::operator==", "c10::user", "c10::Loom::weave",
        "c10::Loom::Loom", "c10::Loom::~Loom", "c10::Loom::weave_all", "c10::unravel",
    ]  # fmt: skip
    assert "4 functions that it declares and other files define are meant, too" in answer.notes
    said = "c10/util/Other.h has 1 macro (LOOM_CHECK): 1 function uses one; these stand for them"
    assert said in answer.notes


def test_where_nothing_leads_on_who_uses_its_macros_does(conn: sqlite3.Connection) -> None:
    """As of C10_CUDA_CHECK: c10/cuda/CUDAException.h seemed to be for eight functions."""
    answer = ask(conn, "impact", name="c10/util/Fail.h")
    assert [subject.name for subject in answer.subjects] == ["c10::fail_with", "at::native::warp"]
    assert answer.operator_total == 1
    told = ask(conn, "impact", name="c10/util/Told.h")
    assert [subject.name for subject in told.subjects] == ["c10::told"]
    assert told.operator_total == 1
    said = "who uses its 1 macro is not followed (TOLD_IF): ask for one by its name"
    assert said in told.notes


def test_a_header_of_macros_stands_for_those_that_use_one(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="c10/util/Macros.h")
    assert {subject.name for subject in answer.subjects} == {"one", "two"}
    assert answer.notes[0] == (
        "c10/util/Macros.h has 2 macros (LOOM_ONE, LOOM_TWO): 2 functions use one; these stand for them"
    )
    assert ask(conn, "calls", name="c10/util/Macros.h").finding == (
        "c10/util/Macros.h defines 2 macros and no function: impact follows the functions that use one"
    )


def test_a_header_that_only_includes_another_names_that(conn: sqlite3.Connection) -> None:
    finding = "c10/Knit.h does nothing but include c10/util/Knit.h: ask for what is meant"
    assert ask(conn, "impact", name="c10/Knit.h").finding == finding
    assert ask(conn, "called_by", name="c10/Knit.h").finding == finding


def test_what_a_source_declares_is_another_files(conn: sqlite3.Connection) -> None:
    assert ask(conn, "impact", name="c10/util/Forward.cpp").subjects == ()


def test_a_change_of_a_header_is_one_of_what_it_declares(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="c10/util/Knit.h")
    assert {thing.name.partition(" ")[0] for thing in answer.changed} == {
        "c10::purl",
        "c10::operator==",
    }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("namespace a::b { void f(int x); }", ["a::b::f"]),
        ("namespace a { namespace { int f(); } inline namespace v { int g(); } }", ["a::f", "a::g"]),
        ('extern "C" { int f(void); }', ["f"]),
        ("template <typename T> struct X<T*> final : Y<T> { X(); ~X(); T f(int); };", ["X::X", "X::~X", "X::f"]),
        ("class API X : public Y {\n public:\n  virtual void f() = 0; friend bool operator!=(X a, X b); };",
         ["X::f", "operator!="]),
        ("struct S { S& operator[](int i); void operator()(int a); };", ["S::operator[]", "S::operator()"]),
        ("int x = compute(3); std::function<void(int)> f; enum E { A = g(1) }; using H = int (*)(int);", []),
        ("void defined(int a) { inner(a); } void f(std::vector<int> a = {1, 2}, int b = 0);", ["f"]),
        ("#if defined(X)\nint f();\n#endif\n/* int g(); */ int h();", ["f", "h"]),
        ("std::function<int(int)> f(int a);", ["f"]),
        ("namespace n { struct S { struct I { void f(); }; void g(); }; void h(); }", ["n::S::I::f", "n::S::g", "n::h"]),
    ],
)  # fmt: skip
def test_names_of_declarations_are_in_full(text: str, names: list[str]) -> None:
    assert [declaration.name for declaration in declarations(text)] == names


def test_what_says_more_than_includes_hands_nothing_on() -> None:
    assert included_alone('#pragma once\n#include <a.h>\n  # include "b.h"\n') == ("a.h", "b.h")
    assert included_alone("#include <a.h>\nint x;\n") == ()
    assert included_alone("#pragma once\n") == ()
