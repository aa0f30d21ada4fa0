"""The graph's calls between functions of Python, against those that happened while PyTorch's own tests ran."""

from __future__ import annotations

import ast
import json
import lzma
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real.conftest import Real

pytestmark = pytest.mark.real

_DATA = Path(__file__).parent.parent / "data"

_FUNCTIONS = """
SELECT f.path, p.name, p.id, p.line, p.end_line, p.kind, p.class_id FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id JOIN source_files AS f ON f.id = m.file_id
"""
_EDGES = """
SELECT e.source >> 4, e.target, e.line, k.kind FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id
WHERE e.source & 15 = 4 AND e.target & 15 IN (4, 5)
"""
_VERDICTS = {
    "2.6.0": {"sure": 4382, "override": 342, "candidate": 116, "missing": 139},
    "1.13.1": {"sure": 5299, "override": 406, "candidate": 79, "missing": 184},
}
_RIGHT = {"2.6.0": [(3771, 21), (155, 9)], "1.13.1": [(4776, 4), (85, 8)]}
"""By version, of what is called for sure and of candidates, how many ran and how many did not."""
_BEYOND_FIRST = 40
"""Lines of decorators above a `def`, at most."""


class Function(NamedTuple):
    """A function of the index: its number, lines, kind and class."""

    id: int
    line: int
    end: int
    kind: str
    class_id: int | None


class Truth:
    """What ran, and what the index has of it.

    Args:
        real: the tree.
    """

    def __init__(self, real: Real) -> None:
        self.version = real.version
        self.root = real.root
        self.functions: dict[str, dict[str, list[Function]]] = {}
        self.at: dict[str, list[Function]] = {}
        self.name: dict[int, str] = {}
        for path, name, *rest in real.conn.execute(_FUNCTIONS):
            found = Function(*rest)
            self.functions.setdefault(path, {}).setdefault(name, []).append(found)
            self.at.setdefault(path, []).append(found)
            self.name[found.id] = name
        self.edges: dict[int, dict[int, set[str]]] = {}
        self.on_line: dict[tuple[int, int], list[tuple[int, str]]] = {}
        self.overrides: dict[int, set[int]] = {}
        for source, target, line, kind in real.conn.execute(_EDGES):
            self.edges.setdefault(source, {}).setdefault(target, set()).add(kind)
            if target & 15 == 4:
                self.on_line.setdefault((source, line), []).append((target >> 4, kind))
            if kind == "virtual":
                self.overrides.setdefault(source, set()).add(target >> 4)

    def callee(self, path: str, first: int, name: str) -> Function | None:
        """The function of the index that a code object is of."""
        return next(
            (
                each
                for each in self.functions.get(path, {}).get(name, ())
                if first <= each.line <= first + _BEYOND_FIRST and each.kind != "overload"
            ),
            None,
        )

    def caller(self, path: str, line: int) -> Function | None:
        """The innermost function around a line, or the module's own code."""
        around = [each for each in self.at.get(path, ()) if each.line <= line <= each.end]
        inner = [each for each in around if each.kind != "module"]
        own = (each for each in self.at.get(path, ()) if each.kind == "module")
        return max(inner, key=lambda each: each.line, default=None) or next(own, None)

    def verdict(self, caller: Function, callee: Function) -> str:
        """How the graph leads from one function to another: `sure`, `override`, `candidate` or `missing`."""
        edges = self.edges.get(caller.id, {})
        kinds = edges.get(callee.id * 16 + 4, set())
        if callee.class_id is not None:
            kinds = kinds | edges.get(callee.class_id * 16 + 5, set())
        if kinds - {"candidate", "virtual"}:
            return "sure"
        last = self.name[callee.id].rpartition(".")[2]
        if last in ("__init__", "__new__") and any(target & 15 == 5 for target in edges):
            return "sure"  # of a class that inherits it
        called = [target >> 4 for target in edges if target & 15 == 4]
        while called:
            overriding = self.overrides.get(called.pop(), set())
            if callee.id in overriding:
                return "override"
            called += overriding
        return "candidate" if kinds else "missing"

    def run_by(self, function: int) -> set[int]:
        """A function, and what overrides it."""
        found, waiting = {function}, [function]
        while waiting:
            others = self.overrides.get(waiting.pop(), set()) - found
            found |= others
            waiting += others
        return found


def _named(tree: ast.Module) -> dict[int, set[str]]:
    """By each line that a call is in the last names of what is called there, without decorators."""
    found: dict[int, set[str]] = {}
    above = {
        line
        for node in ast.walk(tree)
        for each in getattr(node, "decorator_list", ())
        for line in range(each.lineno, each.end_lineno + 1)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            name = getattr(called, "attr", None) or getattr(called, "id", "")
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                if line not in above:
                    found.setdefault(line, set()).add(name)
    return found


def _ran(truth: Truth) -> Iterator[tuple[str, int, Function, Function]]:
    """The calls that happened of what the line that made them names."""
    with lzma.open(_DATA / f"python_calls-{truth.version}.json.xz", "rt", encoding="utf-8") as file:
        recorded = json.load(file)
    for path, lines in recorded.items():
        if path not in truth.at:
            continue  # made when torch is built
        names = _named(ast.parse((truth.root / path).read_text(encoding="utf-8")))
        for line, calls in lines.items():
            for of, first, name in calls:
                last = name.rpartition(".")[2]
                if last == "__init__":
                    last = name.split(".")[-2]
                callee, caller = truth.callee(of, first, name), truth.caller(path, int(line))
                if last in names.get(int(line), ()) and callee is not None and caller is not None:
                    yield path, int(line), caller, callee


def test_calls_that_ran_are_in_the_graph(real: Real) -> None:
    truth = Truth(real)
    said = Counter(truth.verdict(caller, callee) for _, _, caller, callee in _ran(truth))
    assert said == _VERDICTS[real.version]


def test_what_is_called_for_sure_is_what_ran(real: Real) -> None:
    """On a line that ran, of the methods and functions of the name that was called there.

    Others are mostly one of several that a value may be, of which another ran: `BufferLike = Buffer | WorkspaceArg`.
    """
    truth = Truth(real)
    ran: dict[tuple[int, int, str], set[int]] = {}
    for _, line, caller, callee in _ran(truth):
        last = truth.name[callee.id].rpartition(".")[2]
        if last not in ("__init__", "__new__"):
            ran.setdefault((caller.id, line, last), set()).add(callee.id)
    said: Counter[tuple[bool, bool]] = Counter()
    for (caller, line, last), called in ran.items():
        for target, kind in truth.on_line.get((caller, line), ()):
            if truth.name[target].rpartition(".")[2] == last and kind != "virtual":
                said[kind != "candidate", not truth.run_by(target).isdisjoint(called)] += 1
    assert [(said[sure, True], said[sure, False]) for sure in (True, False)] == _RIGHT[real.version]
