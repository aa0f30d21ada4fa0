"""Tests in C++ that call a function of C++ themselves, or else those of the file that is called like the function's.

What operators run it tells less: a vector's `clear` is a part of hundreds of kernels, and has
c10/test/util/small_vector_test.cpp. Which of that file's tests call it a template's argument may hide.
"""

from __future__ import annotations

import sqlite3

from torchtalk.affected.choice.similar_names import OWN, AlikeFiles
from torchtalk.affected.choice.sources_of_tests import C_FAMILY
from torchtalk.affected.path_words import bare, stem_of
from torchtalk.sqlfile import beside, listed
from torchtalk.testing.subject import Subject
from torchtalk.testing.words import words_of
from torchtalk.tools.finding_tests.wider import Reasons

_queries = beside(__file__)

AT_HOME = "its file is called like"
"""The reason of those that nobody knows to call the function."""

_CALLS = 4.0
_HERE = 0.75
_AT_HOME = 2.0
_NAMED = 0.5
# Kernels are tested by their operators (aten/src/ATen/native/), whatever a file of tests is called.
_KERNELS = "/native/"


def direct_tests(conn: sqlite3.Connection, subject: Subject) -> Reasons:
    """Find them; none for what is no function of C++.

    Args:
        conn: an index.
        subject: what was asked for.
    """
    if not subject.cpp or subject.cpp_class or subject.stub:
        return {}
    functions = {"functions": listed(subject.cpp)}
    sql = _queries("direct")
    called = conn.execute(sql["callers"], functions).fetchall()
    paths = [row["path"] for row in conn.execute(sql["files"], functions)]
    words = frozenset(words_of(subject.text.rpartition("::")[2], None))
    found: Reasons = {}
    if called:
        stems = {_stem(path) for path in paths}
        for row in called:
            score = _CALLS + _HERE * (_stem(row["path"]) in stems) + _NAMED * _has(row, words)
            found[row["id"]] = (score, f"calls {subject.text}")
        return found
    files = AlikeFiles(conn)
    homes = {
        one.path: path
        for path in paths
        if _KERNELS not in path
        for one in files.of(path)
        if one.level == OWN and C_FAMILY.search(one.path) and _stem(one.path) == _stem(path)
    }
    if not homes:
        return {}
    for row in conn.execute(sql["tests"], {"files": listed(tuple(homes))}):
        why = f"{AT_HOME} {homes[row['path']]}"
        found[row["id"]] = (_AT_HOME + _NAMED * _has(row, words), why)
    return found


def is_kernel(conn: sqlite3.Connection, functions: tuple[int, ...]) -> bool:
    """Whether one of some functions of C++ is what an operator or a stub runs.

    Args:
        conn: an index.
        functions: their ids.
    """
    rows = conn.execute(_queries("direct")["kernels"], {"functions": listed(functions)})
    return rows.fetchone() is not None


def _has(row: sqlite3.Row, words: frozenset[str]) -> bool:
    return bool(words) and words <= frozenset(row["words"].split())


def _stem(path: str) -> tuple[str, ...]:
    return tuple(map(bare, stem_of(path)))
