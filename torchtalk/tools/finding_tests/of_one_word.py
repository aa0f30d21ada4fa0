"""Of two words that no test has both of, the one that a file is called by: test_complex.py for complex numbers."""

from __future__ import annotations

import sqlite3

from torchtalk.affected.path_words import stem_of
from torchtalk.sqlfile import listed
from torchtalk.tools import queries

_STANDS = 3.0
# What stands in a folder is about that as well: test/jit/test_complex.py.
_FOLDER = 0.2
_GTEST = 0.4


def files_called(conn: sqlite3.Connection, words: tuple[str, ...]) -> dict[int, tuple[float, str]]:
    """The tests of the files that are called by one of some words alone, with a score and the path of each.

    Where two of the words are files' names, none is meant more than the other.

    Args:
        conn: an index.
        words: of a question.
    """
    sql = queries("find_similar_tests")
    rows = conn.execute(sql["test_files"], {"having": listed(words)}).fetchall()
    called = {(word,): word for word in words}
    files = {row["id"]: called[stem] for row in rows if (stem := stem_of(row["path"])) in called}
    if len(set(files.values())) != 1:
        return {}
    tests = conn.execute(sql["file_tests"], {"files": listed(tuple(files))})
    return {row["test_id"]: (_score(row["path"]), row["path"]) for row in tests}


def _score(path: str) -> float:
    return _STANDS - _FOLDER * path.count("/") - _GTEST * (not path.endswith(".py"))
