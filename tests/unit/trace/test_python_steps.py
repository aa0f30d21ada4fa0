"""Of the steps in Python the nearest are shown, and of the others what they end at."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.unit.support.asking import ask, text
from tests.unit.support.python_torch import index_torch
from torchtalk.answers.base import Place
from torchtalk.answers.steps import StepLine, nearest
from torchtalk.render import to_json

_WAYS = 8
# Each way is four calls deep, and what the method is about stands behind all of them.
WIDE = "import torch\nfrom torch import Tensor\n"
WIDE += "".join(
    f"def _way{n}(x: Tensor):\n    return _b{n}(x)\n"
    f"def _b{n}(x: Tensor):\n    return _c{n}(x)\n"
    f"def _c{n}(x: Tensor):\n    return x.top(), _shared(x)\n"
    for n in range(_WAYS)
)
WIDE += "class Wide:\n    def log_prob(self, x: Tensor):\n"
WIDE += "".join(f"        _way{n}(x)\n" for n in range(_WAYS))
WIDE += "        _shared(x)\n        return x.relu()\n"
WIDE += "def _shared(x: Tensor):\n    return torch._C._nn.gelu(x)\n"
FAR = """
import torch
from torch import Tensor
def far(x: Tensor):
    _a(x)
    return x.relu()
def _a(x: Tensor):
    return _b(x)
def _b(x: Tensor):
    return _c(x)
def _c(x: Tensor):
    return x.top()
def many(x: Tensor):
    _a(x)
    x.nonzero(), x.relu(), torch._C._nn.gelu(x)
    return x + x
"""


@pytest.fixture(scope="module")
def conn() -> sqlite3.Connection:
    return index_torch({"torch/wide.py": WIDE, "torch/far.py": FAR})


def test_what_a_method_calls_itself_is_shown_before_what_that_calls(
    conn: sqlite3.Connection,
) -> None:
    lines = text(conn, "trace", name="torch.wide.Wide.log_prob")
    steps = lines[lines.index("in Python:") + 1 :]
    assert any(line.startswith("  Tensor.relu → aten::relu") for line in steps)
    own = [line.split()[0] for line in steps if line.startswith("  torch.wide.")]
    assert own == [*(f"torch.wide._way{n}" for n in range(_WAYS)), "torch.wide._shared"]
    assert steps[20] == "  and 23 more steps, also to aten::top"


def test_a_function_is_unfolded_where_it_stands_nearest(conn: sqlite3.Connection) -> None:
    steps = ask(conn, "trace", name="torch.wide.Wide.log_prob").python
    shared = [step for step in steps if step.name == "torch.wide._shared"]
    assert [(step.depth, step.repeated, step.is_below) for step in shared] == [
        *[(3, True, True)] * _WAYS,
        (0, False, False),
    ]


def test_json_has_all_steps(conn: sqlite3.Connection) -> None:
    answer = json.loads(to_json(ask(conn, "trace", name="torch.wide.Wide.log_prob")))
    assert len(answer["python"]) == 43
    assert answer["python_left_out"] == 0
    assert set(answer["python_operators"]) == {"aten::gelu", "aten::relu", "aten::top"}


def test_a_shorter_answer_keeps_the_nearest_steps(conn: sqlite3.Connection) -> None:
    whole = ask(conn, "trace", name="torch.wide.Wide.log_prob", format="json")
    short = whole.with_room()
    assert (len(short.python), short.python_left_out) == (40, 3)
    assert short.python_operators == whole.python_operators
    assert "aten::relu" in {operator.name for step in short.python for operator in step.operators}


def test_the_finding_counts_what_the_steps_end_at(conn: sqlite3.Connection) -> None:
    finding = ask(conn, "trace", name="torch.far.far").finding
    assert finding.startswith(
        "torch.far.far reaches aten::relu in its nearest calls, 2 operators in all: 1 overload"
    )
    for focus in ("full", "dispatch"):
        answer = ask(conn, "trace", name="torch.far.many", focus=focus)
        assert answer.finding.startswith(
            "torch.far.many reaches 5 operators in its nearest calls, "
        )
        assert answer.finding.endswith(", 6 operators in all")
        assert any(note.endswith(", aten::top") for note in answer.notes)


def test_the_nearest_steps_are_a_tree() -> None:
    steps = [
        StepLine(depth, f"{at}", "function", Place("a.py", 1))
        for at, depth in enumerate((0, 1, 2, 0, 1))
    ]
    assert [step.name for step in nearest(steps, 3)] == ["0", "1", "3"]
    assert nearest(steps, 9) == tuple(steps)
