"""`typedef` gives a type another name, as `using` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.extract.cpp.structure import scan
from tests.unit.support.small_tree import indexed


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("typedef engine Rng;", "Rng = engine"),
        (
            "typedef std::unique_ptr<M, std::function<void(M*)>>\n    P;",
            "P = std::unique_ptr<M, std::function<void(M*)>>",
        ),
        ("typedef struct Foo Bar;", "Bar = Foo"),
        ("PRE();\ntypedef A B;", "B = A"),
        # No class is named.
        ("typedef const A& B;", ""),
        ("typedef T* pointer;", ""),
        ("typedef unsigned char byte;", ""),
        ("typedef uint64_t size_type;", ""),
        ("typedef typename A<T>::B C;", ""),
        # Of functions, arrays, several and what has no other name nothing is said.
        ("typedef A (*B)(int a);", ""),
        ("typedef int (A::*M)(int) const;", ""),
        ("typedef char yes[4];", ""),
        ("typedef A B, *C;", ""),
        ("typedef struct Foo Foo;", ""),
        ("typedef struct { int a; } S;", ""),
        ("typedef decltype(f()) T;", ""),
    ],
)
def test_what_a_typedef_says(statement: str, said: str) -> None:
    for around in ("{}", "namespace n {{ {} }}", "struct S {{\n public:\n  {}\n}};"):
        found = scan(around.format(statement).encode())
        assert [using.text for using in found.usings] == ([said] if said else [])
        assert found.functions == []


def test_members_of_what_has_such_a_type_are_known(tmp_path: Path) -> None:
    files = {
        "aten/src/ATen/native/native_functions.yaml": "[]\n",
        "c10/Engine.h": "namespace c10 {\nstruct engine { void seed(int n) {} };\ntypedef engine Rng;\n"
        "struct Event { void wait() {}\n  int id() { return 1; } };\n"
        "struct Signal { void wait() {}\n  int id() { return 2; } };\n"
        "struct Other { void seed(int n) {} };\n"
        "typedef std::unique_ptr<Event, std::function<void(Event*)>> EventPtr;\n}\n",
        "c10/Use.cpp": "namespace c10 {\nstruct Generator {\n  void start() { rng_.seed(1); }\n  Rng rng_;\n};\n"
        "int use() {\n  EventPtr event = make(nullptr);\n  event->wait();\n  return event->id();\n}\n}\n",
    }
    with indexed(files, tmp_path) as conn:
        found = conn.execute(
            "SELECT caller, callee, kind FROM v_calls WHERE file = 'c10/Use.cpp' ORDER BY line"
        ).fetchall()
    assert [tuple(row) for row in found] == [
        ("c10::Generator::start", "c10::engine::seed", "call"),
        ("c10::use", "c10::Event::wait", "call"),
        ("c10::use", "c10::Event::id", "call"),
    ]
