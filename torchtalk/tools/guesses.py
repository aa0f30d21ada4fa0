"""Tests that are only called like what changed: guesses, where the graph leads to none, or hardly to any."""

from __future__ import annotations

import math
import posixpath
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from torchtalk.affected.changes import Changes
from torchtalk.affected.home import OF_FILE, Homes, folders_of, is_plain, stem_of
from torchtalk.affected.outside import is_generator
from torchtalk.answers.tests import TestHit
from torchtalk.names.closest import quoted
from torchtalk.sqlfile import listed
from torchtalk.testing.subject import words_of
from torchtalk.tools import queries
from torchtalk.tools.find_similar_tests import find_similar_tests, test_hit
from torchtalk.tools.scoring import ENDING

# For so many files those called like them are looked for, and so many of each.
_MOST_FILES = 4
_MOST_GUESSES = 5

_MOST_SEEDS = 8
_SHORT = 2
_SHORT_WORD = 4
_OF_FILE_NAME = 0.5
_MOST_WITH_WORD = 20
# Of a test that has a word of its own which begins so: setattr for set.
_BEGINS = 0.4
# Of so many classes and more one tells what is common to them: what one in so many has.
_MANY = 6
_PARTS = re.compile(r"::|\.")


def named_like(
    conn: sqlite3.Connection, changes: Changes, files: tuple[str, ...]
) -> dict[str, tuple[TestHit, ...]]:
    """Guess tests by file: those at home that have words of what changed in their names, or else of the file's.

    Args:
        conn: an index.
        changes: with what changed.
        files: those that lead to no test or hardly to any.
    """
    found = {}
    for file in files[:_MOST_FILES]:
        looking = changes.blank.get(file)
        hits = _looking(conn, looking) if looking else _of_its_file(conn, file, changes)
        if not hits and not is_generator(file):
            # What makes code is called like what this is about, and so are the tests of that.
            hits = _at_home(conn, file, changes) or _like_file(conn, file)
        if hits:
            found[file] = hits
    return found


def _looking(conn: sqlite3.Connection, files: tuple[str, ...]) -> tuple[TestHit, ...]:
    """The first tests of files that look at what changed."""
    rows = conn.execute(queries("find_similar_tests")["tests_of"], {"files": listed(files)})
    tests = [row["id"] for row in rows][:_MOST_GUESSES]
    return tuple(_shown(conn, tests, lambda _: "looks at such files"))


def _of_its_file(conn: sqlite3.Connection, file: str, changes: Changes) -> tuple[TestHit, ...]:
    """Tests of the file that is called like the one that changed, or like all but the last word of its name.

    c10/test/util/string_util_test.cpp for c10/util/StringUtil.cpp, test/test_autocast.py for ATen/autocast_mode.h.
    """
    stem = stem_of(file)
    homes = Homes(conn)
    paths = [row["path"] for row in conn.execute(queries("affected")["test_paths"])]
    # An index of an installed torch has no tests; a file's own tests lead to it.
    own = [path for path in paths if path != file and homes.factor(file, path) == OF_FILE]
    if not own and len(stem) > 1 and _is_apart(conn, stem[:-1]):
        own = [path for path in paths if path != file and stem_of(path) == stem[:-1]]
    if not own or (len(stem) == 1 and is_plain(stem[0])):
        return ()
    common = {ENDING.sub("", word) for word in stem_of(own[0])}
    wanted = {ENDING.sub("", word) for word in _words(conn, file, changes)} - common
    rows = conn.execute(queries("find_similar_tests")["tests_of"], {"files": listed(tuple(own))})
    best = sorted(
        rows.fetchall(),
        key=lambda row: wanted.isdisjoint(ENDING.sub("", one) for one in row["words"].split()),
    )
    return tuple(
        _shown(
            conn,
            [row["id"] for row in best[:_MOST_GUESSES]],
            lambda _: f"its file is called like {file}",
        )
    )


def _is_apart(conn: sqlite3.Connection, words: tuple[str, ...]) -> bool:
    """Whether few files have the words in their paths: autocast, but not tensor."""
    row = conn.execute(
        queries("find_similar_tests")["files_with"], {"words": listed(words)}
    ).fetchone()
    return bool(row["files"] <= _MOST_WITH_WORD)


def _at_home(conn: sqlite3.Connection, file: str, changes: Changes) -> tuple[TestHit, ...]:
    """Tests in a folder or file that is called like the changed file's folder: test/dynamo/ for torch/_dynamo/."""
    wanted = _words(conn, file, changes)
    # What the file is called tells less than what changed in it, where this is known.
    changed = set(wanted) - set(stem_of(file)) or set(wanted)
    folders = folders_of(file)
    # torch/_inductor/codegen/ is tested in test/inductor/, torch/csrc/distributed/c10d/ by what is called c10d.
    for folder in folders if file.startswith("torch/_") else reversed(folders):
        scores: dict[int, float] = {}
        named: dict[int, list[str]] = {}
        for word in wanted:
            if word == folder:
                continue
            stem = ENDING.sub("", word)
            # Very many words begin like a short one: runtime like run.
            begins = "*" if len(word) > _SHORT_WORD else ""
            of = {"words": f"{quoted(stem)}{begins}", "path": listed((folder,))}
            rows = conn.execute(queries("find_similar_tests")["named_tests_in"], of).fetchall()
            for row in rows:
                # A word that few of them have tells more than one of many.
                worth = 1 / (1 + math.log(1 + len(rows)))
                if stem not in {ENDING.sub("", own) for own in row["words"].split()}:
                    worth *= _BEGINS
                if word not in changed:
                    worth *= _OF_FILE_NAME
                scores[row["test_id"]] = scores.get(row["test_id"], 0.0) + worth
                named.setdefault(row["test_id"], []).append(word)
        if scores:
            best = sorted(scores, key=lambda test: (-round(scores[test], 6), test))[:_MOST_GUESSES]
            return tuple(_hits(conn, best, named, folder))
    return ()


def _words(conn: sqlite3.Connection, file: str, changes: Changes) -> tuple[str, ...]:
    """Of the file's name and of what changed in it, with its class; not what most classes beside it have as well."""
    seeds = [seed for seed in changes.seeds.values() if file in (seed.place.file, seed.at)]
    names = [_PARTS.split(seed.node.name)[-2:] for seed in seeds[:_MOST_SEEDS]]
    common = _common(conn, file) if file.endswith(".py") else _NOTHING
    texts = [posixpath.splitext(posixpath.basename(file))[0]]
    texts += [" ".join(name for name in pair if name not in common.methods) for pair in names]
    words = dict.fromkeys(word for text in texts for word in words_of(text, None))
    return tuple(word for word in words if len(word) > _SHORT and word not in common.words)


class _Common(NamedTuple):
    """What says little of one class of a folder: `Variable` and `call_method` in torch/_dynamo/variables/.

    Args:
        words: of the names of very many classes.
        methods: that very many define.
    """

    words: frozenset[str]
    methods: frozenset[str]


_NOTHING = _Common(frozenset(), frozenset())


def _common(conn: sqlite3.Connection, file: str) -> _Common:
    classes: dict[str, set[str]] = {}
    of = {"folder": f"{posixpath.dirname(file)}/"}
    for row in conn.execute(queries("find_similar_tests")["methods_of_folder"], of):
        classes.setdefault(row["class"], set()).add(row["method"])
    if len(classes) < _MANY:
        return _NOTHING
    words = Counter(word for name in classes for word in words_of(name, None))
    methods = Counter(method for own in classes.values() for method in own)
    return _Common(*(
        frozenset(one for one, number in counts.items() if number * _MANY > len(classes))
        for counts in (words, methods)
    ))  # fmt: skip


def _hits(
    conn: sqlite3.Connection, tests: list[int], named: dict[int, list[str]], folder: str
) -> Iterator[TestHit]:
    return _shown(
        conn, tests, lambda test: f"named like {' '.join(named[test])}, in tests of {folder}"
    )


def _shown(
    conn: sqlite3.Connection, tests: list[int], why: Callable[[int], str]
) -> Iterator[TestHit]:
    sql = queries("find_similar_tests")["details"]
    rows = {row["id"]: row for row in conn.execute(sql, {"tests": listed(tuple(tests))})}
    for test in tests:
        yield test_hit(rows[test], (why(test),))


def _like_file(conn: sqlite3.Connection, file: str) -> tuple[TestHit, ...]:
    """Tests whose names have words of the file's, or of it and its folder's."""
    folder, name = posixpath.split(file)
    words = words_of(posixpath.splitext(name)[0])
    for query in ((*words,), (*words_of(posixpath.basename(folder)), *words)):
        if len([word for word in query if not is_plain(word)]) < 2:
            # One word may be the name of something, which is more than a word.
            continue
        hits = find_similar_tests(conn, " ".join(query), limit=_MOST_GUESSES).hits
        if hits:
            return tuple(hits)
    return ()
