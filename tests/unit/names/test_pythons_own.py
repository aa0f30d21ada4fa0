"""Names in modules that Python brings, of which operators and modules of torch have namesakes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.names_tree import FILES, YAML
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve

_COPY = """\

- func: copy(Tensor self, Tensor src) -> Tensor
- func: copy.out(Tensor self, Tensor src, *, Tensor(a!) out) -> Tensor(a!)
"""
_SOURCES = {
    YAML: FILES[YAML] + _COPY,
    "torch/__init__.py": "",
    "torch/_numpy/__init__.py": "",
    "torch/_numpy/random.py": "def randint(low): ...\n",
    "torch/signal/__init__.py": "",
    "torch/signal/windows.py": "def hann(m): ...\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed({**FILES, **_SOURCES}, tmp_path_factory.mktemp("own")) as connection:
        yield connection


def test_what_a_module_of_pythons_has_is_no_overload(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "copy.deepcopy")
    assert found.target is None
    assert not found.candidates
    assert found.notes == ("copy is a module of Python's own, and what it has is not in the index",)


@pytest.mark.parametrize("text", ["copy.Tensor", "aten::copy.deepcopy"])
def test_what_may_be_an_overload_is_one_that_is_not_there(
    conn: sqlite3.Connection, text: str
) -> None:
    assert resolve(conn, text).candidates == ("aten::copy", "aten::copy.out")


def test_the_end_of_a_name_may_be_of_pythons(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "random.randint")
    assert found.target is not None
    assert found.target.name == "torch._numpy.random.randint"
    told = "random is a module of Python's own, too; what has this name in the tree is taken"
    assert found.notes == (told,)
    assert resolve(conn, "signal.windows.hann").notes == ()
