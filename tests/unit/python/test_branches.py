"""What names are that several branches give something: each of it, in bodies that are followed and in others."""

from __future__ import annotations

import pytest

from tests.unit.support.python_torch import index_torch

MADE = """\
class Planner:
    def plan(self): ...
    def close(self): ...
class Default(Planner):
    def plan(self): ...
class Lone:
    def plan(self): ...
    @classmethod
    def made(cls): ...
def old(): ...
def new(): ...
"""

CALLERS = """\
import torch
from torch.made import Default, Lone, Planner, old, new
import torch.made as made
import torch.other as other

def given(planner: Planner{typed}):
    if planner is None:
        planner = Default()
    planner.plan()
    planner.close()

def nothing(planner: Planner = None{typed}):
    if not planner:
        planner = Default()
    return planner.plan()

def unasked(planner: Planner{typed}):
    planner = Default()
    planner.plan()

def imported(version{typed}):
    if version < 2:
        from torch.made import old as run
    elif version < 3:
        from torch.gone import run
    else:
        from torch.other import run
    return run(version)
"""

FOLLOWED = """
def chosen(flag, x: torch.Tensor):
    run = old if flag else new
    kind = Lone if flag else Default
    kind().plan()
    return run(x)

def either(flag, x: torch.Tensor):
    if flag:
        maker = Lone()
    else:
        maker = Default()
    maker.plan()
    if not flag:
        return
    where = made if x else other
    where.run()
    where.old()

def left(flag, planner: Planner, x: torch.Tensor):
    if flag:
        planner = Lone()
        return planner
    planner.plan()

def handed(flag, x: torch.Tensor):
    run = old
    if flag:
        run = new
    return map(run, x)
"""


def _calls(sources: dict[str, str], kinds: str = "0") -> set[tuple[str, str]]:
    """Who calls what, each by its name within its module, classes included."""
    conn = index_torch(sources)
    rows = conn.execute(
        "SELECT caller.name, coalesce(called.name, k.last) FROM python_calls AS c"
        " JOIN python_functions AS caller ON caller.id = c.caller_id"
        " JOIN python_resolutions AS r ON r.target_id = c.target_id"
        " LEFT JOIN python_functions AS called ON called.id = r.function_id"
        " LEFT JOIN python_classes AS k ON k.id = r.class_id"
        f" WHERE c.kind IN ({kinds}) AND coalesce(called.name, k.last) IS NOT NULL"
    )
    return {tuple(row) for row in rows}


@pytest.mark.parametrize("typed", ["", ", x: torch.Tensor = None"])
def test_what_is_made_where_nothing_is_given_may_be_what_is_given(typed: str) -> None:
    found = _calls(
        {
            "torch/made.py": MADE,
            "torch/other.py": "def run(): ...\n",
            "torch/callers.py": CALLERS.format(typed=typed),
        }
    )
    made = {(caller, called) for caller, called in found if called != "Default"}
    assert made == {
        ("given", "Planner.plan"),
        ("given", "Default.plan"),
        ("given", "Planner.close"),
        ("nothing", "Planner.plan"),
        ("nothing", "Default.plan"),
        ("unasked", "Default.plan"),
        ("imported", "old"),
        ("imported", "run"),
    }


def test_what_a_condition_chooses_is_either() -> None:
    sources = {
        "torch/made.py": MADE,
        "torch/other.py": "def run(): ...\ndef old(): ...\n",
        "torch/callers.py": CALLERS.format(typed="") + FOLLOWED,
    }
    own = ("chosen", "either", "left")
    found = {one for one in _calls(sources) if one[0] in own}
    assert found == {
        ("chosen", "old"),
        ("chosen", "new"),
        ("chosen", "Lone"),
        ("chosen", "Default"),
        ("chosen", "Lone.plan"),
        ("chosen", "Default.plan"),
        ("either", "Lone"),
        ("either", "Default"),
        ("either", "Lone.plan"),
        ("either", "Default.plan"),
        ("either", "run"),
        ("either", "old"),
        ("left", "Lone"),
        ("left", "Planner.plan"),
    }
    assert {called for caller, called in _calls(sources, "1") if caller == "handed"} == {
        "old",
        "new",
    }
