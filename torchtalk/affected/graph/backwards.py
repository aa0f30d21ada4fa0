"""The joined graph, walked backwards: from what changed to the tests that would notice.

An edge has a weight below 1: how much of a change in one thing is a change in the other. Things
that very many others use pass little on to each of them, so that a change in one kernel does not
select every test that makes a tensor.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from torchtalk.affected import queries
from torchtalk.affected.graph import aspects
from torchtalk.affected.graph.bodies import Bodies, by_given_names
from torchtalk.affected.graph.bound import names_of, users_of_method, users_of_name
from torchtalk.affected.graph.by_decorators import made_for, users_of
from torchtalk.affected.graph.decorators import Decorators
from torchtalk.affected.graph.dense_tests import of_backend
from torchtalk.affected.graph.entry_classes import entries_of, makes_entries
from torchtalk.affected.graph.entry_functions import EntryFunctions
from torchtalk.affected.graph.generic_tests import GenericTests, generic
from torchtalk.affected.graph.kernels import AUTOGRAD, of_kernel, of_python_kernel
from torchtalk.affected.graph.makers import Makers, compiled
from torchtalk.affected.graph.nodes import (
    BOUND,
    ITSELF,
    MAY_CALL,
    SEVERAL,
    Edge,
    Node,
    aspect,
    entry,
    gradient,
    is_cpp_test,
    of_gradient,
    operator,
    parts,
    place_of,
    share,
    spread,
)
from torchtalk.affected.graph.options import tests_setting
from torchtalk.affected.graph.overrides import (
    MAY_RUN,
    OVERRIDDEN,
    by_override,
    method,
    only_named,
)
from torchtalk.affected.graph.own_place import standing_in
from torchtalk.affected.graph.patterns import matched
from torchtalk.affected.graph.python_users import using
from torchtalk.affected.graph.run_by import RunBy
from torchtalk.affected.graph.runs import (
    ENTRY_WHY,
    NAMED_ABOUT,
    OWN,
    is_own,
    of_entry,
    operators_tests,
)
from torchtalk.affected.graph.specializations import Specializations
from torchtalk.affected.graph.test_words import TestWords
from torchtalk.affected.graph.variants import Variants
from torchtalk.affected.graph.virtual_methods import ALTERNATIVE, of_alternatives, of_virtual
from torchtalk.names.bound_names import own_name

CANDIDATE = 0.5
OVERLOAD = 0.5
OVERLOADED = "calls it or another overload of it"
_DECORATED = 0.85
# Of a change in one aspect of an operator the tests of this aspect tell more than all others.
_OF_ASPECT = 0.95
_OF_KIND = 0.9
_OTHERS = 0.5
# A test of the aspect before what is only called like the operator.
_LEAST_ABOUT = 0.3
_EAGER = 0.3
# By what a C++ function is run without being named.
_LED = {
    "specialization": (0.9, "is specialized by it"),
    "alternative": (0.9, "has it in another build"),
    "template": (0.7, "hands its class to a template"),
}
_CALLER = 0.5
_FEW_CALLERS = 6
_RUN_BY = 0.8
_WRITTEN = 0.9
# Of the thousands of tests that call a common operator, those that are most about it. On the
# others an edge would be too weak to be followed.
_MOST_TESTS = 800


class Graph:
    """Reads the edges of nodes from an index.

    Args:
        conn: the index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sql = queries("graph") | queries("python_graph")
        self._decorators = Decorators(conn)
        self._entries = EntryFunctions(conn)
        self._bodies = Bodies(conn)
        self._makers = Makers(conn)
        self._specializations = Specializations(conn)
        self._variants = Variants(conn)
        self._generic = GenericTests(self._rows)
        self._test_words = TestWords(self._rows)
        self._run_by = RunBy(self._rows, self._cached, self._generic, self._test_words)
        self._words: dict[str, aspects.Words] = {}
        self._kept: dict[tuple[object, ...], list[sqlite3.Row]] = {}
        self._read: dict[Node, list[Edge]] = {}
        self._by_kind: dict[str, Callable[[Node], Iterator[Edge]]] = {
            "cpp": self._cpp, "kernel": self._kernel, "operator": self._operator,
            "stub": self._stub, "native": self._native, "python": self._python,
            "class": self._class, "opinfo": self._opinfo, "aspect": self._aspect, "entry": self._entry,
            "field": self._entries.tests, "option": self._option, BOUND: self._bound, OVERRIDDEN: self._overridden,
        }  # fmt: skip

    def dependents(self, node: Node) -> list[Edge]:
        """What depends directly on a node; nothing does on a test."""
        if node not in self._read:
            read = self._by_kind.get(node.kind)
            self._read[node] = list(read(node)) if read else []
        return self._read[node]

    def _rows(self, statement: str, /, **values: object) -> list[sqlite3.Row]:
        rows: list[sqlite3.Row] = self._conn.execute(self._sql[statement], values).fetchall()
        return rows

    def _cached(self, statement: str, /, **values: object) -> list[sqlite3.Row]:
        """Rows that several nodes ask for."""
        key = (statement, *values.values())
        if key not in self._kept:
            self._kept[key] = self._rows(statement, **values)
        return self._kept[key]

    def _many(self, kind: str, rows: list[sqlite3.Row], weight: float, why: str) -> Iterator[Edge]:
        each = weight * spread(len(rows))
        for row in rows:
            yield Edge(Node(kind, row["id"], row["name"]), each, why)

    # C++

    def _cpp(self, node: Node) -> Iterator[Edge]:
        for row in self._rows("cpp_tests", id=node.key):
            yield Edge(Node("test", row["id"], ""), 1.0, ITSELF)
        yield from of_kernel(self._rows("cpp_operators", id=node.key))
        for row in self._rows("cpp_generated", id=node.key):
            of, key = operator(row["name"]), row["dispatch_key"]
            ends = [aspect(of, about) for about in aspects.of_keys([key])] or [of]
            for end in [gradient(row["name"])] if key == AUTOGRAD else ends:
                why = (
                    f"is its generated kernel for {key}"
                    if row["is_written"]
                    else f"is its kernel for {key}"
                )
                yield Edge(end, _WRITTEN, why)
        for row in self._rows("cpp_stubs", id=node.key):
            yield Edge(
                Node("stub", row["stub"], row["stub"]), 0.95, f"is its {row['backend']} kernel"
            )
        yield from self._many("cpp", self._rows("cpp_launchers", id=node.key), 0.95, "launches it")
        callers = self._rows("cpp_callers", id=node.key)
        each = 0.8 * spread(len(callers))
        for row in callers:
            weight, why = 1.0, "calls it"
            if row["is_candidate"]:
                weight, why = (
                    (CANDIDATE, MAY_CALL) if row["is_ambiguous"] else (OVERLOAD, OVERLOADED)
                )
            elif row["among"] > SEVERAL:
                weight, why = of_alternatives(row["among"]), ALTERNATIVE
            yield Edge(Node("cpp", row["id"], row["name"]), each * weight, why)
        led: dict[str, list[sqlite3.Row]] = {}
        for row in self._rows("cpp_led", id=node.key):
            led.setdefault(row["kind"], []).append(row)
        virtual = led.pop("virtual", [])
        for kind, rows in led.items():
            yield from self._many("cpp", rows, *_LED[kind])
        yield from of_virtual(self._rows, node, virtual, [row["among"] for row in callers])
        if not callers and not led and not virtual:
            yield from self._specializations.of(node)
        formulas = self._rows("cpp_formulas", id=node.key)
        for row in formulas:
            yield Edge(gradient(row["name"]), 0.7 * spread(len(formulas)), "calls it")
        yield from names_of(self._rows, node)
        yield from self._many(
            "python", self._rows("cpp_written", id=node.key), 0.7, "writes code that calls it"
        )
        yield from made_for(self._conn, self._rows, node)
        if "~" in node.name:
            made = self._rows("cpp_constructors", id=node.key)
            yield from self._many("cpp", made, 0.8, "makes what it ends")

    def _kernel(self, node: Node) -> Iterator[Edge]:
        rows = self._rows("kernel_launchers", id=node.key)
        return self._many("cpp", rows, 0.95, "launches it")

    def _stub(self, node: Node) -> Iterator[Edge]:
        yield from self._many(
            "cpp", self._rows("stub_callers", stub=node.key), 0.95, "calls this stub"
        )
        for row in self._rows("stub_operators", stub=node.key):
            yield Edge(operator(row["name"]), 0.95, "has a generated kernel that calls this stub")

    # Operators

    def _operator(self, node: Node) -> Iterator[Edge]:
        namespace, base = parts(node)
        known = self._base_known(namespace, base)
        entries = self._rows("operator_entries", base=base) if known else []
        for row in entries:
            yield Edge(
                entry(row), self._of_entry(row, base), ENTRY_WHY.get(row["how"], "stands for it")
            )
        tests = self._rows("operator_tests", base=base, most=_MOST_TESTS) if known else []
        if known:
            total = self._rows("operator_test_total", base=base)[0]["tests"]
            yield from operators_tests(tests, spread(total), base=base)
        callers = self._rows("operator_cpp_callers", namespace=namespace, base=base)
        # What has neither an entry nor tests of its own is tested by the few that run it: nll_loss2d_forward by
        # nll_loss2d, this by nll_loss.
        is_inner = (
            len(callers) <= _FEW_CALLERS
            and not any(row["how"] in OWN for row in entries)
            and not any(is_own(row) for row in tests)
        )
        each = (_RUN_BY if is_inner else _CALLER) * spread(len(callers))
        for row in callers:
            weight = each * (CANDIDATE if row["is_candidate"] else 1.0)
            yield Edge(Node("cpp", row["id"], row["name"]), weight, "calls the operator")
        formulas = self._rows("operator_formulas", namespace=namespace, base=base)
        for row in formulas:
            yield Edge(gradient(row["name"]), 0.6 * spread(len(formulas)), "calls it")
        for row in self._rows("operator_natives", namespace=namespace, base=base):
            yield Edge(Node("native", row["id"], row["name"]), 0.8, "calls it")
        yield from self._makers.of_operator(namespace, base)

    def _of_entry(self, row: sqlite3.Row, base: str) -> float:
        return of_entry(row, self._variants.of_entry(row["name"], row["variant"], base))

    def _base_known(self, namespace: str, base: str) -> bool:
        """Whether what is known of tests by the bases of operators is of this one, not of aten's of the same base."""
        return namespace == "aten" or not self._rows("is_aten", base=base)

    def _aspect(self, node: Node) -> Iterator[Edge]:
        """The tests of an operator that have the aspect's words, and with less weight what else has to do with it."""
        name, _, of = str(node.key).partition("\t")
        whole = operator(name)
        namespace, base = parts(whole)
        words = self._words.setdefault(of, aspects.Words(of))
        found = generics = 0
        if self._base_known(namespace, base):
            for row in self._rows("operator_entries", base=base):
                for edge in self._generic.edges(entry(row), row["id"], of, words.fit_row):
                    generics += 1
                    yield edge._replace(weight=edge.weight * self._of_entry(row, base))
            about = self._test_words.about(base, words)
            found = generics + len(about)
            for edge in operators_tests(about, spread(len(about)), NAMED_ABOUT):
                why = f"{edge.why}, and is about {aspects.said(of)}"
                yield edge._replace(weight=max(edge.weight, _LEAST_ABOUT), why=why)
        # Formulas are checked by generic tests (gradcheck in test/test_ops_gradients.py), whatever others there are.
        if aspects.has_runners(of) and (not found or (of == aspects.GRADIENT and not generics)):
            for edge in self._run_by.edges(namespace, base, of, words, is_besides=bool(found)):
                # Where these have some, they tell more than what is only called like the operator itself.
                found += self._run_by.has_about(edge.node.name, of, words)
                yield edge
        if aspects.is_apart(of):
            return
        if kind := of_gradient(node):
            yield Edge(aspect(whole, kind), _OF_KIND, "")
            return
        if aspects.is_compiled(of) and of != aspects.COMPILED:
            # Tests that only run the operator do not come to it.
            yield Edge(aspect(whole, aspects.COMPILED), _OTHERS, "")
            return
        weight = _EAGER if of == aspects.COMPILED else _OTHERS if found else _OF_ASPECT
        own, is_compiled = aspects.devices(of), of == aspects.COMPILED
        if own and own <= aspects.APART:
            return
        if not own and not is_compiled:
            if not found or of == aspects.GRADIENT:
                yield Edge(whole, weight, "")
                return
            for edge in of_backend(whole, self.dependents):
                yield edge._replace(weight=weight * edge.weight)
            return
        for edge in self.dependents(whole):
            at = place_of(self._conn, edge.node)
            # What calls gelu on a GPU of NVIDIA's runs none of its kernels for Apple's, and a test in C++ that calls it
            # runs nothing of what Python has for torch.compile.
            if not (is_compiled and is_cpp_test(self._conn, edge.node)) and not (
                own and at and aspects.runs_elsewhere(own, at)
            ):
                yield edge._replace(weight=weight * edge.weight)

    def _bound(self, node: Node) -> Iterator[Edge]:
        return users_of_name(self._rows, self._bodies, node)

    def _native(self, node: Node) -> Iterator[Edge]:
        for row in self._rows("native_entries", name=own_name(node.name)):
            yield Edge(entry(row), 0.95, "is for it")
        callers = self._rows("native_callers", id=node.key)
        each = 0.7 * spread(len(callers))
        for row in callers:
            # Tables of operators, and what registers something for many of them, are about none.
            weight = each * share(row["named"]) if row["named"] else each
            why = "names it" if row["named"] else "calls it"
            yield Edge(Node("python", row["id"], row["name"]), weight, why)
        tests = list(self._tests("native_tests", node, "uses it"))
        yield from tests
        known = {edge.node for edge in tests} | {Node("python", row["id"], "") for row in callers}
        yield from users_of_method(self._rows, self._bodies, node, known)

    # Python

    def _python(self, node: Node) -> Iterator[Edge]:
        for row in self._rows("python_entries", id=node.key, name=node.name):
            yield Edge(entry(row), 0.95, "is for it")
        fields = list(self._entries.using(node.name))
        yield from fields
        tests = list(self._tests("python_tests", node, "calls it"))
        users = users_of(self._rows, node)
        if fields:
            # A default of their class is that of those alone which are given no other.
            users = [row for row in users if not makes_entries(row["name"])]
        yield from tests
        known = {edge.node for edge in tests} | {Node("python", row["id"], "") for row in users}
        yield from self._bodies.having(node, known)
        yield from self._decorated(node)
        yield from using(users)
        yield from self._many(OVERRIDDEN, self._rows("overridden", id=node.key), 0.7, MAY_RUN)
        rows = self._rows("python_differentiated", id=node.key)
        yield from self._many("python", rows, 0.9, "has it as its gradient")
        yield from compiled(self._rows("python_compiled", id=node.key))
        yield from of_python_kernel(self._rows("python_kernels", id=node.key, name=node.name))
        yield from self._makers.of(node.name)
        yield from matched(self._rows, self._test_words, node)
        yield from standing_in(
            self._rows, node, bool(tests) or not all(row["is_decorated"] for row in users)
        )

    def _overridden(self, node: Node) -> Iterator[Edge]:
        own = method(node)
        return by_override(node, self.dependents(own), only_named(self._rows, self._conn, own))

    def _class(self, node: Node) -> Iterator[Edge]:
        for row in self._rows("class_entries", id=node.key):
            yield Edge(entry(row), 0.95, "is for it")
        made = list(entries_of(self._rows, node))
        yield from made
        for row in self._rows("class_own_tests", id=node.key):
            yield Edge(Node("test", row["id"], ""), 0.9, "stands in it")
        yield from self._tests("class_tests", node, "uses it")
        yield from by_given_names(self._conn, node)
        yield from self._decorated(node)
        # Entries of the classes that derive from it are among these.
        below = self._rows("subclasses", id=node.key) if not made else []
        yield from self._many("class", below, 0.6, "derives from it")
        yield from self._many("python", self._rows("class_callers", id=node.key), 0.5, "uses it")

    def _decorated(self, node: Node) -> Iterator[Edge]:
        tests = self._decorators.using(node.name)
        weight = _DECORATED * spread(len(tests))
        for test, _ in tests:
            yield Edge(Node("test", test, ""), weight, "its decorators use it")

    def _tests(self, statement: str, node: Node, why: str) -> Iterator[Edge]:
        rows = self._rows(statement, id=node.key)
        crowd = spread(len(rows))
        for row in rows:
            weight = 0.85 * share(row["operators"] // 2) * crowd
            yield Edge(Node("test", row["id"], ""), min(weight, 0.95), why)

    # Tests

    def _opinfo(self, node: Node) -> Iterator[Edge]:
        """One edge for each file that has tests which run over a list with the entry."""
        return generic(node, self._generic.rows(int(node.key)))

    def _option(self, node: Node) -> Iterator[Edge]:
        return tests_setting(self._conn, node)

    def _entry(self, node: Node) -> Iterator[Edge]:
        """The same of an entry that the index does not have: what runs over those that are like it."""
        _, of, file, line = str(node.key).split("\t")
        rows = self._rows("tests_of_alike", **{"class": of, "file": int(file), "line": int(line)})
        for edge in generic(node, rows):
            yield edge._replace(why="its tests run over nearly all entries like it")
