"""What a function decorates, which no edge of the graph says."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import text
from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: nop(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "[]\n",
    "torch/__init__.py": "",
    "torch/wraps.py": (
        "def logged(f):\n    return f\n\n\ndef plain(f):\n    return f\n\n\n"
        "@logged\ndef here():\n    pass\n"
    ),
    "torch/direct.py": (
        "from torch.wraps import logged\n\n\n"
        "@logged\n@other(logged)\ndef one():\n    pass\n\n\n"
        "@other(logged)\ndef no():\n    pass\n"
    ),
    "torch/by_module.py": (
        "from torch import wraps\n\n\nclass C:\n    @wraps.logged(1)\n    def two(self):\n        pass\n"
    ),
    "torch/another.py": "def logged(f):\n    return f\n\n\n@logged\ndef three():\n    pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("decorated")) as connection:
        yield connection


@pytest.mark.parametrize("tool", ["called_by", "impact"])
def test_decorated_functions_are_counted_and_named(conn: sqlite3.Connection, tool: str) -> None:
    lines = text(conn, tool, name="torch.wraps.logged")
    assert lines[0].endswith("; it decorates 3 functions")
    assert (
        "note: what it decorates is not followed: torch.by_module.C.two torch/by_module.py:6, "
        "torch.direct.one torch/direct.py:6, torch.wraps.here torch/wraps.py:10" in lines
    )


@pytest.mark.parametrize("tool", ["called_by", "impact", "calls"])
def test_what_decorates_nothing(conn: sqlite3.Connection, tool: str) -> None:
    assert not any("decorates" in line for line in text(conn, tool, name="torch.wraps.plain"))


def test_decorators_are_kept_by_the_last_component_of_their_names(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT d.name, f.name FROM python_decorators AS d JOIN python_functions AS f ON f.id = d.function_id"
        " ORDER BY d.name, f.name"
    )
    # `other` is no function of the tree: nothing can be asked of it.
    assert [tuple(row) for row in rows] == [
        ("logged", "C.two"), ("logged", "here"), ("logged", "one"), ("logged", "three"),
    ]  # fmt: skip
