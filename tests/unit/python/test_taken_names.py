"""What a module takes from others in a loop is its own, as if a star had imported it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_FILES = {
    "aten/src/ATen/native/native_functions.yaml": "- func: one(Tensor self) -> Tensor\n",
    "aten/src/ATen/native/tags.yaml": "- tag: core\n  desc: x\n",
    "version.txt": "2.6.0\n",
    "torch/__init__.py": "",
    "torch/loom/__init__.py": "from ._funcs import *\nfrom ._ufuncs import *\n",
    "torch/loom/_impl.py": """\
def warp(x):
    return x

def weft(x):
    return warp(x)

def _hidden(x):
    return x
""",
    "torch/loom/_unary.py": "def felt(x):\n    return x\n\ndef card(x):\n    return x\n",
    "torch/loom/_other.py": "def spare(x):\n    return x\n",
    "torch/loom/_funcs.py": """\
import inspect
from . import _impl, _other

def _public(mod):
    return inspect.getmembers(mod, inspect.isfunction)

def _unrelated(mod):
    return [mod]

__all__ = []

for name, func in _public(_impl):
    vars()[name] = wrap(func)
    __all__.append(name)

for one in _unrelated(_other):
    print(one)

class Expression:
    pass

__all__ += ["Expression"]
""",
    "torch/loom/_ufuncs.py": """\
from . import _unary

_names = [name for name in dir(_unary) if not name.startswith("_") and name != "card"]

def card(x):
    return felt(x)

for name in _names:
    found = getattr(_unary, name)
    vars()[name] = wrap(found)

__all__ = _names + ["card"]
""",
    "torch/user.py": """\
from torch import loom

def run(x):
    loom.weft(x)
    loom.felt(x)
    loom.card(x)
    loom._hidden(x)
    loom.spare(x)
""",
    "test/test_loom.py": """\
from torch.loom import weft
from torch.testing._internal.common_utils import TestCase

class TestLoom(TestCase):
    def test_weft(self):
        weft(1)
""",
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("taken")) as connection:
        yield connection


def test_calls_of_them_are_followed(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "calls", name="torch.user.run")
    found = {(one.name, one.place.line) for one in answer.neighbours if one.place}
    # What the module defines itself is not what it takes: `card`.
    assert found == {
        ("torch.loom._impl.weft", 4),
        ("torch.loom._unary.felt", 1),
        ("torch.loom._ufuncs.card", 5),
    }


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("torch.loom.warp", "torch.loom._impl.warp"),
        ("torch.loom._ufuncs.felt", "torch.loom._unary.felt"),
    ],
)
def test_they_are_known_by_the_name_that_users_write(
    conn: sqlite3.Connection, name: str, of: str
) -> None:
    assert of in str(ask(conn, "called_by", name=name))


def test_a_loop_over_something_else_takes_nothing(conn: sqlite3.Connection) -> None:
    stars = conn.execute(
        "SELECT m.name, b.target FROM python_bindings AS b JOIN python_modules AS m ON m.id = b.module_id"
        " WHERE b.kind = 'star' AND m.name LIKE 'torch.loom._%' ORDER BY 1, 2"
    ).fetchall()
    assert [tuple(star) for star in stars] == [
        ("torch.loom._funcs", "torch.loom._impl"),
        ("torch.loom._ufuncs", "torch.loom._unary"),
    ]


def test_a_change_leads_to_the_tests_that_use_them(conn: sqlite3.Connection) -> None:
    answer = ask(conn, "affected", names="torch.loom._impl.weft")
    assert [test.name for test in answer.tests] == ["TestLoom.test_weft"]
