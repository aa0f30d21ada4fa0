"""Tests of a method by its name: what they call it on nothing tells, but few others are called so.

`torch.nn.Module.register_state_dict_post_hook` is called on whatever a test's own function made.
"""

from __future__ import annotations

import sqlite3

from torchtalk.affected import queries as affected_queries
from torchtalk.affected.graph.namesakes import meaning_others
from torchtalk.names.closest import last_component, quoted
from torchtalk.names.methods_called import methods_called
from torchtalk.sqlfile import listed
from torchtalk.testing.bodies import of_something
from torchtalk.testing.subject import Subject
from torchtalk.testing.words import words_of
from torchtalk.tools import queries

NAMED = 5.0
BODY = 2.5
HELPER_BODY = 2.0
IN_CPP = 1.5
# What is called so in two places may be meant as well in one as in the other.
_MOST_CALLED = 2
_MOST_BODIES = 2_000
_LEAST = 8


def of_its_name(conn: sqlite3.Connection, subject: Subject) -> dict[int, tuple[float, str]]:
    """The tests that have a method's name in their own, in their bodies or in a helper's, and mean nothing else by it.

    Args:
        conn: an index.
        subject: what was asked for.

    Returns:
        By test how much it is about the method, and why; none of what is no method, or of a name that more have.
    """
    name = last_component(subject.text)
    if not subject.functions or not tells(name) or not is_method(conn, subject):
        return {}
    if not _is_of_few(conn, name):
        return {}
    found: dict[int, tuple[float, str]] = {}
    asked = {"name": of_something(name), "most": _MOST_BODIES}
    rows = conn.execute(affected_queries("python_graph")["bodies_naming"], asked).fetchall()
    bodies = {row["function_id"] for row in rows}
    meant = bodies - meaning_others(conn, name, bodies, subject.functions)
    helpers = {row["function_id"] for row in rows if row["test_id"] is None} & meant
    of = {"functions": listed(tuple(helpers)), "classes": listed(())}
    for row in conn.execute(queries("find_similar_tests")["function_tests"], of):
        found[row["test_id"]] = HELPER_BODY, f"a helper of it has {name}"
    for row in rows:
        if row["function_id"] in meant and row["test_id"] is not None:
            found[row["test_id"]] = BODY, f"its body has {name}"
    words = words_of(name, most=None)
    match = quoted(" ".join(words))
    for row in conn.execute(queries("find_similar_tests")["named_tests"], {"words": match}):
        # What C++ has of this name has its tests there.
        score = IN_CPP if row["kind"] == "gtest" else NAMED
        found[row["test_id"]] = score, f"named {' '.join(words)}"
    return found


def tells(name: str) -> bool:
    """Whether a `name`, one identifier, is that of few things, as far as its length and words tell."""
    return len(name) >= _LEAST and len(words_of(name)) > 1 and name.isidentifier()


def is_method(conn: sqlite3.Connection, subject: Subject) -> bool:
    """Whether what was asked for are methods alone.

    Args:
        conn: an index.
        subject: with functions of Python.
    """
    sql = affected_queries("python_graph")["places_of_functions"]
    rows = conn.execute(sql, {"functions": listed(subject.functions)}).fetchall()
    return all(row["class_id"] is not None for row in rows)


def _is_of_few(conn: sqlite3.Connection, name: str) -> bool:
    asked = {"name": name, "methods": listed(methods_called(conn, name))}
    row = conn.execute(queries("find_similar_tests")["methods_called"], asked).fetchone()
    return bool(row["methods"] <= _MOST_CALLED and not row["of_tensors"])
