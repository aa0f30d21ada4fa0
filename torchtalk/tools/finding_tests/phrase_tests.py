"""Tests for several names at once: of `FullyShardedDataParallel state_dict` those that use the class and are named so.

The words of a name taken one by one are those of other things: `no` and `sync` of `no_sync` stand in
test_DistributedDataParallel_SyncBatchNorm_No_Affine, too.
"""

from __future__ import annotations

import re
import sqlite3

from torchtalk.names.closest import quoted
from torchtalk.sqlfile import listed
from torchtalk.testing.subject import Subject, python_named
from torchtalk.testing.words import words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.readings import forms
from torchtalk.tools.finding_tests.wider import Reasons, having, wider

_NAME = re.compile(r"[A-Za-z_][\w.:]*\Z")
# As code has names, and sentences have not.
_IN_CODE = re.compile(r"\w(?:_|\.|::)\w|[a-z][A-Z]|[A-Z]{2}[a-z]")
# A class, or what has its module before it; of the methods and arguments that are called alike bodies tell.
_OF_PYTHON = re.compile(r"[A-Z]\w*[a-z]|\w\.\w")
_LEAST, _MOST = 2, 3
_LONG = 6  # shorter words stand in very many bodies
_ALL = 8.0


def tests_with_all(conn: sqlite3.Connection, text: str) -> Reasons:
    """The tests that have to do with every name and word of a phrase.

    Args:
        conn: an index.
        text: of the question.

    Returns:
        The tests, each with how much it is about the phrase and why; none where no part of it is a name as code has
        it, or where it is a sentence.
    """
    parts = text.split()
    if not _LEAST <= len(parts) <= _MOST or not all(map(_NAME.match, parts)):
        return {}
    if not any(map(_IN_CODE.search, parts)):
        return {}
    found: list[Reasons] = []
    for part in parts:
        own = _named(conn, part)
        more = _using(conn, part) if _OF_PYTHON.search(part) else {}
        if len(part) >= _LONG:
            more = having(conn, part) | more
        own = more | own
        if not own:
            return {}
        found.append(own)
    tests = set.intersection(*map(set, found))
    return {
        test: (
            _ALL + sum(own[test][0] for own in found) / 10,
            "; ".join(own[test][1] for own in found),
        )
        for test in tests
    }


def _named(conn: sqlite3.Connection, part: str) -> Reasons:
    """The tests that have its words one behind the other in their names, or a single word in any form."""
    words = words_of(part)
    if not words:
        return {}
    last = " OR ".join(map(quoted, forms(words[-1])))
    match = " + ".join(map(quoted, words)) if len(words) > 1 else last
    rows = conn.execute(queries("find_similar_tests")["named_tests"], {"words": match})
    return {row["test_id"]: (5.0, f"named {' '.join(words)}") for row in rows}


def _using(conn: sqlite3.Connection, part: str) -> Reasons:
    """The tests that use what is called so in Python."""
    functions, classes, api = python_named(conn, part)
    if not functions and not classes:
        return {}
    subject = Subject(api or part, functions=functions, classes=classes)
    found = wider(conn, subject)
    of = {"functions": listed(functions), "classes": listed(classes)}
    for row in conn.execute(queries("find_similar_tests")["function_tests"], of):
        found[row["test_id"]] = 4.0, f"uses {subject.text}"
    return found
