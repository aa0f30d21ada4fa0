"""What a Python function calls on its way to operators, as far down as is looked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from torchtalk.answers.base import Place
from torchtalk.answers.steps import OperatorLine
from torchtalk.tools import queries
from torchtalk.tools.python_side.objects import Objects
from torchtalk.tools.python_side.receiver import Receiver

# How many calls between Python functions are looked through.
DEPTH = 8


class Call(NamedTuple):
    """A call of a function, in Python or bound in C++."""

    caller_id: int
    line: int
    function_id: int | None
    native_id: int | None
    native: str | None
    target: str
    kind: int
    class_id: int | None
    callee: int | None = None
    """The node that is called, where it is one of Python."""


@dataclass
class CallGraph:
    """What was fetched: nodes with what they call, and the names and places of functions and natives.

    A node is a function, or a function that runs on an object of a known class, for what it calls on itself is that
    class's: of two objects it may be something else each.

    Args:
        top: the node of what was asked for.
        calls: by the node that calls.
        functions: by id of the row in `python_functions`.
        ids: of the function of each node.
        operators: by native.
        reaching: the nodes that have an operator below them.
        natives: how deep each is called first.
    """

    top: int
    calls: dict[int, list[Call]] = field(default_factory=dict)
    functions: dict[int, sqlite3.Row] = field(default_factory=dict)
    ids: dict[int, int] = field(default_factory=dict)
    operators: dict[int, tuple[OperatorLine, ...]] = field(default_factory=dict)
    reaching: set[int] = field(default_factory=set)
    natives: dict[int, int] = field(default_factory=dict)


def calls_below(conn: sqlite3.Connection, function: int, class_id: int) -> CallGraph:
    """Fetch what a function calls, and what that calls.

    Args:
        conn: an index.
        function: id of the row in `python_functions`.
        class_id: of the object that a method is called on; 0 for the class that it is written in.
    """
    row = conn.execute(queries("trace_module")["class_of"], {"id": function}).fetchone()
    objects = Objects(conn)
    receiver = objects.receiver(class_id or row["class_id"] or 0)
    is_own = receiver.has(function, row["name"].rpartition(".")[2])
    fetched = _Fetched(conn, objects, function, receiver if is_own else None)
    graph = fetched.graph
    _merge(graph)
    _mark_reaching(graph)
    return graph


class _Fetched:
    """Fetches calls level by level."""

    def __init__(
        self, conn: sqlite3.Connection, objects: Objects, function: int, receiver: Receiver | None
    ) -> None:
        self._objects = objects
        # A node by its function and the class of what it runs on.
        self._nodes: dict[tuple[int, int], int] = {}
        self._runners: dict[int, Receiver] = {}
        self.graph = CallGraph(0)
        self.graph.top = self._node(function, receiver)
        self._fetch(conn)
        self._name(conn)

    def _node(self, function: int, receiver: Receiver | None) -> int:
        key = (function, receiver.class_id if receiver is not None else 0)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = len(self._nodes)
            self.graph.ids[node] = function
            if receiver is not None:
                self._runners[node] = receiver
        return node

    def _fetch(self, conn: sqlite3.Connection) -> None:
        sql = queries("trace_module")["calls"]
        graph = self.graph
        rows: dict[int, list[Call]] = {}
        level = [graph.top]
        known = set(level)
        for depth in range(DEPTH):
            new = dict.fromkeys(graph.ids[node] for node in level)
            wanted = json.dumps([function for function in new if function not in rows])
            rows.update((function, []) for function in new if function not in rows)
            for found in conn.execute(sql, {"ids": wanted}):
                call = Call(*found)
                rows[call.caller_id].append(call)
            self._objects.learn(call.target for each in new for call in rows[each] if call.class_id)
            following: dict[int, None] = {}
            for node in level:
                for row in rows[graph.ids[node]]:
                    call = self._called(self._runners.get(node), row)
                    graph.calls.setdefault(node, []).append(call)
                    if call.native_id is not None:
                        graph.natives.setdefault(call.native_id, depth)
                    elif call.callee is not None and call.callee not in known:
                        following[call.callee] = None
            level = list(following)
            known.update(level)
            if not level:
                break

    def _called(self, runner: Receiver | None, row: Call) -> Call:
        """A call with the node that it leads to, by what it is called on."""
        if row.native_id is not None:
            return row
        function = row.function_id
        receiver: Receiver | None = None
        if runner is not None:
            method = runner.called(row.caller_id, row.target)
            if method:
                function, receiver = method, runner
            elif (held := runner.held(row.caller_id, row.target)) is not None:
                function, receiver = held
            elif function is not None and runner.named(row.caller_id, row.target, function):
                receiver = runner
        if function is not None and receiver is None and row.class_id is not None:
            receiver = self._objects.called_on(row.target, function, row.class_id)
        if function is None:
            return row
        return row._replace(function_id=function, callee=self._node(function, receiver))

    def _name(self, conn: sqlite3.Connection) -> None:
        sql = queries("trace_module")
        graph = self.graph
        for row in conn.execute(
            sql["functions"], {"ids": json.dumps(list(dict.fromkeys(graph.ids.values())))}
        ):
            graph.functions[row["id"]] = row
        found: dict[int, list[sqlite3.Row]] = {}
        for row in conn.execute(sql["operators"], {"ids": json.dumps(list(graph.natives))}):
            found.setdefault(row["native_id"], []).append(row)
        for native, rows in found.items():
            makes = any(row["makes_tensors"] for row in rows)
            if makes or not any(row["is_manual"] for row in rows):
                graph.operators[native] = _operators(rows)


def _merge(graph: CallGraph) -> None:
    """Take nodes of one function for the same that call the same, on whatever they run.

    They are first taken for the same all of them, and then told apart by what they call, until nothing changes.
    """
    if len(set(graph.ids.values())) == len(graph.ids):
        return
    kinds: dict[int, int] = dict(graph.ids)
    for _ in range(DEPTH):
        numbers: dict[tuple[object, ...], int] = {}
        told = {}
        for node, function in graph.ids.items():
            calls = tuple(
                -1 if call.callee is None else kinds[call.callee]
                for call in graph.calls.get(node, ())
            )
            told[node] = numbers.setdefault((function, calls), len(numbers))
        is_settled = len(numbers) == len(set(kinds.values()))
        kinds = told
        if is_settled:
            break
    first: dict[int, int] = {}
    for node in graph.ids:
        first.setdefault(kinds[node], node)
    same = {node: first[kinds[node]] for node in graph.ids}
    graph.top = same[graph.top]
    graph.ids = {node: graph.ids[node] for node in first.values()}
    graph.calls = {
        node: [
            call if call.callee is None else call._replace(callee=same[call.callee])
            for call in calls
        ]
        for node, calls in graph.calls.items()
        if same[node] == node
    }


def _mark_reaching(graph: CallGraph) -> None:
    """Find the nodes that have an operator below them, from the operators upwards."""
    callers: dict[int, list[int]] = {}
    level: Iterable[int] = []
    found: set[int] = set()
    for caller, rows in graph.calls.items():
        for row in rows:
            if row.callee is not None:
                callers.setdefault(row.callee, []).append(caller)
            elif row.native_id in graph.operators:
                found.add(caller)
    level = list(found)
    while level:
        level = [caller for name in level for caller in callers.get(name, ())]
        level = [caller for caller in dict.fromkeys(level) if caller not in found]
        found.update(level)
    graph.reaching = found


def _operators(rows: list[sqlite3.Row]) -> tuple[OperatorLine, ...]:
    # An out variant is what the same call reaches with out=; it says nothing new here.
    shown = [row for row in rows if row["kind"] != "out"] or rows
    return tuple(
        OperatorLine(
            row["name"], Place(row["path"], row["line"]), makes_tensors=bool(row["makes_tensors"])
        )
        for row in shown
    )
