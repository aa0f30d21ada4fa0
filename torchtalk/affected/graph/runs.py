"""Edges to tests that call an operator or are named after it, and how much an entry is about one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from torchtalk.affected.graph.nodes import Edge, Node, share
from torchtalk.affected.graph.variants import Fit
from torchtalk.affected.path_words import is_called_like

# How an entry has to do with an operator: an in-place variant is run by some of an entry's tests only.
_ENTRY = {"aten_name": 0.95, "name": 0.95, "alias": 0.8, "inplace": 0.6, "api": 0.7}
OWN = ("aten_name", "name")
"""How an entry that is made for an operator has to do with it."""

# A Python reference runs other operators; only the comparison with it runs this one.
_REFERENCE = 0.7
# Few jobs build the C++ tests: of two that are as good, the Python one comes first.
_GTEST = 0.97
# As in find_similar_tests: what it says of a test that it calls an operator in one of these ways.
_NAME = "n"
_TEST = {_NAME: 0.35, "c": 0.75, "m": 0.5, "h": 0.4}
# What may call one of several counts the more, the more its name tells of this one, which its row's weight has in it.
_ONE_OF = "o"
_LEAST_TOLD, _MOST_TOLD = 0.4, _TEST["c"]
_TOLD = 4000
# Among the tests of a backend what is named after an operator runs it, if only by a module: TestMkldnn.test_gelu.
NAMED_ABOUT = 0.8
ENTRY_WHY = {"inplace": "runs it in place", "api": "calls it"}


def operators_tests(
    rows: list[sqlite3.Row], crowd: float, named: float = _TEST[_NAME], base: str = ""
) -> Iterator[Edge]:
    """To the tests that call an operator or are named after it; who only calls it shares with a crowd of others.

    Args:
        rows: a row for each test, with how it is connected.
        crowd: what is left of the weight for one of so many tests, at most 1.
        named: how much it counts to be named after it.
        base: the operator's name, where the rows have the files of those that are only named after it. What nobody
            calls by its name (`x[index]`) has its tests in a file that is called so, too.
    """
    for row in rows:
        hows = row["hows"]
        calls = "may call" if _ONE_OF in hows else "calls"
        worth = max(
            named if how == _NAME else _worth(how, row) * share(row["operators"]) for how in hows
        )
        if _NAME in hows and len(hows) > 1:
            worth, why = 0.95, f"named after it and {calls} it"
        elif base and hows == _NAME and is_called_like(row["path"], base):
            worth, why = NAMED_ABOUT, "is named after it, and so is its file"
        else:
            worth *= crowd
            why = "is named after it" if hows == _NAME else f"{calls} it"
        worth = min(worth, 0.95) * (_GTEST if row["kind"] == "gtest" else 1.0)
        yield Edge(Node("test", row["id"], ""), worth, why)


def _worth(how: str, row: sqlite3.Row) -> float:
    """How much a test is about an operator by one of the ways in which it has to do with it."""
    if how != _ONE_OF:
        return _TEST[how]
    told = min(1.0, int(row["weight"]) / _TOLD)
    return _LEAST_TOLD + (_MOST_TOLD - _LEAST_TOLD) * told


def is_own(row: sqlite3.Row) -> bool:
    """Whether a test, by a row of `operator_tests`, is a Python one that is named after the operator."""
    return _NAME in row["hows"] and row["kind"] == "python"


def of_entry(row: sqlite3.Row, fit: Fit = Fit.OPEN) -> float:
    """How much an entry is about an operator: where its function calls others as well, so much less about each.

    Args:
        row: of the statement `operator_entries`: how the entry has to do with the operator, whether it is a reference
            (is_ref), and how many operators its function calls, where that is how.
        fit: how the entry's variant has to do with the operator. That of its mode calls it, and not the others'.

    Returns:
        A weight over 0 and at most 1.
    """
    worth = _ENTRY[row["how"]] * (_REFERENCE if row["is_ref"] else 1.0)
    return worth * share(row["calls"]) if row["calls"] and fit is not Fit.OWN else worth
