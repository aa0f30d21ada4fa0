"""Tests of what nothing calls by its own name: a file, a module of Python, or the text of an error."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from torchtalk.affected.choice.home import OF_FILE, Homes
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.places.changes import Changes
from torchtalk.affected.sources import Sources
from torchtalk.affected.texts.messages import Shared, expecting, having, is_most, pieces
from torchtalk.names.files import files_named, written
from torchtalk.sqlfile import listed
from torchtalk.testing.subject import Subject
from torchtalk.testing.words import words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.guesses import ByName
from torchtalk.tools.finding_tests.name_scores import named_so
from torchtalk.tools.finding_tests.scored import Scored
from torchtalk.tools.finding_tests.scoring import uses_score

_TEXT = 5.0
_HOME = 2.0
_NAMED = 1.0
_SOURCES = (
    ".py", ".cpp", ".cc", ".cu", ".cuh", ".h", ".hpp", ".mm", ".c", ".metal", ".glsl", ".yaml",
)  # fmt: skip


def tests_of_file(
    conn: sqlite3.Connection, query: str
) -> tuple[str, dict[int, Scored], str] | None:
    """The path of a file, its tests or those that are called like it, and what is to be said of them.

    Args:
        conn: an index.
        query: that may be the path of a file or the end of one.

    Returns:
        None of what is no file, or fits several.
    """
    file = written(query.strip())
    if file is None or not file.path.endswith(_SOURCES):
        return None
    rows, _ = files_named(conn, file.path)
    if len(rows) != 1:
        return None
    path = rows[0]["path"]
    own = conn.execute(
        queries("find_similar_tests")["tests_of"], {"files": listed((path,)), "all": 1}
    )
    # In the file's order.
    found = {row["id"]: Scored(0.0, ["stands in it"]) for row in own}
    if found:
        return path, found, f"test_file_info {path} tells what is in it"
    members = conn.execute(queries("find_similar_tests")["file_members"], {"path": path}).fetchall()
    found = _users(conn, members, path, path)
    uses = "use what stands in it, or " if found else ""
    for one in ByName(conn, Changes()).tests(path):
        of_test = found.setdefault(one.test, Scored())
        of_test.add(one.weight, one.why[0])
        of_test.why.extend(one.why[1:])
    said = f"these {uses}are of files that are called like it or its folder, or import it"
    said = f"{path} has no tests itself: {said if found else 'none is of a file that is called like it'}"
    return path, found, f"{said}; affected {path} follows what it defines"


def tests_of_module(conn: sqlite3.Connection, subject: Subject) -> tuple[dict[int, Scored], str]:
    """The tests that use what stands in a module of Python, those first whose file is called like it.

    Args:
        conn: an index.
        subject: that may be a module, by its full name.

    Returns:
        The tests, none where it is no module, and what is to be said of them.
    """
    sql = queries("find_similar_tests")
    rows = conn.execute(sql["module_members"], {"name": subject.text}).fetchall()
    if not rows:
        return {}, ""
    found = _users(conn, rows, subject.text, rows[0]["path"])
    return found, f"{subject.text} is a module: these are of what stands in it"


def _users(
    conn: sqlite3.Connection, members: list[sqlite3.Row], where: str, path: str
) -> dict[int, Scored]:
    """The tests that use one of the functions and classes of a module, those first that are called like its file.

    Args:
        conn: an index.
        members: kinds and ids.
        where: the module, for people.
        path: of its file.
    """
    sql = queries("find_similar_tests")
    of = {
        kind: listed(tuple(row["id"] for row in members if row["kind"] == kind))
        for kind in ("functions", "classes")
    }
    found: dict[int, Scored] = {}
    for row in conn.execute(sql["function_tests"], of):
        one = found[row["test_id"]] = Scored()
        one.add(uses_score(row["uses"]), f"uses what stands in {where}")
    if not found:
        return found
    homes = Homes(conn)
    words = words_of(path.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2])
    called = named_so(conn, words)
    tests = {"tests": listed(tuple(found))}
    paths = {row["id"]: row["path"] for row in conn.execute(sql["about"], tests)}
    for test, one in found.items():
        if homes.factor(path, paths[test]) == OF_FILE:
            one.add(_HOME, "its file is called like it")
        if test in called:
            one.add(_NAMED, f"named {' '.join(words)}")
    return found


def _scored(found: Mapping[str, Mapping[Node, Shared]], why: str) -> dict[int, Scored]:
    """The tests among what has pieces of a text, or most of one, the longer the better."""
    tests: dict[int, Scored] = {}
    for piece, nodes in found.items():
        for node, shared in nodes.items():
            if node.kind == "test" and isinstance(node.key, int) and is_most(shared, piece):
                tests.setdefault(node.key, Scored()).add(_TEXT + len(piece) / 1000, why)
    return tests


def tests_expecting(
    conn: sqlite3.Connection, text: str
) -> tuple[dict[int, Scored], tuple[str, ...]]:
    """The tests that expect an error or a warning to say most of a text.

    Args:
        conn: an index.
        text: of the error.

    Returns:
        The tests, and what is to be said of them.
    """
    found = _scored(expecting(conn, pieces(text)), "expects the text")
    if not found:
        return {}, ()
    return found, ("no test is named so; these expect an error or a warning with the text",)


def tests_with_text(
    conn: sqlite3.Connection, text: str
) -> tuple[dict[int, Scored], tuple[str, ...]]:
    """The tests in whose text most of a message stands, which the tree's files tell.

    Args:
        conn: an index.
        text: of an error.

    Returns:
        The tests, and what is to be said of them.
    """
    sources = Sources(conn)
    found = _scored(having(conn, pieces(text), sources), "has the text")
    if found:
        said = "no test is named so; these have the text, as the tree's files tell"
    elif sources.shortfall or not sources.is_wanted:
        said = "no test is named so"
    else:
        said = "no test is named so, and none in the tree has the text: ask for the function that raises it"
    return found, (f"{said}; {sources.shortfall}" if sources.shortfall else said,)
