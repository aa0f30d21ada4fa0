"""What a function decorates: edges say it of PyTorch's own packages, a note of the rest."""

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
        "def logged(f):\n    return inner(f)\n\n\ndef plain(f):\n    return f\n\n\n"
        "@logged\ndef here():\n    pass\n\n\ndef inner(f):\n    return f\n\n\ndef user():\n    here()\n"
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
    "torch/classes.py": (
        "from torch.wraps import inner\n\n\nclass Guard:\n    def __call__(self, f):\n        return inner(f)\n\n\n"
        "guard = Guard()\n\n\n@Guard()\ndef four():\n    pass\n\n\n@guard\ndef five():\n    four()\n"
    ),
    "tools/by_tool.py": "from torch.wraps import logged\n\n\n@logged\ndef six():\n    pass\n",
    "test/test_wraps.py": (
        "from torch.testing._internal.common_utils import TestCase, run_tests\n"
        "from torch import wraps\n\n\nclass TestWraps(TestCase):\n    def test_here(self):\n        wraps.here()\n\n\n"
        "if __name__ == '__main__':\n    run_tests()\n"
    ),
    "torch/testing/_internal/common_utils.py": (
        "import unittest\n\n\nclass TestCase(unittest.TestCase):\n    pass\n\n\ndef run_tests():\n    pass\n"
    ),
    "torch/bound.py": "class D:\n    @classmethod\n    def three(cls):\n        pass\n",
    "tools/unknown.py": "@logged\ndef seven():\n    pass\n",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("decorated")) as connection:
        yield connection


def test_decorated_functions_use_their_decorator(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT source, target, file, line FROM v_edges WHERE kind = 'decorator' ORDER BY source"
    )
    assert [tuple(row) for row in rows] == [
        ("torch.another.three", "torch.another.logged", "torch/another.py", 5),
        ("torch.by_module.C.two", "torch.wraps.logged", "torch/by_module.py", 5),
        ("torch.classes.five", "torch.classes.Guard.__call__", "torch/classes.py", 17),
        ("torch.classes.four", "torch.classes.Guard", "torch/classes.py", 12),
        ("torch.direct.one", "torch.wraps.logged", "torch/direct.py", 4),
        ("torch.wraps.here", "torch.wraps.logged", "torch/wraps.py", 9),
    ]


def test_impact_goes_through_decorators(conn: sqlite3.Connection) -> None:
    lines = text(conn, "impact", name="torch.wraps.inner")
    assert any(
        "torch.wraps.user" in line
        and "-python-> torch.wraps.here -decorator-> torch.wraps.logged -python-> torch.wraps.inner"
        in line
        for line in lines
    )


@pytest.mark.parametrize("tool", ["called_by", "impact"])
def test_other_decorated_functions_are_counted_and_named(
    conn: sqlite3.Connection, tool: str
) -> None:
    lines = text(conn, tool, name="torch.wraps.logged")
    assert lines[0].endswith("; it decorates 1 function")
    assert "note: what it decorates is not followed: tools.by_tool.six tools/by_tool.py:5" in lines


def test_called_by_lists_what_it_decorates(conn: sqlite3.Connection) -> None:
    lines = text(conn, "called_by", name="torch.wraps.logged")
    assert any("torch.direct.one (Python)" in line and "[python]" in line for line in lines)
    assert "  decorator:" in lines


@pytest.mark.parametrize("tool", ["called_by", "impact", "calls"])
def test_what_decorates_nothing(conn: sqlite3.Connection, tool: str) -> None:
    assert not any("decorates" in line for line in text(conn, tool, name="torch.wraps.plain"))


def test_decorators_are_kept_by_the_last_component_of_their_names(conn: sqlite3.Connection) -> None:
    rows = conn.execute(
        "SELECT d.name, f.name FROM python_decorators AS d JOIN python_functions AS f ON f.id = d.function_id"
        " ORDER BY d.name, f.name"
    )
    # Of the packages the graph tells, and `logged` of tools/unknown.py is none of its names.
    assert [tuple(row) for row in rows] == [("logged", "six")]


def test_affected_has_the_tests_of_what_is_decorated(conn: sqlite3.Connection) -> None:
    lines = text(conn, "affected", names="torch.wraps.inner")
    assert any(
        "torch.wraps.logged calls it -> torch.wraps.here is decorated with it" in line
        for line in lines
    )
    assert any("test/test_wraps.py" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("torch.direct.one", "`@logged` (torch/wraps.py:1), `@other(logged)`"),
        ("torch.direct.no", "`@other(logged)`"),
        ("torch.by_module.C.two", "`@wraps.logged(1)` (torch/wraps.py:1)"),
        ("torch.bound.D.three", ""),
        ("torch.wraps.here", ""),
    ],
)
def test_what_nothing_calls_is_handed_to_its_decorators(
    conn: sqlite3.Connection, name: str, said: str
) -> None:
    lines = text(conn, "called_by", name=name)
    told = [x.partition("register or call it: ")[2] for x in lines if "what stands over it" in x]
    assert told == ([said] if said else [])
    assert not (said and any("nothing in the tree" in line for line in lines))
