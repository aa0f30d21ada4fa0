"""called_by says where the text names a function that nothing calls: an unknown macro."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

FILE = "torch/csrc/a.cpp"
FILES = {
    "version.txt": "2.6.0\n",
    "aten/src/ATen/native/native_functions.yaml": "- func: f(Tensor self) -> Tensor\n",
    FILE: (
        "namespace torch {\n"
        "static bool registerChecker() { return true; }\n"
        "struct Checked { inline static bool registered =\n"
        "    registerChecker(); };\n"
        "// registerChecker() is called above\n"
        "void list_pop(Stack& stack);\n"
        "bool unheard() { return true; }\n"
        "bool two_of_them() { return true; }\n"
        "namespace n { bool two_of_them() { return true; } }\n"
        "static bool two = two_of_them();\n"
        "}\n"
    ),
    "torch/csrc/b.cpp": (
        "namespace torch {\n"
        "void list_pop(Stack& stack) {}\n"
        "}\n"
    ),
    "torch/csrc/c.cpp": (
        "namespace torch {\n"
        'REGISTER_OPERATOR("aten::pop", [](Stack& stack) { list_pop(stack); });\n'
        "}\n"
    ),
    "torch/csrc/d.cpp": (
        "namespace torch {\n"
        "void finish_module(int n) {}\n"
        "struct Unmade { int kept; Unmade(int n); };\n"
        "int of_scope(Unmade::Kind k, const Unmade& u);\n"
        "Unmade::Unmade(int n) {}\n"
        'REGISTER_OPERATOR("aten::end", ([](Stack& stack) { int n = 1;\n'
        "    finish_module(n); }));\n"
        "}\n"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("module")) as connection:
        yield connection


@pytest.mark.parametrize(
    ("name", "where"),
    [
        (
            "torch::list_pop",
            [
                'torch/csrc/c.cpp:2 `REGISTER_OPERATOR("aten::pop", [](Stack& stack) { list_pop(stack); });`'
            ],
        ),
        ("finish_module", ["torch/csrc/d.cpp:7 `finish_module(n); }));`"]),
        ("torch::Unmade::Unmade", []),
        ("unheard", []),
        ("torch::n::two_of_them", []),
    ],
)
def test_where_nothing_calls_it(conn: sqlite3.Connection, name: str, where: list[str]) -> None:
    lines = text(conn, "called_by", name=name)
    told = [line.partition(", at ")[2] for line in lines if "the text names it" in line]
    assert told == where
    assert bool(where) != any("nothing in the tree was found" in line for line in lines)


def test_what_makes_a_members_value_is_called(conn: sqlite3.Connection) -> None:
    lines = text(conn, "called_by", name="registerChecker")
    assert f"    torch::Checked::registered  {FILE}:3  at {FILE}:4  [syntax]" in lines
