"""Constructors and destructors that no file defines are said to be their classes', not to be unknown."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "c10/core/Loom.h": "namespace c10 {\nstruct Loom {\n  ~Loom() = default;\n  int run() { return 1; }\n};\n"
    "struct Reed { ~Reed(); };\n}\n",
    "c10/core/Reed.cpp": "namespace c10 {\nReed::~Reed() = default;\n}\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("special")) as connection:
        yield connection


@pytest.mark.parametrize("tool", ["calls", "called_by", "impact", "trace"])
@pytest.mark.parametrize("name", ["c10::Loom::~Loom", "~Loom", "Loom::Loom"])
def test_what_no_file_defines_is_its_class(conn: sqlite3.Connection, tool: str, name: str) -> None:
    answer = ask(conn, tool, name=name)
    assert not answer.found
    assert answer.finding == (
        f"no file of this index defines {name}: it is implicit, or declared in its class alone;"
        " ask for the class, c10::Loom (c10/core/Loom.h:2)"
    )


def test_what_one_defines_is_found(conn: sqlite3.Connection) -> None:
    assert ask(conn, "calls", name="c10::Reed::~Reed").found


def test_of_no_class_nothing_is_said(conn: sqlite3.Connection) -> None:
    finding = ask(conn, "calls", name="Shuttle::~Shuttle").finding
    assert finding == "nothing in this index is called 'Shuttle::~Shuttle'"
