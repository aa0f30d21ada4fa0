"""What tests call by names that they have as texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.python import extract
from indexer.facts.python import PythonFile
from tests.unit.support.asking import ask
from tests.unit.support.small_tree import indexed

_HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np
from torch.testing._internal.common_utils import parametrize, subtest, TestCase
LISTED = ["alpha", "beta"]

"""


def _called(body: str) -> set[str]:
    """What a test file calls by its texts, where it has `body` behind its imports."""
    (file,) = (
        fact for fact in extract("test/test_it.py", (_HEAD + body).encode()) if isinstance(fact, PythonFile)
    )  # fmt: skip
    called = {call.target for call in file.calls if call.kind == "call"}
    return {target for target in called if target.startswith("torch.")}


def _of(statements: str) -> str:
    return "def test_it(x=None):\n" + "".join(f"    {line}\n" for line in statements.split("\n"))


@pytest.mark.parametrize(
    ("statements", "called"),
    [
        ("for n in ('add', 'mul'):\n    getattr(torch, n)(1)", {"torch.add", "torch.mul"}),
        (
            "cases = [('add', 1), ('mul', 2)]\nfor n, a in cases:\n    getattr(torch.Tensor, n + '_')",
            {"torch.Tensor.add_", "torch.Tensor.mul_"},
        ),
        (
            "for i in range(1, 3):\n    getattr(F, f'conv{i}d')",
            {"torch.nn.functional.conv1d", "torch.nn.functional.conv2d"},
        ),
        (
            "def run(n, *a):\n    getattr(F, n)(*a)\nrun('relu', 1)\nfor each in [('elu', 2)]:\n    run(*each)",
            {"torch.nn.functional.relu", "torch.nn.functional.elu"},
        ),
        ("run = lambda n: getattr(torch, n)(1)\nrun('neg')", {"torch.neg"}),
        ("all([getattr(torch, n)(1) for n in LISTED])", {"torch.alpha", "torch.beta"}),
        ("n = 'abs'\nif n == 'abs':\n    getattr(torch, n)\nelse:\n    getattr(nn, n)", {"torch.abs"}),
        ("with x:\n    for n in {'LSTM': 1}:\n        getattr(nn, n)(2)", {"torch.nn.LSTM"}),
        # What nobody knows, what is no name, and what other libraries have.
        ("getattr(torch, x)(1)", set()),
        ("for n in ('a b', 1, None):\n    getattr(torch, n)(1)", set()),
        ("for n in ('sin',):\n    getattr(np, n)(1)", set()),
    ],
)  # fmt: skip
def test_names_that_a_body_tells(statements: str, called: set[str]) -> None:
    assert _called(_of(statements)) == called


def test_names_that_decorators_tell() -> None:
    body = (
        "class TestIt(TestCase):\n"
        "    MORE = ['round']\n"
        "    @parametrize('n', ['add', subtest('mul', name='times')])\n"
        "    @parametrize('m,k', [('conv1d', 1), ('conv2d', 2)])\n"
        "    def test_all(self, n, m, k):\n"
        "        getattr(torch, n)\n"
        "        getattr(F, m)\n"
        "    @parameterized.expand([('sub', 1)])\n"
        "    def test_expanded(self, n, k):\n"
        "        getattr(torch, n)\n"
        "    def test_of_class(self):\n"
        "        for n in self.MORE:\n"
        "            getattr(torch, n)\n"
    )
    expected = {f"torch.{n}" for n in ("add", "mul", "sub", "round")}
    expected |= {f"torch.nn.functional.conv{n}d" for n in (1, 2)}
    assert expected <= _called(body)


def test_what_a_helper_asks_for_is_asked_for_where_it_is_called() -> None:
    body = (
        "class TestIt(TestCase):\n"
        "    def _run(self, name, times=1):\n"
        "        return getattr(torch, name)(times)\n"
        "    def test_one(self):\n"
        "        self._run('add')\n"
        "        self._run(times=2, name='mul')\n"
    )
    (file,) = (
        fact for fact in extract("test/test_it.py", (_HEAD + body).encode()) if isinstance(fact, PythonFile)
    )  # fmt: skip
    first = _HEAD.count("\n") + 1
    found = {
        (c.caller, c.target, c.line) for c in file.calls if c.target in ("torch.add", "torch.mul")
    }
    assert found == {(1, "torch.add", first + 4), (1, "torch.mul", first + 5)}


def test_what_has_no_end_is_left() -> None:
    """A loop in a loop in a loop, and a helper that calls itself."""
    loops = "".join("    " * at + f"for n{at} in LISTED + LISTED:\n" for at in range(8))
    assert _called(_of(loops + "    " * 8 + "getattr(torch, n7)")) == {"torch.alpha", "torch.beta"}
    doubled = (
        "s = t = 'x'\nfor n in LISTED + ['y'] * 1:\n    pass\nfor n in ('a', 'b', 'c') + ('d',):\n"
    )
    doubled += (
        "    for m in 'z', 'y', 'x':\n        for k in range(5):\n            for j in range(5):\n"
    )
    doubled += (
        "                s = s + s\n                t = (t, t)\n                getattr(torch, n)"
    )
    assert _called(_of(doubled)) == {f"torch.{n}" for n in "abcd"}
    assert _called(_of("def f(n):\n    getattr(torch, n)\n    f(n + 'x')\nf('add')")) >= {
        "torch.add"
    }


@given(st.text(st.sampled_from("getattr(torch, n)for in'f\"{}%s+.\n:x[]lambda "), max_size=80))
def test_any_text_is_read(text: str) -> None:
    data = (
        f"def test_f(self):\n    for n in [{text!r}]:\n        getattr(torch, n)\n{text}".encode()
    )
    assert list(extract("test/test_it.py", data))


_FILES = {
    "aten/src/ATen/native/native_functions.yaml": (
        "- func: weave(Tensor self) -> Tensor\n  variants: function, method\n\n"
        "- func: spin(Tensor self) -> Tensor\n"
    ),
    "torch/__init__.py": "from torch._C._VariableFunctions import *\n",
    "test/test_it.py": (
        "import torch\n\ndef test_all(x=None):\n"
        "    for name in ('weave', 'spin'):\n        getattr(torch, name)(x)\n"
    ),
}


@pytest.fixture(scope="module")
def conn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with indexed(_FILES, tmp_path_factory.mktemp("texts")) as connection:
        yield connection


@pytest.mark.parametrize("operator", ["weave", "spin"])
def test_the_test_is_one_of_each_operator(conn: sqlite3.Connection, operator: str) -> None:
    answer = ask(conn, "find_similar_tests", query=operator)
    assert [(hit.name, hit.why) for hit in answer.hits] == [("test_all", (f"calls {operator}",))]
