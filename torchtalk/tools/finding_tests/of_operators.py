"""Tests of what runs an operator that no test calls.

Such operators are mostly private: a Python function or another kernel calls them, which tests use.
_transformer_encoder_layer_fwd has the tests of TransformerEncoderLayer (torch/nn/modules/transformer.py).
"""

from __future__ import annotations

import sqlite3

from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.search import search
from torchtalk.affected.places.named import of_operator
from torchtalk.testing.subject import Subject
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.wider import FEW, REACHED, Reasons

# Of names that stand for several operators those beyond are the same in other forms.
_MOST = 4


def of_what_runs(conn: sqlite3.Connection, subject: Subject) -> Reasons:
    """The tests that the callers of operators lead to, in C++, in Python and by formulas.

    Args:
        conn: an index.
        subject: operators that no test calls.

    Returns:
        The tests with how much they are about it and by what; the generic ones of OpInfos are not among them.
    """
    seeds = {
        seed.node: seed.weight
        for name in subject.operators[:_MOST]
        for seed in of_operator(conn, name)
    }
    found: Reasons = {}
    for one in search(Graph(conn), [*seeds.items()], enough=FEW).found:
        if isinstance(one.node.key, int):
            way = [node.name for node, _ in one.path[:-1]]
            steps, by = len(way), way[-1]
            far = f"leads to it in {steps} steps, by {by}" if steps > 1 else f"calls {by}"
            found[one.node.key] = REACHED * one.weight, far
    return found


def said_of(conn: sqlite3.Connection, subject: Subject) -> str:
    """An operator with the place of its declaration, for a sentence; empty for all else.

    Args:
        conn: an index.
        subject: what was asked for.
    """
    if not subject.operators:
        return ""
    name = subject.operators[0]
    row = conn.execute(queries("find_similar_tests")["declared"], {"name": name}).fetchone()
    at = f" ({row['path']}:{row['line']})" if row and row["line"] else ""
    return f"{name}, an operator{at}"
