"""Tests for changes outside of all bodies: macros that functions use, declarations, fields of classes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.small_tree import indexed
from torchtalk.affected.places import macros
from torchtalk.affected.places.declared import names_declared
from torchtalk.answers.affected import AffectedAnswer
from torchtalk.tools import all_tools

NATIVE = "aten/src/ATen/native"
HEADER = f"{NATIVE}/Warp.h"
FILES = {
    f"{NATIVE}/native_functions.yaml": (
        "- func: warp(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: warp_cpu\n\n"
        "- func: weft(Tensor self) -> Tensor\n  dispatch:\n    CPU: weft_cpu\n\n"
        "- func: plain(Tensor self) -> Tensor\n  dispatch:\n    CPU: plain_cpu\n"
    ),
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    HEADER: (
        "#define LOOP(i, n) \\\n"
        "  for (int i = 0; i < n; ++i)\n"
        "#define OUTER_LOOP(n) LOOP(j, n)\n"
        "#define UNUSED(n) n\n"
        "namespace at::native {\n"
        "Tensor spun(const Tensor& self);\n"
        "struct Loom {\n"
        "  int threads;\n"
        "  int weave();\n"
        "};\n"
        "constexpr int SIZE = 3;\n"
        "TORCH_API Tensor\n"
        "spun_twice(const Tensor& self);\n"
        "  return\n"
        "spun_twice(self);\n"
        "}\n"
    ),
    f"{NATIVE}/Warp.cpp": (
        "namespace at::native {\n"
        "Tensor spun(const Tensor& self) { return self; }\n"
        "Tensor spun_twice(const Tensor& self) { return self; }\n"
        "int Loom::weave() { return threads; }\n"
        "Tensor warp_cpu(const Tensor& self) { OUTER_LOOP(3) { } return spun(self); }\n"
        "Tensor weft_cpu(const Tensor& self) { LOOP(i, 4) { } Loom loom; loom.weave(); return self; }\n"
        "Tensor plain_cpu(const Tensor& self) { return self; }\n}\n"
    ),
    "test/test_warp.py": (
        "import torch\nfrom torch.testing._internal.common_utils import TestCase\n"
        "class TestWarp(TestCase):\n    def test_warp(self):\n        torch.warp(1)\n"
        "    def test_weft(self):\n        torch.weft(1)\n    def test_plain(self):\n        torch.plain(1)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("headers")) as connection:
        yield connection


def changed(conn: sqlite3.Connection, line: int) -> AffectedAnswer:
    text = FILES[HEADER].split("\n")[line - 1]
    other = text.replace("n)", "m)").replace("int", "long").replace("const Tensor&", "Tensor")
    diff = f"--- a/{HEADER}\n+++ b/{HEADER}\n@@ -{line} +{line} @@\n-{text}\n+{other} // x\n"
    return all_tools()["affected"].ask(conn, diff=diff)


def reached(answer: AffectedAnswer) -> set[str]:
    return {test.name.rpartition(".")[2] for test in answer.tests}


def test_a_macro_leads_to_who_uses_it_himself_or_by_another(conn: sqlite3.Connection) -> None:
    answer = changed(conn, 1)
    assert reached(answer) == {"test_warp", "test_weft"}
    assert answer.unseen == ()
    assert any("macro LOOP (" in note and "2 functions use" in note for note in answer.notes)
    assert {test.path[0] for test in answer.tests} == {
        "at::native::warp_cpu uses LOOP",
        "at::native::weft_cpu uses LOOP",
    }


def test_the_other_macro_is_used_by_one(conn: sqlite3.Connection) -> None:
    answer = changed(conn, 3)
    assert reached(answer) == {"test_warp"}
    assert any("which 1 function uses" in note for note in answer.notes)


def test_a_macro_that_nobody_uses_is_not_seen(conn: sqlite3.Connection) -> None:
    answer = changed(conn, 4)
    assert (answer.selected, len(answer.unseen)) == (answer.by_name, 1)


def test_of_many_users_those_of_each_file_are_followed_in_turn(
    conn: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(macros, "_MOST_FUNCTIONS", 1)
    answer = changed(conn, 1)
    assert reached(answer) == {"test_warp"}
    assert any("2 functions use (1 of them followed)" in note for note in answer.notes)


def test_a_named_header_stands_for_its_macros(conn: sqlite3.Connection) -> None:
    answer = all_tools()["affected"].ask(conn, names=HEADER)
    assert reached(answer) == {"test_warp", "test_weft"}
    assert any("3 macros, which 2 functions use" in note for note in answer.notes)


def test_a_declaration_leads_to_what_it_declares(conn: sqlite3.Connection) -> None:
    answer = changed(conn, 6)
    assert reached(answer) == {"test_warp"}
    assert answer.changed[0].name == "at::native::spun is declared there"


def test_the_type_may_stand_on_the_line_above(conn: sqlite3.Connection) -> None:
    (answer, call) = (all_tools()["impact"].ask(conn, name=f"{HEADER}:{line}") for line in (13, 15))
    assert [one.name for one in answer.subjects] == ["at::native::spun_twice"]
    assert not call.subjects


@pytest.mark.parametrize(
    ("line", "how"), [(8, "uses threads of at::native::Loom"), (9, "is declared there")]
)
def test_a_class_leads_to_its_methods(conn: sqlite3.Connection, line: int, how: str) -> None:
    answer = changed(conn, line)
    assert [thing.name for thing in answer.changed] == [f"at::native::Loom::weave {how}"]
    assert reached(answer) == {"test_weft"}


def test_what_belongs_to_nothing_is_not_seen(conn: sqlite3.Connection) -> None:
    answer = changed(conn, 11)
    assert (answer.changed, len(answer.unseen)) == ((), 1)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("TORCH_API std::tuple<Tensor, Tensor> f(\n  const Tensor& a,\n  int b = g(3));", ["f"]),
        ("int f(int x) {\n  return g(h(x));\n}\nvoid k(int);", ["k"]),
        ("namespace a {\nstruct B {\n  virtual int c() const = 0;\n};\n}", ["c"]),
        ("int64_t* f(int);\ntemplate <typename T>\nT g(T x);", ["f", "g"]),
        ('  return at::f(x);\n  x = g(3);\n  else h(x);\n  throw i("{");', []),
        ('  {"a", cast(f), 0},\n  // int g();\n  using fn = void(*)(int);', []),
        ("f(x);\nint g(", ["f", "g"]),
    ],
)
def test_names_that_lines_declare(text: str, names: list[str]) -> None:
    """Not those that a new definition's body calls."""
    assert [name for name, _ in names_declared(text)] == names


def test_what_a_new_body_calls_is_not_declared_there(conn: sqlite3.Connection) -> None:
    path = f"{NATIVE}/Warp.cpp"
    for added in ("int more(int a) {\n  spun(self);\n}", "spun(self);", "  return spun(self);"):
        lines = "".join(f"+{line}\n" for line in added.split("\n"))
        number = added.count("\n") + 1
        diff = f"--- a/{path}\n+++ b/{path}\n@@ -1,0 +2,{number} @@\n{lines}"
        answer = all_tools()["affected"].ask(conn, diff=diff)
        assert (answer.changed, len(answer.unseen)) == ((), 1)
