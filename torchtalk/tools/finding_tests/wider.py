"""Tests that have to do with a thing by one step more: by what derives from it, by a helper, by its name in a body.

Where few tests use a thing itself these are most of its tests: test_dataloader.py has classes of its own that derive
from IterableDataset, and a test of DistributedDataParallel's `no_sync` is a function that others call.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterator

from torchtalk.affected.choice.home import OF_FILE
from torchtalk.affected.choice.keywords import Keywords
from torchtalk.affected.choice.neighbouring_code import BRIEF, tests_beside
from torchtalk.affected.choice.ranking import Nearer
from torchtalk.affected.graph.backwards import Graph
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.graph.search import LEAST, Found, search
from torchtalk.affected.places.changes import Changes, Seed
from torchtalk.affected.sources import Sources
from torchtalk.answers.base import Place
from torchtalk.names.closest import quoted
from torchtalk.sqlfile import listed
from torchtalk.testing.bodies import in_any_way
from torchtalk.testing.given_names import asking, given_names
from torchtalk.testing.subject import Subject
from torchtalk.testing.words import words_of
from torchtalk.tools import queries
from torchtalk.tools.finding_tests.of_methods import of_its_name, tells

# Where so many tests use a thing itself the others are less about it.
FEW = 20
HEIR = 3.5
HELPER = 3.0
GIVEN = 3.8
BODY = 2.0
_HELPER_BODY = 1.5
HOLDER = 5.0
REACHED = 4.0
# So little of a class comes to whatever any test uses.
_BY_CHANCE = 0.25
_OF_OPERATORS = ("operator", "aspect", "opinfo", "field", "stub")
_IMPL = "Impl"
# Of a name that is defined in many files a few tell what such functions are about.
_MOST_FILES = 3
# Of so few tests beside it those that stand farther off may be more about it.
_HANDFUL = 8
_BODY_OF_TEST = "_Test::TestBody"
# What the index of bodies has as one word.
_PLAIN = re.compile(r"\w+", re.ASCII)
# Folders of the most different things.
_ANYWHERE = frozenset(("torch", "csrc", "include", "src", "test", "cpp"))

Reasons = dict[int, tuple[float, str]]
"""By test how much it is about what was asked for, and why."""


def wider(conn: sqlite3.Connection, subject: Subject) -> Reasons:
    """The tests that use what derives from Python's functions and classes, or whose helpers use these.

    And those that have a method's name, or use a class by the name that its decorator gives it
    (`torchtalk.testing.given_names`).

    Args:
        conn: an index.
        subject: what was asked for.
    """
    sql = queries("find_similar_tests")
    found: Reasons = of_its_name(conn, subject)
    of = {"functions": listed(subject.functions), "classes": listed(subject.classes)}
    for row in conn.execute(sql["helper_tests"], {**of, "native": subject.native}):
        # What its own name tells says more.
        found.setdefault(row["test_id"], (HELPER, f"a helper of it uses {subject.text}"))
    for row, name in _by_given_names(conn, subject):
        found[row["test_id"]] = GIVEN, f"has .{name}, as which {subject.text} is registered"
    heirs = conn.execute(sql["heirs"], of).fetchall() if subject.classes else []
    if heirs:
        of = {"functions": listed(()), "classes": listed(tuple(row["id"] for row in heirs))}
        for row in conn.execute(sql["function_tests"], of):
            why = f"uses a class that derives from {subject.text}"
            found[row["test_id"]] = HEIR, why
    return found


def _by_given_names(
    conn: sqlite3.Connection, subject: Subject
) -> Iterator[tuple[sqlite3.Row, str]]:
    for given in given_names(conn, subject.classes) if subject.classes else ():
        for row in asking(conn, given):
            if row["test_id"] is not None:
                yield row, given.name


def having(conn: sqlite3.Connection, name: str) -> Reasons:
    """The tests that have an identifier in their bodies, or in the body of a function that they call.

    Args:
        conn: an index.
        name: as code has it.
    """
    sql = queries("find_similar_tests")
    if not _PLAIN.fullmatch(name):
        return {}
    of = {"names": in_any_way(name)}
    rows = conn.execute(sql["body_helper_tests"], of)
    found: Reasons = {row[0]: (_HELPER_BODY, f"a helper of it has {name}") for row in rows}
    rows = conn.execute(sql["body_tests"], of)
    return found | {row[0]: (BODY, f"its body has {name}") for row in rows}


def having_both(conn: sqlite3.Connection, text: str) -> Reasons:
    """The tests that have what something has in their bodies, and this: ReduceOp and AVG of `dist.ReduceOp.AVG`.

    Args:
        conn: an index.
        text: a dotted name that no test is known to use.

    Returns:
        Those that have what stands before the last dot, where none has both; nothing where that is the name of many
        things.
    """
    holder, member = ("", *text.split("."))[-2:]
    if not tells(holder) or not _PLAIN.fullmatch(member):
        return {}
    of = {"names": f"({in_any_way(holder)}) AND ({in_any_way(member)})"}
    rows = conn.execute(queries("find_similar_tests")["body_tests"], of)
    found = {row[0]: (BODY, f"its body has {holder} and {member}") for row in rows}
    return found or having(conn, holder)


def of_holder(conn: sqlite3.Connection, subject: Subject) -> Reasons:
    """The C++ tests that are called like a module of the C++ API: ModulesTest.Linear for torch::nn::LinearImpl.

    What is called on `Linear` is called on what it holds (torch/csrc/api/include/torch/nn/pimpl.h, TORCH_MODULE). Tests
    of other parts of PyTorch are called so, too: those stand in a folder of the same name as one of the module's.

    Args:
        conn: an index.
        subject: a class of C++.
    """
    sql = queries("find_similar_tests")
    held = subject.cpp_class.rpartition("::")[2]
    name = held.removesuffix(_IMPL)
    words = words_of(name)
    if name == held or not words:
        return {}
    at = conn.execute(sql["paths_of"], {"functions": listed(subject.cpp)})
    folders = {folder for (path,) in at for folder in path.split("/")[:-1]} - _ANYWHERE
    rows = conn.execute(sql["gtests_named"], {"words": " + ".join(map(quoted, words))})
    is_named = re.compile(rf"{re.escape(name)}(?![a-z0-9])")
    return {
        row["id"]: (HOLDER, f"named {name}")
        for row in rows
        if is_named.match(row["name"]) and not folders.isdisjoint(row["path"].split("/")[:-1])
    }


def reached(graph: Graph, subject: Subject, least: float = _BY_CHANCE) -> Reasons:
    """The tests that the callers of a C++ class lead to: c10d::Reducer's by what Python calls of it.

    Not by an operator: who is run by one of these is known by it.

    Args:
        graph: of an index.
        subject: a class or a function of C++.
        least: how much has to come to them of a change of it, of 1.
    """
    nodes = [Node("cpp", identity, "") for identity in subject.cpp]
    return _leading(graph, subject, nodes, least, _OF_OPERATORS)


def _leading(
    graph: Graph,
    subject: Subject,
    nodes: list[Node],
    least: float,
    without: Collection[str],
    nearer: Callable[[Found], Found] | None = None,
) -> Reasons:
    found: Reasons = {}
    # What stands where it should counts up to so much more.
    faint = least if nearer is None else least / OF_FILE
    for one in search(graph, [(node, 1.0) for node in nodes], FEW, nearer, faint).found:
        way = [node for node, _ in one.path]
        key = one.node.key
        if one.weight < least or not isinstance(key, int):
            continue
        if not any(node.kind in without for node in way):
            # The body of a gtest is the test itself.
            way = [node for node in way if not node.name.endswith(_BODY_OF_TEST)] or way
            steps = len(way) - 1
            far = f"leads to {subject.text} in {steps} steps, by {way[-2].name}"
            how = one.path[-1][1]
            is_use = not how or "call" in how or "use" in how
            near = f"calls {subject.text}" if is_use else f"{how}: {subject.text}"
            found[key] = REACHED * one.weight, far if steps > 1 else near
    return found


def farther(conn: sqlite3.Connection, subject: Subject) -> tuple[Reasons, str]:
    """The tests that the callers of a function or a class lead to, else those of what stands beside it.

    Args:
        conn: an index.
        subject: a function of C++, or a function or class of Python, that no test uses.

    Returns:
        The tests, and what they are to it.
    """
    graph = Graph(conn)
    changes = Changes()
    for node, place in _placed(conn, subject):
        changes.add(Seed(node, 1.0, place))
    if subject.cpp:
        found = reached(graph, subject, LEAST)
    else:
        # A helper of Inductor's lowerings has no other users than operators.
        nearer = Nearer(conn, changes, Keywords(conn, (), Sources(conn)))
        found = _leading(graph, subject, [*changes.seeds], LEAST, (), nearer)
    if found:
        return found, "by its callers"
    files = dict.fromkeys(seed.place.file for seed in changes.seeds.values() if seed.place.file)
    for file in [*files][:_MOST_FILES]:
        near = tests_beside(graph, conn, changes, file, BRIEF)
        if len(near) < _HANDFUL:
            near = tests_beside(graph, conn, changes, file)
        for one in near:
            beside = one.path[0][0].name
            found.setdefault(
                int(one.node.key), (REACHED * one.weight, f"of {beside}, beside it in {file}")
            )
    return found, "of what stands beside it"


def _placed(conn: sqlite3.Connection, subject: Subject) -> Iterator[tuple[Node, Place]]:
    sql = queries("find_similar_tests")
    for row in conn.execute(sql["places_of"], {"functions": listed(subject.cpp)}):
        yield Node("cpp", row["id"], row["name"]), Place(row["path"], row["line"])
    of = {"functions": listed(subject.functions), "classes": listed(subject.classes)}
    for row in conn.execute(sql["python_places_of"], of):
        yield Node(row["kind"], row["id"], row["name"]), Place(row["path"], row["line"])
