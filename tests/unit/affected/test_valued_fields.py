"""A data member for whose value something is called is in the graph; who uses it, its name tells all the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed
from torchtalk.affected.places.fields import fields_begun

_HEADER = "c10/core/Options.h"
_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    _HEADER: """#pragma once
namespace c10 {
int made();
struct Options {
  int dtype() const { return dtype_; }
  int other() const { return 1; }
  int dtype_ = made();
  Pattern pattern_ = Pattern::parse(
      made());
  TORCH_ARG(int, width) = made();
};
inline int limit = made();
inline int below() { return limit; }
}
""",
    "c10/core/Users.cpp": """#include <c10/core/Options.h>
namespace c10 {
int made() { return 2; }
int user(const Options& options) { return options.dtype(); }
int own(const Options& options) { return options.pattern_; }
}
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """An index that has the data members as libclang would give them, with what is called for their values."""
    with indexed(_FILES, tmp_path_factory.mktemp("valued")) as indexed_tree:
        connection = sqlite3.connect(":memory:")
        indexed_tree.backup(connection)
    connection.row_factory = sqlite3.Row
    (file,) = connection.execute(
        "SELECT id FROM source_files WHERE path = ?", (_HEADER,)
    ).fetchone()
    (made,) = connection.execute("SELECT id FROM functions WHERE name = 'c10::made'").fetchone()
    first = connection.execute("SELECT max(id) + 1 FROM functions").fetchone()[0]
    fields = [("dtype_", 7, 7), ("pattern_", 8, 9), ("width_", 10, 10)]
    for identity, (name, line, end_line) in enumerate(fields, first):
        connection.execute("DELETE FROM functions WHERE name = ?", (f"c10::Options::{name}",))
        connection.execute(
            "INSERT INTO functions (id, name, head, kind, file_id, line, end_line, is_exact)"
            " VALUES (?, ?, '', 'field', ?, ?, ?, 1)",
            (identity, f"c10::Options::{name}", file, line, end_line),
        )
        connection.execute("INSERT INTO calls VALUES (?, ?, ?, 0)", (identity, made, end_line))
    yield connection
    connection.close()


@pytest.mark.parametrize("name", ["c10::Options::dtype_", f"{_HEADER}:7"])
def test_its_users_are_those_that_name_it(conn: sqlite3.Connection, name: str) -> None:
    answer = ask(conn, "impact", name=name)
    assert [subject.name for subject in answer.subjects] == ["c10::Options::dtype"]
    assert [dependent.name for dependent in answer.dependents] == ["c10::user"]
    changed = ask(conn, "affected", names=name).changed
    assert [one.name for one in changed] == ["c10::Options::dtype uses dtype_ of c10::Options"]


def test_a_value_may_go_on_in_the_next_line(conn: sqlite3.Connection) -> None:
    for name in ("c10::Options::pattern_", f"{_HEADER}:8"):
        assert [one.name for one in ask(conn, "impact", name=name).subjects] == ["c10::own"]


def test_of_one_that_a_macro_makes_the_class_is_meant(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "impact", name="c10::Options::width_")
    assert {one.name for one in answer.subjects} == {"c10::Options::dtype", "c10::Options::other"}
    assert "all of its own are meant" in " ".join(answer.notes)


def test_what_is_called_for_it_is_told_as_before(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "calls", name="c10::Options::dtype_")
    assert [subject.name for subject in answer.subjects] == ["c10::Options::dtype_"]
    assert "c10::made" in {one.name for group in answer.subjects for one in answer.neighbours}


def test_of_a_variable_of_a_namespace_those_that_name_it(conn: sqlite3.Connection) -> None:
    assert (
        conn.execute("SELECT kind FROM functions WHERE name = 'c10::limit'").fetchone()[0]
        == "variable"
    )
    answer = ask(conn, "impact", name="c10::limit")
    assert [subject.name for subject in answer.subjects] == ["c10::below"]


def test_what_a_statement_begins_to_declare() -> None:
    assert fields_begun("  const P p = P::parse(") == ("p",)
    assert fields_begun("  int width = 3; P p{") == ("width",)
    assert fields_begun("  int f(int a,") == ()
    assert fields_begun("  P p") == ()
