"""A class within a function has no row of its own: whoever asks for one is told where it stands."""

from __future__ import annotations

import sqlite3

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.python_torch import index_torch

SOURCES = {
    "torch/wrap.py": """
class Known: ...
class Owner:
    def post_compile(self):
        with self:
            class Compiled(Known):
                def forward(ctx):
                    class Deeper: ...
        def helper():
            return 1
        if self:
            def inner():
                class Compiled: ...
def load(x):
    text = '''
    class Written: ...
    '''
    class Unpickler:
        class Part: ...
        def find(self): ...
""",
    "test/test_wrap.py": "def test():\n    class OfTest: ...\n",
}
WRAP = "torch.wrap.Owner.post_compile.<locals>"


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


def test_each_is_in_the_coverage(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT detail FROM v_coverage WHERE detail GLOB '*class within*' ORDER BY rowid"
    )
    assert [row["detail"].partition(",")[0] for row in rows] == [
        f"line 6: {WRAP}.Compiled",
        f"line 8: {WRAP}.Compiled.forward.<locals>.Deeper",
        f"line 13: {WRAP}.inner.<locals>.Compiled",
        "line 18: torch.wrap.load.<locals>.Unpickler",
        "line 19: torch.wrap.load.<locals>.Unpickler.Part",
    ]


@pytest.mark.parametrize("tool", ["trace", "trace_module", "calls", "impact"])
@pytest.mark.parametrize(
    "name",
    [
        "Unpickler", "torch.wrap.Unpickler", "torch.wrap.load.Unpickler", "Unpickler.find",
        "torch.wrap.load.<locals>.Unpickler",
    ],
)  # fmt: skip
def test_it_is_told_where_it_stands(conn: sqlite3.Connection, tool: str, name: str) -> None:
    answer = ask(conn, tool, name=name)
    assert answer.finding == (
        f"{name} is a class within a function: torch.wrap.load.<locals>.Unpickler  torch/wrap.py:18;"
        " what it does belongs to the function: ask for torch.wrap.load"
    )
    assert not answer.closest
    assert not any("has no function, class" in note for note in answer.notes)
    assert not answer.found


def test_of_several_all_are_named(conn: sqlite3.Connection) -> None:
    finding = ask(conn, "trace", name="Compiled").finding
    assert finding.startswith("Compiled is 2 classes within functions: ")
    assert "torch/wrap.py:6" in finding
    assert "torch/wrap.py:13" in finding
    assert "torch/wrap.py:6" not in ask(conn, "trace", name="torch.wrap.inner.Compiled").finding


@pytest.mark.parametrize("name", ["Written", "OfTest", "helper.Unpickler", "Unpicklers"])
def test_what_is_none_is_not_said_to_be_one(conn: sqlite3.Connection, name: str) -> None:
    assert "within a function" not in ask(conn, "trace", name=name).finding


def test_a_class_of_the_module_is_found_as_ever(conn: sqlite3.Connection) -> None:
    assert ask(conn, "trace_module", name="Known").found
