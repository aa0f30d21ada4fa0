"""A variable of a module of Python is asked for by its name, and is changed by any line of its value."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.python_torch import BASE
from tests.unit.support.small_tree import indexed

SOURCE = '''class Template:
    def __init__(self, name, source): pass
    def render(self): pass

loom = Template(
    name="loom",
    source=r"""
{{head("A", "B")}}
    rows = size(A)
steps = 2
{% if rows %}
    store(rows)
{% endif %}
""",
)
WEIGHTS = {
    "warp": 1,
}
UNUSED = 3
LIBRARY = library("loom")
@impl(LIBRARY, "knot")
def knot(x):
    return x

def weave(x):
    return loom.render()

def weigh(x):
    return WEIGHTS[x]

SHUTTLE = Template("a", "b")
'''
FILES = {
    **BASE,
    "torch/loom.py": SOURCE,
    "torch/mill.py": "from torch.loom import WEIGHTS\ndef mill(x):\n    return WEIGHTS.get(x)\n",
    "torch/yard.py": """from torch import loom as looms
import torch.loom as also
def heavy(x):
    return looms.WEIGHTS[x]
def heavier(x):
    return also.WEIGHTS[x] + x.WEIGHTS
def other(x):
    return x.looms.WEIGHTS
SHUTTLE = looms.Template("c", "d")
""",
    "test/test_loom.py": """from unittest import TestCase
from torch.loom import weave, weigh
from torch.mill import mill
class TestLoom(TestCase):
    def test_woven(self):
        weave(1)
    def test_weighed(self):
        weigh("warp")
    def test_milled(self):
        mill("warp")
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(FILES, tmp_path_factory.mktemp("variables")) as opened:
        yield opened


def _changed(line: int) -> str:
    text = SOURCE.split("\n")[line - 1]
    return f"--- a/torch/loom.py\n+++ b/torch/loom.py\n@@ -{line} +{line} @@\n-{text}\n+{text} \\\n"


def _tests(conn: sqlite3.Connection, **asked: str) -> set[str]:
    found = ask(conn, "affected", **asked).tests
    return {one.name.rpartition(".")[2] for one in found if "by name only" not in str(one)}


@pytest.mark.parametrize("line", [5, 6, *range(8, 14)])
def test_each_line_of_a_long_text_is_of_the_variable_that_has_it(
    conn: sqlite3.Connection, line: int
) -> None:
    assert _tests(conn, diff=_changed(line)) == {"test_woven"}
    impact = ask(conn, "impact", name=f"torch/loom.py:{line}")
    assert {subject.name for subject in impact.subjects} == {"torch.loom.weave"}


def test_who_names_it_stands_for_a_variable(conn: sqlite3.Connection) -> None:
    # By the module, too, whatever that is called; what else has the name is another's.
    users = {"torch.loom.weigh", "torch.mill.mill", "torch.yard.heavy", "torch.yard.heavier"}
    for tool in ("impact", "called_by", "calls"):
        answer = ask(conn, tool, name="torch.loom.WEIGHTS")
        assert {subject.name for subject in answer.subjects} == users
        assert (
            "torch.loom.WEIGHTS is a variable of a module of Python (torch/loom.py:16)"
            in answer.notes
        )
    answer = ask(conn, "called_by", name="torch.loom.WEIGHTS")
    assert (
        answer.finding
        == "torch.loom.WEIGHTS is named by 4 functions, which nothing is known to use"
    )
    assert any("tests use it, which the graph leaves out" in note for note in answer.notes)
    assert _tests(conn, names="torch.loom.WEIGHTS") == {"test_weighed", "test_milled"}
    # What a call makes is known as that, and its name stands for the same.
    (subject,) = ask(conn, "impact", name="torch.loom.loom").subjects
    assert subject.name == "torch.loom.weave"


def test_it_may_be_asked_for_without_its_module(conn: sqlite3.Connection) -> None:
    # What a call makes, and what is imported somewhere; of several each is named.
    (subject,) = ask(conn, "impact", name="loom").subjects
    assert subject.name == "torch.loom.weave"
    users = {subject.name for subject in ask(conn, "called_by", name="WEIGHTS").subjects}
    assert users == {
        "torch.loom.weigh",
        "torch.mill.mill",
        "torch.yard.heavy",
        "torch.yard.heavier",
    }
    several = ask(conn, "called_by", name="SHUTTLE")
    assert (
        several.finding
        == "SHUTTLE could be: torch.loom.SHUTTLE, torch.yard.SHUTTLE; ask for one of them"
    )
    assert _tests(conn, names="WEIGHTS") == {"test_weighed", "test_milled"}
    said = ask(conn, "affected", names="SHUTTLE").unseen
    assert said == (
        "SHUTTLE could be: torch.loom.SHUTTLE, torch.yard.SHUTTLE; ask for one of them",
    )


def test_what_stands_above_a_function_is_of_it(conn: sqlite3.Connection) -> None:
    (subject,) = ask(conn, "impact", name="torch.loom.LIBRARY").subjects
    assert subject.name == "torch.loom.knot"


def test_it_is_said_where_no_function_names_it(conn: sqlite3.Connection) -> None:
    said = ask(conn, "called_by", name="torch.loom.UNUSED").finding
    assert said == (
        "torch.loom.UNUSED is a variable of a module of Python (torch/loom.py:19), which no function is seen to name"
    )


@pytest.mark.parametrize(
    "name", ["torch.loom.steps", "torch.loom.NOTHING", "torch.nowhere.WEIGHTS"]
)
def test_what_only_a_text_or_nobody_has_is_no_variable(conn: sqlite3.Connection, name: str) -> None:
    assert "nothing in this index is called" in ask(conn, "impact", name=name).finding
