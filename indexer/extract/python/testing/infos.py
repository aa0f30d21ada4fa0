"""Calls that make OpInfos and their like, in lists, loops and helper functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from indexer.extract.python import lexical
from indexer.extract.python.compound import TRIES, of_cases
from indexer.extract.python.scope import Scope, dotted
from indexer.extract.python.testing import fields
from indexer.extract.python.testing.lists import holder
from indexer.extract.python.told_values import UNKNOWN, bind, elements, value
from indexer.extract.python.unit import PyUnit
from indexer.facts.tests import TestInfo

CLASS_NAME = re.compile(r"(?:^|\.)_?[A-Z]\w*Info$")
_MAKES = re.compile(r"\b_?[A-Z]\w*Info\s*\(")
_DEPTH = 6
_FIRST = ("name", "module_cls", "optim_cls")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


class InfoReader:
    """Follows what a file's module-level statements make.

    Args:
        unit: the file.
        scope: its module-level names.
        functions: the functions of the module by name: how to read one, and its line.
    """

    def __init__(
        self,
        unit: PyUnit,
        scope: Scope,
        functions: dict[str, Callable[[], tuple[Definition, int] | None]],
    ) -> None:
        self.unit = unit
        self.scope = scope
        self.functions = functions
        self.names: dict[str, Any] = {}
        self.found: list[TestInfo] = []
        self._list = ""
        self._maker: int | None = None
        self._offset = 0
        self._depth = 0
        self._loops: list[str] = []

    def read(self, body: Iterable[ast.stmt]) -> list[TestInfo]:
        """The calls in a module's statements, in the order in which they would run, behind those read before.

        Args:
            body: the statements.
        """
        for node in body:
            self._statement(node, self.names)
        return self.found

    # Statements

    def _statement(self, node: ast.stmt, names: dict[str, Any]) -> None:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._assignment(node, names)
        elif isinstance(node, ast.Expr):
            call = node.value
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                with_list = call.func.attr in ("append", "extend", "insert")
                self._in_list(holder(call.func.value) if with_list else "", call, names)
            else:
                self._expression(call, names)
        elif isinstance(node, ast.Return) and node.value is not None:
            self._expression(node.value, names)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._loop(node.target, node.iter, names, lambda: self._block(node.body, names))
        elif isinstance(node, ast.If):
            test = value(node.test, names)
            if test is UNKNOWN or test:
                self._block(node.body, names)
            if test is UNKNOWN or not test:
                self._block(node.orelse, names)
        elif isinstance(node, ast.With):
            self._block(node.body, names)
        elif isinstance(node, ast.Match):
            self._block(of_cases(node), names)
        elif isinstance(node, TRIES):
            self._block([*node.body, *node.orelse, *node.finalbody], names)
        elif isinstance(node, ast.ClassDef):
            self._block(node.body, dict(names))

    def _block(self, body: Iterable[ast.stmt], names: dict[str, Any]) -> None:
        for node in body:
            self._statement(node, names)

    def _assignment(
        self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, names: dict[str, Any]
    ) -> None:
        if node.value is None:
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        # A list that is made inside a function goes where the function's result goes.
        name = holder(targets[0]) if self._maker is None else self._list
        self._in_list(name, node.value, names)
        if not isinstance(node, ast.AugAssign):
            given = value(node.value, names)
            made_with = (
                fields.functions(node.value, names, self.scope)
                if fields.is_function(node.value)
                else ()
            )
            for target in targets:
                bind(target, given, names)
                names[f"={dotted(target)}"] = made_with

    def _in_list(self, name: str, node: ast.expr, names: dict[str, Any]) -> None:
        before = self._list
        if self._maker is None:
            self._list = name
        self._expression(node, names)
        self._list = before

    # Expressions

    def _expression(self, node: ast.expr, names: dict[str, Any]) -> None:
        if isinstance(node, ast.Call):
            callee = dotted(node.func)
            if CLASS_NAME.search(callee):
                self._info(node, callee, names)
            elif callee in self.functions and self._calls(node, callee, names):
                return
            else:
                for argument in node.args:
                    self._expression(argument, names)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            for element in node.elts:
                self._expression(element, names)
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            self._comprehension(node.generators, node.elt, names)
        elif isinstance(node, ast.Starred):
            self._expression(node.value, names)
        elif isinstance(node, ast.BinOp):
            self._expression(node.left, names)
            self._expression(node.right, names)
        elif isinstance(node, ast.IfExp):
            self._expression(node.body, names)
            self._expression(node.orelse, names)
        elif isinstance(node, ast.Dict):
            for entry in node.values:
                self._expression(entry, names)

    def _comprehension(
        self, generators: list[ast.comprehension], element: ast.expr, names: dict[str, Any]
    ) -> None:
        if not generators:
            self._expression(element, names)
            return
        first, *rest = generators

        def inner() -> None:
            if all(value(test, scope) for test in first.ifs):
                self._comprehension(rest, element, scope)

        scope = dict(names)
        self._loop(first.target, first.iter, scope, inner)

    def _loop(
        self, target: ast.expr, over: ast.expr, names: dict[str, Any], run: Callable[[], None]
    ) -> None:
        known = elements(over, names)
        if known is None:
            self._expression(over, names)
            self._loops.append(ast.unparse(over)[:80])
            bind(target, UNKNOWN, names)
            run()
            self._loops.pop()
            return
        for given in known:
            bind(target, given, names)
            run()

    def _calls(self, node: ast.Call, callee: str, names: dict[str, Any]) -> bool:
        """Follow a call of a function of this file; False where it makes nothing of interest."""
        if self._depth >= _DEPTH:
            return False
        read = self.functions[callee]()
        if read is None:
            return False
        function, line = read
        inner = dict(self.names)
        _bind_parameters(function, node, names, inner, self.scope)
        before = self._maker, self._offset
        number = len(self.found)
        self._maker, self._offset = line, line - function.lineno
        self._depth += 1
        self._block(function.body, inner)
        self._depth -= 1
        self._maker, self._offset = before
        return len(self.found) > number

    def _info(self, node: ast.Call, callee: str, names: dict[str, Any]) -> None:
        keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        first = node.args[0] if node.args else None
        for parameter in _FIRST:
            first = first or keywords.get(parameter)
        given = value(first, names) if first is not None else UNKNOWN
        subject = keywords.get("op")
        text = self._source(subject)
        if given is UNKNOWN and first is not None and dotted(first):
            # A class: what a ModuleInfo or OptimizerInfo is for.
            text = self._target(dotted(first), names)
        unknown = ""
        if given is UNKNOWN and not text:
            unknown = f"the name {ast.unparse(first)[:80]}" if first is not None else "no name"
        variant = self._text(keywords.get("variant_test_name"), names)
        if variant is UNKNOWN:
            unknown, variant = "variant_test_name", None
        if unknown and self._loops:
            unknown += f" in a loop over {self._loops[-1]}"
        ref_variant = keywords.get(
            "torch_opinfo_variant_name", keywords.get("torch_opinfo_variant")
        )
        samples = self._sample_inputs(keywords)
        self.found.append(
            TestInfo(
                line=node.lineno + self._offset,
                class_target=self.scope.full(callee),
                name=given if isinstance(given, str) else None,
                variant=variant,
                aten_name=_known(self._text(keywords.get("aten_name"), names)),
                aliases=_joined(value(keywords.get("aliases"), names)),
                subject=text,
                dtypes=self._source(keywords.get("dtypes")),
                sample_inputs=samples,
                inplace=self._source(keywords.get("inplace_variant")),
                skips=", ".join(_skips(keywords, names)),
                ref_name=_known(self._text(keywords.get("torch_opinfo_name"), names)),
                ref_variant=_known(self._text(ref_variant, names)),
                list_name=self._list,
                maker_line=self._maker,
                unknown=unknown,
                end_line=(node.end_lineno or node.lineno) + self._offset,
                fields=fields.given(node, names, self.scope, samples),
            )
        )

    def _target(self, name: str, names: dict[str, Any]) -> str:
        bound = names.get(name)
        return self.scope.full(bound if isinstance(bound, str) else name)

    def _sample_inputs(self, keywords: dict[str, ast.expr]) -> str:
        for name in ("sample_inputs_func", "module_inputs_func", "optim_inputs_func"):
            node = keywords.get(name)
            if node is not None:
                # `partial(sample_inputs_x, …)` makes them as its first argument does.
                if isinstance(node, ast.Call) and node.args:
                    node = node.args[0]
                return self.scope.full(dotted(node)) if dotted(node) else self._source(node)
        return ""

    def _source(self, node: ast.expr | None) -> str:
        if node is None:
            return ""
        text = lexical.without_comments(source(self.unit, node, self._offset))
        return text if len(text) <= 200 else text[:199] + "…"

    @staticmethod
    def _text(node: ast.expr | None, names: dict[str, Any]) -> Any:
        if node is None:
            return None
        found = value(node, names)
        return found if isinstance(found, str) else UNKNOWN


def source(unit: PyUnit, node: ast.expr, offset: int = 0) -> str:
    """An expression as it is written.

    Args:
        unit: the file.
        node: the expression.
        offset: what its lines lack to be the file's.
    """
    first, last = node.lineno + offset, (node.end_lineno or node.lineno) + offset
    start = unit.line_starts[first - 1]
    end = unit.line_starts[last - 1]
    return unit.text[
        start + _columns(unit, start, node.col_offset) : end
        + _columns(unit, end, node.end_col_offset)
    ]


def _columns(unit: PyUnit, start: int, columns: int | None) -> int:
    piece = unit.text[start : start + (columns or 0)]
    if piece.isascii():
        return len(piece)
    return len(piece.encode("utf-8")[:columns].decode("utf-8", "ignore"))


def makes_infos(text: str) -> bool:
    """Whether a function's text may hold a call of interest."""
    return _MAKES.search(text) is not None


def _known(found: Any) -> str | None:
    return found if isinstance(found, str) else None


def _joined(found: Any) -> str:
    if isinstance(found, str):
        return found
    if isinstance(found, (list, tuple)):
        return ", ".join(str(entry) for entry in found if entry is not UNKNOWN)
    return ""


def _skips(keywords: dict[str, ast.expr], names: dict[str, Any]) -> Iterator[str]:
    """`Class.test` of every `DecorateInfo(decorator, class, test)` among skips and decorators."""
    for name in ("skips", "decorators"):
        node = keywords.get(name)
        if node is None:
            continue
        for call in ast.walk(node):
            if not isinstance(call, ast.Call) or len(call.args) < 2:
                continue
            if dotted(call.func).rpartition(".")[2] == "DecorateInfo":
                parts = [value(argument, names) for argument in call.args[1:3]]
                text = ".".join(part for part in parts if isinstance(part, str))
                if text:
                    yield text


def _bind_parameters(
    function: Definition,
    node: ast.Call,
    names: dict[str, Any],
    inner: dict[str, Any],
    scope: Scope,
) -> None:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    for parameter in (*positional, *arguments.kwonlyargs):
        inner[parameter.arg] = UNKNOWN
    defaults = arguments.defaults
    for parameter, default in zip(
        positional[len(positional) - len(defaults) :], defaults, strict=True
    ):
        inner[parameter.arg] = value(default, inner)
    for parameter, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if given is not None:
            inner[parameter.arg] = value(given, inner)
    pairs = [
        (parameter.arg, argument)
        for parameter, argument in zip(positional, node.args, strict=False)
    ]
    for name, argument in (*pairs, *((k.arg, k.value) for k in node.keywords if k.arg)):
        inner[name] = value(argument, names)
        inner[f"={name}"] = fields.functions(argument, names, scope)
