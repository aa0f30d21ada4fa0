"""Which of the tests that may run a method have what runs it in hand: its class, and the method's own name.

Whatever calls `scheduler.get_lr()` may run CyclicLR's (torch/optim/lr_scheduler.py), but of the tests of schedulers
only those do that make a CyclicLR. And who makes a GradScaler runs its `__getstate__` only where it is pickled.
"""

from __future__ import annotations

import sqlite3

from torchtalk.affected.choice.method_names import names_that_run
from torchtalk.affected.graph.nodes import Node
from torchtalk.affected.graph.overrides import HAS_METHOD, INHERITS, MAY_RUN
from torchtalk.affected.graph.search import Found
from torchtalk.sqlfile import beside, listed
from torchtalk.testing.bodies import in_any_way

_queries = beside(__file__)

# Of tests that call a method which others override those without the class that does come second.
_WITHOUT = 0.3
# Of tests that have the class in hand those come first that have the method's name in their bodies.
_CALLS_IT = 1.8


class InHand:
    """Tells of tests whether they have a method's class, or its name, in hand.

    Args:
        conn: an index.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._sql = _queries("in_hand")
        self._users: dict[int, tuple[frozenset[int], frozenset[int]]] = {}
        self._bodies: dict[str, frozenset[int]] = {}
        self._tests: dict[int, tuple[int, int | None] | None] = {}

    def factor(self, found: Found) -> float:
        """What a test counts more or less for it; 1 where that says nothing.

        Args:
            found: as the graph leads to it.
        """
        if found.node.kind != "test":
            return 1.0
        factor = 1.0
        steps = found.path
        for at in range(1, len(steps)):
            why, method = steps[at][1], steps[at - 1][0]
            if why == MAY_RUN and not self._has_class(found, at, method):
                factor = min(factor, _WITHOUT)
            elif why in (HAS_METHOD, INHERITS) and self._names(found, at, method):
                factor *= _CALLS_IT
        return factor

    def _has_class(self, found: Found, at: int, method: Node) -> bool:
        """Whether a test, or what leads to it, has a method's class in hand; of a class that no test has, all have."""
        users, classes = self._users_of(int(method.key))
        test = self._test(found)
        if not users or test is None:
            return True
        of = {int(node.key) for node, _ in found.path[at:-1] if node.kind == "python"}
        return test[0] in users or test[1] in classes or not of.isdisjoint(users)

    def _names(self, found: Found, at: int, method: Node) -> bool:
        """Whether a test, or a helper on the way to it, has a method's name, or what runs such a one, in its body."""
        test = self._test(found)
        if test is None:
            return False
        names = names_that_run(method.name)
        of = {int(node.key) for node, _ in found.path[at:-1] if node.kind == "python"} | {test[0]}
        return any(not of.isdisjoint(self._with(name)) for name in names)

    def _users_of(self, method: int) -> tuple[frozenset[int], frozenset[int]]:
        """Who has the class of a method in hand, if any test has, and the classes whose helpers have."""
        if method not in self._users:
            rows = self._conn.execute(self._sql["users_of_class"], {"id": method}).fetchall()
            helpers = [row for row in rows if row["is_of_tests"] and not row["is_test"]]
            wanted = {"functions": listed(tuple(row["id"] for row in helpers))}
            above = self._conn.execute(self._sql["callers_in_tests"], wanted) if helpers else ()
            users = {row["id"] for row in rows}.union(row["id"] for row in above)
            classes = {row["class_id"] for row in helpers} - {None}
            is_known = any(row["is_of_tests"] for row in rows)
            self._users[method] = (
                (frozenset(users), frozenset(classes)) if is_known else (frozenset(), frozenset())
            )
        return self._users[method]

    def _with(self, name: str) -> frozenset[int]:
        if name not in self._bodies:
            rows = self._conn.execute(self._sql["bodies_with"], {"name": in_any_way(name)})
            self._bodies[name] = frozenset(row["id"] for row in rows)
        return self._bodies[name]

    def _test(self, found: Found) -> tuple[int, int | None] | None:
        """The function that a test is, with its class; none of a test in C++."""
        key = int(found.node.key)
        if key not in self._tests:
            row = self._conn.execute(self._sql["function_of_test"], {"test": key}).fetchone()
            self._tests[key] = (row["id"], row["class_id"]) if row else None
        return self._tests[key]
