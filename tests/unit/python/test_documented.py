"""What a docstring says of parameters that have no annotation, and what a decorator makes of a function."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.unit.support.python_torch import BASE, index_torch, operators_of
from tests.unit.support.small_tree import indexed
from torchtalk.names import resolve
from torchtalk.sqlfile import statements
from torchtalk.tools import all_tools, search

_SEARCH = Path(search.__file__).with_suffix(".sql")

SOURCES = {
    "torch/said.py": '''
import torch

def activate(input):  # noqa: D400
    r"""activate(input) -> Tensor

    Applies it to each element.
    """
    return input.relu()

def fill(tensor, groups=1):
    """Fills.

    Args:
        tensor: a {3, 4}-dimensional `torch.Tensor`
        groups: how many
    """
    return tensor.relu() + groups.top()

def masked(module, mask=None):
    """Applies a mask.

    Args:
        module (Module): what has it
        mask (torch.Tensor, optional): of zeros and ones
    """
    module.top()
    return mask.relu()

def other(input, mask: int):
    """other(input) -> Node, which is no Tensor.

    Args:
        mask (Tensor): not any more
    """
    return input.relu() + mask.top()

def later(x: torch.Tensor):
    return activate(x)
''',
    "torch/_ops_of_ours.py": """
import torch
from torch import Tensor
from torch.library import custom_op

@custom_op("ours::twice", mutates_args=(), schema="(Tensor x) -> Tensor")
def twice(x: Tensor) -> Tensor:
    return torch.relu(x)

def _plain(x: Tensor) -> Tensor:
    return torch.top(x)
""",
    "torch/uses.py": """
import torch
from torch import Tensor
from torch._ops_of_ours import twice, _plain

def both(x: Tensor):
    return _plain(twice(x))

def table(known):
    known.register(torch.ops.aten.relu_backward)
    known.hook(_plain)
""",
}


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch(SOURCES)


@pytest.mark.parametrize(
    ("api", "operators"),
    [
        ("torch.said.activate", {"aten::relu"}),
        ("torch.said.fill", {"aten::relu", "aten::add.Tensor"}),
        ("torch.said.masked", {"aten::relu"}),
        ("torch.said.other", {None}),
    ],
)
def test_a_parameter_is_the_tensor_that_the_docstring_says(
    conn: sqlite3.Connection, api: str, operators: set[str | None]
) -> None:
    assert set(operators_of(conn, api)) == operators


def test_a_function_that_became_an_operator_calls_that(tmp_path: Path) -> None:
    with indexed({**BASE, **SOURCES}, tmp_path) as whole:
        operators = set(operators_of(whole, "torch.uses.both"))
        answer = all_tools()["trace"].ask(whole, name="torch.uses.both")
    assert operators == {"ours::twice", "aten::relu", "aten::top"}
    names = [step.name for step in answer.python]
    assert "torch._ops_of_ours.twice → torch.ops.ours.twice" in names


def test_a_function_is_found_where_it_is_defined(conn: sqlite3.Connection) -> None:
    # Its first operator is called further down, that of `later` in another function.
    for line in _lines_of("def activate", "def later"):
        name = line[1]
        (place,) = conn.execute(statements(_SEARCH)["place_of_api"], {"name": name})
        assert (place["path"], place["line"]) == ("torch/said.py", line[0])


def _lines_of(*starts: str) -> list[tuple[int, str]]:
    lines = SOURCES["torch/said.py"].splitlines()
    return [
        (at, f"torch.said.{start.removeprefix('def ')}")
        for start in starts
        for at, line in enumerate(lines, 1)
        if line.startswith(start)
    ]


def test_what_is_handed_on_is_not_said_to_be_called(conn: sqlite3.Connection) -> None:
    answer = all_tools()["trace"].ask(conn, name="torch.uses.table")
    assert [(step.name, step.handed) for step in answer.python] == [
        ("torch._ops_of_ours._plain", True),
        ("torch.top", False),
    ]


def test_a_function_is_said_to_reach_operators_of_other_names(conn: sqlite3.Connection) -> None:
    finding = all_tools()["trace"].ask(conn, name="torch.said.activate").finding
    assert finding.startswith("torch.said.activate reaches aten::relu: 1 overload")
    finding = all_tools()["trace"].ask(conn, name="torch.relu").finding
    assert finding.startswith("torch.relu: 1 overload")


def test_a_name_of_a_module_is_no_operator_in_another_case(conn: sqlite3.Connection) -> None:
    found = resolve(conn, "torch.said.RELU")
    assert found.target is None
    assert not found.candidates
    assert found.notes[0].startswith("torch/said.py has no function, class or import")
    assert resolve(conn, "torch.RELU").target is not None


def test_what_a_stub_alone_has_is_not_said_to_call_nothing() -> None:
    known = index_torch({"torch/_C/_VariableFunctions.pyi": "def made(data: Any) -> Tensor: ...\n"})
    answer = all_tools()["trace"].ask(known, name="torch.made")
    assert answer.finding == (
        "torch.made is bound in C++ as torch._C._VariableFunctions.made; whether that calls operators is not known"
    )
    assert answer.elsewhere == (
        "known from a stub, which does not say what it calls  torch/_C/_VariableFunctions.pyi:1",
    )
