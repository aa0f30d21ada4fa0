"""What tests call by names that they have as texts: `for name in ("add", "mul"): getattr(torch, name)(x)`.

A hundred of 2.6.0's tests try many operators or modules each in this way, and nothing else in them names these. A body
is gone through as it would run, as far as its texts, loops and helpers tell what each name is.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any, NamedTuple

from indexer.extract.python.calls import CALL
from indexer.extract.python.compound import TRIES
from indexer.extract.python.definitions import Definitions, FunctionNode
from indexer.extract.python.lexical import Span
from indexer.extract.python.local_names import Locals
from indexer.extract.python.scope import dotted
from indexer.extract.python.told_values import UNKNOWN, Names, bind, elements, value
from indexer.extract.python.unit import PyUnit
from indexer.facts.python import PythonCalls

# Not by a text that stands there: strings are blanked, but for their quotes.
_ASKS = re.compile(r"getattr\(\s*[\w.]+(?:\([^()]*\))?,\s*(?![\"'])")
_INNER = re.compile(r"\bdef (\w+)\(|\b(\w+) = lambda\b")
# What a body does more than this is done for other things than names, such as sizes.
_MOST_STEPS = 2_000
_MOST_NUMBERS = 5
_MOST_TOGETHER = 64
_DEPTH = 3
_Definition = ast.FunctionDef | ast.AsyncFunctionDef
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def read(
    unit: PyUnit,
    definitions: Definitions,
    names_of: Callable[[FunctionNode, Span], Locals],
    calls: PythonCalls,
) -> None:
    """Add what a file's functions call by names that its texts tell.

    Args:
        unit: the file.
        definitions: its functions and assignments.
        names_of: what the names inside a function stand for, which stands at a place of the text.
        calls: where it is added.
    """
    if not _ASKS.search(unit.code):
        return
    file = _File(unit, definitions)
    functions = [f for f in definitions.functions if f.node.lineno in unit.spans]
    for position, found in enumerate(functions):
        span = unit.spans[found.node.lineno]
        parsed = file.function(found.name) if file.is_asking(span) else None
        if parsed is None or file.find(found.name) is not found:
            continue
        body = _Body(file, found.scope)
        for names in _given(found.node, file.names(found.scope)):
            body.run_all(parsed, names)
        names_there = names_of(found, span) if body.asked else None
        for (owner, name), line in body.asked.items():
            target = names_there.target(f"{owner}.{name}") if names_there and owner else ""
            if target:
                calls.add(position, target, CALL, line)


class _Parsed(NamedTuple):
    """A function with its body.

    Args:
        node: the statement, whose lines are counted from its own.
        offset: to be added to these.
        lines: those that ask for a name, or call what may.
    """

    node: _Definition
    offset: int
    lines: tuple[int, ...]

    def has(self, node: ast.AST) -> bool:
        """Whether a part of it asks for a name, or calls what may."""
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        at = bisect_left(self.lines, first)
        return at < len(self.lines) and self.lines[at] <= last


class _File:
    """The functions and constants of a file, each looked at when it is asked for.

    Args:
        unit: the file.
        definitions: what its statements define.
    """

    def __init__(self, unit: PyUnit, definitions: Definitions) -> None:
        self._unit = unit
        self._definitions = definitions
        self._functions: dict[str, FunctionNode] = {}
        self._parsed: dict[str, _Parsed | None] = {}
        self._values: dict[str, dict[str, Any]] = {}
        helpers: set[str] = set()
        self._at = [match.start() for match in _ASKS.finditer(unit.code)]
        for found in definitions.functions:
            self._functions.setdefault(found.name, found)
            span = unit.spans.get(found.node.lineno)
            has_more = len(found.node.args.args) > bool(found.scope)
            if span is not None and has_more and self.is_asking(span):
                helpers.add(found.node.name)
        self.helpers = frozenset(helpers)
        for name in helpers:
            self._at += _calling(unit.code, name, 0, len(unit.code))
        self._at.sort()

    def is_asking(self, span: Span) -> bool:
        """Whether a function asks for a name, or calls a helper that does."""
        return self._asking(span) != []

    def _asking(self, span: Span) -> list[int]:
        return self._at[bisect_left(self._at, span.body) : bisect_left(self._at, span.end)]

    def find(self, name: str) -> FunctionNode | None:
        """The first function of a name within the module."""
        return self._functions.get(name)

    def function(self, name: str) -> _Parsed | None:
        """The same with its body; None where there is none, or its text alone is no Python."""
        if name not in self._parsed:
            found = self._functions.get(name)
            span = self._unit.spans.get(found.node.lineno) if found is not None else None
            node = self._unit.function(span) if span is not None else None
            self._parsed[name] = None
            if node is not None and span is not None:
                code, first = self._unit.code, self._unit.line(span.start)
                at = self._asking(span)
                for match in _INNER.finditer(code, span.body, span.end) if at else ():
                    at += _calling(code, match[1] or match[2], span.body, span.end)
                lines = {self._unit.line(one) - first + 2 for one in at}
                self._parsed[name] = _Parsed(node, first - 2, tuple(sorted(lines)))
        return self._parsed[name]

    def names(self, scope: str) -> dict[str, Any]:
        """The constants of the module, and those of a class behind `self.`."""
        if scope not in self._values:
            found: dict[str, Any] = {}
            for one in self._definitions.assignments:
                if one.scope in ("", scope) and one.value is not None:
                    prefix = "self." if one.scope else ""
                    found[prefix + one.name] = value(one.value, found)
            self._values[scope] = found
        return dict(self._values[scope])


def _calling(code: str, name: str, start: int, end: int) -> Iterator[int]:
    """Where a part of a text may call a function of this name."""
    at = code.find(f"{name}(", start, end)
    while at >= 0:
        yield at
        at = code.find(f"{name}(", at + 1, end)


def _given(node: _Definition, names: Names) -> Iterator[dict[str, Any]]:
    """The names of a function, once for each way in which its decorators have it run.

    That is `@parametrize("name", [...])`, and `@parameterized.expand([...])`, which gives all parameters at once.
    """
    ways: list[list[dict[str, Any]]] = []
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not decorator.args:
            continue
        last = dotted(decorator.func).rpartition(".")[2]
        if last == "parametrize" and len(decorator.args) > 1:
            written = value(decorator.args[0], names)
            targets = (
                [name.strip() for name in written.split(",")] if isinstance(written, str) else []
            )
            ways.append([*_bound(targets, decorator.args[1], names)])
        elif last == "expand":
            targets = [argument.arg for argument in node.args.args[1:]]
            ways.append([*_bound(targets, decorator.args[0], names)])
    ways = [way for way in ways if way]
    if prod(map(len, ways)) <= _MOST_TOGETHER:
        for chosen in product(*ways):
            yield {**names, **{name: one for way in chosen for name, one in way.items()}}
    else:
        for way in ways:
            for one in way:
                yield {**names, **one}


def _bound(targets: list[str], node: ast.expr, names: Names) -> Iterator[dict[str, Any]]:
    if isinstance(node, (ast.List, ast.Tuple)):
        each = [value(_plain(element), names) for element in node.elts]
    else:
        each = elements(node, names) or []
    for one in each:
        parts = one if isinstance(one, tuple) and len(targets) > 1 else (one,)
        if len(parts) == len(targets):
            yield dict(zip(targets, parts, strict=True))


def _plain(node: ast.expr) -> ast.expr:
    """What stands in `subtest(…, name="…")`, and anything else as it is."""
    is_subtest = isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == "subtest"
    return node.args[0] if is_subtest and node.args else node  # type: ignore[attr-defined]


class _Body:
    """A function as it runs.

    Args:
        file: that it stands in.
        scope: the class that it is a method of, or an empty string.

    Attributes:
        asked: what it asked for a name so far, as it is written, with the name; and where first.
    """

    def __init__(self, file: _File, scope: str) -> None:
        self.asked: dict[tuple[str, str], int] = {}
        self._file = file
        self._scope = scope
        self._inner: dict[str, tuple[_Definition | ast.Lambda, _Parsed]] = {}
        self._within: _Parsed | None = None
        self._line = 0
        self._steps = 0
        self._depth = 0

    def run_all(self, parsed: _Parsed, names: dict[str, Any]) -> None:
        """Go through a whole function by what names stand for, which is changed."""
        before, self._within = self._within, parsed
        self._run_all(parsed.node.body, names)
        self._within = before

    def _run_all(self, body: Iterable[ast.stmt], names: dict[str, Any]) -> None:
        for node in body:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                return
            self._run(node, names)

    def _run(self, node: ast.stmt, names: dict[str, Any]) -> None:
        if isinstance(node, ast.Assign):
            self._assign(node.targets, node.value, names)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign([node.target], node.value, names)
        if self._within is None or not self._within.has(node):
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._inner[node.name] = node, self._within
            # Who runs it, and with what, is not always known.
            self._run_all(node.body, {**names, **dict.fromkeys(_parameters(node), UNKNOWN)})
        elif isinstance(node, ast.ClassDef):
            self._run_all(node.body, dict(names))
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._look(node.iter, names)
            for one in _each(node.iter, names):
                bind(node.target, one, names)
                self._run_all(node.body, names)
            self._run_all(node.orelse, names)
        elif isinstance(node, ast.If):
            self._look(node.test, names)
            holds = value(node.test, names)
            if holds is UNKNOWN or holds:
                self._run_all(node.body, names)
            if holds is UNKNOWN or not holds:
                self._run_all(node.orelse, names)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self._look(item.context_expr, names)
            self._run_all(node.body, names)
        elif isinstance(node, ast.While):
            self._run_all(node.body, names)
        elif isinstance(node, TRIES):
            self._run_all([*node.body, *node.orelse, *node.finalbody], names)
        else:
            self._look(node, names)

    def _assign(self, targets: list[ast.expr], given: ast.expr, names: dict[str, Any]) -> None:
        for target in targets:
            if isinstance(given, ast.Lambda) and isinstance(target, ast.Name) and self._within:
                self._inner[target.id] = given, self._within
            bind(target, value(given, names), names)

    def _look(self, node: ast.AST, names: dict[str, Any]) -> None:
        """Look at an expression, or at a statement without others in it."""
        if isinstance(node, _COMPREHENSIONS):
            self._comprehend(node, node.generators, names)
            return
        if isinstance(node, ast.Lambda):
            self._look(node.body, {**names, **dict.fromkeys(_parameters(node), UNKNOWN)})
            return
        if isinstance(node, ast.Call):
            self._call(node, names)
        for child in ast.iter_child_nodes(node):
            self._look(child, names)

    def _comprehend(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        generators: list[ast.comprehension],
        names: dict[str, Any],
    ) -> None:
        if not generators:
            for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                self._look(part, names)
            return
        first, *rest = generators
        inner = dict(names)
        for one in _each(first.iter, names):
            self._steps += 1
            if self._steps > _MOST_STEPS:
                return
            bind(first.target, one, inner)
            self._comprehend(node, rest, inner)

    def _call(self, node: ast.Call, names: dict[str, Any]) -> None:
        name = dotted(node.func)
        if name == "getattr" and len(node.args) > 1:
            text = value(node.args[1], names)
            is_told = isinstance(text, str) and not isinstance(node.args[1], ast.Constant)
            if is_told and text.isidentifier() and self._within is not None:
                key = dotted(node.args[0]), text
                self.asked.setdefault(key, self._line or node.lineno + self._within.offset)
            return
        found = self._callee(name) if self._depth < _DEPTH else None
        if found is None:
            return
        callee, parsed = found
        parameters = _parameters(callee)
        if name.startswith("self.") and parameters[:1] == ["self"]:
            parameters = parameters[1:]
        given = dict.fromkeys(parameters, UNKNOWN)
        given.update(zip(parameters, _positional(node, names), strict=False))
        for keyword in node.keywords:
            if keyword.arg in given:
                given[keyword.arg] = value(keyword.value, names)
        if not any(isinstance(one, (str, tuple)) for one in given.values()):
            return
        self._depth += 1
        before, line = self._within, self._line
        if parsed is not before and before is not None:
            # What a helper beside it does is done where it is called.
            self._line = line or node.lineno + before.offset
        self._within = parsed
        if isinstance(callee, ast.Lambda):
            self._look(callee.body, {**names, **given})
        else:
            self._run_all(callee.body, {**names, **given})
        self._within, self._line = before, line
        self._depth -= 1

    def _callee(self, name: str) -> tuple[_Definition | ast.Lambda, _Parsed] | None:
        """A function within the body, or a helper beside it that asks for names."""
        if name in self._inner:
            return self._inner[name]
        owner, _, last = name.rpartition(".")
        if last not in self._file.helpers or owner not in ("", "self"):
            return None
        parsed = self._file.function(f"{self._scope}.{last}" if owner else last)
        return (parsed.node, parsed) if parsed is not None else None


def _positional(node: ast.Call, names: Names) -> Iterator[Any]:
    """What a call gives by position, up to what may be any number."""
    for one in node.args:
        if not isinstance(one, ast.Starred):
            yield value(one, names)
            continue
        each = value(one.value, names)
        if not isinstance(each, tuple):
            return
        yield from each


def _parameters(node: _Definition | ast.Lambda) -> list[str]:
    arguments = node.args
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _each(node: ast.expr, names: Mapping[str, Any]) -> list[Any]:
    """What a loop goes through, where that may be names; else something of which nothing is known."""
    found = elements(node, names)
    if found is None or not (len(found) <= _MOST_NUMBERS or any(map(_has_text, found))):
        return [UNKNOWN]
    return found


def _has_text(one: Any, depth: int = _DEPTH) -> bool:
    if isinstance(one, (tuple, list)) and depth:
        return any(_has_text(part, depth - 1) for part in one)
    return isinstance(one, str)
